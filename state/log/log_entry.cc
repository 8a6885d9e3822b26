#include "state/log/log_entry.h"

#include "state/rows/encoding.h"

namespace penstock {
namespace {

constexpr std::uint8_t kClaim = 1, kCommit = 2, kRelease = 3;

// As `previous` of a claim, this value and those below it ask the owner of epoch 0, 1, ...
constexpr std::int64_t kFirstRequest = -2;

struct Encoder {
  std::string& out;

  void operator()(const Claim& claim) {
    put_u8(out, kClaim);
    put_u64(out, claim.nonce);
    put_u32(out, claim.generation);
    put_i64(out, claim.previous.value);
    put_text(out, claim.instance);
    if (claim.lease != kUsualLease) put_u32(out, static_cast<std::uint32_t>(claim.lease.count()));
  }
  void operator()(const HandOverRequest& request) {
    (*this)(Claim{request.nonce, 0, Offset{kFirstRequest - request.epoch.value}, request.instance});
  }
  void operator()(const Commit& commit) {
    out.reserve(32 + commit.rows.size());
    put_u8(out, kCommit);
    place(commit.epoch, commit.seq, commit.chain);
    out.append(commit.rows);
  }
  void operator()(const Release& release) {
    put_u8(out, kRelease);
    place(release.epoch, release.seq, release.chain);
  }
  void place(Offset epoch, std::uint64_t seq, std::uint64_t chain) {
    put_i64(out, epoch.value);
    put_u64(out, seq);
    put_u64(out, chain);
  }
};

Claim read_claim(Cursor& cursor) {
  Claim claim;
  claim.nonce = cursor.u64();
  claim.generation = cursor.u32();
  claim.previous = Offset{cursor.i64()};
  claim.instance = cursor.text();
  if (!cursor.failed() && !cursor.at_end()) claim.lease = std::chrono::milliseconds(cursor.u32());
  return claim;
}

LogEntry as_request_if_it_is(const Claim& claim) {
  if (claim.previous.value > kFirstRequest) return claim;
  return HandOverRequest{claim.nonce, Offset{kFirstRequest - claim.previous.value}, claim.instance};
}

template <typename Placed>
Placed read_place(Cursor& cursor) {
  Placed placed;
  placed.epoch = Offset{cursor.i64()};
  placed.seq = cursor.u64();
  placed.chain = cursor.u64();
  return placed;
}

}  // namespace

std::string encode(const LogEntry& entry) {
  std::string out;
  put_u8(out, kLogFormat);
  std::visit(Encoder{out}, entry);
  return out;
}

Result<LogEntry> decode_log_entry(std::string_view bytes) {
  Cursor cursor(bytes);
  if (const int version = cursor.u8(); cursor.failed() || version != kLogFormat) {
    return failure("a state record has format " + std::to_string(version) +
                   ", this version reads " + std::to_string(kLogFormat) +
                   ": run the version that wrote it, or a newer one");
  }
  LogEntry entry;
  switch (cursor.u8()) {
    case kClaim:
      entry = as_request_if_it_is(read_claim(cursor));
      break;
    case kCommit: {
      Commit commit = read_place<Commit>(cursor);
      commit.rows = cursor.rest();
      entry = commit;
      break;
    }
    case kRelease:
      entry = read_place<Release>(cursor);
      break;
    default:
      return failure("a state record is neither claim, commit nor release");
  }
  if (cursor.failed() || !cursor.at_end())
    return failure("a state record is cut short or too long");
  return entry;
}

}  // namespace penstock
