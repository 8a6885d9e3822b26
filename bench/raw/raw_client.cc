#include "bench/raw/raw_client.h"

namespace penstock {

Result<RawConf> raw_conf(const std::map<std::string, std::string>& properties) {
  RawConf conf(rd_kafka_conf_new());
  char error[512];
  for (const auto& [name, value] : properties) {
    if (rd_kafka_conf_set(conf.get(), name.c_str(), value.c_str(), error, sizeof error) !=
        RD_KAFKA_CONF_OK) {
      return failure("Kafka property '" + name + "': " + error);
    }
  }
  return conf;
}

Result<RawClient> raw_client(rd_kafka_type_t type, RawConf conf) {
  char error[512];
  RawClient client(rd_kafka_new(type, conf.get(), error, sizeof error));
  if (!client) return failure(std::string("cannot start a Kafka client: ") + error);
  static_cast<void>(conf.release());  // rd_kafka_new has taken ownership
  return client;
}

}  // namespace penstock
