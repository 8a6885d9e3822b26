#include "penstock/producer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "producer/job_sender.h"
#include "tests/producer/fake_produce_client.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr auto kPatience = 20s;

class ProducerTest : public testing::Test {
 protected:
  Producer make(JobSenderOptions options = {}) {
    return Producer(
        std::make_unique<JobSender>(std::make_unique<FakeProduceClient>(log_), std::move(options)));
  }

  static NewJob mail(std::string id = "", std::string account = "acme") {
    return {.queue = "mail",
            .type = "webhook.send",
            .account = std::move(account),
            .id = std::move(id),
            .args = {{"segment_id", 7}}};
  }

  template <typename Error>
  static std::string refusal(std::future<Sent> sent) {
    EXPECT_EQ(sent.wait_for(kPatience), std::future_status::ready);
    try {
      sent.get();
    } catch (const Error& error) {
      return error.what();
    } catch (const std::exception& error) {
      ADD_FAILURE() << "another exception: " << error.what();
    }
    ADD_FAILURE() << "no exception";
    return "";
  }

  FakeLog log_;
};

TEST_F(ProducerTest, AnswersWithPlaceOnceAcknowledged) {
  auto producer = make();
  auto sent = producer.enqueue(mail("a"));
  const auto records = log_.wait_for_records(1);
  EXPECT_EQ(records[0].key, "acme");
  EXPECT_EQ(nlohmann::json::parse(records[0].value),
            nlohmann::json::parse(R"({"type":"webhook.send","id":"a","args":{"segment_id":7}})"));
  EXPECT_EQ(sent.wait_for(0s), std::future_status::timeout);
  log_.answer_next({.partition = 4, .offset = Offset{42}, .error = {}, .never_sent = false});
  const auto place = sent.get();
  EXPECT_EQ(place.id, "a");
  EXPECT_EQ(place.partition, 4);
  EXPECT_EQ(place.offset, 42);
}

TEST_F(ProducerTest, SaysWhenTheOffsetIsNotKnown) {
  auto producer = make();
  auto sent = producer.enqueue(mail());
  static_cast<void>(log_.wait_for_records(1));
  log_.answer_next({.partition = 4, .offset = {}, .error = {}, .never_sent = false});
  EXPECT_EQ(sent.get().offset, std::nullopt);
}

TEST_F(ProducerTest, MakesADifferentUuid7ForEachJobWithoutId) {
  log_.set_acknowledging(true);
  auto producer = make();
  const auto first = producer.enqueue(mail()).get().id;
  const auto second = producer.enqueue(mail()).get().id;
  EXPECT_EQ(first.size(), 36u);
  EXPECT_EQ(first[14], '7');
  EXPECT_NE(first, second);
  EXPECT_EQ(nlohmann::json::parse(log_.wait_for_records(2)[0].value).at("id"), first);
}

TEST_F(ProducerTest, ABulkIsSentInChunksOfOneSizeEach) {
  log_.set_acknowledging(true);
  auto producer = make();
  NewBulkAction action;
  action.job = {.queue = "mail", .type = "t", .account = "acme"};
  action.id = "b";
  action.items = {1, 2, 3, 4, 5};
  action.chunk = 2;
  auto sent = producer.bulk(action);
  ASSERT_EQ(sent.size(), 3u);
  for (std::size_t i = 0; i < sent.size(); ++i)
    EXPECT_EQ(sent[i].get().id, "b/" + std::to_string(i));
  const auto records = log_.wait_for_records(3);
  EXPECT_THAT(records[2].value,
              HasSubstr(R"("args":{"items":[5]},"bulk":{"id":"b","index":2,"size":3})"));
}

TEST_F(ProducerTest, ABulkWithABadChunkIsRefusedWhole) {
  log_.set_acknowledging(true);
  auto producer = make();
  NewBulkAction action;
  action.job = {.queue = "mail", .type = "t", .account = "acme"};
  action.items = {1, std::string(2 << 20, 'x')};
  action.chunk = 1;
  auto sent = producer.bulk(action);
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_THROW(sent[0].get(), BadJob);
  EXPECT_EQ(log_.produced(), 0u);
}

TEST_F(ProducerTest, NamesTheTopicByPrefixAndQueue) {
  log_.set_acknowledging(true);
  auto producer = make({.prefix = "stage"});
  producer.enqueue(mail()).get();
  EXPECT_EQ(log_.topics(), std::vector<std::string>{"stage.mail"});
}

