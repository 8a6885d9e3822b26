#include "api/openapi/openapi.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "api/openapi/schemas.h"
#include "api/request/message.h"
#include "topics/values/check.h"

namespace penstock {
namespace {

using Document = nlohmann::ordered_json;

Document reference(const std::string& schema) {
  PENSTOCK_CHECK(openapi_schemas().contains(schema), "a route names a schema that is described");
  return {{"$ref", "#/components/schemas/" + schema}};
}

Document json_content(const std::string& schema) {
  return {{kJson, {{"schema", reference(schema)}}}};
}

// "{id*}" is "{id}" there.
std::string openapi_path(std::string_view pattern) {
  std::string path(pattern);
  std::erase(path, '*');
  return path;
}

void add_path_parameters(std::string_view path, Document& parameters) {
  for (std::size_t at = path.find('{'); at != path.npos; at = path.find('{', at + 1)) {
    const std::string name(path.substr(at + 1, path.find('}', at) - at - 1));
    parameters.push_back(
        {{"name", name}, {"in", "path"}, {"required", true}, {"schema", {{"type", "string"}}}});
  }
}

Document parameters_of(const RouteSpec& spec) {
  Document parameters = Document::array();
  add_path_parameters(openapi_path(spec.pattern), parameters);
  for (const std::string& name : spec.parameters) {
    PENSTOCK_CHECK(openapi_parameters().contains(name), "a route's parameters are described");
    Document parameter{{"name", name}, {"in", "query"}, {"required", false}};
    parameter.update(openapi_parameters()[name]);
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

Document body_of(const RouteSpec& spec) {
  Document content = json_content(spec.body);
  if (std::string_view(spec.body) == "JobsToEnqueue")
    content[kJsonLines] = {{"schema", {{"type", "string"}}}};
  return {{"required", true}, {"content", std::move(content)}};
}

Document responses_of(const RouteSpec& spec) {
  Document responses;
  for (const int status : spec.statuses) {
    Document response{{"description", "Done"}};
    if (spec.reply[0] != '\0') response["content"] = json_content(spec.reply);
    responses[std::to_string(status)] = std::move(response);
  }
  responses["default"] = {{"description", "A problem (RFC 9457)"},
                          {"content", {{kProblemJson, {{"schema", reference("Problem")}}}}}};
  return responses;
}

Document operation_of(const RouteSpec& spec) {
  Document operation{{"operationId", spec.id}, {"summary", spec.summary}};
  operation["parameters"] = parameters_of(spec);
  if (spec.body[0] != '\0') operation["requestBody"] = body_of(spec);
  operation["responses"] = responses_of(spec);
  if (spec.scope == Scope::kOpen) {
    operation["security"] = Document::array();
  } else {
    operation["x-scope"] = to_string(spec.scope);
  }
  return operation;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

Document openapi_document(const RouteTable& table, const std::string& version) {
  Document document{
      {"openapi", "3.1.0"},
      {"info",
       {{"title", "Penstock"},
        {"version", version},
        {"description", "Background jobs on Kafka"},
        {"license", {{"name", "Apache-2.0"}, {"identifier", "Apache-2.0"}}}}},
      {"servers", Document::array({{{"url", "/"}}})},
      {"security", Document::array({{{"token", Document::array()}}, Document::object()})}};
  document["paths"] = Document::object();
  for (const RouteTable::Route& route : table.routes()) {
    if (route.spec.id[0] == '\0') continue;
    document["paths"][openapi_path(route.spec.pattern)][lower(route.spec.method)] =
        operation_of(route.spec);
  }
  document["components"] = {
      {"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}},
      {"schemas", openapi_schemas()}};
  return document;
}

}  // namespace penstock
