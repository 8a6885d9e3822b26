#include "state/store/rocks/no_options_file.h"

#include <rocksdb/file_system.h>

#include <memory>
#include <string>

namespace penstock {
namespace {

class NoOptionsFile final : public rocksdb::FileSystemWrapper {
 public:
  using rocksdb::FileSystemWrapper::FileSystemWrapper;
  [[nodiscard]] const char* Name() const override { return "penstock.no_options_file"; }
  // RocksDB takes this failure for a warning, unless fail_if_options_file_error is set.
  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    if (path.find("/OPTIONS-") != std::string::npos)
      return rocksdb::IOStatus::NotSupported("no options are written");
    return FileSystemWrapper::NewWritableFile(path, options, file, debug);
  }
};

}  // namespace

rocksdb::Env* env_without_options_file() {
  // RocksDB requires a shared_ptr.
  static const std::unique_ptr<rocksdb::Env> env =
      rocksdb::NewCompositeEnv(std::make_shared<NoOptionsFile>(rocksdb::FileSystem::Default()));
  return env.get();
}

}  // namespace penstock
