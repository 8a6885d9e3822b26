#include "tests/simulation/checks/log/gap_checks.h"

#include "state/log/arrivals.h"
#include "state/log/outbox.h"
#include "state/rows/encoding.h"
#include "state/rows/keys.h"
#include "state/store/memory_store.h"
#include "topics/simulated/simulated_log.h"
#include "topics/values/check.h"

namespace penstock::simulation {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char *kInput = "in", *kDead = "in.dead";
constexpr int kPartitions = 2;
constexpr std::size_t kSenders = 2;
constexpr Instant kGapFaultsEnd{seconds(20)};
constexpr Instant kGapsEnd{seconds(24)};     // and the last of the traffic
constexpr Instant kAllArrived{seconds(42)};  // what was on its way when the faults ended too
constexpr Instant kGapRunEnd{seconds(50)};

ClusterOptions gap_options(std::uint64_t seed) {
  ClusterOptions options;
  options.seed = seed * 6151 + 11;
  FaultRates rates = FaultPlan::storm_rates();
  rates.weights[static_cast<std::size_t>(Fault::kMove)] = 0;  // there is no group
  rates.weights[static_cast<std::size_t>(Fault::kKick)] = 0;
  rates.lost = 0.08;
  rates.slow = 0.25;
  options.faults = FaultPlan(rates, kGapFaultsEnd);
  options.delivery_timeout = milliseconds(900);
  options.retry = milliseconds(300);
  return options;
}

std::string text_of(const LogRecord& record, std::string_view name) {
  for (const HeaderView& header : record.headers) {
    if (header.name == name) return std::string(header.value.value_or(""));
  }
  return {};
}

std::string place_text(const std::string& topic, PartitionId partition) {
  return topic + "/" + std::to_string(partition);
}

}  // namespace

// One owner of a source: it may be replaced by another that begins with the rows that it has
// committed, and then emits for a while what it still has.
class GapChecks::Sender final : public OutboxHost, public LogListener {
 public:
  Sender(GapChecks& all, std::string source, std::size_t host, MemoryStore::Contents rows)
      : all_(all),
        source_(std::move(source)),
        host_(host),
        store_(std::move(rows)),
        view_(store_),
        outbox_(view_, *this),
        log_(all.cluster_, all.cluster_.host(host)) {
    log_.on_ready([this](SimulatedSession&) { turn(); });
    session_ = std::move(*log_.open({}));
    outbox_.restore(source_);
  }

  [[nodiscard]] bool runs() const {
    const SimulatedHost& host = all_.cluster_.host(host_);
    return host.up() && !host.paused();
  }
  void send(const Destination& to) {
    outbox_.send(to, {"key", source_ + " says something", {}}, seq_ + 1);
  }
  // What is acknowledged is forgotten with the next one that counts.
  void commit() {
    outbox_.save();
    const std::string rows(view_.batch().bytes());
    view_.sent(++seq_);
    const Offset at{static_cast<std::int64_t>(seq_)};
    PENSTOCK_CHECK(store_.apply(rows, {at, Offset{0}, seq_, 0, false, Offset{0}}), "it has room");
    view_.applied(seq_);
    outbox_.counted(seq_);
    turn();
  }
  void turn() {
    (void)session_->poll(*this);
    if (renew_) {
      renew_ = false;
      session_->renew(Lane::kOutbox);
      outbox_.emit_again();
    }
    outbox_.pump();
  }
  void replace() { replaced_ = true; }

  [[nodiscard]] const MemoryStore::Contents& rows() const { return store_.contents(); }
  [[nodiscard]] const std::string& source() const { return source_; }
  [[nodiscard]] std::size_t host() const { return host_; }
  [[nodiscard]] bool idle() const { return outbox_.pending() == 0; }

  // OutboxHost
  bool append_outbox(std::uint64_t number, const Destination& to,
                     const NewRecord& record) override {
    if (!session_->append(Lane::kOutbox, {session_->topic(to.topic), to.partition}, record, number))
      return false;
    if (to.topic != kInput) return true;
    names_[number] = std::string(record.headers.back().value.value_or(""));
    all_.sent_.try_emplace(names_[number], Sent{source_, to.partition, {}, false});
    return true;
  }
  void renew_outbox() override { renew_ = true; }

