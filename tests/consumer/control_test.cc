#include "consumer/control.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(Control, ARecordIsTheWholeOfWhatItsKeyIsSetTo) {
  Control control;
  ASSERT_TRUE(control.apply("limit/crm", R"({"slots":3,"rate":"10/s","burst":4})"));
  const LimitOverride* const set = control.limit("crm", "crm");
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
                            R"({"rate":"often"})", R"({"burst":3})", R"({"slots":99999999})"}) {
    const Status applied = control.apply("limit/crm", value);
    EXPECT_FALSE(applied) << value;
    EXPECT_EQ(control.limit("crm", "crm")->slots, 3);
  }
  for (const char* key :
       {"", "limits/crm", "pause/", "pause/mail/", "pause/mail/types/x", "pause/mail/type/"}) {
    EXPECT_FALSE(control.apply(key, "{}")) << key;
  }
  EXPECT_FALSE(control.has_pauses());
}

TEST(Control, TheMessageNamesTheMemberAtFault) {
  EXPECT_EQ(parse_limit_override(R"({"slots":-1})").error().message,
            "\"slots\": found -1, expected an integer from 0 to 1000000");
}

}  // namespace
}  // namespace penstock
