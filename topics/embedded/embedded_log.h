// The embedded log: topics, groups and acknowledged appends within one process, stored in a
// directory. `penstock dev` and `penstock demo` run on it, so that they need nothing else.
//
// What always holds:
// - An acknowledged append survives the end of the process, including kill -9: it is acknowledged,
//   and shown to readers, only after its write was synced to disk. It also survives a crash of the
//   machine or a power cut, if the disk kept what it confirmed. An unacknowledged append may or may
//   not be in the log; the records of one commit are there together or not at all.
// - Offsets are always dense.
// - One process at a time can have a directory open. It may open any number of sessions, each used
//   by one thread; the Log itself may be used by any thread. Sessions must end before their log.
// - Groups exist only in the process: after a restart, every session joins again. A record's
//   timestamp is the system clock's time at the commit and never goes back within a partition, even
//   for topics with CreateTime.
// - Retention (retention.ms, retention.bytes) drops whole segments (segment.bytes) and is checked
//   every second. A topic with cleanup.policy=compact keeps everything.
// - Once a write has failed (a full disk), every append fails and every session gets an on_fatal().
//   Opening the log again continues from what is on the disk.
#pragma once

#include <memory>
#include <string>

#include "topics/log.h"
#include "topics/values/result.h"

namespace penstock {

struct EmbeddedLogSettings {
  // How long a group waits for a revoked partition, or for a session with an instance id to return.
  Duration session_timeout = std::chrono::seconds(15);
};

[[nodiscard]] Result<std::unique_ptr<Log>> open_embedded(const std::string& directory,
                                                         const EmbeddedLogSettings& settings = {});

}  // namespace penstock
