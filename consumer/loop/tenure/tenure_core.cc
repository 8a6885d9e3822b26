#include "consumer/loop/tenure/tenure_core.h"

#include <utility>

namespace penstock {

TenureCore::TenureCore(TenureOptions the_options, std::unique_ptr<Store> the_store,
                       TenureParts& the_parts, OwnerHost& host)
    : options(std::move(the_options)),
      parts(the_parts),
      store(std::move(the_store)),
      view(*store),
      log(options, parts),
      outbox(view, log),
      owner(*store, log, host,
            {options.task.instance, options.nonce, options.lease, options.last, options.claims,
             options.ask_at_most, parts.has_read_all}) {}

void TenureCore::make_task(TaskHost& host) {
  if (options.owns_slots) {
    auto made = std::make_unique<SlotTask>(options.task.prefix, partition(), view, outbox,
                                           options.task.bounds, options.task.newest_format);
    slots = made.get();
    task = std::move(made);
  } else {
    auto made = std::make_unique<Task>(options.task, view, outbox, host);
    jobs = made.get();
    task = std::move(made);
  }
}

void TenureCore::notice(const std::string& text) {
  parts.host.notice(partition_name(options.task.queue.name, partition()) + ": " + text);
}

void TenureCore::broken(const std::string& reason) {
  parts.host.broken(reason);
  owner.drop(reason);
}

}  // namespace penstock
