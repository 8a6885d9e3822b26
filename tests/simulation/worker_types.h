// The job types of a run's workers: those that its settings have switched on.
#pragma once

#include "tests/simulation/settings.h"

namespace penstock::simulation {

void add_worker_types(TypeTable& types, const Settings& settings);

}  // namespace penstock::simulation
