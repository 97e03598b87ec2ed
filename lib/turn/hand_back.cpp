#include "turn/hand_back.hpp"

#include <string>

#include "base/error.hpp"
#include "base/text.hpp"
#include "repo/repository.hpp"

namespace chorus::turn {
namespace {

// Every line of a status after the first names a path, or an operation.
bool has_changes(const std::string& status) {
    return status.find('\n') + 1 < status.size();
}

repo::Repository opened(const std::string& path) {
    if (auto repository = repo::Repository::open(path)) return *repository;
    throw base::Error(base::ErrorCode::failed, path + ": there is no git repository");
}

std::string subject_of(const place::Place& place) {
    return base::visible(place.redaction.apply(place.agent.description), base::Newlines::escape);
}

}  // namespace

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
            if (has_changes(clone.status()))  // a repository of its own, for one
                problem = "not all of them could be committed; they are in " + work;
        }
        const std::string branch = "agents/" + place.agent.name;
        const bool is_new = opened(place.directory.cloned_from()).take(work, branch);
        return {is_new ? branch : "", problem};
    } catch (const base::Error& error) {
        return {"", base::visible(error.message()) + "; they are in " + work};
    }
}

}  // namespace chorus::turn
