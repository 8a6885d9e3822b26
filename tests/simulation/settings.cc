#include "tests/simulation/settings.h"

#include <array>

namespace penstock::simulation {

const QueueNames& names() {
  static const QueueNames kNames(kPrefix, kQueue);
  return kNames;
}

std::string describe(const Settings& settings) {
  constexpr std::array kOrders = {"created", "strict", "ready", "fair"};
  return std::string("order ") + kOrders[static_cast<std::size_t>(settings.queue.order)] +
         (settings.queue.fair == FairShare::kFlat ? ", flat" : "") + ", partitions " +
         std::to_string(settings.queue.partitions) + ", account_concurrency " +
         std::to_string(settings.queue.account_concurrency) + ", concurrency " +
         std::to_string(settings.concurrency) + ", trim " + std::to_string(settings.trim_bytes) +
         ", buffer " + std::to_string(settings.buffered_appends) +
         (settings.max_live_jobs != Lines::kMaxLiveJobs
              ? ", live jobs " + std::to_string(settings.max_live_jobs)
              : "") +
         (settings.bounds.restored_rows != kMaxRestoredRowsPerStep ? ", tiny steps" : "") +
         (settings.max_flows != Lines::kMaxFlows
              ? ", accounts in memory " + std::to_string(settings.max_flows)
              : "") +
         (settings.limits ? ", limits" : "") +
         (settings.shared ? ", shared limits of " + std::to_string(settings.shared_slots) : "") +
         (settings.lanes ? ", shared rate" : "") + (settings.set_limits ? ", set limits" : "") +
         (settings.newcomers ? ", newcomers" : "") + (settings.weights ? ", weights" : "") +
         (settings.batches ? ", batches" : "") + (settings.unique ? ", unique" : "") +
         (settings.errors ? ", errors" : "") + (settings.long_jobs ? ", long jobs" : "") +
         (settings.killer ? ", killer" : "") + (settings.survivor ? ", survivor" : "") +
         (settings.believed ? ", believed" : "") + (settings.short_window ? ", short window" : "") +
         (settings.foreign_trims ? ", foreign trims" : "") +
         (settings.recreates_queue ? ", queue topic created again" : "") +
         (settings.recreates_state ? ", state topic created again" : "") +
         (settings.doubtful ? ", doubtful" : "") + (settings.oversized ? ", oversized" : "") +
         (settings.upgrade ? ", upgrade" : "") + (settings.replays ? ", replays" : "") +
         (settings.past_trims ? ", past trims" : "") +
         (settings.programs_fail ? ", failing programs" : "") +
         (settings.in_place ? ", in place" : "") +
         (settings.queue.standbys > 0 ? ", standbys " + std::to_string(settings.queue.standbys)
                                      : "");
}

Settings::Settings(std::uint64_t seed) : seed(seed) {
  simulated::Random random(seed * 7919 + 1);
  queue.name = kQueue;
  queue.partitions = 2 + static_cast<int>(random.below(2));
  constexpr std::array kOrders = {Order::kCreated, Order::kStrict, Order::kReady, Order::kFair};
  queue.order = kOrders[random.below(kOrders.size())];
  const bool several = queue.order == Order::kCreated || queue.order == Order::kFair;
  queue.account_concurrency = several && random.chance(0.3) ? 2 : 1;
  queue.fair = random.chance(0.5) ? FairShare::kByAccount : FairShare::kFlat;
  constexpr std::array kEvents = {Events::kOff, Events::kTerminal, Events::kAll};
  queue.events = kEvents[random.below(kEvents.size())];
  short_window = random.chance(0.12);
  queue.dedup_window = short_window ? Duration(8s) : Duration(1h);
  type.timeout = 9s;
  type.retry = {3, random.chance(0.5) ? Backoff::kFixed : Backoff::kExponential, 1s, 2, 4s, 0.2};
  type.keep_succeeded = random.chance(0.3) ? Duration(20s) : Duration(0);
  type.keep_dead = random.chance(0.5) ? Duration(15s) : Duration(1h);
  concurrency = 1 + static_cast<int>(random.below(4));
  constexpr std::array kSessions = {1000, 2500, 6000};
  session_timeout = std::chrono::milliseconds(kSessions[random.below(kSessions.size())]);
  if (random.chance(0.15)) buffered_appends = 6;
  trim_bytes = 1000 + random.below(6000);
  foreign_trims = random.chance(0.04);
  delivery_timeout = random.chance(0.4) ? 1200ms : 4000ms;  // below the lease
  limits = queue.order == Order::kCreated && random.chance(0.5);
  if (limits) queue.account_concurrency = 3;
  batches = random.chance(0.5);
  unique = random.chance(0.4);
  if (unique && several) queue.account_concurrency = 3;
  // Owners that often lose a partition in doubt and claim it again at once, while a displaced one
  // still runs. Not where there is a story with times to keep: a partition that is lost in the
  // middle of it is late.
  doubtful = random.chance(0.15) && !batches && !limits;
  if (doubtful) {
    delivery_timeout = 250ms;
    session_timeout = 1000ms;
  }
  shared = random.chance(0.35);
  shared_slots = 1 + static_cast<int>(random.below(4));
  errors = random.chance(0.4);
  // A partition whose commit is never found stands still until its owner gives it up: no story with
  // times either.
  believed = random.chance(0.3) && !limits;
  long_jobs = random.chance(0.4);
  lanes = random.chance(0.5) && shared;
  set_limits = random.chance(0.5) && limits;
  weights = random.chance(0.5) && queue.order == Order::kFair && !doubtful && !believed;
  newcomers = random.chance(0.5) && queue.order == Order::kFair && !doubtful && !believed;
  killer = random.chance(0.2) && long_jobs && !doubtful;
  survivor = random.chance(0.25) && long_jobs && !doubtful && !killer;
  twins = short_window;
  simulated::Random memory(seed * 6007 + 5);
  if (memory.chance(0.25)) max_live_jobs = 1 + memory.below(20);
  simulated::Random steps(seed * 5003 + 7);
  if (steps.chance(0.25))
    bounds = {1 + steps.below(3), 1 + steps.below(3), 1 + steps.below(3), 1 + steps.below(3)};
  // Not where there are stories of more accounts that must not be late.
  if (memory.chance(0.4) && queue.order != Order::kFair && !limits && !batches) max_flows = 2;
  simulated::Random sizes(seed * 4001 + 3);
  oversized = sizes.chance(0.12);
  simulated::Random operators(seed * 4801 + 11);
  if (operators.chance(0.05) && !foreign_trims) recreate_topics();
  upgrade = operators.chance(0.2) && !recreates_queue && !recreates_state && !foreign_trims;
  // Rarely where there are stories of which each start counts, or where the rules end early.
  simulated::Random past(seed * 5501 + 17);
  const bool has_stories = doubtful || limits || newcomers || weights || killer || survivor ||
                           recreates_queue || recreates_state || foreign_trims;
  replays = past.chance(0.4) && (!has_stories || past.chance(0.5));
  past_trims = past.chance(0.2) && replays;
  programs_fail = past.chance(0.5) && replays;
  in_place = seed % 25 == 18 || seed % 25 == 24;
  simulated::Random copies(seed * 6133 + 29);
  if (copies.chance(0.5)) queue.standbys = 1 + static_cast<int>(copies.below(2));
}

// The queue's, that of its state, or both.
void Settings::recreate_topics() {
  foreign_trims = replays = past_trims = false;
  recreates_queue = seed % 3 != 0;
  recreates_state = seed % 3 != 1;
}

void Settings::let_others_trim() {
  foreign_trims = true;
  replays = past_trims = false;
}

}  // namespace penstock::simulation
