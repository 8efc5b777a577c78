# Thin front door: packages, CMake presets, tests. `make help` lists the targets; the work is in CMakePresets.json and scripts/.
SHELL := /bin/bash
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
# Warnings are errors where CI=true is set, as continuous-integration services do.
PRESET := $(if $(filter true 1,$(CI)),ci,release)

.DEFAULT_GOAL := build
.PHONY: help build demo test bench sanitize install test-vllm venv format tidy clean packages-%

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-11s %s\n", $$1, $$2}' Makefile

packages-%:
	@scripts/install-packages.sh $*

build: packages-build  ## the program: build/paretune
	@cmake --preset $(PRESET)
	@cmake --build build --target paretune -j $(JOBS)

demo: build  ## tune the bundled simulated server (seconds) and show the front
	@scripts/demo.sh

test: packages-build packages-test venv  ## everything, the real llama.cpp server included
	@cmake --preset $(PRESET)
	@cmake --build build -j $(JOBS)
	@ctest --preset $(PRESET) -j $(JOBS)

bench: packages-build  ## benchmarks of our own code
	@cmake --preset $(PRESET) -DPARETUNE_BUILD_BENCHMARKS=ON
	@cmake --build build --target run_benchmarks -j $(JOBS)

sanitize: packages-build  ## unit tests with address, undefined-behaviour and thread sanitizers
	@for kind in asan tsan; do \
	  cmake --preset $$kind && cmake --build --preset $$kind -j $(JOBS) && ctest --preset $$kind -j $(JOBS) || exit 1; \
	done

install: build  ## into PREFIX (/usr/local)
	@cmake --install build --prefix "$(PREFIX)"

test-vllm: build packages-test  ## install a real vLLM CPU server (2.9 GB) and tune it
	@nice -n 5 tests/engines/vllm/setup.sh .venv-vllm
	@cd tests/e2e && PARETUNE=../../build/paretune PARETUNE_VLLM_VENV=../../.venv-vllm python3 -m unittest -v vllm_real

venv:
	@scripts/make-venv.sh

format: packages-dev  ## clang-format on every C++ file
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format -i

tidy: packages-build packages-dev  ## clang-tidy on every C++ file
	@cmake --preset tidy
	@cmake --build --preset tidy -j $(JOBS)

clean:  ## remove all build directories
	@rm -rf build build-*
