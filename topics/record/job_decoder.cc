#include "topics/record/job_decoder.h"

#include <utility>

#include "topics/record/job_fields.h"
#include "topics/record/job_members.h"
#include "topics/values/utf8.h"

namespace penstock {
namespace {

constexpr std::int64_t kMaxBulkSize = 1'000'000'000;
constexpr std::string_view kOnDonePointer = "/bulk/on_done";

std::string pointer(std::string_view where, std::string_view name) {
  std::string text(where);
  append_to_pointer(text, name);
  return text;
}

std::optional<BadRecord> check_key(std::optional<std::string_view> key) {
  const auto bad = [](std::string detail) {
    return BadRecord{BadReason::kBadKey, "", std::move(detail)};
  };
  if (!key) return bad("the record has no key, expected the account");
  if (key->empty()) return bad("the key is empty, expected the account");
  if (key->size() > kMaxAccountBytes) {
    return bad("the key has " + std::to_string(key->size()) +
               " bytes, expected an account of 1 to 255");
  }
  if (const std::size_t at = first_bad_utf8(*key); at != key->size()) {
    return bad("the key is not UTF-8 at byte " + std::to_string(at));
  }
  return std::nullopt;
}

// Reads one record from a parsed document: the outermost object or a bulk's on_done.
class RecordReader {
 public:
  RecordReader(JsonDocument& document, JobFields& fields, JsonToken record, std::string_view where)
      : document_(document), fields_(fields), where_(where), members_(document, record) {}

  JobRecord read(std::size_t max_id_bytes) {
    // Refused and not ignored: a job with a misspelled run_at must not run now.
    if (members_.unknown()) {
      fields_.fail(pointer(where_, *members_.unknown()), "no such member in a job record");
    }
    if (const auto op = find(JobMember::kOp)) record_.op = fields_.op(*op);
    if (!where_.empty()) check_on_done();
    if (const auto type = find(JobMember::kType)) record_.type = fields_.type_name(*type);
    if (record_.op == Op::kEnqueue) {
      read_job(max_id_bytes);
    } else {
      read_command();
    }
    return record_;
  }

 private:
  using Field = JobFields::Field;

  std::optional<Field> find(JobMember member) const {
    const auto token = members_.find(member);
    return token ? std::optional(Field{where_, name_of(member), *token}) : std::nullopt;
  }

  void require(JobMember member, std::string_view why) {
    if (members_.has(member)) return;
    fields_.fail(pointer(where_, name_of(member)), "is missing: " + std::string(why));
  }

  void read_job(std::size_t max_id_bytes) {
    require(JobMember::kType, "a job needs a type");
    if (const auto id = find(JobMember::kId)) record_.id = fields_.text(*id, max_id_bytes);
    const auto args = find(JobMember::kArgs);
    record_.args = args ? document_.raw(args->value) : "{}";
    if (const auto at = find(JobMember::kRunAt)) record_.run_at = fields_.time(*at);
    if (const auto at = find(JobMember::kExpiresAt)) record_.expires_at = fields_.time(*at);
    if (const auto priority = find(JobMember::kPriority)) {
      record_.priority = static_cast<int>(fields_.integer(*priority, kMinPriority, kMaxPriority));
    }
    if (const auto weight = find(JobMember::kWeight)) {
      record_.weight = static_cast<int>(fields_.integer(*weight, kMinWeight, kMaxWeight));
    }
    if (const auto bulk = find(JobMember::kBulk)) record_.bulk = read_bulk(*bulk);
    if (const auto key = find(JobMember::kUniqueKey)) record_.unique_key = fields_.text(*key);
    if (const auto meta = find(JobMember::kMeta)) record_.meta = fields_.object(*meta);
  }

  // Commands may refer to a job whose id Penstock derived, so ids may be longer here.
  void read_command() {
    require(JobMember::kId, "a command must name its job");
    if (const auto id = find(JobMember::kId)) record_.id = fields_.text(*id, kMaxDerivedIdBytes);
    if (record_.op == Op::kReschedule) {
      require(JobMember::kRunAt, "reschedule needs the new time");
      if (const auto at = find(JobMember::kRunAt)) record_.run_at = fields_.time(*at);
    } else {
      refuse(JobMember::kRunAt);
    }
    for (const auto member :
         {JobMember::kArgs, JobMember::kExpiresAt, JobMember::kPriority, JobMember::kWeight,
          JobMember::kBulk, JobMember::kUniqueKey, JobMember::kMeta}) {
      refuse(member);
    }
    record_.args = "{}";
  }

  void refuse(JobMember member) {
    if (!members_.has(member)) return;
    fields_.fail(pointer(where_, name_of(member)),
                 "a command takes only id and type (reschedule also takes run_at)");
  }

