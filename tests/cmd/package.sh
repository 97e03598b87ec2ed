#!/usr/bin/env bash
# needs: lintian
# What `make package` makes is a Debian package, and its programs work.
. "$(dirname "$0")/../support/lib.sh"
for tool in lintian dpkg-deb readelf; do
    command -v "$tool" >/dev/null || { echo "this test needs $tool"; exit 1; }
done
architecture=$(dpkg --print-architecture)

# One package for all cases, and not where `make package` puts it; of gzip, for xz takes as long as all the rest.
# Of the Makefiles' generator cpack knows the target that builds everything first, and a test builds nothing.
made=$base/package
mkdir "$made"
(umask 022 && cpack --config "$CHORUS_BIN/../CPackConfig.cmake" -B "$made" -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip \
    -D CPACK_CMAKE_GENERATOR=Ninja) >"$made/log" 2>&1 || { cat "$made/log"; exit 1; }
version=$("$CHORUS_BIN/chorus-run" --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -1)
package=$made/chorus_${version}_$architecture.deb
root=$made/root

test_case "it is one file, named as Debian's are, and as large as its programs without symbols are"
expect_equal "$(cd "$made" && ls -- *.deb *.gz *.xz 2>/dev/null)" "${package##*/}"
run dpkg-deb -x "$package" "$root"
expect_status 0
limit=38000 curl=libnghttp2 # KiB
! grep -q 'CHORUS_SYSTEM_LIBRARIES:BOOL=ON' "$CHORUS_BIN/../CMakeCache.txt" || limit=15000 curl=libcurl4
[ "$(du -sk "$root" | cut -f1)" -lt $limit ] || fail "$(du -sk "$root") KiB"
for program in "$root"/usr/bin/* "$root"/usr/libexec/chorus/*; do
    expect_no_match "$(readelf -SW "$program")" '\.(symtab|debug_)'
done

test_case "it holds programs, the manual and texts, and nothing to build with"
expect_equal "$(cd "$root" && find . -name '*.a' -o -name '*.pc' -o -name '*.[hc]pp' -o -type d -empty)" ''
expect_equal "$(ls "$root" "$root/usr" | tr '\n' ' ')" "$root: usr  $root/usr: bin libexec share "
expect_equal "$(find "$root/usr/share/man" -type f ! -name '*.gz')" ''
for page in chorus-run.1 chorus-home.5 chorus.7 chorus-sandbox.8; do
    expect_match "$(zcat "$root/usr/share/man/man${page##*.}/$page.gz" | head -5)" scdoc
done
doc=$root/usr/share/doc/chorus
expect_match "$(zcat "$doc/changelog.gz")" "^chorus \($version\) .*
  - \`chorus-init\`: "
words() { tr -cs '[:alnum:]' ' '; }
expect_match "$(words <"$doc/copyright")" "$(sed '1,/^Copyright/d' "$here/../LICENSE" | words)"
for library in CLI11 dtl fmt nlohmann-json SQLite RE2 yaml-cpp libmd zlib libstdc++ glibc curl OpenSSL libidn2 libunistring brotli zstd; do
    grep -q "($library[,) ]" "$doc/copyright" || fail "the copyright does not name $library"
done

test_case "its examples name the programs where they are once it is installed"
expect_match "$(cat "$doc/examples/chorus-idle.cron")" '  /usr/bin/chorus-context idle-save'
expect_match "$(cat "$doc/examples/chorus-idle.service")" '
ExecStart=/usr/bin/chorus-context idle-save'

test_case "it needs what its programs load and start"
depends=", $(dpkg-deb -f "$package" Depends), "
for name in libc6 $curl libgit2 libarchive13 ca-certificates bubblewrap; do expect_match "$depends" ", $name[-0-9.]*( \([^)]*\))?, "; done

test_case "lintian has nothing to say"
run lintian --allow-root --no-cfg --fail-on error,warning "$package"
expect_status 0
expect_equal "$out" ''

test_case "its programs run, with the template and the helpers that are in it"
PATH=$root/usr/bin:${PATH#"$CHORUS_BIN:"}
run chorus-init a --model builtin/script
expect_status 0
run chorus-run a hello
expect_status 0
expect_match "$out" hello
run chorus-config set -A a permissions open
expect_status 0
run chorus-run a '/bash grep Seccomp: /proc/self/status'
expect_match "$out" 'Seccomp:	2'
run chorus-run a '/git_status {}'
expect_status 0
mv "$root/usr/share/chorus/template" "$root/usr/share/chorus/gone"
run chorus-init b
expect_status 3

end_tests
