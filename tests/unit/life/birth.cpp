#include "life/birth.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/transcript_mark.hpp"
#include "home.hpp"
#include "repo/repository.hpp"
#include "store/messages.hpp"
#include "store/prompts.hpp"
#include "store/sessions.hpp"
#include "store/threads.hpp"
#include "unit/store/events.hpp"

namespace chorus::life {
namespace {

using base::ErrorCode;
using test::error_of;
using test::is_there;
using test::put;
using test::says;
using test::text_of;

class BirthTest : public HomeTest {};

// L-03 L-06 L-08 L-11
TEST_F(BirthTest, makes_directory_row_and_welcome) {
    const Birth birth = give("ada");
    EXPECT_EQ(agents_directory(), std::vector<std::string>{"ada"});
    const agent::Directory made = directory("ada");
    EXPECT_EQ(text_of(made.docs() + "/README.md"), "# Notes\n");
    EXPECT_TRUE(is_there(made.workspace() + "/.gitkeep"));
    EXPECT_TRUE(std::filesystem::is_empty(made.sessions()));
    EXPECT_EQ(std::filesystem::read_symlink(made.current()), "branches/main");

    const auto row = store::find_agent(store, "ada");
    ASSERT_TRUE(row);
    EXPECT_EQ(row->id, birth.agent.id);
    EXPECT_EQ(row->status, store::AgentStatus::active);
    EXPECT_EQ(row->dir, "agents/ada");
    EXPECT_EQ(row->model, "builtin/script");
    EXPECT_EQ(row->permissions, "standard");
    EXPECT_EQ(row->generation, 1);
    EXPECT_EQ(row->last_clear_time, row->created_at);  // C-08
    EXPECT_EQ(store::list_threads(store, row->id).size(), 1U);
    const auto events = store::load_events(store, row->id);
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(events[0].previous, "creating");
    EXPECT_EQ(events[0].next, "active");

    EXPECT_FALSE(birth.adopted);
    EXPECT_FALSE(birth.existed);
    for (const char* part : {"Agent ada created", "builtin/script", "standard", "You help."})
        EXPECT_NE(transcript("ada").find(part), std::string::npos) << part;
}

// L-05 L-10
TEST_F(BirthTest, fills_in_the_configuration_and_keeps_what_it_does_not_know) {
    BirthOptions options = options_for("ada");
    options.system_prompt = "You are \"Ada\".\n";
    options.description = "a test";
    options.channel = "webhook:https://example.com/x";
    options.permissions = R"({"deny":["tool:bash:rm .*"]})";
    const Birth birth = give(options);
    const agent::Configuration made = configuration("ada");
    EXPECT_NE(text_of(directory("ada").configuration()).find("\"name\": \"ada\""),
              std::string::npos);
    EXPECT_EQ(made.model, "builtin/script");
    EXPECT_EQ(made.system_prompt, "You are \"Ada\".\n");
    EXPECT_EQ(made.description, "a test");
    EXPECT_EQ(made.channel_id, "webhook:https://example.com/x");
    EXPECT_EQ(made.permissions.name, "custom");
    EXPECT_NE(made.text.find("\"x-mine\""), std::string::npos);
    EXPECT_NE(made.text.find("\"running_tasks\": []"), std::string::npos);
    EXPECT_NE(made.text.find("\"created_at\": \"" + base::iso8601(birth.agent.created_at) + "\""),
              std::string::npos);
    EXPECT_EQ(birth.agent.permissions, "custom");
    EXPECT_EQ(birth.agent.description, "a test");
    EXPECT_EQ(birth.agent.channel_id, "webhook:https://example.com/x");
    EXPECT_EQ(made.text.find(scratch.path()), std::string::npos) << "it can be moved";
}

// L-04
TEST_F(BirthTest, begins_the_workspace_with_a_commit_of_its_own) {
    give("ada");
    const auto repository = repo::Repository::open(directory("ada").workspace());
    ASSERT_TRUE(repository);
    const auto commits = repository->log(10);
    ASSERT_EQ(commits.size(), 1U);
    EXPECT_NE(commits[0].author.find("ada"), std::string::npos);
    EXPECT_EQ(repository->status(), "branch main\n");
    const std::string git = text_of(directory("ada").workspace() + "/.git/config");
    EXPECT_NE(git.find("ada@chorus.local"), std::string::npos) << git;
}

TEST_F(BirthTest, makes_files_for_their_owner_alone) {
    const mode_t before = umask(0);
    give("ada");
    umask(before);
    struct stat status {};
    for (const std::string& path :
         {directory("ada").configuration(), directory("ada").transcript("main", 1, true)}) {
        ASSERT_EQ(stat(path.c_str(), &status), 0) << path;
        EXPECT_EQ(status.st_mode & 0077U, 0U) << path;
    }
    // whatever the template's mode is
    ASSERT_EQ(stat(directory("ada").path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0700U);
}

// L-02
TEST_F(BirthTest, refuses_a_name_before_it_makes_anything) {
    for (const std::string& name : {std::string(), std::string("."), std::string("../x"),
                                    std::string("A"), std::string(64, 'x')})
        EXPECT_EQ(error_of([&] { give(name); }).code(), ErrorCode::bad_request) << name;
    EXPECT_TRUE(agents_directory().empty());
    EXPECT_TRUE(store::list_agents(store).empty());
}

// L-05 L-19
TEST_F(BirthTest, makes_nothing_where_something_is_not_valid) {
    const auto refused = [&](auto change) {
        BirthOptions options = options_for("ada");
        change(options);
        const ErrorCode code = error_of([&] { give(options); }).code();
        EXPECT_TRUE(agents_directory().empty());
        EXPECT_TRUE(store::list_agents(store).empty());
        return code;
    };
    EXPECT_EQ(refused([](BirthOptions& o) { o.model = "nowhere/x"; }), ErrorCode::no_driver);
    EXPECT_EQ(refused([](BirthOptions& o) { o.model.clear(); }), ErrorCode::config_invalid);
    EXPECT_EQ(refused([](BirthOptions& o) { o.permissions = "\"nosuch\""; }),
              ErrorCode::config_invalid);
    EXPECT_EQ(refused([](BirthOptions& o) { o.permissions = R"({"allow":["tool:("]})"; }),
              ErrorCode::config_invalid);
    EXPECT_EQ(refused([&](BirthOptions& o) { o.template_directory = scratch / "none"; }),
              ErrorCode::not_found);
    EXPECT_EQ(refused([&](BirthOptions& o) { o.clone = scratch / "none"; }), ErrorCode::not_found);
    put(home.template_directory() + "/agent.json", R"({"max_iterations":"many"})");
    EXPECT_EQ(refused([](BirthOptions&) {}), ErrorCode::config_invalid);
}

TEST_F(BirthTest, refuses_a_taken_name_unless_that_is_fine) {
    const Birth first = give("ada");
    const base::Error error = error_of([&] { give("ada"); });
    EXPECT_EQ(error.code(), ErrorCode::exists);
    EXPECT_TRUE(says(error, "agent 'ada': the name is taken"));
    BirthOptions options = options_for("ada");
    options.exist_ok = true;
    options.system_prompt = "another";
    const Birth again = give(options);
    EXPECT_TRUE(again.existed);
    EXPECT_EQ(again.agent.id, first.agent.id);
    EXPECT_EQ(again.system_prompt, "You help.");
    EXPECT_EQ(configuration("ada").system_prompt, "You help.");
}

TEST_F(BirthTest, chooses_option_then_environment_then_home_then_template) {
    put(home.template_directory() + "/agent.json",
        R"({"model":"ollama/of-template","permissions":"locked"})");
    BirthOptions options = options_for("a");
    options.model.clear();
    EXPECT_EQ(give(options).agent.model, "ollama/of-template");
    EXPECT_EQ(configuration("a").permissions.name, "locked");
    config(R"({"default_model":"ollama/of-home","default_permissions":"standard"})");
    options.name = "b";
    const Birth of_home = give(options);
    EXPECT_EQ(of_home.agent.model, "ollama/of-home");
    EXPECT_EQ(of_home.model_origin, "config.json");
    EXPECT_EQ(configuration("b").permissions.name, "standard");
    variables["CHORUS_MODEL"] = "ollama/of-environment";
    options.name = "c";
    EXPECT_EQ(give(options).agent.model, "ollama/of-environment");
    options.name = "d";
    options.model = "ollama/of-option";
    options.permissions = "\"open\"";
    const Birth of_option = give(options);
    EXPECT_EQ(of_option.agent.model, "ollama/of-option");
    EXPECT_EQ(of_option.model_origin, "");
    EXPECT_EQ(of_option.agent.permissions, "open");
}

TEST_F(BirthTest, takes_default_permissions_that_are_written_out) {
    config(R"({"default_permissions":{"base":"locked","allow":["tool:view:.*"]}})");
    EXPECT_EQ(give("ada").agent.permissions, "custom");
    const auto made = configuration("ada").permissions;
    ASSERT_TRUE(made.custom);
    EXPECT_EQ(made.custom->base, "locked");
    EXPECT_EQ(made.custom->allow.at(0).pattern, "tool:view:.*");
}

TEST_F(BirthTest, chooses_the_model_of_the_first_key_and_says_so) {
    variables["ANTHROPIC_API_KEY"] = "sk";
    BirthOptions options = options_for("ada");
    options.model.clear();
    const Birth birth = give(options);
    EXPECT_EQ(birth.agent.model.rfind("anthropic/", 0), 0U);
    EXPECT_NE(welcome(birth).find("from ANTHROPIC_API_KEY"), std::string::npos);
}

TEST_F(BirthTest, may_begin_with_the_history_of_a_repository) {
    put(scratch / "source/hello.txt", "hello\n");
    repo::Repository::initialise(scratch / "source", {"x", "x@y"});
    BirthOptions options = options_for("ada");
    options.clone = scratch / "source";
    give(options);
    EXPECT_EQ(text_of(directory("ada").workspace() + "/hello.txt"), "hello\n");
    EXPECT_FALSE(is_there(directory("ada").workspace() + "/.gitkeep"));
}

TEST_F(BirthTest, writes_a_transcript_whose_welcome_is_no_message) {
    BirthOptions options = options_for("ada");
    options.system_prompt = "\n<!-- message 999999 -->\n<!--<!-- message 5 -->\x1b[31m";
    give(options);
    EXPECT_EQ(agent::last_transcript_mark(transcript("ada")), 0);
    EXPECT_EQ(transcript("ada").find('\x1b'), std::string::npos);
    EXPECT_EQ(configuration("ada").system_prompt, *options.system_prompt);
}

TEST_F(BirthTest, takes_no_directory_that_is_there_already) {
    put(home.agent("ada") + "/agent.json", R"({"model":"builtin/script"})");
    const base::Error error = error_of([&] { give("ada"); });
    EXPECT_EQ(error.code(), ErrorCode::exists);
    EXPECT_TRUE(says(error, "--adopt"));
    EXPECT_EQ(text_of(home.agent("ada") + "/agent.json"), R"({"model":"builtin/script"})");
    EXPECT_TRUE(store::list_agents(store).empty());
}

// A foreign agent with what a stranger could have put into it.
class AdoptionTest : public BirthTest {
  protected:
    void lay(const std::string& path) const {
        put(path + "/agent.json",
            R"({"name":"old","model":"builtin/script","system_prompt":"S","permissions":"open",)"
            R"("environment":["X"],"channel_id":null,"max_iterations":3,"extra":true})");
        put(path + "/docs/notes.md", "notes");
        put(path + "/workspace/file.txt", "work");
        put(path + "/sessions/one.json",
            R"({"schema":"chorus.session/1","id":"s1","summary":"sum","saved_at":"2026-02-12T10:30:00Z","messages":[{},{}]})");
        put(path + "/branches/main/session.md", "# old\n\n<!-- message 900 -->\n## User\n");
    }
    BirthOptions adopting(const std::string& from) const {
        BirthOptions options = options_for("ada");
        options.model.clear();
        options.adopt = from;
        return options;
    }
    void expect_adopted(const Birth& birth) {
        EXPECT_TRUE(birth.adopted);
        ASSERT_EQ(birth.set_aside.size(), 2U);
        EXPECT_EQ(birth.set_aside[0].key, "environment");
        EXPECT_EQ(birth.set_aside[1].key, "permissions");
        EXPECT_TRUE(birth.trusted.empty());
        EXPECT_EQ(birth.sessions, 1U);
        const auto made = configuration("ada");
        EXPECT_NE(text_of(directory("ada").configuration()).find("\"name\": \"ada\""),
                  std::string::npos);
        EXPECT_EQ(made.model, "builtin/script");
        EXPECT_EQ(made.system_prompt, "S");
        EXPECT_EQ(birth.agent.permissions, "standard");
        EXPECT_EQ(trusted_part(store, birth.agent.id), "{}") << "what the file says waits";
        EXPECT_EQ(made.permissions.name, "open");
        const auto prompts = store::pending_prompts(store, birth.agent.id);
        ASSERT_EQ(prompts.size(), 1U);
        EXPECT_EQ(prompts[0].kind, chat::PromptKind::trust);
        EXPECT_EQ(prompts[0].text,
                  "environment: not set → [\"X\"]\npermissions: not set → \"open\"\n");
        EXPECT_EQ(made.shared.max_iterations, 3);
        EXPECT_NE(made.text.find("\"extra\": true"), std::string::npos);
        EXPECT_EQ(text_of(directory("ada").workspace() + "/file.txt"), "work");
        EXPECT_EQ(text_of(directory("ada").docs() + "/notes.md"), "notes");
        const auto sessions = store::list_sessions(store, birth.agent.id);
        ASSERT_EQ(sessions.size(), 1U);
        EXPECT_EQ(sessions[0].id, "s1");
        EXPECT_EQ(sessions[0].message_count, 2);
        EXPECT_EQ(sessions[0].file_path, "agents/ada/sessions/one.json");
        EXPECT_EQ(agent::last_transcript_mark(transcript("ada")), 0)
            << "the ids above it are another home's";
        EXPECT_NE(transcript("ada").find("# old"), std::string::npos);
        EXPECT_NE(transcript("ada").find("Agent ada adopted"), std::string::npos);
        EXPECT_EQ(store::find_agent(store, "ada")->status, store::AgentStatus::active);
        EXPECT_EQ(agents_directory(), std::vector<std::string>{"ada"});
    }
};

// L-49
TEST_F(AdoptionTest, takes_the_directory_in_place) {
    lay(home.agent("ada"));
    expect_adopted(give(adopting("")));
}

TEST_F(AdoptionTest, takes_a_copy_of_a_directory_elsewhere) {
    lay(scratch / "old");
    std::filesystem::create_symlink("/etc/hostname", scratch / "old/workspace/link");
    expect_adopted(give(adopting(scratch / "old")));
    EXPECT_FALSE(is_there(directory("ada").workspace() + "/link"));
    EXPECT_NE(text_of(scratch / "old/agent.json").find("environment"), std::string::npos)
        << "that one is left as it was";
}

TEST_F(AdoptionTest, takes_a_packed_one) {
    lay(scratch / "old");
    put(scratch / "old/workspace/.git/hooks/pre-commit", "#!/bin/sh\n");
    const std::string command =
        "tar -cf '" + scratch / "old.tar" + "' -C '" + scratch / "old" + "' .";
    ASSERT_EQ(std::system(command.c_str()), 0);
    const Birth birth = give(adopting(scratch / "old.tar"));
    expect_adopted(birth);
    EXPECT_EQ(birth.left_out, std::vector<std::string>{"./workspace/.git/hooks/pre-commit"});
    EXPECT_FALSE(is_there(directory("ada").workspace() + "/.git/hooks/pre-commit"));
}

TEST_F(AdoptionTest, keeps_the_history_but_not_what_git_would_obey) {
    lay(home.agent("ada"));
    repo::Repository::initialise(directory("ada").workspace(), {"x", "x@y"});
    const std::string git = directory("ada").workspace() + "/.git";
    put(git + "/hooks/pre-commit", "#!/bin/sh\n");
    put(git + "/config", text_of(git + "/config") + "[core]\n\tfsmonitor = /bin/evil\n");
    put(git + "/info/attributes", "* filter=evil\n");
    give(adopting(""));
    EXPECT_FALSE(is_there(git + "/hooks/pre-commit"));
    EXPECT_FALSE(is_there(git + "/info/attributes"));
    EXPECT_EQ(text_of(git + "/config").find("evil"), std::string::npos);
    const auto repository = repo::Repository::open(directory("ada").workspace());
    ASSERT_TRUE(repository);
    EXPECT_EQ(repository->log(10).size(), 1U);
}

TEST_F(AdoptionTest, keeps_everything_of_an_agent_that_is_trusted) {
    lay(home.agent("ada"));
    BirthOptions options = adopting("");
    options.trust = true;
    const Birth birth = give(options);
    EXPECT_TRUE(birth.set_aside.empty());
    EXPECT_EQ(birth.agent.permissions, "open");
    EXPECT_EQ(trusted_part(store, birth.agent.id), R"({"environment":["X"],"permissions":"open"})");
    ASSERT_EQ(birth.trusted.size(), 2U);
    EXPECT_EQ(birth.trusted[1].key + birth.trusted[1].after, "permissions\"open\"");
    EXPECT_TRUE(store::pending_prompts(store, birth.agent.id).empty());
}

TEST_F(AdoptionTest, changes_only_what_it_is_told_to) {
    lay(home.agent("ada"));
    config(R"({"default_model":"ollama/of-home","default_permissions":"locked"})");
    variables["CHORUS_MODEL"] = "ollama/of-environment";
    const Birth birth = give(adopting(""));
    EXPECT_EQ(birth.agent.model, "builtin/script") << "its own";
    EXPECT_EQ(birth.agent.permissions, "standard");
    EXPECT_EQ(birth.model_origin, "its agent.json");
}

TEST_F(AdoptionTest, merges_the_flags_given) {
    lay(home.agent("ada"));
    BirthOptions options = adopting("");
    options.model = "ollama/x";
    options.system_prompt = "New.";
    options.permissions = "\"locked\"";
    const Birth birth = give(options);
    EXPECT_EQ(birth.agent.model, "ollama/x");
    EXPECT_EQ(birth.agent.permissions, "locked");
    EXPECT_EQ(configuration("ada").system_prompt, "New.");
}

TEST_F(AdoptionTest, touches_nothing_where_something_is_not_valid) {
    lay(home.agent("ada"));
    BirthOptions options = adopting("");
    options.model = "nowhere/x";
    EXPECT_EQ(error_of([&] { give(options); }).code(), ErrorCode::no_driver);
    EXPECT_NE(text_of(directory("ada").configuration()).find("environment"), std::string::npos);
    EXPECT_FALSE(is_there(directory("ada").workspace() + "/.git"));
    EXPECT_TRUE(store::list_agents(store).empty());
    lay(scratch / "old");
    options.name = "bob";
    options.adopt = scratch / "old";
    EXPECT_EQ(error_of([&] { give(options); }).code(), ErrorCode::no_driver);
    EXPECT_EQ(agents_directory(), std::vector<std::string>{"ada"});
}

TEST_F(AdoptionTest, refuses_what_is_no_agent) {
    EXPECT_EQ(error_of([&] { give(adopting("")); }).code(), ErrorCode::not_found)
        << "there is nothing in place";
    EXPECT_EQ(error_of([&] { give(adopting(scratch / "none")); }).code(), ErrorCode::not_found);
    std::filesystem::create_directory(scratch / "empty");
    EXPECT_EQ(error_of([&] { give(adopting(scratch / "empty")); }).code(), ErrorCode::bad_request);
    put(scratch / "text", "no archive");
    EXPECT_EQ(error_of([&] { give(adopting(scratch / "text")); }).code(), ErrorCode::bad_request);
    for (const char* json : {"[]", "{", R"({"name":"a","name":"b"})", R"({"max_messages":"x"})"}) {
        put(scratch / "empty/agent.json", json);
        EXPECT_EQ(error_of([&] { give(adopting(scratch / "empty")); }).code(),
                  ErrorCode::config_invalid)
            << json;
    }
    EXPECT_TRUE(agents_directory().empty());
    EXPECT_TRUE(store::list_agents(store).empty());
}

TEST_F(AdoptionTest, takes_nothing_where_a_directory_is_in_place) {
    lay(home.agent("ada"));
    lay(scratch / "old");
    EXPECT_EQ(error_of([&] { give(adopting(scratch / "old")); }).code(), ErrorCode::exists);
    EXPECT_EQ(give(adopting(home.agents() + "/../agents/ada")).sessions, 1U)
        << "the same one by another name";
}

TEST_F(AdoptionTest, reaches_through_no_link) {
    put(scratch / "mine/.git/hooks/pre-commit", "mine");
    put(scratch / "mine/.git/config", "mine");
    for (const char* part : {"workspace", "docs", "sessions", "branches", "branches/main",
                             "branches/main/session.md"}) {
        std::filesystem::remove_all(home.agent("ada"));
        lay(home.agent("ada"));
        std::filesystem::remove_all(home.agent("ada") + "/" + part);
        std::filesystem::create_symlink(scratch / "mine", home.agent("ada") + "/" + part);
        const base::Error error = error_of([&] { give(adopting("")); });
        EXPECT_EQ(error.code(), ErrorCode::bad_request) << part;
        EXPECT_TRUE(says(error, std::string(part) + ": a link")) << error.message();
    }
    std::filesystem::remove_all(home.agent("ada"));
    lay(scratch / "mine");
    std::filesystem::create_directory_symlink(scratch / "mine", home.agent("ada"));
    EXPECT_EQ(error_of([&] { give(adopting("")); }).code(), ErrorCode::exists);
    EXPECT_EQ(text_of(scratch / "mine/.git/hooks/pre-commit"), "mine");
    EXPECT_EQ(text_of(scratch / "mine/.git/config"), "mine");
}

TEST_F(AdoptionTest, is_not_stopped_by_a_session_file_that_cannot_be_read) {
    lay(home.agent("ada"));
    const std::string sessions = directory("ada").sessions();
    std::filesystem::create_directory(sessions + "/directory.json");
    ASSERT_EQ(mkfifo((sessions + "/pipe.json").c_str(), 0600), 0);
    std::filesystem::create_symlink("/etc/passwd", sessions + "/link.json");
    put(sessions + "/broken.json", "{");
    put(sessions + "/list.json", "[]");
    put(sessions + "/none.json", "{}");
    put(sessions + "/deep.json", std::string(100'000, '['));
    put(sessions + "/notes.txt", R"({"messages":[]})");
    expect_adopted(give(adopting("")));
}

// L-49
TEST_F(AdoptionTest, takes_back_what_this_home_has_kept) {
    BirthOptions options = options_for("ada");
    options.permissions = "\"open\"";
    const Birth first = give(options);
    put(directory("ada").workspace() + "/file.txt", "work");
    put(directory("ada").workspace() + "/.git/hooks/pre-commit", "mine");
    put(directory("ada").sessions() + "/s.json",
        R"({"session_id":"s9","timestamp":"2026-02-12T10:30:00Z","messages":[]})");
    destroy_keeping_files(first);
    config(R"({"default_model":"ollama/of-home","default_permissions":"locked"})");
    variables["CHORUS_MODEL"] = "ollama/of-environment";

    options = options_for("ada");
    options.model.clear();
    const Birth second = give(options);
    EXPECT_TRUE(second.adopted);
    EXPECT_EQ(second.agent.generation, 2);
    EXPECT_EQ(second.agent.model, "builtin/script");
    EXPECT_EQ(second.agent.permissions, "open") << "a person of this home chose it";
    EXPECT_TRUE(second.set_aside.empty());
    EXPECT_EQ(text_of(directory("ada").workspace() + "/file.txt"), "work");
    EXPECT_TRUE(is_there(directory("ada").workspace() + "/.git/hooks/pre-commit"));
    ASSERT_EQ(store::list_sessions(store, second.agent.id).size(), 1U);
    EXPECT_EQ(store::list_sessions(store, second.agent.id)[0].saved_at, 1'770'892'200'000);
    EXPECT_NE(welcome(second).find("1 saved session can be restored"), std::string::npos)
        << welcome(second);
}

TEST_F(AdoptionTest, never_clones_over_a_workspace) {
    destroy_keeping_files(give("ada"));
    put(directory("ada").workspace() + "/file.txt", "work");
    put(scratch / "source/hello.txt", "hello\n");
    repo::Repository::initialise(scratch / "source", {"x", "x@y"});
    BirthOptions options = options_for("ada");
    options.clone = scratch / "source";
    EXPECT_EQ(error_of([&] { give(options); }).code(), ErrorCode::bad_request);
    EXPECT_EQ(text_of(directory("ada").workspace() + "/file.txt"), "work");
}

// L-50
TEST_F(AdoptionTest, begins_anew_where_nothing_was_kept) {
    const Birth first = give("ada");
    store::Transaction transaction(store);
    store::mark_destroyed(store, first.agent.id, 1, false);
    transaction.commit();
    std::filesystem::remove_all(home.agent("ada"));
    const Birth second = give("ada");
    EXPECT_FALSE(second.adopted);
    EXPECT_EQ(second.agent.generation, 2);
}

// Promise 6, with other processes: one of many wins a name, and the others leave nothing.
TEST_F(BirthTest, is_given_once_by_many_at_once) {
    std::vector<pid_t> children;
    for (int i = 0; i < 6; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(60);
            int status = 9;
            try {
                store::Store own = store::Store::open({home.database(), home.gate()});
                give_birth(home, own, sys::Environment(),
                           options_for(i < 4 ? "same" : "own" + std::to_string(i)));
                status = 0;
            } catch (const base::Error& error) {
                status = static_cast<int>(base::exit_status(error.code()));
            }
            _exit(status);
        }
        children.push_back(child);
    }
    std::vector<int> ends;
    for (const pid_t child : children) {
        int status = -1;
        waitpid(child, &status, 0);
        ends.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : 128);
    }
    EXPECT_EQ(std::count(ends.begin(), ends.begin() + 4, 0), 1);
    EXPECT_EQ(std::count(ends.begin(), ends.begin() + 4, 5), 3);
    EXPECT_EQ(ends[4], 0);
    EXPECT_EQ(ends[5], 0);
    EXPECT_EQ(agents_directory(), (std::vector<std::string>{"own4", "own5", "same"}));
    EXPECT_EQ(store::list_agents(store).size(), 3U);
}

}  // namespace
}  // namespace chorus::life
