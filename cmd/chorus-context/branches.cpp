#include "context/branches.hpp"

#include "chorus-context/verbs.hpp"

namespace chorus::command {
namespace {

struct Branches : Named {
    using Named::Named;

    static Fields fields_of(const context::Branch& branch, const std::string& agent) {
        const store::Thread& thread = branch.thread;
        const std::string origin =
            branch.parent.empty() ? "-"
                                  : branch.parent + " at " + std::to_string(thread.branch_point);
        return {{"agent", agent},
                {"branch", thread.branch, (branch.is_current ? "* " : "  ") + thread.branch},
                {"thread", thread.id, "thread " + std::to_string(thread.id)},
                {"current", branch.is_current},
                {"status", thread.status},
                {"parent_branch", branch.parent, origin},
                {"parent_thread", cli::number(thread.parent_thread, 0)},
                {"branch_point", cli::number(thread.branch_point, 0)},
                {"commit", branch.commit},
                {"created_at", Time{thread.created_at}},
                {"last_activity_at", Time{thread.last_activity}}};
    }

    void run(Opened& opened) const {
        const store::Agent agent = require_agent(opened);
        context::reclaim_branches(opened.store, opened.home, agent);
        const cli::Table table("branch", {{.key = "branch"},
                                          {.key = "thread", .width = 10},
                                          {.key = "parent_branch"},
                                          {.key = "status"},
                                          {.key = "last_activity_at"}});
        table.print(cli::each(context::list_branches(opened.store, opened.home, agent),
                              [&](const auto& branch) { return fields_of(branch, agent.name); }),
                    cli::form_of_stdout(json));
    }
};

}  // namespace

const cli::Verb branches_verb =
    verb<Branches>("branches", "list the branches of an agent", json_lines);

}  // namespace chorus::command
