// The limit on open files. The worker uses as many as the system allows (for thousands of HTTP
// attempts, children with four pipes each, RocksDB), while the programs that it starts get the
// limit with which it was started, because some programs iterate over every number up to the limit
// or fail above 1024.
//
// Thread-safe; restore_open_file_limit() may be called between vfork and exec.
#pragma once

namespace penstock {

// Raises the soft limit (RLIMIT_NOFILE) to the hard limit.
void raise_open_file_limit();
// Restores the limit with which this process was started.
void restore_open_file_limit();

}  // namespace penstock
