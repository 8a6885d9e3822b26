#include "cli/remote/remote_options.h"

namespace penstock {

void add_remote_options(CLI::App& app, RemoteOptions& options, Asks asks) {
  const bool always = asks == Asks::kAlways;
  app.add_option("--http", options.http,
                 always ? "A running worker, HOST:PORT or a URL (default: the config's http.listen)"
                        : "A running worker, used if no brokers are given")
      ->envname("PENSTOCK_HTTP")
      ->type_name("ADDRESS");
  app.add_option("--ca", options.ca,
                 "The certificates that an https:// worker's must go back to (default: the "
                 "system's)")
      ->envname("PENSTOCK_CA")
      ->type_name("FILE");
  if (!always)
    app.add_flag("--via-http", options.via_http, "Use the worker even if brokers are given");
}

}  // namespace penstock
