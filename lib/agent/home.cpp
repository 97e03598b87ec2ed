#include "agent/home.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <optional>

#include "base/enum_names.hpp"
#include "base/error.hpp"
#include "base/shell_quoted.hpp"
#include "base/text.hpp"
#include "sys/file.hpp"
#include "sys/person.hpp"
#include "sys/process.hpp"

namespace chorus::agent {
namespace {

using base::Error;
using base::ErrorCode;

constexpr base::EnumNames<Groom, 3> grooms{{"auto", "manual", "pristine"}};

std::string login_name(uid_t uid) {
    const std::string name = sys::find_person(uid).name;
    return name == std::to_string(uid) ? "'#" + name + "'" : base::shell_quoted(name);
}

// Returns the owner of the directory that contains the home.
std::optional<uid_t> owner_around(const Home& home) {
    struct stat status {};
    const std::string around = home.path().substr(0, home.path().rfind('/') + 1);
    return stat(around.c_str(), &status) == 0 ? std::optional(status.st_uid) : std::nullopt;
}

// find_person gives a user without a name as a number, which chown(1) accepts.
std::string give_to(const Home& home, uid_t uid) {
    return "sudo chown -R " + base::shell_quoted(sys::find_person(uid).name) + " " +
           base::shell_quoted(home.path());
}

// If root made the home in this user's directory, as `sudo -E` does, its owner has to be changed
// back.
std::string hint_of_owner(const Home& home, uid_t owner) {
    if (owner == 0 && owner_around(home) == geteuid()) return give_to(home, geteuid());
    return "sudo -u " + login_name(owner) + " …";
}

void check_owner(const Home& home) {
    struct stat status {};
    if (stat(home.path().c_str(), &status) != 0) throw base::system_error(home.path());
    if (!S_ISDIR(status.st_mode))
        throw Error(ErrorCode::config_invalid, home.path() + ": not a directory");
    if (status.st_uid != geteuid())
        throw Error(ErrorCode::forbidden,
                    home.path() + ": belongs to uid " + std::to_string(status.st_uid) +
                        ", this process runs as uid " + std::to_string(geteuid()),
                    hint_of_owner(home, status.st_uid));
    if ((status.st_mode & 0022U) != 0)
        throw Error(ErrorCode::forbidden, home.path() + ": writable by other users",
                    "chmod go-w " + base::shell_quoted(home.path()));
}

void check_filesystem(const Home& home, const sys::Environment& environment) {
    const auto filesystem = sys::network_filesystem(home.path());
    if (!filesystem || environment.get("CHORUS_NETWORK_FS") == "1") return;
    if (load_home_configuration(home).allow_network_fs) return;
    throw Error(ErrorCode::config_invalid,
                home.path() + ": on a network file system (" + *filesystem +
                    "), where locks and synced writes are not reliable",
                "set CHORUS_HOME to a local directory, or allow this one with CHORUS_NETWORK_FS=1");
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
    return {grooms.names.begin(), grooms.names.end()};
}

Groom groom_in_force(const std::string& given, const sys::Environment& environment) {
    const std::string wanted = given.empty() ? environment.get("CHORUS_GROOM", "auto") : given;
    if (const auto found = grooms.find(wanted)) return *found;
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
            throw Error(ErrorCode::not_found, home.path() + ": the home does not exist",
                        "create the first agent with chorus-init NAME, or set CHORUS_HOME");
        sys::make_directory(home.path(), 0700);
    }
    check_home(home, environment);
    if (if_missing == IfMissing::create) sys::make_directory(home.agents(), 0700);
    if (!sys::is_directory(home.locks())) sys::make_directory(home.locks(), 0700);
}

std::string foreign_place(const Home& home) {
    struct stat status {};
    const auto around = owner_around(home);
    if (geteuid() != 0 || !around || *around == 0 || stat(home.path().c_str(), &status) != 0 ||
        status.st_uid != 0)
        return {};
    return home.path() + ": belongs to root, in a directory of " + sys::find_person(*around).name +
           ", who cannot use it; to fix this: " + give_to(home, *around);
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
    if (!given.empty() && !sys::is_directory(given))
        throw Error(ErrorCode::not_found, "template: " + given + ": there is no such directory");
    if (!sys::exists(chosen + "/agent.json"))
        throw Error(ErrorCode::config_invalid, chosen + ": not a template: it has no agent.json");
    return chosen;
}

}  // namespace chorus::agent