  // LogListener
  void on_appended(Lane, Ticket ticket, const Appended& result) override {
    const auto name = names_.find(ticket);
    if (name != names_.end() && result.offset && !replaced_)
      all_.sent_.at(name->second).acknowledged = result.offset;
    outbox_.appended(ticket, result);
  }
  void on_assigned(std::span<const PartitionId>) override {}
  void on_revoked(std::span<const PartitionId>) override {}
  void on_lost(std::span<const PartitionId>) override {}
  void on_records(TopicPartition, std::span<const LogRecord>) override {}
  void on_out_of_range(TopicPartition, Offset) override {}
  void on_bounds(TopicPartition, const Result<Bounds>&) override {}
  void on_membership(PartitionId, bool) override {}
  void on_deleted(TopicPartition, const Status&) override {}
  void on_connection(bool, std::string_view) override {}
  void on_fatal(std::string_view) override {}

 private:
  GapChecks& all_;
  std::string source_;
  std::size_t host_;
  MemoryStore store_;
  View view_;
  Outbox outbox_;
  SimulatedLog log_;
  std::unique_ptr<LogSession> session_;
  std::map<std::uint64_t, std::string> names_;  // by number
  std::uint64_t seq_ = 0;
  bool renew_ = false, replaced_ = false;
};

class GapChecks::Receiver {
 public:
  Receiver(GapChecks& all, PartitionId partition) : all_(all), partition_(partition) { anew(); }

  void anew() {
    store_ = {};
    arrivals_.reset();
    missed_ = 0;
    next_ = Offset{0};
    read_.clear();
    taken_.clear();
    given_up_.clear();
    restart();
  }
  void restart() {
    if (arrivals_) missed_ += arrivals_->missed();
    view_ = std::make_unique<View>(*(live_ = std::make_unique<MemoryStore>(store_)));
    arrivals_ = std::make_unique<Arrivals>(*view_, place_text(kInput, partition_));
    arrivals_->restored();
  }
  void read(std::uint64_t most) {
    const auto& log = all_.cluster_.partition(kInput, partition_);
    if (next_ < log.start()) arrivals_->skipped_to(next_ = log.start());
    for (; most > 0 && next_ < log.end(); --most, next_ = next_.next()) take(log.at(next_));
    commit();
    for (const std::string& text : arrivals_->take_notices()) PENSTOCK_CHECK(!text.empty(), "told");
  }

  [[nodiscard]] Offset next() const { return next_; }
  [[nodiscard]] bool has_read(Offset at) const { return read_.contains(at); }
  [[nodiscard]] bool has_given_up(const std::string& message) const {
    if (given_up_.contains(message)) return true;
    // Or later: it was behind a gap that a message of a replaced owner had closed, and was passed
    // over when those before it could not come any more.
    const auto origin = parse_message_header(message);
    return origin && is_passed(*origin);
  }
  [[nodiscard]] bool has_taken(const std::string& message) const {
    return taken_.contains(message);
  }
  [[nodiscard]] std::uint64_t missed() const { return missed_ + arrivals_->missed(); }

 private:
  void take(const LogRecord& record) {
    read_.insert(record.offset);
    const std::string message = text_of(record, "penstock-message");
    const std::string to = ">" + place_text(kInput, partition_) + "#";
    const bool to_me = message.find(to) != message.npos;
    const auto origin = arrivals_->addressed(record.headers);
    all_.rules_.check(Rule::kSentBack, origin.has_value() == to_me,
                      [&] { return message + " is read by " + place_text(kInput, partition_); });
    if (!origin) return;
    if (!arrivals_->take(*origin, record.offset)) return note_given_up(*origin, message);
    all_.rules_.check(Rule::kTakenOnce, taken_.insert(message).second,
                      [&] { return message + " is taken twice"; });
  }
  // It had been told as missed, and the next owner sends it again, which has not heard that it was
  // acknowledged.
  void note_given_up(const MessageOrigin& origin, const std::string& message) {
    if (is_passed(origin)) given_up_.insert(message);
  }
  [[nodiscard]] bool is_passed(const MessageOrigin& origin) const {
    std::string row;
    const std::string key = std::string(1, keys::kWatermark) + std::string(origin.source);
    return view_->get(key, &row) && origin.seq <= SourceMark::decode(row).last();
  }
  void commit() {
    const std::string rows(view_->batch().bytes());
    view_->sent(++seq_);
    const Offset at{static_cast<std::int64_t>(seq_)};
    PENSTOCK_CHECK(live_->apply(rows, {at, Offset{0}, seq_, 0, false, Offset{0}}), "it has room");
    view_->applied(seq_);
    store_ = live_->contents();
  }

