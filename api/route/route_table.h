// The table of the HTTP interface's endpoints. Requests are dispatched by it, who may send them is
// decided by it, and /openapi.json is generated from it, so the three cannot differ.
//
//   pattern := "/" part ("/" part)*
//   part    := text                     itself
//            | "{" name "}"             one part of the path, not empty
//            | "{" name "*}"            one part or more, with their slashes, up to what follows in
//                                       the pattern
//
// The path is split before it is decoded: a "%2F" belongs to a value and separates nothing. Of
// several patterns that a path matches with the same method, the one that was added first counts.
//
// Filled by one thread; then it is constant, and any thread may ask it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/request/message.h"
#include "api/request/problem.h"

namespace penstock {

// What a caller must be allowed to do.
enum class Scope : std::uint8_t {
  kOpen,     // nothing: for everybody
  kMetrics,  // nothing or to read, as `http.open_metrics` says
  kRead,
  kProduce,
  kOperate,
};
// "read", "produce" or "operate".
[[nodiscard]] std::string_view to_string(Scope scope);

struct RouteSpec {
  const char* method;  // GET includes HEAD
  const char* pattern;
  Scope scope;
  const char* id;                         // of the operation in /openapi.json
  const char* summary;                    // one line
  std::vector<std::string> parameters{};  // of the query; any other is refused
  const char* body = "";                  // the schema of the request's body; empty: it has none
  const char* reply = "";                 // the schema of the reply; empty: it is no JSON
  std::vector<int> statuses{200};         // of replies that are no problems
  // It shows several queues, and of those only the ones that the caller sees.
  bool lists_queues = false;
};

class RouteTable {
 public:
  using Answer = std::function<ApiReply(const ApiRequest&)>;
  using Values = std::map<std::string, std::string, std::less<>>;
  struct Route {
    RouteSpec spec;
    Answer answer;
  };
  // `route` is null if no route has this path with this method; then `allowed` lists the methods
  // that have one, as in "GET, POST", and is empty if the path is unknown.
  struct Match {
    const Route* route = nullptr;
    Values values;
    std::string allowed;
  };

  void add(RouteSpec spec, Answer answer) {
    routes_.push_back({std::move(spec), std::move(answer)});
  }

  [[nodiscard]] Match match(std::string_view method, std::string_view path) const;
  // Refuses unknown paths, methods and query parameters; otherwise, the route's answer.
  [[nodiscard]] ApiReply answer(ApiRequest request) const;

  [[nodiscard]] const std::vector<Route>& routes() const { return routes_; }

 private:
  std::vector<Route> routes_;
};

// The values of a path that the pattern matches. Pure.
[[nodiscard]] std::optional<RouteTable::Values> match_path(std::string_view pattern,
                                                           std::string_view path);

}  // namespace penstock
