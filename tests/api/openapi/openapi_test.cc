// The document of the interface, against the interface.
#include "api/openapi/openapi.h"

#include <set>

#include "tests/api/fake_source.h"

namespace penstock {
namespace {

struct OpenApi : ApiTest {
  nlohmann::ordered_json document = openapi_document(routes.table(), "1.2.3");
};

TEST_F(OpenApi, EveryRouteIsAnOperationWithAnIdOfItsOwn) {
  std::set<std::string> ids;
  std::size_t routes_with_id = 0;
  for (const RouteTable::Route& route : routes.table().routes()) {
    if (route.spec.id[0] == '\0') continue;
    ++routes_with_id;
    ids.insert(route.spec.id);
  }
  EXPECT_EQ(ids.size(), routes_with_id);
  std::size_t operations = 0;
  for (const auto& [path, methods] : document["paths"].items()) operations += methods.size();
  EXPECT_EQ(operations, routes_with_id);
}

TEST_F(OpenApi, EveryReferenceIsToWhatIsThere) {
  const std::string text = document.dump();
  const std::string mark = "\"#/components/schemas/";
  for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at + 1)) {
    const std::size_t begin = at + mark.size();
    const std::string name = text.substr(begin, text.find('"', begin) - begin);
    EXPECT_TRUE(document["components"]["schemas"].contains(name)) << name;
  }
}

TEST_F(OpenApi, ItIsServed) {
  const auto result = get("/openapi.json");
  ASSERT_EQ(result->status, 200);
  EXPECT_EQ(body_of(result)["openapi"], "3.1.0");
  EXPECT_EQ(body_of(result)["info"]["version"], "1.2.3");
}

}  // namespace
}  // namespace penstock
