#include "sys/person.hpp"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "base/number.hpp"
#include "base/text.hpp"
#include "sys/proc_status.hpp"

namespace chorus::sys {
namespace {

constexpr uid_t no_uid = static_cast<uid_t>(-1);
constexpr std::size_t most_entry_bytes = 1U << 20;

std::optional<uid_t> parse_uid(std::string_view text) {
    const auto uid = base::parse_number<uid_t>(text);
    return uid != no_uid ? uid : std::nullopt;
}

std::optional<uid_t> login_uid() {
    const auto text = read_proc("/proc/self/loginuid");
    return parse_uid(base::trim(text.value_or("")));
}

// By /proc/PID/status (proc(5)). Any user can name a program sudo; only sudo itself, or root, can
// start one that runs as root.
bool is_sudo(const Identity& process) {
    const std::string text =
        read_proc("/proc/" + std::to_string(process.pid) + "/status").value_or("");
    bool has_name = false;
    bool is_root = false;
    for (const std::string_view line : base::split_lines(text)) {
        const auto fields = base::split(line, '\t');
        has_name |= line == "Name:\tsudo";
        is_root |= fields.size() > 2 && fields[0] == "Uid:" && fields[2] == "0";
    }
    return has_name && is_root && process.pid > 1;
}

bool was_started_by_sudo() {
    const std::vector<Identity> all = ancestors();
    return std::any_of(all.begin(), all.end(), is_sudo);
}

std::optional<uid_t> uid_behind_sudo(const Environment& environment) {
    const auto text = environment.find("SUDO_UID");
    const auto uid = text ? parse_uid(*text) : std::nullopt;
    return uid && getuid() == geteuid() && was_started_by_sudo() ? uid : std::nullopt;
}

// For getpwuid_r(3) and getgrgid_r(3), with a buffer that grows until it suffices. Returns null
// where there is no entry.
template <typename Entry, typename Id>
const Entry* find_entry(int (*look_up)(Id, Entry*, char*, std::size_t, Entry**), Id id,
                        Entry& entry, std::string& room) {
    Entry* found = nullptr;
    do room.resize(room.empty() ? 1024 : room.size() * 4);
    while (look_up(id, &entry, room.data(), room.size(), &found) == ERANGE &&
           room.size() < most_entry_bytes);
    return found;
}

std::string name_of_group(gid_t gid) {
    group entry{};
    std::string room;
    return find_entry(getgrgid_r, gid, entry, room) != nullptr ? entry.gr_name : "";
}

std::vector<std::string> groups_of(const std::string& user, gid_t primary) {
    std::vector<gid_t> gids(64);
    int count = static_cast<int>(gids.size());
    while (getgrouplist(user.c_str(), primary, gids.data(), &count) < 0) {
        // some implementations do not return the size needed
        count = std::max(count, static_cast<int>(gids.size()) * 2);
        gids.resize(static_cast<std::size_t>(count));
    }
    std::vector<std::string> names;
    for (int i = 0; i < count; ++i) {
        std::string name = name_of_group(gids[static_cast<std::size_t>(i)]);
        if (!name.empty()) names.push_back(std::move(name));
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

}  // namespace

uid_t invoking_uid(const Environment& environment) {
    if (const auto login = login_uid()) return *login;
    return uid_behind_sudo(environment).value_or(getuid());
}

Person find_person(uid_t uid) {
    Person person{uid, std::to_string(uid), {}};
    passwd entry{};
    std::string room;
    if (find_entry(getpwuid_r, uid, entry, room) == nullptr) return person;
    person.name = entry.pw_name;
    person.groups = groups_of(person.name, entry.pw_gid);
    return person;
}

Person invoking_person(const Environment& environment) {
    return find_person(invoking_uid(environment));
}

}  // namespace chorus::sys
