# The verbs people type. Everything is built in $(BUILD).
BUILD ?= build
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
SUDO = $(shell [ "$$(id -u)" = 0 ] || echo sudo)
PACKAGES = cmake make g++ pkg-config libcli11-dev nlohmann-json3-dev libsqlite3-dev libcurl4-openssl-dev \
  libgit2-dev libgtest-dev libre2-dev libyaml-cpp-dev libfmt-dev libmd-dev libarchive-dev zlib1g-dev libssl-dev \
  openssl scdoc man-db bubblewrap bash git jq sqlite3 ca-certificates util-linux
CMAKE = cmake -S . -B $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX) $(OPTIONS)

.PHONY: all deps demo test bench asan developer format tidy install package clean

all: $(BUILD)/CMakeCache.txt
	cmake --build $(BUILD) -j $(JOBS)

$(BUILD)/CMakeCache.txt:
	$(CMAKE)

# Installs what is missing, and only then asks apt.
deps:
	@missing=$$(dpkg-query -W -f='$${db:Status-Status} $${binary:Package}\n' $(PACKAGES) 2>&1 >/dev/null | sed -n 's/.*matching //p'); \
	removed=$$(dpkg-query -W -f='$${db:Status-Status} $${binary:Package}\n' $(PACKAGES) 2>/dev/null | grep -v '^installed' | cut -d' ' -f2); \
	if [ -n "$$missing$$removed" ]; then \
	  $(SUDO) apt-get update -q && \
	  $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $(PACKAGES); fi

demo: deps
	$(MAKE) all
	sh tests/support/demo.sh $(BUILD)/cmd

test: deps $(BUILD)/CMakeCache.txt
	cmake --build $(BUILD) -j $(JOBS) --target all tests
	ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS)

bench: $(BUILD)/CMakeCache.txt
	cmake --build $(BUILD) -j $(JOBS) --target all bench_programs
	$(BUILD)/tests/bench $(abspath $(BUILD))/cmd $(abspath $(BUILD))/tests

asan:
	$(MAKE) test BUILD=build-asan OPTIONS='-DCHORUS_SANITIZE=ON -DCHORUS_DEVELOPER=ON -DCMAKE_BUILD_TYPE=Debug'

developer:
	$(MAKE) all OPTIONS=-DCHORUS_DEVELOPER=ON

format:
	git ls-files '*.cpp' '*.hpp' | xargs clang-format -i

tidy: $(BUILD)/CMakeCache.txt
	git ls-files 'lib/*.cpp' 'cmd/*.cpp' | xargs -P $(JOBS) -n 8 clang-tidy -p $(BUILD) --quiet

install: all
	cmake --install $(BUILD) --strip

package: all
	cd $(BUILD) && cpack

clean:
	rm -rf $(BUILD) build-asan
