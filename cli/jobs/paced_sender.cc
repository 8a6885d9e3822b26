#include "cli/jobs/paced_sender.h"

#include <algorithm>
#include <utility>

namespace penstock {
namespace {

// A slice takes about so long, so that a stop is noticed soon.
constexpr std::chrono::duration<double> kSliceTime{0.1};
constexpr std::size_t kMaxSlice = 500;

std::size_t slice_of(std::chrono::duration<double> per_command) {
  const double fits = kSliceTime / per_command;
  return fits >= static_cast<double>(kMaxSlice)
             ? kMaxSlice
             : std::max<std::size_t>(1, static_cast<std::size_t>(fits));
}

}  // namespace

PacedSender::PacedSender(CommandSender& sender, const Rate& rate, Wait wait)
    : sender_(sender),
      per_command_(std::chrono::duration<double>(rate.period) / rate.count),
      slice_(slice_of(per_command_)),
      wait_(std::move(wait)) {}

Result<bool> PacedSender::send(std::span<const JobCommand> commands, const OnSent& on_sent) {
  while (!commands.empty()) {
    const auto now = Clock::now();
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next_at_ - now);
    if (!wait_(std::max(left, std::chrono::milliseconds(0)))) return false;
    const auto slice = commands.first(std::min(slice_, commands.size()));
    for (const JobCommand& command : slice) {
      if (const Status sent = sender_.send(command); !sent) return tl::unexpected(sent.error());
    }
    if (const Status finished = sender_.finish(); !finished)
      return tl::unexpected(finished.error());
    on_sent(slice);
    commands = commands.subspan(slice.size());
    next_at_ = std::max(next_at_, now) + std::chrono::duration_cast<Clock::duration>(
                                             per_command_ * static_cast<double>(slice.size()));
  }
  return true;
}

}  // namespace penstock