TEST_F(ProducerTest, AsksForATopicOnceBeforeTheFirstRecord) {
  log_.set_opened({.partitions = 0, .error = OpenError::kTemporary, .detail = "leaderless"});
  auto producer = make();
  auto first = producer.enqueue(mail("1"));
  auto second = producer.enqueue(mail("2"));
  log_.wait_for_opens(2);  // asked again after the first refusal
  EXPECT_EQ(log_.produced(), 0u);
  log_.set_opened({.partitions = 12, .error = {}, .detail = {}});
  log_.set_acknowledging(true);
  EXPECT_EQ(first.get().id, "1");
  EXPECT_EQ(second.get().id, "2");
  const auto records = log_.wait_for_records(2);
  EXPECT_THAT(records[0].value, HasSubstr(R"("id":"1")"));
  EXPECT_THAT(records[1].value, HasSubstr(R"("id":"2")"));
}

TEST_F(ProducerTest, KeepsAnAccountsOrderWhileTheTopicOpens) {
  log_.set_acknowledging(true);
  auto producer = make({.buffer_messages = 100'000});
  constexpr int kJobs = 20'000;
  for (int i = 0; i < kJobs; ++i) {
    producer.send_raw("mail", "acme", R"({"type":"t","id":")" + std::to_string(i) + R"("})",
                      [](const Delivery& delivery) { EXPECT_FALSE(delivery.failure); });
  }
  const auto records = log_.wait_for_records(kJobs);
  for (int i = 0; i < kJobs; ++i) {
    ASSERT_EQ(records[static_cast<std::size_t>(i)].value,
              R"({"type":"t","id":")" + std::to_string(i) + R"("})");
  }
}

TEST_F(ProducerTest, GivesUpOnATopicThatDoesNotExistAndSaysHowToMakeIt) {
  log_.set_opened({.partitions = 0, .error = OpenError::kMissing, .detail = "unknown"});
  auto producer = make();
  const auto message = refusal<GaveUp>(producer.enqueue(mail()));
  EXPECT_THAT(message, HasSubstr("penstock topics create mail"));
  log_.set_opened({.partitions = 12, .error = {}, .detail = {}});
  log_.set_acknowledging(true);
  EXPECT_NO_THROW(producer.enqueue(mail()).get());
}

TEST_F(ProducerTest, GivesUpOnATopicThatItMayNotWriteTo) {
  log_.set_opened({.partitions = 0, .error = OpenError::kRefused, .detail = "not authorised"});
  auto producer = make();
  EXPECT_THAT(refusal<GaveUp>(producer.enqueue(mail())), HasSubstr("not authorised"));
}

TEST_F(ProducerTest, GivesUpWhenKafkaStaysAwayAndNamesTheTrouble) {
  log_.set_opened({.partitions = 0, .error = OpenError::kTemporary, .detail = ""});
  log_.complain("127.0.0.1:9: Connection refused");
  auto producer = make({.delivery_timeout = 50ms});
  const auto message = refusal<GaveUp>(producer.enqueue(mail()));
  EXPECT_THAT(message, HasSubstr("Connection refused"));
  EXPECT_THAT(message, HasSubstr("50 ms"));
}

TEST_F(ProducerTest, RefusesWhatAWorkerWouldRefuse) {
  auto producer = make();
  auto job = mail();
  job.type = "no spaces";
  EXPECT_THAT(refusal<BadJob>(producer.enqueue(job)), HasSubstr("type"));
  EXPECT_NE(refusal<BadJob>(producer.enqueue(mail("", ""))), "");
  job = mail();
  job.priority = 1001;
  EXPECT_NE(refusal<BadJob>(producer.enqueue(job)), "");
  EXPECT_EQ(log_.produced(), 0u);
}

TEST_F(ProducerTest, NamesTheMemberOfABadJob) {
  auto producer = make();
  std::optional<Failure> failure;
  producer.send_raw("mail", "acme", R"({"type":"t","run_att":1})",
                    [&](const Delivery& delivery) { failure = delivery.failure; });
  ASSERT_TRUE(failure);  // at once, inside the call
  EXPECT_EQ(failure->reason, FailureReason::kBadJob);
  EXPECT_EQ(failure->member, "/run_att");
}

TEST_F(ProducerTest, RefusesTextThatIsNotUtf8) {
  auto producer = make();
  auto job = mail();
  job.args = {{"name", "\xff"}};
  EXPECT_THAT(refusal<BadJob>(producer.enqueue(job)), HasSubstr("/args"));
}

TEST_F(ProducerTest, RefusesAQueueNameThatNoTopicCanHave) {
  auto producer = make();
  auto job = mail();
  job.queue = "mail.state";
  EXPECT_NE(refusal<BadJob>(producer.enqueue(job)), "");
  job.queue = "";
  EXPECT_NE(refusal<BadJob>(producer.enqueue(job)), "");
}

TEST_F(ProducerTest, RefusesReservedHeadersAndSendsTheOthers) {
  log_.set_acknowledging(true);
  auto producer = make();
  auto job = mail();
  job.headers = {{"traceparent", "00-1"}, {"penstock-source", "x"}};
  EXPECT_THAT(refusal<BadJob>(producer.enqueue(job)), HasSubstr("penstock-"));
  job.headers.pop_back();
  producer.enqueue(job).get();
  const auto records = log_.wait_for_records(1);
  ASSERT_EQ(records[0].headers.size(), 1u);
  EXPECT_EQ(records[0].headers[0].name, "traceparent");
}

TEST_F(ProducerTest, SaysThatItsBufferIsFullAndTakesMoreOnceThereIsSpace) {
  auto producer = make({.buffer_messages = 2});
  auto first = producer.enqueue(mail());
  auto second = producer.enqueue(mail());
  EXPECT_THAT(refusal<BufferFull>(producer.enqueue(mail())), HasSubstr("2 jobs"));
  EXPECT_FALSE(producer.wait_for_space(1, 0ms));
  static_cast<void>(log_.wait_for_records(2));
  log_.answer_next({.partition = 0, .offset = Offset{0}, .error = {}, .never_sent = false});
  EXPECT_TRUE(producer.wait_for_space(1, kPatience));
  auto third = producer.enqueue(mail());
  log_.set_acknowledging(true);
  static_cast<void>(log_.wait_for_records(3));
  log_.answer_next({.partition = 0, .offset = Offset{1}, .error = {}, .never_sent = false});
  log_.answer_next({.partition = 0, .offset = Offset{2}, .error = {}, .never_sent = false});
  EXPECT_TRUE(producer.flush(kPatience));
}

TEST_F(ProducerTest, BoundsItsBufferInBytes) {
  auto producer = make({.buffer_bytes = 1000});
  auto job = mail();
  job.args = {{"text", std::string(600, 'x')}};
  auto first = producer.enqueue(job);
  EXPECT_NE(refusal<BufferFull>(producer.enqueue(job)), "");
  static_cast<void>(log_.wait_for_records(1));
  log_.answer_next({.partition = 0, .offset = Offset{0}, .error = {}, .never_sent = false});
  first.get();
}

TEST_F(ProducerTest, SaysWhetherAFailedJobMayBeInTheQueue) {
  auto producer = make();
  auto unknown = producer.enqueue(mail("x"));
  auto never = producer.enqueue(mail("y"));
  static_cast<void>(log_.wait_for_records(2));
  log_.answer_next({.partition = -1, .offset = {}, .error = "timed out", .never_sent = false});
  log_.answer_next({.partition = -1, .offset = {}, .error = "timed out", .never_sent = true});
  EXPECT_THAT(refusal<GaveUp>(std::move(unknown)), HasSubstr("may or may not be in the queue"));
  EXPECT_THAT(refusal<GaveUp>(std::move(never)), HasSubstr("is not in the queue"));
}

TEST_F(ProducerTest, SaysWhyTheClientRefused) {
  log_.set_acknowledging(true);
  auto producer = make();
  producer.enqueue(mail()).get();  // the topic is open now
  log_.set_taken({Taken::kFailed, "fenced"});
  EXPECT_THAT(refusal<GaveUp>(producer.enqueue(mail())), HasSubstr("fenced"));
  log_.set_taken({Taken::kFull});
  EXPECT_NE(refusal<BufferFull>(producer.enqueue(mail())), "");
  log_.set_taken({});
  EXPECT_NO_THROW(producer.enqueue(mail()).get());
}

TEST_F(ProducerTest, GoesOnWithWhatIsHeldWhenTheClientHasRoomAgain) {
  log_.set_taken({Taken::kFull});
  log_.set_acknowledging(true);
  auto producer = make();
  auto sent = producer.enqueue(mail());
  log_.wait_for_opens(1);
  EXPECT_EQ(sent.wait_for(0s), std::future_status::timeout);
  log_.set_taken({});
  EXPECT_NO_THROW(sent.get());
}

TEST_F(ProducerTest, AnswersEachOfABatchForItself) {
  log_.set_acknowledging(true);
  auto producer = make();
  auto bad = mail();
  bad.type = "";
  auto sent = producer.enqueue({mail("1"), bad, mail("3")});
  ASSERT_EQ(sent.size(), 3u);
  EXPECT_EQ(sent[0].get().id, "1");
  EXPECT_NE(refusal<BadJob>(std::move(sent[1])), "");
  EXPECT_EQ(sent[2].get().id, "3");
}

TEST_F(ProducerTest, SendsRawBytesAsTheyAre) {
  log_.set_acknowledging(true);
  auto producer = make();
  const std::string value = R"( { "id" : "\u0061", "type":"t" , "args":[1 ,2]} )";
  std::promise<std::string> id;
  producer.send_raw("mail", "acme", value,
                    [&](const Delivery& delivery) { id.set_value(delivery.sent.id); });
  EXPECT_EQ(id.get_future().get(), "a");
  EXPECT_EQ(log_.wait_for_records(1)[0].value, value);
}

TEST_F(ProducerTest, PutsAnIdIntoRawBytesThatHaveNone) {
  log_.set_acknowledging(true);
  auto producer = make();
  std::promise<std::string> sent;
  producer.send_raw("mail", "acme", R"(  {"type":"t"})",
                    [&](const Delivery& delivery) { sent.set_value(delivery.sent.id); });
  const auto id = sent.get_future().get();
  EXPECT_EQ(log_.wait_for_records(1)[0].value, R"(  {"id":")" + id + R"(","type":"t"})");
}

TEST_F(ProducerTest, SendsCommandsRaw) {
  log_.set_acknowledging(true);
  auto producer = make();
  std::promise<std::string> id;
  producer.send_raw("mail", "acme", R"({"op":"cancel","id":"a"})",
                    [&](const Delivery& delivery) { id.set_value(delivery.sent.id); });
  EXPECT_EQ(id.get_future().get(), "a");
}

TEST_F(ProducerTest, LetsACallbackSendTheNextJob) {
  log_.set_acknowledging(true);
  auto producer = make();
  std::promise<std::string> last;
  producer.enqueue(mail("first"), [&](const Delivery&) {
    producer.enqueue(mail("second"),
                     [&](const Delivery& delivery) { last.set_value(delivery.sent.id); });
  });
  EXPECT_EQ(last.get_future().get(), "second");
}

TEST_F(ProducerTest, AnswersEverythingBeforeItIsGone) {
  std::future<Sent> sent, held;
  {
    auto producer = make({.delivery_timeout = 1ms});
    log_.set_opened({.partitions = 12, .error = {}, .detail = {}});
    sent = producer.enqueue(mail());
    auto other = mail();
    other.queue = "other";
    held = producer.enqueue(other);
  }
  EXPECT_NE(refusal<GaveUp>(std::move(sent)), "");
  EXPECT_NE(refusal<GaveUp>(std::move(held)), "");
}

TEST_F(ProducerTest, HandsTroubleOn) {
  std::promise<std::string> heard;
  auto producer =
      make({.on_trouble = [&](std::string_view detail) { heard.set_value(std::string(detail)); }});
  log_.complain("broker away");
  EXPECT_EQ(heard.get_future().get(), "broker away");
}

TEST_F(ProducerTest, TakesJobsFromSeveralThreads) {
  log_.set_acknowledging(true);
  std::atomic<int> acknowledged = 0;
  {
    auto producer = make();
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 500; ++i) {
          producer.enqueue(mail(),
                           [&](const Delivery& delivery) { acknowledged += !delivery.failure; });
        }
      });
    }
    threads.clear();
    EXPECT_TRUE(producer.flush(kPatience));
  }
  EXPECT_EQ(acknowledged, 2000);
}

TEST(ProducerOptions, AreRefusedWithTheReason) {
  const auto refusal = [](ProducerOptions options) -> std::string {
    try {
      const Producer producer(std::move(options));
    } catch (const ProducerError& error) {
      EXPECT_EQ(error.reason(), FailureReason::kBadOptions);
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusal({}), HasSubstr("brokers"));
  EXPECT_THAT(refusal({.brokers = "h:1", .prefix = "a b"}), HasSubstr("prefix"));
  EXPECT_THAT(refusal({.brokers = "h:1", .properties = {{"acks", "1"}}}), HasSubstr("acks"));
  EXPECT_THAT(refusal({.brokers = "h:1", .properties = {{"lingr.ms", "1"}}}),
              HasSubstr("lingr.ms"));
  EXPECT_THAT(refusal({.brokers = "h:1", .buffer_messages = 0}), HasSubstr("buffer_messages"));
  EXPECT_THAT(refusal({.brokers = "h:1", .buffer_bytes = 10}), HasSubstr("buffer_bytes"));
}

}  // namespace
}  // namespace penstock
