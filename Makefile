# Every target says what it does behind two hashes; make help prints them.
.DEFAULT_GOAL := help
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c

TOOLS := $(CURDIR)/.cache/bin
STATICCHECK := $(TOOLS)/staticcheck
GOFUMPT := $(TOOLS)/gofumpt
GREMLINS := $(TOOLS)/gremlins
FUZZTIME ?= 20000x
OUT ?= assay-report

.PHONY: help
help: ## Print this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 16

.PHONY: build
build: ## Build the command as ./assay
	go build -o assay ./cmd/assay

.PHONY: test
test: ## Run every test with the race detector; needs nothing but Go
	go test -race -timeout 40m ./...

.PHONY: fuzz-smoke
fuzz-smoke: ## Run each fuzz target FUZZTIME (20000x): times, or a duration such as 1h
	@for package in $$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u); do \
		go test $$package -list '^Fuzz' | grep '^Fuzz' | while read -r target; do \
			echo "fuzz $$target in $$package"; \
			out=$$(go test $$package -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1x 2>&1) || { echo "$$out"; exit 1; }; \
			echo "$$out" | tail -n 3; \
		done; \
	done

.PHONY: bench
bench: ## Print the speed ratios of codec, broker, client, event bus, data bus, substrate and explorer beside their peers; fail at the end if a goal is missed
	@missed=0; \
	measure() { echo "go test $$*"; go test "$$@" -count 1 -timeout 20m || missed=1; }; \
	measure ./impl/stomp/frame -run '^TestRatios$$' -ratios -v; \
	measure ./impl/stomp/broker -run '^$$' -bench . -benchtime 1s; \
	measure ./impl/stomp/client -run '^$$' -bench Ratios -benchtime 25x; \
	measure ./impl/eventbus/bench -run '^$$' -bench Ratios -benchtime 1x; \
	measure ./impl/databus/growth -run '^$$' -bench Growth -benchtime 1x; \
	measure ./impl/databus/growth -run '^$$' -bench Ratios -benchtime 7x -v; \
	measure ./impl/substrate/store/sqlite -run '^$$' -bench Ratios -benchtime 1x -v; \
	measure ./model -run '^$$' -bench . -benchtime 1x; \
	if command -v spin >/dev/null; then measure ./model -run Spin -spin 3 -v; else echo "spin is not installed: the explorer is not measured beside it"; fi; \
	exit $$missed

.PHONY: lint
lint: $(STATICCHECK) $(GOFUMPT) ## Vet, staticcheck, and formatting
	go vet ./...
	$(STATICCHECK) ./...
	@unformatted=$$($(GOFUMPT) -l .); if [ -n "$$unformatted" ]; then echo "not formatted:"; echo "$$unformatted"; exit 1; fi

$(STATICCHECK):
	GOBIN=$(TOOLS) go install honnef.co/go/tools/cmd/staticcheck@v0.8.2

$(GOFUMPT):
	GOBIN=$(TOOLS) go install mvdan.cc/gofumpt@v0.12.0

.PHONY: mutants
mutants: ## Build the reference with each recorded fault and see it caught; PART=1/4: with every fourth; FRESH=1: only those of which there is no record
	go test ./fuzz/mutants -run '^Test(EveryMutantIsCaught|ReferenceIsNoMutant)$$' $(if $(FRESH),-fresh,$(if $(PART),-part $(PART),-all)) -v -count 1 -timeout 60m

# Packages with operators to change, and the least share of the changes, in percent, that the package's own tests must notice.
GREMLINS_IN ?= impl/stomp/frame impl/stomp/session impl/stomp/broker/hub impl/stomp/broker impl/eventbus impl/eventbus/sse
EFFICACY := 90

