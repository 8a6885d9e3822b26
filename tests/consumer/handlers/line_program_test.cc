#include "consumer/handlers/exec/line_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

namespace penstock {
namespace {

using testing::HasSubstr;

// A program is a shell script with a folder of its own, in which it is alone.
class LinePrograms : public testing::Test {
 protected:
  LinePrograms() {
    std::string pattern = testing::TempDir() + "/penstock-lines-XXXXXX";
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  ~LinePrograms() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<LineProgram> start(const std::string& script,
                                     std::chrono::seconds patience = LineProgram::kPatience) {
    const std::vector<std::string> argv{"/bin/sh", "-c", "cd " + folder_.string() + "; " + script};
    return std::make_unique<LineProgram>(argv, LineSink{}, patience);
  }
  static std::future<Result<std::string>> begin(LineProgram& program, const std::string& line) {
    const auto promise = std::make_shared<std::promise<Result<std::string>>>();
    program.ask(line,
                [promise](Result<std::string> answer) { promise->set_value(std::move(answer)); });
    return promise->get_future();
  }
  static std::string ask(LineProgram& program, const std::string& line) {
    const Result<std::string> answer = begin(program, line).get();
    return answer ? *answer : "failed: " + answer.error().message;
  }
  // A file by which the program and the test wait for each other.
  void create(const char* name) const { std::ofstream file(folder_ / name); }
  void await(const char* name) const {
    while (!std::filesystem::exists(folder_ / name)) std::this_thread::yield();
  }

 private:
  std::filesystem::path folder_;
};

constexpr const char* kEcho = "while read -r line; do echo \"$line\"; done";
// The first process does what follows, and every later one echoes.
std::string at_first(const std::string& script) {
  return "if mkdir first 2>/dev/null; then " + script + "; else " + kEcho + "; fi";
}

TEST_F(LinePrograms, AnswerManyQuestionsOfSeveralThreadsEachWithItsOwn) {
  const auto program = start(kEcho);
  constexpr int kThreads = 4, kQuestions = 250;
  const auto ask_many = [&](int thread) {
    std::vector<std::future<Result<std::string>>> answers;
    for (int number = 0; number < kQuestions; ++number)
      answers.push_back(begin(*program, std::to_string(thread * kQuestions + number)));
    for (int number = 0; number < kQuestions; ++number) {
      const auto answer = answers[static_cast<std::size_t>(number)].get();
      EXPECT_EQ(answer.value_or("none"), std::to_string(thread * kQuestions + number));
    }
  };
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < kThreads; ++thread) threads.emplace_back(ask_many, thread);
}

TEST_F(LinePrograms, AskAnotherProcessWhatTheLastOneLeftUnanswered) {
  const auto program = start("read -r line; echo \"$line\"");
  for (const char* line : {"1", "2", "3"}) EXPECT_EQ(ask(*program, line), line);
}

TEST_F(LinePrograms, AskALineNoMoreThanTwice) {
  const auto program = start("echo >>asked; read -r line; echo oops >&2; exit 3");
  const std::string failed = ask(*program, "1");
  EXPECT_THAT(failed, HasSubstr("the program ended before it had answered"));
  EXPECT_THAT(failed, HasSubstr("oops"));
}

TEST_F(LinePrograms, FailALineWithTwoAnswersAndAskTheNextOfANewProcess) {
  const auto program = start(at_first("while read -r line; do printf '1\\n2\\n'; done"));
  EXPECT_THAT(ask(*program, "0"), HasSubstr("the program wrote a line that nothing asked for"));
  EXPECT_EQ(ask(*program, "3"), "3");
}

TEST_F(LinePrograms, FailALineBeforeWhichSomethingElseWasWritten) {
  const auto program =
      start(at_first("read -r line; echo 1; while [ ! -e go ]; do :; done; printf 2; touch gone; "
                     "read -r line; echo 3"));
  EXPECT_EQ(ask(*program, "1"), "1");
  create("go");
  await("gone");
  // Otherwise the answer would be 23.
  EXPECT_THAT(ask(*program, "3"), HasSubstr("the program wrote a line that nothing asked for"));
  EXPECT_EQ(ask(*program, "4"), "4");
}

TEST_F(LinePrograms, FailALineThatWasAnsweredUnread) {
  const auto program = start(at_first("echo 1; exec sleep 1000"));
  EXPECT_THAT(ask(*program, "2"), HasSubstr("the program wrote a line that nothing asked for"));
  EXPECT_EQ(ask(*program, "3"), "3");
}

TEST_F(LinePrograms, FailAnAnswerThatIsNoJson) {
  const auto program = start(at_first("read -r line; echo 'reading 7'; read -r line; echo 8"));
  EXPECT_THAT(ask(*program, "7"),
              HasSubstr("the program answered with what is no JSON: reading 7"));
  EXPECT_EQ(ask(*program, "9"), "9");
}

TEST_F(LinePrograms, FailAnAnswerThatIsTooLong) {
  const auto program =
      start(at_first("read -r line; head -c " + std::to_string(LineProgram::kMaxAnswerBytes + 1) +
                     " /dev/zero | tr '\\0' 1; exec sleep 1000"));
  EXPECT_THAT(ask(*program, "1"), HasSubstr("the program wrote a line of more than 2097152 bytes"));
  EXPECT_EQ(ask(*program, "2"), "2");
}

TEST_F(LinePrograms, FailALineThatIsNotAnsweredInTime) {
  const auto program = start(at_first("exec sleep 1000"), std::chrono::seconds(1));
  EXPECT_THAT(ask(*program, "1"), HasSubstr("the program gave no answer within 1 s"));
  EXPECT_EQ(ask(*program, "2"), "2");
}

TEST_F(LinePrograms, FailWhatNoProgramCanBeStartedFor) {
  LineProgram program({"/no/such/program"}, LineSink{});
  EXPECT_THAT(ask(program, "1"), HasSubstr("the program cannot be started: /no/such/program"));
}

TEST_F(LinePrograms, TakeALineOfAnyLengthAndAnswerIt) {
  const auto program = start("exec cat");
  const std::string line = "\"" + std::string(1'000'000, 'x') + "\"";
  EXPECT_EQ(ask(*program, line), line);
}

TEST_F(LinePrograms, EndWithoutAnAnswerToWhatIsStillAsked) {
  auto program = start("touch started; exec sleep 1000");
  bool answered = false;
  program->ask("1", [&](const Result<std::string>&) { answered = true; });
  await("started");
  program.reset();
  EXPECT_FALSE(answered);
}

}  // namespace
}  // namespace penstock
