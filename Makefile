# Everything is built in $(BUILD).
BUILD ?= build
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
SUDO = $(shell [ "$$(id -u)" = 0 ] || echo sudo)
PACKAGES = cmake make g++ libcli11-dev libdtl-dev nlohmann-json3-dev libsqlite3-dev libcurl4-openssl-dev \
  libgit2-dev libgtest-dev libre2-dev libyaml-cpp-dev libfmt-dev libmd-dev libarchive-dev zlib1g-dev libssl-dev \
  libnghttp2-dev libidn2-dev libunistring-dev libbrotli-dev libzstd-dev libseccomp-dev openssl scdoc man-db \
  bubblewrap bash git jq sqlite3 ca-certificates util-linux strace e2fsprogs procps
CMAKE = cmake -S . -B $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX) $(OPTIONS)
SANITIZED = $(BUILD)/asan

.PHONY: all deps demo check test sanitized asan fuzz soak bench developer format tidy install package clean

all: $(BUILD)/CMakeCache.txt
	cmake --build $(BUILD) -j $(JOBS)

$(BUILD)/CMakeCache.txt:
	$(CMAKE)

# Calls apt only if a package is missing.
deps:
	@missing=$$(dpkg-query -W -f='$${db:Status-Status} $${binary:Package}\n' $(PACKAGES) 2>&1 >/dev/null | sed -n 's/.*matching //p'); \
	removed=$$(dpkg-query -W -f='$${db:Status-Status} $${binary:Package}\n' $(PACKAGES) 2>/dev/null | grep -v '^installed' | cut -d' ' -f2); \
	if [ -n "$$missing$$removed" ]; then \
	  $(SUDO) apt-get update -q && \
	  $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $(PACKAGES); fi

demo: deps
	@sh tests/support/sandbox_here.sh
	$(MAKE) $(BUILD)/CMakeCache.txt
	cmake --build $(BUILD) -j $(JOBS) --target chorus-config chorus-init chorus-run
	sh tests/support/demo.sh $(BUILD)/cmd

# Builds the programs and their tests for release, the library, its unit tests and the fuzzers with sanitizers, and
# runs the tests of both in more jobs than processors: many mostly wait.
test soak: PACKAGES += clang-14 libclang-rt-14-dev llvm-14 curl perl
# A Node.js that is not Debian's has its own npm; Debian's npm cannot be installed beside it.
test: PACKAGES += acl attr chromium lintian nginx-light zsh fish openssh-client openssh-server $(shell command -v node >/dev/null && command -v npm >/dev/null || echo nodejs npm)
soak: PACKAGES += valgrind
test: deps $(BUILD)/CMakeCache.txt
	bash tests/node/install.sh $(BUILD)/node
	cmake --build $(BUILD) -j $(JOBS) --target all suites
	$(MAKE) sanitized
	ctest --test-dir $(BUILD) --output-on-failure -j $$(($(JOBS) * 2)) -LE '^twice$$'

# The first test of a change: needs no root, no second compiler and no browser; takes three minutes.
check: deps $(BUILD)/CMakeCache.txt
	cmake --build $(BUILD) -j $(JOBS) --target all tests
	GTEST_FILTER='-*.as_root_*:*.AsRoot*:Limits.*' ctest --test-dir $(BUILD) --output-on-failure -j $$(($(JOBS) * 3)) -L '^check$$' -E ^asan/

$(SANITIZED)/CMakeCache.txt:
	cmake --preset asan -B $(SANITIZED) $(OPTIONS)

sanitized: $(SANITIZED)/CMakeCache.txt
	cmake --build $(SANITIZED) -j $(JOBS) --target tests

asan: sanitized
	ctest --test-dir $(SANITIZED) --output-on-failure -j $(JOBS) -R ^asan/

# Runs each fuzzer for FUZZ_SECONDS: make fuzz FUZZ_SECONDS=600
fuzz: sanitized
	$(if $(FUZZ_SECONDS),CHORUS_FUZZ_SECONDS=$(FUZZ_SECONDS)) ctest --test-dir $(SANITIZED) --output-on-failure --timeout 86400 -j $(JOBS) -R ^fuzz/

# Kills turns at every step, cuts answers at every byte and runs the other tests for longer; takes hours.
soak: deps $(BUILD)/CMakeCache.txt
	cmake --build $(BUILD) -j $(JOBS) --target all tests
	$(BUILD)/tests/fault_kill --bin $(BUILD)/cmd --every
	$(BUILD)/tests/fault_approve --bin $(BUILD)/cmd --every
	$(BUILD)/tests/fault_calls --bin $(BUILD)/cmd --every
	$(BUILD)/tests/fault_context --bin $(BUILD)/cmd --every
	$(BUILD)/tests/fault_destroy --bin $(BUILD)/cmd --every
	$(BUILD)/tests/fault_escape --bin $(BUILD)/cmd --every
	$(BUILD)/tests/fault_crowd --bin $(BUILD)/cmd --seconds 600
	$(BUILD)/tests/fault_model --bin $(BUILD)/cmd --seconds 1200
	$(BUILD)/tests/fault_power --bin $(BUILD)/cmd --cuts 5000
	$(BUILD)/tests/fault_race --bin $(BUILD)/cmd --messages 100000
	CHORUS_BIN=$(abspath $(BUILD))/cmd CHORUS_TEST_BIN=$(abspath $(BUILD))/tests bash tests/fault/subagents.sh 5000 4 10
	$(BUILD)/tests/hostile $(abspath $(BUILD))/cmd --every-byte
	ctest --test-dir $(BUILD) -C soak -R ^soak/ --output-on-failure --timeout 86400
	$(MAKE) fuzz FUZZ_SECONDS=600
	cmake --build $(SANITIZED) -j $(JOBS) --target all
	ctest --test-dir $(SANITIZED) -C soak -R ^asan/cmd/ --output-on-failure -j $(JOBS)

bench: $(BUILD)/CMakeCache.txt
	cmake --build $(BUILD) -j $(JOBS) --target all bench_programs
	$(BUILD)/tests/bench $(abspath $(BUILD))/cmd $(abspath $(BUILD))/tests

developer:
	cmake --preset developer -B $(BUILD)
	$(MAKE) all

format:
	git ls-files '*.cpp' '*.hpp' | xargs clang-format -i

tidy: $(BUILD)/CMakeCache.txt
	git ls-files 'lib/*.cpp' 'cmd/*.cpp' | xargs -P $(JOBS) -n 8 clang-tidy -p $(BUILD) --quiet

# PREFIX may differ from that of the build.
install: all
	cmake --install $(BUILD) --strip --prefix $(abspath $(PREFIX))

package: PACKAGES += dpkg-dev file
package: deps
	$(MAKE) all
	cd $(BUILD) && umask 022 && cpack

clean:
	rm -rf $(BUILD)
