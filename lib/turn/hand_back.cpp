#include "turn/hand_back.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "repo/repository.hpp"
#include "sys/file.hpp"

namespace chorus::turn {
namespace {

// Every line of a status after the first names a path, or an operation.
bool has_changes(const std::string& status) {
    return status.find('\n') + 1 < status.size();
}

// "sub/ (a repository of its own), b.txt and others"
std::string changes_in(const std::string& status, const std::string& work) {
    constexpr std::size_t most = 5;
    std::vector<std::string> names;
    for (const std::string& name : repo::changed_paths(status)) {
        const bool is_repository = sys::exists(work + "/" + name + "/.git");
        names.push_back(base::visible(name, base::Newlines::escape) +
                        (is_repository ? " (a repository of its own)" : ""));
    }
    const std::size_t all = names.size();
    names.resize(std::min(all, most));
    return base::join(names, ", ") + (all > most ? " and others" : "");
}

repo::Repository opened(const std::string& path) {
    if (auto repository = repo::Repository::open(path)) return *repository;
    throw base::Error(base::ErrorCode::failed, path + ": there is no git repository");
}

std::string subject_of(const place::Place& place) {
    return base::visible(place.redaction.apply(place.agent.description), base::Newlines::escape);
}

}  // namespace

std::string uncommitted_in(const std::string& work) {
    try {
        const std::string path = sys::real_path(work);
        const std::string status = opened(path).status();
        return has_changes(status) ? changes_in(status, path) : "";
    } catch (const base::Error& error) {
        return base::visible(error.message());
    }
}

chat::HandedBack hand_back(place::Place& place, const store::Turn& turn) {
    if (!place.directory.is_isolated()) return {};
    const std::string work = place.root.path();
    try {
        repo::Repository clone = opened(work);
        std::string problem;
        if (has_changes(clone.status())) {
            clone
                .plan_commit(subject_of(place) + "\n\nSub-agent: " + place.agent.name + ", turn " +
                                 std::to_string(turn.turn_number) + "\n",
                             {}, repo::author_of_agent(place.agent.name))
                .finish();
            if (const std::string rest = clone.status(); has_changes(rest))
                problem = "not committed: " + changes_in(rest, work) + "; they are in " + work;
        }
        const std::string branch = "agents/" + place.agent.name;
        const bool is_new = opened(place.directory.cloned_from()).take(work, branch);
        return {is_new ? branch : "", problem};
    } catch (const base::Error& error) {
        return {"", base::visible(error.message()) + "; they are in " + work};
    }
}

}  // namespace chorus::turn
