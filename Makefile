# make help lists what there is.
SHELL       := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

GO   ?= go
LINT := $(GO) tool -modfile=internal/tools/go.mod golangci-lint

# Packages with goroutines or locks: what the race detector is for.
CONCURRENT := . ./actors/... ./cmd/... ./eventlog ./projections/... ./snapshots ./vectors/...
GENERATED  := $(shell git ls-files '*.pb.go' '*_gen.go')
PROTO_DIRS  = $(shell git ls-files '*.proto' | xargs -n1 dirname | sort -u)

FUZZ_SECONDS ?= 5
CRASH_ROUNDS ?= 100
BENCHES      ?= log actors recall

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  %-12s %s\n", $$1, $$2}'

.PHONY: build
build: ## build every package without cgo, and bin/membraind
	CGO_ENABLED=0 $(GO) build ./...
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/membraind ./cmd/membraind

.PHONY: test
test: ## run all tests
	$(GO) test ./...

.PHONY: race
race: ## run the tests of concurrent packages under the race detector (needs a C compiler)
	CGO_ENABLED=1 $(GO) test -race -skip 'Damage|PowerLoss' $(CONCURRENT)

.PHONY: lint
lint: ## run the linter pinned in internal/tools (its first run builds it: minutes)
	$(LINT) run

.PHONY: fuzz-short
fuzz-short: ## run every fuzz target for FUZZ_SECONDS (5)
	@git grep -qE --untracked '^func Fuzz[A-Za-z0-9_]+' -- '*_test.go' || { echo "no fuzz target found" >&2; exit 1; }
	@git grep -oE --untracked '^func Fuzz[A-Za-z0-9_]+' -- '*_test.go' | sort | while IFS=: read -r file target; do \
	    echo "== $$(dirname "$$file") $${target#func }"; \
	    $(GO) test -run '^$$' -fuzz "^$${target#func }\$$" -fuzztime $(FUZZ_SECONDS)s "./$$(dirname "$$file")" </dev/null; \
	done

.PHONY: crash
crash: ## kill -9 the store CRASH_ROUNDS (100) times in the middle of work
	@packages=$$(git grep -l --untracked MEMBRAIN_CRASH_ROUNDS -- '*_test.go' | xargs -r -n1 dirname | sort -u | sed 's|^|./|'); \
	[ -n "$$packages" ] || { echo "no crash test found" >&2; exit 1; }; \
	MEMBRAIN_CRASH_ROUNDS=$(CRASH_ROUNDS) $(GO) test -count=1 -timeout 60m -v -run 'Crash|Kill' $$packages

.PHONY: bench
bench: ## run the Go benchmarks, then membraind bench BENCHES
	$(GO) test -run '^$$' -bench . -benchmem ./...
	@for name in $(BENCHES); do echo "== membraind bench $$name"; $(GO) run ./cmd/membraind bench "$$name"; done

.PHONY: demo
demo: ## walk through the main job of membraind in a temporary directory
	$(GO) run ./cmd/membraind demo

.PHONY: proto
proto: ## write the Go code of every .proto file again
	$(GO) run ./internal/protogen $(PROTO_DIRS)

.PHONY: generated
generated: ## fail when committed generated code is not what its sources give (and write what they give)
	@before=$$(cksum $(GENERATED)); \
	$(MAKE) --no-print-directory proto; \
	$(GO) generate ./model; \
	after=$$(cksum $(GENERATED)); \
	diff <(echo "$$before") <(echo "$$after") || { echo "generated code was out of date and has been written again" >&2; exit 1; }

.PHONY: fmt
fmt: ## fail when a file is not gofmt'ed
	@files=$$(gofmt -l .); \
	[ -z "$$files" ] || { echo "not gofmt'ed:"; echo "$$files"; exit 1; } >&2

.PHONY: vet
vet: ## run go vet
	$(GO) vet ./...

.PHONY: layers
layers: ## check floors, pure packages, and that docs tell the truth (dependencies, threads, links)
	$(GO) test -count=1 -run 'Layers|Dependencies|Threads|Docs|Decisions' .

.PHONY: check
check: fmt vet lint ## all that a change has to pass: fmt vet lint, build without cgo, test, layers, generated, modules
	CGO_ENABLED=0 $(GO) build ./...
	$(GO) test ./...
	$(MAKE) --no-print-directory layers generated
	$(GO) mod verify
