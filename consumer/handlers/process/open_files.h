// How many files the process may have open: as many as the system lets it (thousands of HTTP
// attempts, children with four pipes each, RocksDB), while the programs that it starts get what it
// was started with: some of them walk through every number up to the limit, or break above 1024.
//
// Thread-safe; the second one may be called between vfork and exec.
#pragma once

namespace penstock {

// Raises the limit (RLIMIT_NOFILE) to the hard one.
void raise_open_file_limit();
// Gives this process the limit back that it was started with.
void restore_open_file_limit();

}  // namespace penstock