  GapChecks& all_;
  PartitionId partition_;
  MemoryStore::Contents store_;
  std::unique_ptr<MemoryStore> live_;
  std::unique_ptr<View> view_;
  std::unique_ptr<Arrivals> arrivals_;
  Offset next_{0};
  std::uint64_t seq_ = 0, missed_ = 0;
  std::set<Offset> read_;
  std::set<std::string> taken_, given_up_;  // what is given up and not taken must have been told
};

GapChecks::GapChecks(std::uint64_t seed, Rules& rules)
    : rules_(rules),
      random_(seed * 467 + 3),
      cluster_(gap_options(seed)),
      generations_(kSenders, 1) {
  for (const char* const topic : {kInput, kDead}) {
    PENSTOCK_CHECK(cluster_.create({topic, kPartitions, 1, {}}).has_value(), "the topics are new");
  }
  cluster_.on_append([this](const std::string& topic, PartitionId partition,
                            const LogRecord& record) { entered(topic, partition, record); });
  for (std::size_t i = 0; i < kSenders; ++i) {
    SimulatedHost& host = cluster_.add_host();
    senders_.push_back(std::make_unique<Sender>(*this, source_of(i), i, MemoryStore::Contents{}));
    // Its sessions have ended with it; its committed rows are what another process finds.
    host.set_events({.crashed = {},
                     .restarted =
                         [this, i] {
                           for (std::size_t sender = 0; sender < kSenders; ++sender) {
                             if (senders_[sender]->host() == i) replace(sender, i);
                           }
                         },
                     .paused = {},
                     .resumed = {}});
  }
  for (PartitionId id = 0; id < kPartitions; ++id)
    receivers_.push_back(std::make_unique<Receiver>(*this, id));
}

GapChecks::~GapChecks() = default;

std::string GapChecks::source_of(std::size_t sender) const {
  return "out/" + std::to_string(sender) + "@" + std::to_string(generations_[sender]);
}

// -- What enters the logs

// What a message says of those before it, where nothing has been removed yet: a reader from the
// log's first record on has taken all of them.
void GapChecks::entered(const std::string& topic, PartitionId partition, const LogRecord& record) {
  if (topic == kDead) return send_back(partition, record);
  const std::string message = text_of(record, "penstock-message");
  const std::string to = ">" + place_text(kInput, partition) + "#";
  const std::size_t at = message.find(to);
  if (at == message.npos) return;
  const std::uint64_t number = std::stoull(message.substr(at + to.size()));
  const std::uint64_t oldest = std::stoull("0" + text_of(record, "penstock-oldest"));
  std::uint64_t& last = in_order_[{partition, message.substr(0, at)}];
  rules_.check(Rule::kOldest, oldest >= 1 && oldest <= number && oldest <= last + 1, [&] {
    return message + " says that " + std::to_string(oldest) + " is the oldest, and a reader has " +
           std::to_string(last);
  });
  if (number == last + 1) last = number;
}

void GapChecks::send_back(PartitionId partition, const LogRecord& record) {
  if (!random_.chance(0.3)) return;
  cluster_.at(cluster_.now() + random_.between(milliseconds(10), milliseconds(3000)),
              [this, partition, record] {
                cluster_.append(kInput, partition, {record.key, record.value, record.headers});
              });
}

// -- What happens

void GapChecks::send() {
  for (auto& sender : senders_) {
    if (!sender->runs() || !random_.chance(0.5)) continue;
    const bool dead = random_.chance(0.15);
    const auto to = static_cast<PartitionId>(random_.below(kPartitions));
    for (std::uint64_t left = 1 + random_.below(5); left > 0; --left)
      sender->send({dead ? kDead : kInput, to});
    sender->commit();
  }
  if (cluster_.now() < kGapsEnd)
    cluster_.at(cluster_.now() + random_.between(milliseconds(10), milliseconds(250)),
                [this] { send(); });
}

void GapChecks::read() {
  for (auto& receiver : receivers_) {
    if (random_.chance(0.6)) receiver->read(random_.below(30));
  }
  cluster_.at(cluster_.now() + random_.between(milliseconds(50), milliseconds(400)),
              [this] { read(); });
}

// Somewhere between where the reader is and the log's end.
void GapChecks::cut() {
  const auto partition = static_cast<PartitionId>(random_.below(kPartitions));
  const Offset next = receivers_[static_cast<std::size_t>(partition)]->next();
  const auto left = cluster_.partition(kInput, partition).end().value - next.value;
  if (left > 0) {
    const auto lost =
        1 + static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(left)));
    cluster_.trim(kInput, partition, Offset{next.value + lost});
  }
  if (cluster_.now() < kGapsEnd)
    cluster_.at(cluster_.now() + random_.between(milliseconds(500), milliseconds(3000)),
                [this] { cut(); });
}

