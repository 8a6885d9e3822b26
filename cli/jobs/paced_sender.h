// Sends commands at a bounded rate, in slices that are acknowledged one after the other, until it is
// stopped. Used from one thread.
#pragma once

#include <chrono>
#include <functional>
#include <span>

#include "cli/program/command_sender.h"
#include "consumer/policy/rate.h"

namespace penstock {

class PacedSender {
 public:
  // Waits at most so long. False: it is to stop.
  using Wait = std::function<bool(std::chrono::milliseconds)>;
  // Commands that were acknowledged.
  using OnSent = std::function<void(std::span<const JobCommand>)>;

  PacedSender(CommandSender& sender, const Rate& rate, Wait wait);

  // False: it was stopped before all of them were sent.
  [[nodiscard]] Result<bool> send(std::span<const JobCommand> commands, const OnSent& on_sent);

 private:
  using Clock = std::chrono::steady_clock;

  CommandSender& sender_;
  const std::chrono::duration<double> per_command_;
  const std::size_t slice_;
  const Wait wait_;
  Clock::time_point next_at_;
};

}  // namespace penstock
