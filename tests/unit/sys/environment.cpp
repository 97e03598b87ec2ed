#include "sys/environment.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "base/error.hpp"
#include "sys/fd.hpp"
#include "unit/sys/scratch.hpp"

namespace chorus::sys {
namespace {

using Lines = std::vector<std::string>;
using Values = std::map<std::string, std::string>;

TEST(Environment, OfProcessHoldsItsVariables) {
    setenv("CHORUS_TEST_VARIABLE", "a=b", 1);
    const auto environment = Environment::of_process();
    unsetenv("CHORUS_TEST_VARIABLE");
    EXPECT_EQ(environment.get("CHORUS_TEST_VARIABLE"), "a=b");
    EXPECT_FALSE(Environment::of_process().has("CHORUS_TEST_VARIABLE"));
}

TEST(Environment, EmptyIsAsUnset) {
    const Environment environment(Values{{"A", ""}, {"B", "b"}});
    EXPECT_FALSE(environment.has("A"));
    EXPECT_EQ(environment.get("A", "otherwise"), "otherwise");
    EXPECT_EQ(environment.get("B", "otherwise"), "b");
    EXPECT_EQ(environment.get("C"), "");
}

TEST(Environment, DurationsAreMilliseconds) {
    const Environment environment(Values{{"A", "20000"},
                                         {"B", "20s"},
                                         {"C", "0"},
                                         {"D", "1.5"},
                                         {"E", "-1"},
                                         {"F", "9 s"},
                                         {"G", "500ms"}});
    EXPECT_EQ(environment.find_ms("A"), 20'000);
    EXPECT_EQ(environment.find_ms("B"), 20'000);
    EXPECT_EQ(environment.find_ms("C"), 0);
    EXPECT_EQ(environment.find_ms("G"), 500);
    EXPECT_EQ(environment.find_ms("missing"), std::nullopt);
    for (const char* name : {"D", "E", "F"})
        EXPECT_THROW(environment.find_ms(name), base::Error) << name;
}

TEST(Environment, AMalformedDurationIsNamed) {
    const Environment environment(Values{{"CHORUS_DRAIN_TIMEOUT_MS", "so\x1b[on"}});
    try {
        environment.find_ms("CHORUS_DRAIN_TIMEOUT_MS");
        FAIL();
    } catch (const base::Error& error) {
        EXPECT_EQ(error.code(), base::ErrorCode::bad_request);
        EXPECT_EQ(error.message(),
                  "CHORUS_DRAIN_TIMEOUT_MS: \"so\\x1b[on\" is not a number of milliseconds");
    }
}

TEST(ScrubbedEnvironment, IsExactlyTheList) {
    const Environment environment(Values{{"PATH", "/bin"},
                                         {"HOME", "/home/me"},
                                         {"USER", "me"},
                                         {"LOGNAME", "me"},
                                         {"LANG", "C.UTF-8"},
                                         {"LC_ALL", "C"},
                                         {"LC_TIME", ""},
                                         {"TERM", "xterm"},
                                         {"TZ", "UTC"},
                                         {"TMPDIR", "/home/me/tmp"},
                                         {"OPENAI_API_KEY", "sk-secret"},
                                         {"CHORUS_HOME", "/home/me/.chorus-agents"},
                                         {"SSH_AUTH_SOCK", "/tmp/agent"},
                                         {"LD_PRELOAD", "/tmp/evil.so"},
                                         {"BASH_ENV", "/tmp/evil.sh"},
                                         {"BASH_FUNC_ls%%", "() { evil; }"},
                                         {"LCX", "no"}});
    EXPECT_EQ(scrubbed_environment(environment, "ada", {}),
              (Lines{"CHORUS_AGENT=ada", "LANG=C.UTF-8", "LC_ALL=C", "LOGNAME=me", "PATH=/bin",
                     "TERM=dumb", "TMPDIR=/tmp", "TZ=UTC", "USER=me"}));
}

TEST(ScrubbedEnvironment, AddsTheNamesOfTheAgentAndNothingThatIsFixed) {
    const Environment environment(
        Values{{"GOPATH", "/go"}, {"HOME", "/home/me"}, {"TERM", "xterm"}});
    const Lines lines =
        scrubbed_environment(environment, "ada", {"GOPATH", "MISSING", "HOME", "TERM", ""});
    EXPECT_EQ(lines, (Lines{"CHORUS_AGENT=ada", "GOPATH=/go", "PATH=/usr/local/bin:/usr/bin:/bin",
                            "TERM=dumb", "TMPDIR=/tmp"}));
    EXPECT_TRUE(std::is_sorted(lines.begin(), lines.end()));
}

TEST(ScrubbedEnvironment, LeavesRelativeEntriesOutOfThePath) {
    const auto path_of = [](const std::string& path) {
        return scrubbed_environment(Environment(Values{{"PATH", path}}), "ada", {})[1];
    };
    EXPECT_EQ(path_of(".:/usr/bin::bin:/bin:../x:~/bin:"), "PATH=/usr/bin:/bin");
    EXPECT_EQ(path_of(".:"), "PATH=/usr/local/bin:/usr/bin:/bin");
}

TEST(HardenProcess, LeavesNoCoreNoLoaderVariablesAndAPrivateUmask) {
    const auto body = [] {
        setenv("LD_PRELOAD", "/tmp/evil.so", 1);
        setenv("LD_LIBRARY_PATH", "/tmp", 1);
        setenv("LDFLAGS", "-g", 1);
        umask(026);
        if (caller_umask() != 026) return 8;
        const char* const dropped[] = {"OPENSSL_CONF",   "OPENSSL_MODULES", "OPENSSL_ENGINES",
                                       "GCONV_PATH",     "LOCPATH",         "GIO_EXTRA_MODULES",
                                       "GLIBC_TUNABLES", "KRB5_CONFIG",     "GSS_MECH_CONFIG",
                                       "SSLKEYLOGFILE",  "HOSTALIASES"};
        const char* const kept[] = {"https_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR",
                                    "CURL_CA_BUNDLE"};
        for (const char* name : dropped) setenv(name, "x", 1);
        for (const char* name : kept) setenv(name, "x", 1);
        harden_process();
        if (caller_umask() != 026) return 9;
        for (const char* name : dropped)
            if (getenv(name) != nullptr) return 6;
        for (const char* name : kept)
            if (getenv(name) == nullptr) return 7;
        rlimit core{1, 1};
        getrlimit(RLIMIT_CORE, &core);
        if (core.rlim_cur != 0 || core.rlim_max != 0) return 1;
        if (getenv("LD_PRELOAD") != nullptr || getenv("LD_LIBRARY_PATH") != nullptr) return 2;
        if (getenv("LDFLAGS") == nullptr) return 3;
        if (umask(0) != 077) return 4;
#ifndef CHORUS_SANITIZE
        if (prctl(PR_GET_DUMPABLE) != 0) return 5;
#endif
        return 0;
    };
    EXPECT_EQ(test::in_child(body), 0);
}

TEST(HardenProcess, BrokenPipeAndFullFileAreErrorsOfWrite) {
    const auto body = [] {
        ::signal(SIGPIPE, SIG_DFL);
        harden_process();
        int ends[2];
        if (pipe(ends) != 0) return 1;
        close(ends[0]);
        if (write(ends[1], "x", 1) != -1 || errno != EPIPE) return 2;
        const rlimit none{0, 0};
        setrlimit(RLIMIT_FSIZE, &none);
        std::FILE* file = std::tmpfile();
        if (file == nullptr) return 3;
        return write(fileno(file), "x", 1) == -1 && errno == EFBIG ? 0 : 4;
    };
    EXPECT_EQ(test::in_child(body), 0);
}

TEST(WipeEnvironmentValue, LeavesNothingInMemory) {
    static char entry[] = "CHORUS_TEST_KEY=sk-very-secret";
    ASSERT_EQ(putenv(entry), 0);
    wipe_environment_value("CHORUS_TEST_KEY");
    EXPECT_EQ(std::string(entry, sizeof entry).find("secret"), std::string::npos);
    EXPECT_EQ(std::string(entry), "CHORUS_TEST_KEY=");
    EXPECT_EQ(getenv("CHORUS_TEST_KEY"), nullptr);
    wipe_environment_value("CHORUS_TEST_KEY");
}

// What another process of the user would read.
TEST(WipeEnvironmentValue, DISABLED_InItsOwnProcess) {
    wipe_environment_value("CHORUS_TEST_KEY");
    const Fd fd(open("/proc/self/environ", O_RDONLY | O_CLOEXEC));
    EXPECT_EQ(read_all(fd.get(), 1U << 20, "environ").find("sk-secret"), std::string::npos);
}

TEST(WipeEnvironmentValue, IsGoneFromProc) {
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    EXPECT_EQ(
        std::system(("CHORUS_TEST_KEY=sk-secret '" + self +
                     "' --gtest_also_run_disabled_tests --gtest_brief=1"
                     " --gtest_filter=WipeEnvironmentValue.DISABLED_InItsOwnProcess >/dev/null")
                        .c_str()),
        0);
}

}  // namespace
}  // namespace chorus::sys
