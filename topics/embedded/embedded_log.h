// The embedded log: topics, groups and acknowledged appends within one process, kept in a
// directory. What `penstock dev` and `penstock demo` run on, so that they need nothing else.
//
// What always holds:
//  - An acknowledged append survives the end of the process, however it ends (kill -9 included): it
//  is
//    acknowledged, and shown to readers, only after its write was synced to the disk. So it also
//    survives a crash of the machine or a power cut, as far as the disk has what it said it had. An
//    append that was not acknowledged may be there or not; the records of one commit are there
//    together or not at all.
//  - Offsets are dense, whatever happened.
//  - One process at a time has a directory open. Within it any number of sessions, each used by one
//    thread; the Log itself may be used by any thread. Sessions end before their log does.
//  - Groups are of this process: after a restart every session joins anew. Record times are the
//  system
//    clock's at the commit, never going back within a partition, also for topics with CreateTime.
//  - Retention (retention.ms, retention.bytes) drops whole segments (segment.bytes), checked every
//  second.
//    A topic with cleanup.policy=compact keeps everything.
//  - Once a write has failed (a full disk), every append fails and every session is told by
//  on_fatal;
//    opening the log again goes on from what is on the disk.
#pragma once

#include <memory>
#include <string>

#include "topics/log.h"
#include "topics/values/result.h"

namespace penstock {

struct EmbeddedLogSettings {
  // How long a group waits for a revoked partition, or for a session with an instance id to come
  // back.
  Duration session_timeout = std::chrono::seconds(15);
};

[[nodiscard]] Result<std::unique_ptr<Log>> open_embedded(const std::string& directory,
                                                         const EmbeddedLogSettings& settings = {});

}  // namespace penstock
