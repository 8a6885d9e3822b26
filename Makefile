# The usual tasks; `make help` lists them. Nothing is done twice: a second run only checks what is there.
.DEFAULT_GOAL := help
.PHONY: help deps build demo test check bench lint house mutants clean

BUILD := build/release
# A unity build compiles all sources in a third of the time. To edit sources, use the preset `dev` (CONTRIBUTING.md)
# or UNITY=OFF.
UNITY ?= ON
say = @printf '\n== %s\n' "$(1)"

help:
	@echo "make demo    dependencies, build, and the story of a noisy account on the embedded log (about 10 minutes"
	@echo "             the first time on 2 cores, seconds later); no Kafka, no Java"
	@echo "make test    dependencies, build, and every test, including those on a real Kafka, which it fetches and"
	@echo "             starts unless there is PENSTOCK_KAFKA=host:port (about 20 minutes the first time on 2 cores)"
	@echo "make check   the program with only its unit and simulation tests, as CI runs them"
	@echo "make mutants wrong changes to the product, each of which the tests must catch (about 16 minutes on 2 cores);"
	@echo "             make mutants RANDOM=40 SEED=7 draws random ones and shows those that no test catches"
	@echo "make build   the program, at $(BUILD)/penstock (about 8 minutes the first time, seconds later)"
	@echo "make bench   every benchmark, compared with raw librdkafka on a local Kafka (about 15 minutes)"
	@echo "make deps    installs what building and testing need, with apt and from source (about 5 minutes, seconds later)"
	@echo "make lint    clang-format and clang-tidy over the sources (about 10 minutes; installs neither)"
	@echo "make house   the measures of the sources: sizes of classes, files and folders, includes, references (seconds)"
	@echo "make clean   removes everything that was built, except dependencies (build/deps)"

deps:
	$(call say,Dependencies of build and tests (about 5 minutes the first time; seconds later))
	@deploy/dependencies test

.PHONY: build-deps configure
build-deps:
	$(call say,Dependencies of the build (about 4 minutes the first time; seconds later))
	@deploy/dependencies build

configure: build-deps
	$(call say,Configuring $(BUILD) (seconds))
	@mkdir -p build
	@cmake --preset release -DCMAKE_UNITY_BUILD=$(UNITY) >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }

build: configure
	$(call say,Building the program (about 8 minutes the first time on 2 cores; seconds later))
	@cmake --build $(BUILD) --target penstock

demo: build
	$(call say,The story of a noisy account (under a minute))
	@$(BUILD)/penstock demo

.PHONY: test-build
test-build: deps configure
	$(call say,Building the program and every test (about 12 minutes the first time on 2 cores; seconds later))
	@cmake --build $(BUILD)

test: test-build
	$(call say,The unit and simulation tests (about 2 minutes))
	@ctest --test-dir $(BUILD) -L '^(unit|simulation)$$' -j2 --output-on-failure --no-tests=error
	$(call say,The tests on a real Kafka, which is started unless PENSTOCK_KAFKA names one (about 10 minutes))
	@deploy/with-kafka ctest --test-dir $(BUILD) -LE '^(unit|simulation)$$' --output-on-failure --no-tests=error

check: deps configure
	$(call say,Building the program and its unit and simulation tests (about 20 minutes the first time on 2 cores; seconds later))
	@cmake --build $(BUILD) --target penstock unit_tests simulation_tests
	$(call say,The unit and simulation tests (about 3 minutes))
	@ctest --test-dir $(BUILD) -L '^(unit|simulation)$$' -j2 --output-on-failure --no-tests=error

mutants: deps
	$(call say,Building the programs that mutants are linked into (about 15 minutes the first time on 2 cores))
	@tests/simulation/mutants/run.py --build
	$(call say,Mutants: $(if $(RANDOM),$(RANDOM) random ones,those of the tables))
	@tests/simulation/mutants/run.py $(if $(RANDOM),--random $(RANDOM) --seed $(or $(SEED),1),--all)

bench: deps build
	$(call say,Every benchmark (about 15 minutes))
	@deploy/with-kafka bench/all

SOURCES = $(shell git ls-files '*.cc' '*.h')
UNITS = $(shell git ls-files '*.cc' ':!tests/house')

lint: configure
	$(call say,clang-format (seconds))
	@command -v clang-format clang-tidy >/dev/null || { echo "lint: apt-get install clang-format clang-tidy"; exit 1; }
	@clang-format --dry-run --Werror $(SOURCES)
	$(call say,clang-tidy (about 10 minutes on 2 cores))
	@printf '%s\n' $(UNITS) | xargs -P "$$(nproc)" -n 4 clang-tidy -p $(BUILD) --quiet

house:
	@python3 tests/house/house.py

clean:
	@find build -mindepth 1 -maxdepth 1 ! -name deps -exec rm -rf {} +
