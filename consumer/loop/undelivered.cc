#include "consumer/loop/undelivered.h"

#include <algorithm>
#include <utility>

namespace penstock {
namespace {

std::string describe(const std::string& name, const Undelivered::Topic& topic) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(topic.age).count();
  return std::to_string(topic.messages) + (topic.messages == 1 ? " message" : " messages") +
         " for the topic " + name + " could not be delivered for " + std::to_string(seconds) +
         " s (" + (topic.error.empty() ? "no answer yet" : topic.error) +
         "): `penstock topics check` tells whether the topic exists and is configured correctly";
}

}  // namespace

void Undelivered::add(const Outbox& outbox) {
  outbox.each_late([this](const Destination& to, const Outbox::Late& late) {
    Topic& topic = seen_[to.topic];
    topic.messages += late.messages;
    ++topic.partitions;
    topic.age = std::max(topic.age, late.age);
    if (!late.error.empty()) topic.error = late.error;
  });
}

void Undelivered::end(const Notice& notice) {
  for (const auto& [name, topic] : seen_) {
    if (!topics_.contains(name)) notice(describe(name, topic));
  }
  for (const auto& [name, topic] : topics_) {
    if (!seen_.contains(name)) notice("messages for the topic " + name + " are delivered again");
  }
  // Kept until the next check, so that each beginning and each end is reported once.
  topics_ = std::exchange(seen_, {});
}

std::string Undelivered::text() const {
  std::string text;
  for (const auto& [name, topic] : topics_)
    text += (text.empty() ? "" : "; ") + describe(name, topic);
  return text;
}

}  // namespace penstock
