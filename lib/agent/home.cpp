#include "agent/home.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/shell_quoted.hpp"
#include "base/text.hpp"
#include "sys/file.hpp"
#include "sys/process.hpp"

namespace chorus::agent {
namespace {

using base::Error;
using base::ErrorCode;

void check_owner(const Home& home) {
    struct stat status {};
    if (stat(home.path().c_str(), &status) != 0) throw base::system_error(home.path());
    if (!S_ISDIR(status.st_mode))
        throw Error(ErrorCode::config_invalid, home.path() + ": not a directory");
    if (status.st_uid != geteuid())
        throw Error(ErrorCode::forbidden,
                    home.path() + ": belongs to uid " + std::to_string(status.st_uid) +
                        ", this process runs as uid " + std::to_string(geteuid()),
                    "sudo -u '#" + std::to_string(status.st_uid) + "' …");
    if ((status.st_mode & 0022U) != 0)
        throw Error(ErrorCode::forbidden, home.path() + ": others can write it",
                    "chmod go-w " + base::shell_quoted(home.path()));
}

void check_filesystem(const Home& home, const sys::Environment& environment) {
    const auto filesystem = sys::network_filesystem(home.path());
    if (!filesystem || environment.get("CHORUS_NETWORK_FS") == "1") return;
    if (load_home_configuration(home).allow_network_fs) return;
    throw Error(ErrorCode::config_invalid,
                home.path() + ": on a network file system (" + *filesystem +
                    "), where locks and synced writes cannot be relied on",
                "choose a local CHORUS_HOME, or allow it knowingly with CHORUS_NETWORK_FS=1");
}

}  // namespace

Home find_home(const sys::Environment& environment) {
    if (const auto given = environment.find("CHORUS_HOME")) {
        if (given->front() != '/')
            throw Error(ErrorCode::config_invalid,
                        "CHORUS_HOME: not an absolute path: '" + *given + "'");
        return Home(*given);
    }
    const auto user_home = environment.find("HOME");
    if (!user_home || user_home->front() != '/')
        throw Error(ErrorCode::config_invalid,
                    "home: neither CHORUS_HOME nor HOME is set to an absolute path",
                    "export CHORUS_HOME=/some/directory");
    return Home(*user_home + "/.chorus-agents");
}

std::vector<std::string> groom_names() {
    return {"auto", "manual", "pristine"};
}

Groom groom_in_force(const std::string& given, const sys::Environment& environment) {
    const auto names = groom_names();
    const std::string wanted =
        given.empty() ? environment.get("CHORUS_GROOM", names.front()) : given;
    const auto found = std::find(names.begin(), names.end(), wanted);
    if (found != names.end()) return static_cast<Groom>(found - names.begin());
    throw Error(ErrorCode::config_invalid,
                "CHORUS_GROOM: " + base::quoted(wanted) + " is not auto, manual or pristine");
}

void check_home(const Home& home, const sys::Environment& environment) {
    check_owner(home);
    check_filesystem(home, environment);
}

void open_home(const Home& home, const sys::Environment& environment, IfMissing if_missing) {
    if (!sys::exists(home.path())) {
        if (if_missing == IfMissing::refuse)
            throw Error(ErrorCode::not_found, home.path() + ": no home of agents there",
                        "make the first agent with chorus-init NAME, or set CHORUS_HOME");
        sys::make_directory(home.path(), 0700);
    }
    check_home(home, environment);
    if (if_missing == IfMissing::create) sys::make_directory(home.agents(), 0700);
    if (!sys::is_directory(home.locks())) sys::make_directory(home.locks(), 0700);
}

std::string share_directory() {
    const std::string program = sys::executable_path();
    const std::string prefix = program.substr(0, program.rfind('/')) + "/..";
    if (sys::is_directory(prefix + "/share/chorus/template")) return prefix + "/share/chorus";
    return CHORUS_SHARE_DIRECTORY;
}

std::string template_directory(const Home& home, const std::string& given) {
    const std::string chosen = !given.empty() ? given
                               : sys::is_directory(home.template_directory())
                                   ? home.template_directory()
                                   : share_directory() + "/template";
    if (!sys::exists(chosen + "/agent.json"))
        throw Error(ErrorCode::config_invalid, chosen + ": not a template: it has no agent.json");
    return chosen;
}

}  // namespace chorus::agent
