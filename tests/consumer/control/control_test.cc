#include "consumer/control/control.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "consumer/config/limit_table.h"
#include "consumer/control/pause_table.h"

namespace penstock {
namespace {

TEST(Control, ARecordIsTheWholeOfWhatItsKeyIsSetTo) {
  Control control;
  ASSERT_TRUE(control.apply("limit/crm", R"({"slots":3,"rate":"10/s","burst":4})"));
  const auto set = control.limit("crm", "crm");
  ASSERT_TRUE(set);
  EXPECT_EQ(set->slots, 3);
  EXPECT_EQ(set->rate, (Rate{10, Duration{1000}}));
  EXPECT_EQ(set->burst, 4);
  ASSERT_TRUE(control.apply("limit/crm", R"({"slots":5})"));
  EXPECT_EQ(*control.limit("crm", "crm"), (LimitOverride{5, {}, 1}));
  ASSERT_TRUE(control.apply("limit/crm", std::nullopt));
  EXPECT_FALSE(control.limit("crm", "crm"));
}

TEST(Control, ALimitAsFilledInGoesBeforeTheOneAsWritten) {
  Control control;
  ASSERT_TRUE(control.apply("limit/webhook/{account}", R"({"slots":1})"));
  EXPECT_EQ(control.limit("webhook/acme", "webhook/{account}")->slots, 1);
  ASSERT_TRUE(control.apply("limit/webhook/acme", R"({"slots":7})"));
  EXPECT_EQ(control.limit("webhook/acme", "webhook/{account}")->slots, 7);
  EXPECT_EQ(control.limit("webhook/bolt", "webhook/{account}")->slots, 1);
}

TEST(Control, WhatANameAsFilledInSaysNothingOfIsAsSetOfTheNameAsWritten) {
  Control control;
  ASSERT_TRUE(control.apply("limit/webhook/acme", R"({"rate":"5/s","burst":2})"));
  ASSERT_TRUE(control.apply("limit/webhook/{account}", R"({"slots":0})"));
  EXPECT_EQ(control.limit("webhook/acme", "webhook/{account}"),
            (LimitOverride{0, Rate{5, Duration{1000}}, 2}))
      << "the halt reaches it";
  ASSERT_TRUE(control.apply("limit/webhook/{account}", R"({"slots":0,"rate":"9/s","burst":9})"));
  ASSERT_TRUE(control.apply("limit/webhook/acme", R"({"slots":3})"));
  EXPECT_EQ(control.limit("webhook/acme", "webhook/{account}"),
            (LimitOverride{3, Rate{9, Duration{1000}}, 9}));
  EXPECT_EQ(
      set_over({7, Rate{1, Duration{1000}}, 1}, control.limit("webhook/bolt", "webhook/{account}")),
      (LimitOverride{0, Rate{9, Duration{1000}}, 9}));
}

TEST(Control, PausesAreOfAQueueATypeOrAnAccount) {
  for (const PauseTarget& target : {PauseTarget{"mail", "", ""}, PauseTarget{"mail", "a.b", ""},
                                    PauseTarget{"mail", "", "x/type/y"}}) {
    Control control;
    ASSERT_TRUE(control.apply(pause_key(target), to_json(Pause{time_from_ms(7), "ann"})));
    const Pause* const pause = control.pause(pause_key(target));
    ASSERT_TRUE(pause);
    EXPECT_EQ(pause->since, time_from_ms(7));
    EXPECT_EQ(pause->by, "ann");
    const auto parsed = parse_pause_key(pause_key(target));
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->queue, target.queue);
    EXPECT_EQ(parsed->type, target.type);
    EXPECT_EQ(parsed->account, target.account);
  }
}

TEST(Control, WhatItCannotReadIsRefusedAndChangesNothing) {
  Control control;
  ASSERT_TRUE(control.apply("limit/crm", R"({"slots":3})"));
  for (const char* value : {"", "7", "{}", R"({"slots":-1})", R"({"slots":"3"})", R"({"slotz":3})",
                            R"({"rate":"often"})", R"({"burst":3})", R"({"slots":99999999})",
                            R"({"rate":"1/s","burst":0})", R"({"rate":"1/s","burst":"2"})",
                            R"({"rate":"1/s","burst":99999999})"}) {
    const Status applied = control.apply("limit/crm", value);
    EXPECT_FALSE(applied) << value;
    EXPECT_EQ(control.limit("crm", "crm")->slots, 3);
  }
  for (const char* key : {"", "limits/crm", "pause/", "pause/mail/", "pause/mail/types/x",
                          "pause/mail/type/", "pause/mail/account/"}) {
    EXPECT_FALSE(control.apply(key, "{}")) << key;
  }
  EXPECT_FALSE(control.has_pauses());
}

TEST(Control, AFinishedUpgradeIsOfOneQueue) {
  Control control;
  EXPECT_EQ(control.finished_format("mail"), 0u);
  ASSERT_TRUE(control.apply(format_key("mail"), format_json(2)));
  EXPECT_EQ(control.finished_format("mail"), 2u);
  EXPECT_EQ(control.finished_format("post"), 0u);
  for (const char* value : {"", "2", "{}", R"({"format":0})", R"({"format":"2"})"})
    EXPECT_FALSE(control.apply("format/mail", value)) << value;
  EXPECT_EQ(control.finished_format("mail"), 2u);
  ASSERT_TRUE(control.apply("format/mail", std::nullopt));
  EXPECT_EQ(control.finished_format("mail"), 0u);
}

TEST(Control, TheMessageNamesTheMemberAtFault) {
  std::string at_fault;
  EXPECT_EQ(parse_limit_override(R"({"slots":-1})", &at_fault).error().message,
            "\"slots\": found -1, expected an integer from 0 to 1000000");
  EXPECT_EQ(at_fault, "/slots");
  at_fault.clear();
  EXPECT_FALSE(parse_limit_override(R"({"a/b":1})", &at_fault));
  EXPECT_EQ(at_fault, "/a~1b");
  at_fault.clear();
  EXPECT_FALSE(parse_limit_override(std::string_view("{\"slots\":1}\0{", 13), &at_fault));
  EXPECT_FALSE(parse_limit_override("{}", &at_fault));
  EXPECT_EQ(at_fault, "");
}

TEST(Control, NamesThatNothingCanHaveAreNoTargets) {
  EXPECT_TRUE(check_pause_target({"mail", "", ""}));
  EXPECT_TRUE(check_pause_target({"mail", "a.b:c_d-E9", ""}));
  EXPECT_TRUE(check_pause_target({"mail", "", "any/thing é"}));
  EXPECT_FALSE(check_pause_target({"mail", "a", "b"}));
  EXPECT_FALSE(check_pause_target({"mail", "a/b", ""}));
  EXPECT_FALSE(check_pause_target({"mail", std::string(129, 'a'), ""}));
  EXPECT_FALSE(check_pause_target({"mail", "", std::string(256, 'a')}));
  EXPECT_FALSE(check_set_limit_name(""));
  EXPECT_TRUE(check_set_limit_name(std::string(kMaxSetLimitNameBytes, 'a')));
  EXPECT_FALSE(check_set_limit_name(std::string(kMaxSetLimitNameBytes + 1, 'a')));
}

TEST(LimitTable, ALimitIsThereByItsNameAsWrittenOrAsAJobMayFillItIn) {
  Config config;
  config.queues.emplace_back();
  auto& limits = config.queues[0].types["t"].limits;
  for (const char* name : {"crm", "webhook/{account}", "host/{account}/{args/host}/v2"})
    limits.push_back({parse_limit_name(name).value(), 1});
  for (const char* name : {"crm", "webhook/{account}", "webhook/acme", "webhook/a/b",
                           "host/acme/x.example/v2", "host/a/v2/v2/v2"}) {
    EXPECT_TRUE(has_limit(config, name)) << name;
  }
  for (const char* name : {"", "crm/", "cr", "webhok/acme", "awebhook/acme", "host/acme/v1",
                           "host/v2", "host/a/b/v2/"}) {
    EXPECT_FALSE(has_limit(config, name)) << name;
  }
  EXPECT_TRUE(has_limit(config, std::string(512, 'x'))) << "it may have been cut";
}

TEST(PauseTable, ShowsWhatIsPausedSinceWhenAndByWhom) {
  Control control;
  for (const PauseTarget& target :
       {PauseTarget{"mail", "send", ""}, PauseTarget{"mail", "", "acme"}, PauseTarget{"mail"},
        PauseTarget{"audit"}}) {
    ASSERT_TRUE(control.apply(pause_key(target), to_json(Pause{time_from_ms(7), "ann"})));
  }
  ASSERT_TRUE(control.apply("pause/audit", std::nullopt));
  ASSERT_TRUE(control.apply("limit/crm", R"({"slots":3})"));
  ASSERT_TRUE(control.apply("pause/bulk", "{}"));
  std::string shown;
  for (const PauseEntry& entry : pause_table(control)) shown += pause_json(entry).dump() + "\n";
  EXPECT_EQ(
      shown,
      R"({"queue":"bulk","type":null,"account":null,"since":null,"by":null})"
      "\n"
      R"({"queue":"mail","type":null,"account":null,"since":"1970-01-01T00:00:00.007Z","by":"ann"})"
      "\n"
      R"({"queue":"mail","type":null,"account":"acme","since":"1970-01-01T00:00:00.007Z","by":"ann"})"
      "\n"
      R"({"queue":"mail","type":"send","account":null,"since":"1970-01-01T00:00:00.007Z","by":"ann"})"
      "\n");
}

}  // namespace
}  // namespace penstock
