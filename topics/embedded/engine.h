// What the sessions of one embedded log share. Each part documents which threads may call it.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "topics/embedded/disk/catalog.h"
#include "topics/embedded/disk/store.h"
#include "topics/embedded/disk/writer.h"
#include "topics/embedded/group/coordinator.h"

namespace penstock::embedded {

struct Engine {
  Engine(std::unique_ptr<Store> opened, Duration session_timeout)
      : store(std::move(opened)), catalog(*store), coordinator(session_timeout) {}

  const std::unique_ptr<Store> store;
  Catalog catalog;
  Coordinator coordinator;
  std::unique_ptr<Writer> writer;  // created once the catalog has been loaded
  std::atomic<int> open_sessions = 0;
};

}  // namespace penstock::embedded
