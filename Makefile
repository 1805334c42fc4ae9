# The front desk: every task is one command, on a Debian 12 with git and make. `make` alone lists them.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

JOBS ?= $(shell nproc)
# How long each fuzz target runs, in seconds.
FUZZ_SECONDS ?= 30
# How often a test of faults may be tried: Redis's own failovers do not always come to an end.
FAULT_TRIES ?= 1
# `make bench RECORD=1` keeps the result in bench/results; STRICT=1 fails when a target is missed.
RECORD ?=
STRICT ?=

# Configures a preset when it is new or was edited, then builds it: $(call build,PRESET,CMAKE BUILD OPTIONS).
define build
if [ ! -e build/$(1)/build.ninja ] || [ CMakePresets.json -nt build/$(1)/build.ninja ]; then \
  cmake --preset $(1) && touch build/$(1)/build.ninja; fi && \
cmake --build build/$(1) --parallel $(JOBS) $(2)
endef

# $(call run_tests,PRESET)
define run_tests
ctest --test-dir build/$(1) --parallel $(JOBS) --output-on-failure --no-tests=error
endef

SOURCES = $(shell git ls-files --cached --others --exclude-standard '*.h' '*.cc')

.PHONY: help run build test test-faults bench bench-compare check-sanitizers fuzz coverage format lint clean

help: ## List the targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' Makefile

run: ## Build the program and serve rules to try things on.
	@tools/install_packages.sh build run
	@$(call build,release,--target sluice)
	@build/release/bin/sluice serve --demo

build: ## Build everything that ships, into build/release.
	@tools/install_packages.sh build
	@$(call build,release)

test: ## Build and run every test; warnings are errors.
	@tools/install_packages.sh build run test
	@$(call build,test)
	@$(call run_tests,test)

test-faults: ## Run the tests of a fleet and its Redis in their long forms, for some minutes; tells what each fault cost.
	@tools/install_packages.sh build run test
	@$(call build,test,--target sluice redis_script_tests)
	@SLUICE_TWIN_STEPS=1000000 build/test/bin/redis_script_tests --gtest_filter='RedisScript.IsTheTwinOfTheMemoryStore'
	@SLUICE_LONG=1 ctest --test-dir build/test --tests-regex '^fleet\.' --repeat until-pass:$(FAULT_TRIES) --verbose --no-tests=error

bench: ## Measure, and tell each figure beside its target; RECORD=1 keeps the result.
	@tools/install_packages.sh build run test
	@$(call build,test,--target bench_programs)
	@python3 -B bench/report.py $(if $(RECORD),--record) $(if $(STRICT),--strict)

bench-compare: ## Compare the server with Redis and nginx in one run; RECORD=1 keeps the result.
	@tools/install_packages.sh build run test
	@$(call build,test,--target bare_loop sluice)
	@python3 -B bench/compare/compare.py $(if $(RECORD),--record) $(if $(STRICT),--strict)

check-sanitizers: ## Run every test under ASan and UBSan, then under TSan.
	@tools/install_packages.sh build run test
	@$(call build,dev)
	@$(call run_tests,dev)
	@$(call build,tsan)
	@$(call run_tests,tsan)

fuzz: ## Run each fuzz target for FUZZ_SECONDS (30).
	@tools/install_packages.sh build run test fuzz
	@$(call build,fuzz,--target fuzz_programs)
	@for program in $$(find build/fuzz/bin -maxdepth 1 -name '*_fuzz' | sort); do \
	  found=build/fuzz/found/$$(basename $$program); mkdir -p $$found; echo "== $$program"; \
	  $$program -max_total_time=$(FUZZ_SECONDS) -print_final_stats=1 -artifact_prefix=$$found- \
	    $$found $$(cat $$program.corpus); done

coverage: ## Run every test and report which lines of src and include they reach.
	@tools/install_packages.sh build run test coverage
	@$(call build,coverage)
	@find build/coverage -name '*.gcda' -delete
	@$(call run_tests,coverage)
	@gcovr --root . --filter src/ --filter include/ --exclude '.*_test\.cc' --print-summary \
	  --html-details build/coverage/report.html build/coverage
	@echo "In full: build/coverage/report.html"

format: ## Lay out every source file by .clang-format.
	@tools/install_packages.sh lint
	@clang-format-14 -i $(SOURCES)

lint: ## Check the layout of all, and look for bugs in what ships; changes nothing.
	@tools/install_packages.sh build run test lint
	@clang-format-14 --dry-run -Werror $(SOURCES)
	@$(call build,test)
	@printf '%s\n' $(filter-out %_test.cc,$(filter src/%.cc,$(SOURCES))) | xargs -P $(JOBS) -n 1 clang-tidy-14 --quiet -p build/test

clean: ## Remove everything that was built.
	@rm -rf build