void GapChecks::disturb() {
  const std::size_t any = random_.below(kSenders);
  const std::uint64_t chance = random_.below(100);
  if (chance < 40) {
    replace(any, random_.below(kSenders));
  } else if (chance < 50) {
    ++generations_[any];
    replace(any, random_.below(kSenders));
  } else {
    Receiver& receiver = *receivers_[random_.below(kPartitions)];
    chance < 65 ? receiver.anew() : receiver.restart();
  }
  if (cluster_.now() < kGapsEnd)
    cluster_.at(cluster_.now() + random_.between(milliseconds(500), milliseconds(4000)),
                [this] { disturb(); });
}

// Another owner, with the rows that count; with none where its state has another generation.
void GapChecks::replace(std::size_t sender, std::size_t host) {
  if (!cluster_.host(host).up()) return;
  std::unique_ptr<Sender>& owner = senders_[sender];
  MemoryStore::Contents rows = owner->rows();
  const std::string source = source_of(sender);
  if (source != owner->source()) {
    for (const auto& [key, value] : rows.rows) abandon(owner->source(), key);
    rows = {};
  }
  owner->replace();
  replaced_.push_back(std::move(owner));
  owner = std::make_unique<Sender>(*this, source, host, std::move(rows));
}

void GapChecks::abandon(const std::string& source, std::string_view key) {
  if (key.front() != keys::kOutbox) return;
  Cursor place(key.substr(1));
  const std::string topic(place.text());
  const auto partition = static_cast<PartitionId>(place.u32());
  const auto found =
      sent_.find(source + ">" + place_text(topic, partition) + "#" + std::to_string(place.u64()));
  if (found != sent_.end()) found->second.abandoned = true;
}

// -- The end

// One more message of each to each, when nothing else is on its way.
void GapChecks::finish() {
  for (auto& sender : senders_) {
    rules_.check(Rule::kGoneOn, sender->idle(), [] { return "a message is never acknowledged"; });
    for (PartitionId to = 0; to < kPartitions; ++to) sender->send({kInput, to});
    sender->commit();
  }
}

void GapChecks::run() {
  cluster_.at(Instant(milliseconds(100)), [this] { send(); });
  cluster_.at(Instant(milliseconds(200)), [this] { read(); });
  cluster_.at(Instant(seconds(2)), [this] { cut(); });
  cluster_.at(Instant(seconds(3)), [this] { disturb(); });
  cluster_.at(kAllArrived, [this] { finish(); });
  while (!rules_.broken && cluster_.now() < kGapRunEnd && cluster_.step()) {
  }
  for (auto& receiver : receivers_) receiver->read(UINT64_MAX);
  if (!rules_.broken) check_end();
}

void GapChecks::check_end() {
  std::vector<std::uint64_t> untaken(kPartitions), of_current(kPartitions);
  for (const auto& [message, sent] : sent_) {
    const auto to = static_cast<std::size_t>(sent.to);
    const Receiver& receiver = *receivers_[to];
    const bool taken = receiver.has_taken(message);
    const bool read = sent.acknowledged && receiver.has_read(*sent.acknowledged);
    const bool excused = sent.abandoned || receiver.has_given_up(message);
    rules_.check(Rule::kGoneOn, taken || !read || excused,
                 [&, &of = message] { return of + " was read, and is never taken"; });
    if (taken) continue;
    ++untaken[to];
    for (std::size_t i = 0; i < kSenders; ++i)
      of_current[to] += sent.source == source_of(i) ? 1 : 0;
  }
  for (PartitionId to = 0; to < kPartitions; ++to)
    check_told(to, untaken[static_cast<std::size_t>(to)], of_current[static_cast<std::size_t>(to)]);
}

// A source that has ended sends nothing that what it left out could be known by.
void GapChecks::check_told(PartitionId partition, std::uint64_t all, std::uint64_t of_current) {
  const std::uint64_t missed = receivers_[static_cast<std::size_t>(partition)]->missed();
  rules_.check(Rule::kMissedTold, of_current <= missed && missed <= all, [&] {
    return place_text(kInput, partition) + " tells of " + std::to_string(missed) +
           " messages that it has missed; it has not taken " + std::to_string(all) + ", " +
           std::to_string(of_current) + " of them of sources that go on";
  });
}

}  // namespace penstock::simulation
