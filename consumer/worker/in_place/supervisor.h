// A process that does nothing but start a worker again when it crashes (`penstock work --supervise`).
//
//   supervisor -> worker -> fork servers ...
//
// The worker is a fork of the supervisor, made before either has a second thread. It ends with the
// supervisor (PR_SET_PDEATHSIG), so that no worker is left alone. The supervisor opens nothing of
// the state directory, so it holds no lock that its worker needs.
//
//   SIGTERM, SIGINT, SIGHUP   are passed on, and the worker is not started again
//   the worker ends           after a signal, or with a status other than 0 and 2 (wrong usage), it
//                             is started again: at once if it has lived for kSteadyWorkerAfter,
//                             otherwise after a pause that grows from kFirstWorkerPause to
//                             kMaxWorkerPause
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace penstock {

inline constexpr std::chrono::seconds kSteadyWorkerAfter{10};
inline constexpr std::chrono::milliseconds kFirstWorkerPause{100};
inline constexpr std::chrono::seconds kMaxWorkerPause{10};

// For the supervisor's log, like Runtime::Sink.
using SupervisorSink = std::function<void(std::string_view level, const std::string& text)>;

// Returns in each worker, with nothing: the caller goes on as the worker. In the supervisor, it
// returns once, with the exit status of the last worker (128 + N if signal N ended it). Only while
// the process has one thread.
[[nodiscard]] std::optional<int> supervise(const SupervisorSink& say);

// The worker gets a signal that is sent to all processes of a service twice, within this time.
inline constexpr std::chrono::milliseconds kPassedOnWithin{1'000};

}  // namespace penstock
