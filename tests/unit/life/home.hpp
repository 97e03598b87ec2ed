// A real home with its database and a template, for agents to be born in.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "agent/home.hpp"
#include "life/adoption.hpp"
#include "life/birth.hpp"
#include "store/records.hpp"
#include "store/store.hpp"
#include "support/scratch.hpp"

namespace chorus::life {

class HomeTest : public testing::Test {
  protected:
    HomeTest() {
        test::put(
            home.template_directory() + "/agent.json",
            R"({"name":"","channel_id":null,"model":null,"system_prompt":"You help.","permissions":"standard",)"
            R"("created_at":null,"running_tasks":[],"x-mine":{"kept":[1,2]}})");
        test::put(home.template_directory() + "/docs/README.md", "# Notes\n");
        test::put(home.template_directory() + "/workspace/.gitkeep", "");
    }

    BirthOptions options_for(const std::string& name) const {
        BirthOptions options;
        options.name = name;
        options.model = "builtin/script";
        return options;
    }
    Birth give(const BirthOptions& options) {
        return give_birth(home, store, sys::Environment(variables), options);
    }
    Birth give(const std::string& name) { return give(options_for(name)); }

    agent::Directory directory(const std::string& name) const {
        return agent::Directory(home.agent(name));
    }
    agent::Configuration configuration(const std::string& name) const {
        return agent::load_configuration(directory(name));
    }
    std::string transcript(const std::string& name) const {
        return test::text_of(directory(name).transcript("main", 1, true));
    }
    std::vector<std::string> agents_directory() const {
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(home.agents()))
            names.push_back(entry.path().filename());
        std::sort(names.begin(), names.end());
        return names;
    }
    void config(const std::string& json) const { test::put(home.config(), json); }
    void insert(const std::string& name, store::AgentStatus status) {
        store::Agent row;
        row.name = name;
        row.dir = "agents/" + name;
        store::Transaction transaction(store);
        const store::AgentId id = store::insert_agent(store, row).id;
        if (status != store::AgentStatus::creating) store::set_agent_status(store, id, status);
        transaction.commit();
    }
    // As chorus-destroy --keep-files leaves it.
    void destroy_keeping_files(const Birth& birth) {
        store::Transaction transaction(store);
        store::mark_destroyed(store, birth.agent.id, 1, true);
        note_kept(store, birth.agent.id, git_state(directory(birth.agent.name).workspace()));
        transaction.commit();
    }

    static agent::Home opened(const std::string& path) {
        agent::Home made(path);
        agent::open_home(made, sys::Environment(), agent::IfMissing::create);
        return made;
    }

    test::Scratch scratch;
    agent::Home home = opened(scratch / "home");
    store::Store store = store::Store::open({home.database(), home.gate()});
    std::map<std::string, std::string> variables;
};

}  // namespace chorus::life