  BulkRef read_bulk(const Field& bulk) {
    (void)fields_.object(bulk);
    if (!fields_.ok()) return {};
    const std::string inside = pointer(where_, "bulk");
    std::optional<JsonToken> id, index, size, on_done;
    document_.each_member(bulk.value, [&](std::string_view name, JsonToken value) {
      if (name == "id") {
        id = value;
      } else if (name == "index") {
        index = value;
      } else if (name == "size") {
        size = value;
      } else if (name == "on_done") {
        on_done = value;
      } else {
        fields_.fail(pointer(inside, name), "no such member in bulk");
      }
    });
    if (!id) fields_.fail(inside + "/id", "is missing");
    if (!index) fields_.fail(inside + "/index", "is missing");
    if (!size) fields_.fail(inside + "/size", "is missing");
    if (!fields_.ok()) return {};

    BulkRef ref;
    ref.id = fields_.text({inside, "id", *id}, kMaxIdBytes);
    ref.size = fields_.integer({inside, "size", *size}, 1, kMaxBulkSize);
    // The bound of the index is the size, so it makes sense only if the size is good.
    if (fields_.ok()) ref.index = fields_.integer({inside, "index", *index}, 0, ref.size - 1);
    if (on_done) ref.on_done = read_on_done({inside, "on_done", *on_done});
    return ref;
  }

  std::string_view read_on_done(const Field& on_done) {
    const std::string_view raw = fields_.object(on_done);
    if (!fields_.ok()) return {};
    // Only checked here; the text itself is kept for the job that the end of the bulk produces.
    (void)RecordReader(document_, fields_, on_done.value, kOnDonePointer).read(kMaxIdBytes);
    return raw;
  }

  // A bulk produces a job when it has ended; that job must not be a chunk itself.
  void check_on_done() {
    if (record_.op != Op::kEnqueue) fields_.fail(pointer(where_, "op"), "on_done must be a job");
    if (members_.has(JobMember::kBulk)) {
      // With a fault recorded, read_bulk() returns at once. So an on_done within an on_done is
      // never read, and the recursion ends here.
      fields_.fail(pointer(where_, "bulk"), "on_done must not belong to a bulk");
    }
    if (const auto args = find(JobMember::kArgs)) check_on_done_args(*args);
  }

  // Penstock adds a member `bulk` to its args, so they must be an object without one.
  void check_on_done_args(const Field& args) {
    (void)fields_.object(args);
    if (!fields_.ok()) return;
    document_.each_member(args.value, [&](std::string_view name, JsonToken) {
      if (name == "bulk") {
        fields_.fail(pointer(where_, "args") + "/bulk", "Penstock adds this member; leave it out");
      }
    });
  }

  JsonDocument& document_;
  JobFields& fields_;
  std::string_view where_;  // JSON pointer of the record
  JobMembers members_;
  JobRecord record_;
};

}  // namespace

struct JobDecoder::Parser {
  JsonDocument document;
};

JobDecoder::JobDecoder() : parser_(std::make_unique<Parser>()) {}
JobDecoder::~JobDecoder() = default;
JobDecoder::JobDecoder(JobDecoder&&) noexcept = default;
JobDecoder& JobDecoder::operator=(JobDecoder&&) noexcept = default;

tl::expected<JobRecord, BadRecord> JobDecoder::decode(std::optional<std::string_view> key,
                                                      std::optional<std::string_view> value,
                                                      std::size_t max_id_bytes) {
  const auto refuse = [](BadReason reason, std::string member, std::string detail) {
    return tl::unexpected(BadRecord{reason, std::move(member), std::move(detail)});
  };
  if (auto bad = check_key(key)) return tl::unexpected(std::move(*bad));
  if (!value) return refuse(BadReason::kBadJson, "", "a tombstone, expected a job record");
  const bool derived = max_id_bytes > kMaxIdBytes;
  if (value->size() > kMaxValueBytes + (derived ? kMaxDerivedRoomBytes : 0)) {
    return refuse(
        BadReason::kTooLarge, "",
        "the value has " + std::to_string(value->size()) +
            " bytes, expected at most 1048576 (store large data elsewhere and send its location)");
  }
  JsonDocument& document = parser_->document;
  if (auto fault = document.parse(*value)) {
    return refuse(BadReason::kBadJson, std::move(fault->pointer), std::move(fault->detail));
  }
  if (document.kind(document.root()) != '{') {
    return refuse(BadReason::kBadJson, "", "the value is JSON but not an object");
  }
  JobFields fields(document);
  JobRecord record = RecordReader(document, fields, JsonDocument::root(), "").read(max_id_bytes);
  if (!fields.ok()) return tl::unexpected(std::move(*fields.fault()));
  record.account = *key;
  return record;
}

}  // namespace penstock