# Subpackages are left out by their slash. The properties draw the same cases each time, and leave no failures behind for
# the next change to fail on.
.PHONY: gremlins
gremlins: $(GREMLINS) ## Change one operator at a time and see the tests notice; GREMLINS_IN=impl/stomp/frame: in that package
	@for package in $(GREMLINS_IN); do \
		echo "gremlins in $$package"; \
		RAPID_SEED=1 RAPID_NOFAILFILE=true RAPID_SHRINKTIME=0s GOFLAGS="-count=1 -vet=off" \
			$(GREMLINS) unleash --workers 1 --timeout-coefficient 10 --exclude-files / --output-statuses lt \
			--threshold-efficacy $(EFFICACY) ./$$package; \
	done

$(GREMLINS):
	GOBIN=$(TOOLS) go install github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0

.PHONY: instructions
instructions: ## Count the codec's instructions under valgrind and hold them to their limits
	go test ./impl/stomp/frame -run '^TestInstructions$$' -callgrind -v -count 1

.PHONY: lab-install
lab-install: ## Install the third-party brokers, daemons and client libraries of the lab
	conformance/lab/install.sh

.PHONY: lab-test
lab-test: ## Judge all that is installed against its baseline, in real processes and a real browser
	ASSAY_LAB=1 go test -count 1 -timeout 60m -parallel 2 -p 1 -v -run 'Lab|Broker|Browser|Profile|Client|Testee|Qwen|Daemon' ./conformance/lab/... ./conformance/report ./cmd/assay

.PHONY: soak
soak: ## Judge RabbitMQ and ActiveMQ Classic TIMES (20) and see the same verdict of every case each time
	ASSAY_LAB=1 go test ./cmd/assay -run '^TestLabSoak$$' -soak $(or $(TIMES),20) -count 1 -timeout 3h -v

# Each round has a seed of its own, which it prints: SEED=N runs the round of that seed again, and TIMES rounds from there on if that is given.
KILL_SIZES := -kill-cycles 500 -kill-messages 100000
FAULT_SIZES := -cluster-ops 10000 -cluster-faults 18 -hostile-frames 100000 -clock-rounds 12 -full-points 40
FAULTS := Test(KilledProcesses|ClusterFails|HostilePeer|ClockJumps.*|Full(Disk|File)OfAPeer)
DISKS := Test(DiskFullAtEachPoint|FullDisk|FullFile|ReadOnlyDisk|ReadOnlyFile|DamagedPage|Kill)
.PHONY: faults
faults: ## Kill processes and a cluster, fill disks, set clocks, send hostile frames, TIMES (2) times; SEED=N: that round again
	@first=$(or $(SEED),$$(date +%s)); times=$(or $(TIMES),$(if $(SEED),1,2)); \
	for round in $$(seq $$times); do \
		seed=$$((first + round - 1)); \
		echo "faults of the substrate, round $$round of $$times: make faults SEED=$$seed runs it again"; \
		go test ./impl/substrate/store/sqlite -run '^$(DISKS)$$' -disk-points 120 -v -count 1 -timeout 20m | grep --line-buffered -v '^=== \|^    --- PASS'; \
		go test ./impl/substrate -run '^$(FAULTS)$$' $(KILL_SIZES) -kill-seed $$seed $(FAULT_SIZES) -fault-seed $$seed -v -count 1 -timeout 60m \
			| grep --line-buffered -v '^=== \|^    --- PASS'; \
	done

.PHONY: known-bugs
known-bugs: ## Install old releases of client libraries and find their known bugs again
	conformance/testees/releases/install.sh --strict
	ASSAY_KNOWN_BUGS=1 go test -count 1 -timeout 30m -v -run '^TestKnownBugsAreRediscovered$$' ./conformance/testees/releases

.PHONY: report
report: ## Judge the reference and write every form of report into OUT
	go run ./cmd/assay test stomp --out $(OUT) --format terminal,md,junit,sarif,html,badge,json

.PHONY: clean
clean: ## Remove what these targets made
	rm -rf assay assay-report lab-report .cache
