# Each target is one script, so that a machine without make loses nothing: `make test` is `scripts/test`.

.DEFAULT_GOAL := help
.PHONY: help setup build test check lint format demo clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install what is missing (apt-get or brew), then compile; silent when nothing is missing
	@scripts/setup

build: ## compile the program and the tests (debug, .build: the build that demo and test use)
	@scripts/build --build-tests

test: ## every test, with real parts; one suite: scripts/test --filter QueueTests
	@scripts/test

check: lint test ## what CI runs: the linter, then every test

lint: ## format and rules, found by machine
	@scripts/lint

format: ## rewrite the Swift files as .swift-format says
	@scripts/format

demo: ## the main job on this machine in at most 30 s, with nothing set up
	@scripts/demo

clean: ## remove what was compiled
	@swift package clean
