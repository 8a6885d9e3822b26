#include "api/route/route_table.h"

#include <algorithm>

#include "api/http/percent_decoded.h"

namespace penstock {
namespace {

std::vector<std::string_view> parts_of_path(std::string_view path) {
  std::vector<std::string_view> parts;
  if (path.starts_with('/')) path.remove_prefix(1);
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    parts.push_back(path.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

bool is_value(std::string_view part) { return part.starts_with('{') && part.ends_with('}'); }
bool is_rest(std::string_view part) { return is_value(part) && part.ends_with("*}"); }

// "{name}" or "{name*}".
std::string name_of(std::string_view part) {
  return std::string(part.substr(1, part.size() - (is_rest(part) ? 3 : 2)));
}

bool allows(const RouteSpec& spec, std::string_view method) {
  return spec.method == method || (method == "HEAD" && std::string_view(spec.method) == "GET");
}

}  // namespace

std::string_view to_string(Scope scope) {
  switch (scope) {
    case Scope::kProduce:
      return "produce";
    case Scope::kOperate:
      return "operate";
    default:
      return "read";
  }
}

std::optional<RouteTable::Values> match_path(std::string_view pattern, std::string_view path) {
  const auto wanted = parts_of_path(pattern), given = parts_of_path(path);
  if (!path.starts_with('/') || given.size() < wanted.size()) return std::nullopt;
  RouteTable::Values values;
  std::size_t at = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    // A pattern has one rest at most, so the number of its parts follows from the others.
    const std::size_t parts = is_rest(wanted[i]) ? given.size() - wanted.size() + 1 : 1;
    const std::string_view text(
        given[at].data(),
        static_cast<std::size_t>(given[at + parts - 1].data() + given[at + parts - 1].size() -
                                 given[at].data()));
    at += parts;
    if (is_value(wanted[i])) {
      auto value = percent_decoded(text, false);
      if (!value || value->empty()) return std::nullopt;
      values[name_of(wanted[i])] = *std::move(value);
    } else if (text != wanted[i]) {
      return std::nullopt;
    }
  }
  return at == given.size() ? std::optional(std::move(values)) : std::nullopt;
}

RouteTable::Match RouteTable::match(std::string_view method, std::string_view path) const {
  Match match;
  std::vector<std::string> methods;
  for (const Route& route : routes_) {
    auto values = match_path(route.spec.pattern, path);
    if (!values) continue;
    if (allows(route.spec, method)) return {&route, *std::move(values), {}};
    methods.emplace_back(route.spec.method);
  }
  for (auto at = methods.begin(); at != methods.end(); ++at) {
    if (std::find(methods.begin(), at, *at) != at) continue;
    match.allowed += (match.allowed.empty() ? "" : ", ") + *at;
  }
  return match;
}

ApiReply RouteTable::answer(ApiRequest request) const {
  Match found = match(request.method, request.path);
  if (!found.route)
    return found.allowed.empty() ? no_such_path(request)
                                 : wrong_method(request, found.allowed.c_str());
  if (const auto problem = unknown_parameter(request, found.route->spec.parameters))
    return reply_of(*problem);
  request.values = std::move(found.values);
  return found.route->answer(request);
}

}  // namespace penstock
