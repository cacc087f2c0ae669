# `make` alone prints what there is. Tools are built into bin/ at the versions
# pinned here; bin/ and dist/ are build output and not in git.

# One shell per recipe, so that the recipes read like scripts.
.ONESHELL:
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

GO       ?= go
FUZZTIME ?= 30s

GOLANGCI_VERSION := v2.15.0
GOLANGCI         := bin/golangci-lint
NFPM_VERSION     := v2.45.2
NFPM             := bin/nfpm

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
COMMIT  := $(shell git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
BUILD   := -trimpath -ldflags '-X main.version=$(VERSION) -X main.commit=$(COMMIT)'

# What the tests run beside Go. The page is looked at in a real browser and MQTT
# is spoken with a second broker and client; a test never skips because one of
# them is missing, so `make test` fetches what is not there.
TEST_PACKAGES := chromium mosquitto mosquitto-clients grhino fonts-dejavu-core python3-jinja2 systemd

.PHONY: help
help: ## print the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: build ## build and start the controller on the simulated board
	@exec bin/reversi-board run

.PHONY: build
build: ## build bin/reversi-board
	@# On standard error: the first line that `make run` prints is the address.
	@echo 'building bin/reversi-board (a minute or two the first time)' >&2
	@mkdir -p bin
	@$(GO) build $(BUILD) -o bin/ ./cmd/...

# Some tests are long: hundreds of recorded games through emulated chips, power cuts
# at every ply, thousands of games of clumsy hands, 39 endgames solved exactly, perft
# to depth 11. Under the race detector they would take half an hour, so they are in
# files that are built without it only, and those are run here as a second step.
.PHONY: test
test: test-packages ## all tests, as a newcomer runs them: race detector on, then the long games without it
	$(GO) test -race -timeout 20m ./...
	files=$$(grep -lr --include='*_test.go' '^//go:build .*!race' cmd engine hardware sensing display mqtt configs)
	long=$$(sed -n 's/^func \(Test[A-Za-z0-9]*\)(.*/\1/p' $$files | paste -sd '|')
	test -n "$$long"
	$(GO) test -timeout 20m -run "^($$long)$$" $$(dirname $$files | sort -u | sed 's|^|./|')

.PHONY: race
race: test-packages ## the tests with the race detector only
	$(GO) test -race -timeout 20m ./...

.PHONY: bench
bench: ## all benchmarks
	$(GO) test -run '^$$' -bench . -benchmem ./...

.PHONY: fuzz
fuzz: ## every fuzz target of every package for FUZZTIME (default 30s) each
	@found=0
	said=$$(mktemp)
	trap 'rm -f "$$said"' EXIT
	for package in $$($(GO) list ./...); do
		targets=$$($(GO) test -list '^Fuzz' "$$package")
		for target in $$(grep '^Fuzz' <<<"$$targets" || true); do
			found=$$((found + 1))
			echo "== $$package $$target"
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "$$package" 2>&1 | tee "$$said" && continue
			# Before Go 1.27 a run can end with its own deadline, and with nothing
			# found (go.dev/issue/75804).
			grep -q 'context deadline exceeded' "$$said" && ! grep -q 'Failing input' "$$said" || exit 1
			echo "   out of time, and nothing found"
		done
	done
	test "$$found" -gt 0 || { echo "no fuzz target found" >&2; exit 1; }

.PHONY: golden
golden: ## rewrite the golden files; read the diff before you commit it
	UPDATE_GOLDEN=1 $(GO) test -count=1 ./...
	git diff --stat

.PHONY: cover
cover: test-packages ## coverage of all packages by all tests: coverage.out, and the total
	$(GO) test -timeout 20m -coverpkg=./... -coverprofile=coverage.out ./...
	$(GO) tool cover -func=coverage.out | tail -n 1

.PHONY: soak
soak: build ## play every recorded game (4910, some minutes) with simulated hands in virtual time
	bin/reversi-board soak \
		--real engine/notation/testdata/woc-games.tsv \
		--real engine/notation/testdata/edge-games.tsv \
		--real engine/notation/testdata/WTH_1978.wtb \
		--real engine/notation/testdata/WTH_2007.wtb \
		--real engine/notation/testdata/WTH_2013.wtb

# How strong the built-in player is. Levels are told apart by what they may look
# at, not by the time they get, so the time is the same for both: 200 ms a move,
# which only level 10 uses up. gtp-rhino takes 0.8 s a move at its level 4 and 9 s
# at 5 on an ordinary computer, and has as long as it likes on a busy one; level 10
# keeps to 200 ms and 2 s. "Beats" is more than half of the points; chance must
# not even draw. Two matches run at a time, so two cores should be free.
STRENGTH_PROGRESS ?= 50

.PHONY: strength
strength: build ## how strong the built-in player is: level by level, gtp-rhino, chance (an hour on two cores)
	@export PATH="$$PATH:/usr/games"
	command -v gtp-rhino >/dev/null || {
		echo "make strength needs gtp-rhino: apt-get install grhino" >&2
		exit 1
	}
	results=$$(mktemp -d)
	# The table is printed in any case: after Ctrl-C, as far as it has come.
	finish() {
		trap - EXIT
		for job in $$(jobs -p); do kill -- "-$$job" 2>/dev/null || true; done
		wait
		echo
		cat "$$results"/[1-4] || true
		rm -rf "$$results"
	}
	trap finish EXIT
	cp bin/reversi-board "$$results/program" # what is built meanwhile does not take part
	match() { # FILE ARGUMENT...
		file="$$results/$$1"
		shift
		"$$results/program" match --brief "$$@" >>"$$file" || touch "$$results/missed"
	}
	strongest() {
		trap 'exit 1' TERM # once the match that is interrupted has said how it stood
		match 4 builtin:10 'gtp:gtp-rhino -l 5' --games 10 --time 2s --wait 10m --at-least 50 --progress 1
	}
	others() {
		trap 'exit 1' TERM
		for level in {2..10}; do
			match 1 "builtin:$$level" "builtin:$$((level - 1))" \
				--games 100 --time 200ms --at-least 50.5 --progress $(STRENGTH_PROGRESS)
		done
		for level in {3..10}; do
			match 2 "builtin:$$level" random --games 200 --time 20ms --at-least 100 --progress $(STRENGTH_PROGRESS)
		done
		match 3 builtin:10 'gtp:gtp-rhino -l 4' --games 100 --time 200ms --wait 10m --at-least 75 --progress 10
	}
	set -m # each of the two can be ended with all that it has started
	strongest & others & wait
	test ! -e "$$results/missed" || {
		echo "make strength: not everything was as strong as it should be" >&2
		exit 1
	}

.PHONY: lint
lint: $(GOLANGCI) ## run golangci-lint
	$(GOLANGCI) run ./...

.PHONY: fmt
fmt: $(GOLANGCI) ## format all Go files
	$(GOLANGCI) fmt ./...

.PHONY: tidy
tidy: ## bring go.mod and go.sum in line with the imports
	$(GO) mod tidy

.PHONY: check
check: tidy lint test pi ## tidy, lint, test and the builds for the Pi

.PHONY: pi
pi: ## cross-build for the Raspberry Pi into dist/: ARMv6, ARMv7 and arm64
	CGO_ENABLED=0 GOOS=linux GOARCH=arm GOARM=6 $(GO) build $(BUILD) -o dist/linux-armv6/ ./cmd/...
	CGO_ENABLED=0 GOOS=linux GOARCH=arm GOARM=7 $(GO) build $(BUILD) -o dist/linux-armv7/ ./cmd/...
	CGO_ENABLED=0 GOOS=linux GOARCH=arm64 $(GO) build $(BUILD) -o dist/linux-arm64/ ./cmd/...

# Packages for Raspberry Pi OS and Debian. armhf is built for ARMv6, which the
# first Raspberry Pi and the Zero have. Debian wants a version that begins with a
# digit.
DEB_VERSION = $(shell git describe --tags --match 'v[0-9]*' 2>/dev/null | sed 's/^v//' | grep . || \
	echo 0.0.$$(git rev-list --count HEAD)+g$$(git rev-parse --short HEAD))

.PHONY: deb
deb: pi $(NFPM) ## Debian packages for arm64 and armhf into dist/
	for pair in arm64:linux-arm64 armhf:linux-armv6; do
		ARCH="$${pair%%:*}" BINARY="dist/$${pair##*:}/reversi-board" VERSION="$(DEB_VERSION)" \
			$(NFPM) package --config configs/debian/nfpm.yaml --packager deb --target dist/
	done

# What is in the packages, whether systemd takes the unit, and whether the arm
# programs run: as far as that can be seen without a Raspberry Pi.
.PHONY: test-deb
test-deb: deb ## try the packages in an empty tree, and the arm programs under qemu-user
	@for tool in dpkg-deb systemd-analyze qemu-aarch64 qemu-arm; do
		command -v "$$tool" >/dev/null || {
			echo "make test-deb needs $$tool: apt-get install dpkg systemd qemu-user" >&2
			exit 1
		}
	done
	tree=$$(mktemp -d)
	trap 'rm -rf "$$tree"' EXIT
	for arch in arm64 armhf; do
		root="$$tree/$$arch"
		file=$$(ls -t dist/reversi-board_*_"$$arch".deb | head -n 1)
		test "$$(dpkg-deb --field "$$file" Architecture)" = "$$arch"
		dpkg-deb --contents "$$file"
		dpkg-deb --extract "$$file" "$$root"
		dpkg-deb --control "$$file" "$$root/DEBIAN"
		test "$$(cat "$$root/DEBIAN/conffiles")" = /etc/reversi-board/config.yaml
		for script in postinst prerm postrm; do sh -n "$$root/DEBIAN/$$script"; done
		qemu=qemu-aarch64
		test "$$arch" = arm64 || qemu=qemu-arm
		program="$$root/usr/bin/reversi-board"
		"$$qemu" "$$program" version
		"$$qemu" "$$program" perft --depth 8
		"$$qemu" "$$program" soak --games 5
		"$$qemu" "$$program" run --help >/dev/null
		# Every profile that is installed can be loaded by the program beside it.
		for profile in "$$root"/usr/share/reversi-board/*.yaml "$$root/etc/reversi-board/config.yaml"; do
			"$$qemu" "$$program" soak --games 1 --config "$$profile" >/dev/null
		done
		# systemd looks for the program of the unit in the tree, and verifies the
		# unit as it was installed.
		sed "s|/usr/bin/reversi-board|$$program|" "$$root/lib/systemd/system/reversi-board.service" >"$$tree/reversi-board.service"
		systemd-analyze verify "$$tree/reversi-board.service"
		systemd-sysusers --root="$$root" reversi-board.conf
		grep -q '^reversi-board:' "$$root/etc/passwd"
		for group in gpio i2c spi; do
			grep -q "GROUP=\"$$group\"" "$$root/usr/lib/udev/rules.d/60-reversi-board.rules"
			grep -q "^$$group:.*[:,]reversi-board" "$$root/etc/group" || {
				echo "$$file: reversi-board is not in the group $$group" >&2
				exit 1
			}
		done
		echo "$$file: well"
	done

# The engine's tables and bit tricks on the Pi's own instruction set, in user
# mode emulation. Packages whose tests start themselves again (archive, opponent)
# are left out: the kernel here cannot start an arm64 program by itself.
ARM64_PACKAGES ?= ./engine ./engine/notation ./engine/opening ./engine/record ./engine/referee \
	./engine/search/... ./sensing ./display ./display/led ./configs

.PHONY: test-arm64
test-arm64: ## the engine's tests as arm64 programs under qemu-user
	@command -v qemu-aarch64 >/dev/null || {
		echo "make test-arm64 needs qemu-aarch64: apt-get install qemu-user" >&2
		exit 1
	}
	CGO_ENABLED=0 GOOS=linux GOARCH=arm64 $(GO) test -timeout 40m -exec qemu-aarch64 $(ARM64_PACKAGES)

.PHONY: clean
clean: ## remove what was built
	rm -rf bin dist
	rm -f coverage.out

# The race detector needs a C compiler as well. dpkg knows exactly what is
# installed; where there is no dpkg the programs themselves are looked for.
.PHONY: test-packages
test-packages:
	@if ! command -v dpkg-query >/dev/null; then
		for program in chromium mosquitto mosquitto_pub python3 cc; do
			command -v "$$program" >/dev/null || {
				echo "make test needs $$program, and this is no Debian system: install it by hand" >&2
				exit 1
			}
		done
		exit 0
	fi
	missing=()
	for package in $(TEST_PACKAGES); do
		status=$$(dpkg-query -W -f '$${Status}' "$$package" 2>/dev/null || true)
		test "$$status" = "install ok installed" || missing+=("$$package")
	done
	command -v cc >/dev/null || missing+=(gcc libc6-dev)
	test "$${#missing[@]}" -gt 0 || exit 0
	echo "installing what the tests need: $${missing[*]}"
	sudo=()
	if test "$$(id -u)" -ne 0; then
		command -v sudo >/dev/null || {
			echo "the tests need the packages $${missing[*]}: install them as root, there is no sudo here" >&2
			exit 1
		}
		sudo=(sudo)
	fi
	"$${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update
	"$${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$${missing[@]}"

# Built again only when the pinned version changes.
.PHONY: FORCE
$(GOLANGCI): FORCE
	@$(GOLANGCI) version 2>/dev/null | grep -qF ' $(GOLANGCI_VERSION:v%=%) ' || {
		echo "building golangci-lint $(GOLANGCI_VERSION), this takes a few minutes once"
		GOBIN="$(CURDIR)/bin" $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)
	}

$(NFPM): FORCE
	@$(GO) version -m $(NFPM) 2>/dev/null | grep -qF 'goreleaser/nfpm/v2	$(NFPM_VERSION)' || {
		echo "building nfpm $(NFPM_VERSION), this takes a few minutes once"
		GOBIN="$(CURDIR)/bin" $(GO) install github.com/goreleaser/nfpm/v2/cmd/nfpm@$(NFPM_VERSION)
	}
