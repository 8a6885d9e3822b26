#include "state/store/rocks/rocks_aside.h"

#include <rocksdb/db.h>
#include <rocksdb/metadata.h>
#include <rocksdb/utilities/checkpoint.h>

#include <algorithm>
#include <filesystem>
#include <memory>

namespace penstock {
namespace {

namespace fs = std::filesystem;

Status failed_aside(const std::string& path, const std::string& why) {
  return failure("a copy of the rows cannot be set aside in " + path + ": " + why +
                 " (free disk space, or move the state directory away)");
}

// Creates a database that contains only this family, from the files in `from`.
rocksdb::Status import_family(const std::string& to, const std::string& name,
                              const rocksdb::ColumnFamilyOptions& options,
                              const rocksdb::ExportImportFilesMetaData& files) {
  rocksdb::Options fresh;
  fresh.create_if_missing = true;
  rocksdb::DB* raw = nullptr;
  if (rocksdb::Status opened = rocksdb::DB::Open(fresh, to, &raw); !opened.ok()) return opened;
  const std::unique_ptr<rocksdb::DB> copy(raw);
  rocksdb::ImportColumnFamilyOptions import;
  // The files in `from` are hard links made for this purpose, so moving them costs no space.
  import.move_files = true;
  rocksdb::ColumnFamilyHandle* family = nullptr;
  rocksdb::Status made = copy->CreateColumnFamilyWithImport(options, name, import, files, &family);
  if (made.ok()) made = copy->DestroyColumnFamilyHandle(family);
  return made;
}

rocksdb::Status export_family(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family,
                              const std::string& to,
                              std::unique_ptr<rocksdb::ExportImportFilesMetaData>* files) {
  rocksdb::Checkpoint* raw = nullptr;
  if (rocksdb::Status made = rocksdb::Checkpoint::Create(&db, &raw); !made.ok()) return made;
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(raw);
  rocksdb::ExportImportFilesMetaData* found = nullptr;
  rocksdb::Status done = checkpoint->ExportColumnFamily(family, to, &found);
  files->reset(found);
  return done;
}

}  // namespace

std::string AsideCopies::numbered(const std::string& name, int number) const {
  std::string file = name;
  // The name of a family is "<topic>/<partition>", which would be a folder.
  std::replace(file.begin(), file.end(), '/', '-');
  return folder_ + "/" + file + "." + std::to_string(number);
}

std::string AsideCopies::unproven(const std::string& name) const {
  std::string file = name;
  std::replace(file.begin(), file.end(), '/', '-');
  return folder_ + "/" + file + ".unproven";
}

Status AsideCopies::add(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family,
                        const rocksdb::ColumnFamilyOptions& options, const std::string& name) {
  const std::string to = unproven(name), half_done = to + ".making", files_in = to + ".files";
  std::error_code error;
  if (fs::exists(to, error)) return {};
  fs::remove_all(half_done, error);  // left by a process that was killed in between
  fs::remove_all(files_in, error);
  fs::create_directories(folder_, error);
  std::unique_ptr<rocksdb::ExportImportFilesMetaData> files;
  rocksdb::Status done = export_family(db, family, files_in, &files);
  if (done.ok() && files->files.empty()) {
    fs::remove_all(files_in, error);
    return {};  // nothing to keep
  }
  if (done.ok()) done = import_family(half_done, name, options, *files);
  if (!done.ok()) return failed_aside(to, done.ToString());
  fs::remove_all(files_in, error);
  // In one step: a copy under its final name is always complete.
  fs::rename(half_done, to, error);
  return error ? failed_aside(to, error.message()) : Status();
}

Status AsideCopies::end(const std::string& name, bool keep) {
  const std::string from = unproven(name);
  std::error_code error;
  if (!fs::exists(from, error)) return {};
  if (!keep) {
    fs::remove_all(from, error);
    return error ? failed_aside(from, error.message()) : Status();
  }
  for (int number = 1; number <= kMaxKept; ++number) {
    const std::string to = numbered(name, number);
    if (fs::exists(to, error)) continue;
    fs::rename(from, to, error);
    return error ? failed_aside(to, error.message()) : Status();
  }
  return failed_aside(from, "there are " + std::to_string(kMaxKept) + " copies already");
}

std::string AsideCopies::kept(const std::string& name) const {
  std::error_code error;
  if (!fs::exists(folder_, error)) return {};
  std::string latest;
  for (int number = 1; number <= kMaxKept; ++number) {
    const std::string path = numbered(name, number);
    if (!fs::exists(path, error)) break;
    latest = path;
  }
  return latest;
}

}  // namespace penstock
