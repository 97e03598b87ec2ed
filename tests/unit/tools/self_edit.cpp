#include "tools/self_edit.hpp"

#include <sys/stat.h>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/limits.hpp"
#include "chat/json.hpp"
#include "chat/json_text.hpp"
#include "tools/effect.hpp"
#include "unit/tools/workspace.hpp"

namespace chorus::tools {
namespace {

using base::ErrorCode;

constexpr const char* begun = R"({
    "name": "ada",
    "odd": [1, "x"],
    "model": "anthropic/big",
    "system_prompt": "You are ada.",
    "permissions": "open"
}
)";

class SelfEditTest : public Workspace {
  protected:
    SelfEditTest() {
        put("../agent.json", begun);
        put("../docs/README.md", "read me\n");
        put("../available_models.json",
            R"({"anthropic": {"valid": true, "models": ["big", "small-1", "small-2"]}})");
        home_configuration.profiles["ci"].base = "sandboxed";
        workplace.directory = agent::Directory(home);
        workplace.configuration_lock_path = home + "/configuration.lock";
        workplace.available_models_path = home + "/available_models.json";
    }

    static std::string text(const std::string& argument, const std::string& value) {
        return chat::JsonText().begin_object().key(argument).string(value).end_object().take();
    }
    static std::string document(const std::string& path, const std::string& content) {
        chat::JsonText out;
        out.begin_object().key("path").string(path).key("content").string(content);
        return out.end_object().take();
    }
    std::string configuration() const { return get("../agent.json"); }
    chat::Json member(const char* name) const {
        return chat::parse_json(configuration(), "agent.json")[name];
    }
    // What the model is told of an error that is thrown; nothing may have been changed.
    std::string refuses(const std::string& name, const std::string& json) const {
        const std::string before = configuration();
        std::string told;
        try {
            told = fails(name, json);
        } catch (const base::Error& error) {
            told = error.message() + "\n" + error.hint();
        }
        EXPECT_EQ(configuration(), before) << name << json;
        return told;
    }
    Plan plan_of(const std::string& name, const std::string& json) {
        arguments = Arguments::parse(json);
        Planned planned = plan(*find_tool(name), arguments, workplace);
        return std::move(std::get<Plan>(planned));
    }

    Arguments arguments;
};

// L-13
TEST_F(SelfEditTest, SystemPromptIsReplacedAndNothingElse) {
    ASSERT_EQ(chmod(at("../agent.json").c_str(), 0640), 0);
    const std::string told =
        ok("self_edit_system_prompt", text("new_prompt", "You are \"eve\".\n"));
    EXPECT_EQ(told,
              "changed system_prompt\nold:\nYou are ada.\nnew:\nYou are \"eve\".\n\n"
              "It is in force from the next model call on.\n");
    EXPECT_EQ(configuration(), R"({
    "name": "ada",
    "odd": [
        1,
        "x"
    ],
    "model": "anthropic/big",
    "system_prompt": "You are \"eve\".\n",
    "permissions": "open"
}
)");
    struct stat status {};
    ASSERT_EQ(stat(at("../agent.json").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, 0640U);
    EXPECT_EQ(action_of("self_edit_system_prompt", text("new_prompt", "x")),
              "tool:self_edit:system_prompt");
}

// L-13
TEST_F(SelfEditTest, AnEmptySystemPromptIsRefused) {
    for (const char* prompt : {"", " ", "\n\t \r\n"})
        EXPECT_EQ(refuses("self_edit_system_prompt", text("new_prompt", prompt)),
                  "new_prompt is empty; nothing was changed");
    EXPECT_TRUE(has(refuses("self_edit_system_prompt", R"({"new_prompt": "a\u0000b"})"), "NUL"));
}

TEST_F(SelfEditTest, ASystemPromptThatAgentJsonCannotHoldIsRefused) {
    const std::string large(base::limits::config_bytes, 'x');
    EXPECT_TRUE(has(refuses("self_edit_system_prompt", text("new_prompt", large)), "agent.json"));
}

// L-21
TEST_F(SelfEditTest, OldAndNewAreForTheAuditWithTheirHashes) {
    const std::string large = repeated("ä", 499) + "bc";
    const Plan planned = plan_of("self_edit_system_prompt", text("new_prompt", large));
    EXPECT_EQ(planned.audit, "old sha256 " + base::sha256_hex("You are ada.") +
                                 ": You are ada.; new sha256 " + base::sha256_hex(large) + ": " +
                                 repeated("ä", 499) + "b");
    const std::string told = planned.apply()->text;
    EXPECT_TRUE(
        has(told, "\nnew, the first 500 of 501 characters:\n" + repeated("ä", 499) + "b\n"));
}

TEST_F(SelfEditTest, WhatIsThatAlreadyIsLeftAlone) {
    put("../agent.json", R"({"name":"ada","system_prompt":"x","model":null})");
    const std::string before = configuration();
    EXPECT_EQ(ok("self_edit_system_prompt", text("new_prompt", "x")),
              "system_prompt has that value already; nothing was changed\n");
    // the default
    EXPECT_EQ(ok("self_edit_permissions", text("new_profile", "standard")),
              "permissions has that value already; nothing was changed\n");
    EXPECT_EQ(ok("self_edit_docs", document("README.md", "read me\n")),
              "docs/README.md has that content already; nothing was changed\n");
    EXPECT_EQ(configuration(), before);
}

TEST_F(SelfEditTest, ABrokenAgentJsonIsNotWrittenOver) {
    for (const char* broken : {"{", "[]", R"({"model": 5})", ""}) {
        put("../agent.json", broken);
        EXPECT_NE(refuses("self_edit_system_prompt", text("new_prompt", "x")), "") << broken;
    }
    std::filesystem::remove(at("../agent.json"));
    EXPECT_NE(refuses("self_edit_system_prompt", text("new_prompt", "x")), "");
}

TEST_F(SelfEditTest, WritingFollowsNoLink) {
    put("../elsewhere.json", begun);
    std::filesystem::remove(at("../agent.json"));
    std::filesystem::create_symlink(home + "/elsewhere.json", at("../agent.json"));
    EXPECT_NE(refuses("self_edit_system_prompt", text("new_prompt", "x")), "");
    EXPECT_TRUE(std::filesystem::is_symlink(at("../agent.json")));
}

TEST_F(SelfEditTest, OthersAreKeptOutUntilItIsDone) {
    {
        const Plan planned = plan_of("self_edit_system_prompt", text("new_prompt", "x"));
        EXPECT_FALSE(
            sys::Lock::try_acquire(workplace.configuration_lock_path, sys::Lock::Mode::exclusive));
        EXPECT_FALSE(planned.apply()->is_error);
    }
    const auto taken =
        sys::Lock::try_acquire(workplace.configuration_lock_path, sys::Lock::Mode::exclusive);
    ASSERT_TRUE(taken);
    workplace.stop = [] { return true; };
    for (const auto& [name, json] : std::vector<std::pair<std::string, std::string>>{
             {"self_edit_system_prompt", text("new_prompt", "y")},
             {"self_edit_model", text("new_model", "small-1")},
             {"self_edit_permissions", text("new_profile", "locked")},
             {"self_edit_docs", document("a.md", "x")}})
        EXPECT_TRUE(has(refuses(name, json), "another process is changing")) << name;
}

TEST_F(SelfEditTest, EvidenceTellsWhetherItWasDone) {
    const sys::Root own(home);
    for (const auto& [name, json] : std::vector<std::pair<std::string, std::string>>{
             {"self_edit_system_prompt", text("new_prompt", "y")},
             {"self_edit_model", text("new_model", "small-1")},
             {"self_edit_permissions", text("new_profile", "locked")},
             {"self_edit_docs", document("README.md", "x")},
             {"self_edit_docs", document("notes/deep/a.md", "x")}}) {
        const Plan planned = plan_of(name, json);
        EXPECT_TRUE(is_of_own_file(planned.evidence)) << name;
        EXPECT_EQ(find_effect(planned.evidence, own).effect, Effect::absent) << name;
        EXPECT_FALSE(planned.apply()->is_error) << name;
        EXPECT_EQ(find_effect(planned.evidence, own).effect, Effect::done) << name;
    }
    EXPECT_FALSE(is_of_own_file(file_evidence("agent.json", "a", "b")));
    EXPECT_FALSE(is_of_own_file(""));
}

// L-14
TEST_F(SelfEditTest, DocumentsAreMadeAndReplaced) {
    EXPECT_EQ(ok("self_edit_docs", document("notes/build.md", "make\nmake test\n")),
              "changed docs/notes/build.md\nold:\n\nnew:\nmake\nmake test\n\n"
              "It is new, 2 lines, 15 bytes; you see it from the next model call on.\n");
    EXPECT_EQ(get("../docs/notes/build.md"), "make\nmake test\n");
    const std::string told = ok("self_edit_docs", document("README.md", "other\n"));
    EXPECT_TRUE(has(told,
                    "changed docs/README.md\nold:\nread me\n\nnew:\nother\n\n"
                    "It was replaced as a whole"));
    EXPECT_EQ(get("../docs/README.md"), "other\n");
    std::filesystem::remove_all(at("../docs"));
    ok("self_edit_docs", document("a.md", ""));
    EXPECT_EQ(get("../docs/a.md"), "");
}

// L-14 L-16
TEST_F(SelfEditTest, DocumentsCannotLeaveDocs) {
    std::filesystem::create_directory_symlink(home, at("../docs/up"));
    std::filesystem::create_symlink(home + "/outside.txt", at("../docs/link.md"));
    for (const char* path :
         {"../agent.json", "../a.md", "notes/../../a.md", "/etc/a.md", "../docs2/a.md", "..", ""})
        EXPECT_NE(refuses("self_edit_docs", document(path, "x")), "") << path;
    EXPECT_TRUE(has(refuses("self_edit_docs", document("../a.md", "x")), "leads out of docs/"));
    EXPECT_TRUE(has(refuses("self_edit_docs", document(at("../docs/a.md"), "x")), "leads out"));
    for (const char* path : {"up/a.md", "link.md", ".git/a.md", ".GIT/hooks/a.md", "a.md/b.md"}) {
        if (std::string_view(path) == "a.md/b.md") put("../docs/a.md", "");
        EXPECT_NE(refuses("self_edit_docs", document(path, "x")), "") << path;
    }
    EXPECT_EQ(get("../outside.txt"), "outside\n");
    EXPECT_FALSE(std::filesystem::exists(home + "/a.md"));
}

TEST_F(SelfEditTest, DocumentsThatAreLinkedElsewhereAreNotWritten) {
    std::filesystem::rename(at("../docs"), at("../elsewhere"));
    std::filesystem::create_directory_symlink(home + "/elsewhere", at("../docs"));
    EXPECT_NE(refuses("self_edit_docs", document("README.md", "x")), "");
    EXPECT_EQ(get("../elsewhere/README.md"), "read me\n");
}

// L-14
TEST_F(SelfEditTest, OnlyTextThatIsReadIsADocument) {
    for (const char* path : {"a.txt", "a", "notes/", ".md", "a.MD"})
        EXPECT_TRUE(has(refuses("self_edit_docs", document(path, "x")), "end in .md")) << path;
    EXPECT_TRUE(has(refuses("self_edit_docs", R"({"path": "a.md", "content": "\u0000"})"), "NUL"));
    EXPECT_FALSE(std::filesystem::exists(at("../docs/a.md")));
}

// L-14: more would keep the agent from every later model call
TEST_F(SelfEditTest, DocumentsTogetherHaveALimit) {
    constexpr std::size_t most = base::limits::docs_bytes;
    put("../docs/picture.png", std::string(most, 'x'));  // not one of them
    put("../docs/sub/other.md", std::string(1'000, 'x'));
    const auto of_size = [&](std::size_t bytes) {
        return call("self_edit_docs", document("README.md", std::string(bytes, 'x')));
    };
    EXPECT_FALSE(of_size(most - 1'001).is_error);
    EXPECT_FALSE(of_size(most - 1'000).is_error);
    const chat::ToolResult refused = of_size(most - 999);
    EXPECT_TRUE(refused.is_error);
    EXPECT_TRUE(has(refused.text,
                    "261145 bytes, and the other documents have 1000 bytes; together "
                    "they may have 262144"))
        << refused.text;
    EXPECT_EQ(get("../docs/README.md").size(), most - 1'000);
    // what is too much already may become less
    put("../docs/README.md", std::string(most, 'x'));
    EXPECT_FALSE(of_size(10).is_error);
}

TEST_F(SelfEditTest, ActionsOfDocumentsAreCanonicalUnlessTheyLeadOut) {
    const auto action = [&](const char* path) {
        return action_of("self_edit_docs", document(path, "x"));
    };
    EXPECT_EQ(action("./notes//a/../b.md"), "tool:self_edit:docs:notes/b.md");
    EXPECT_EQ(action("notes/../README.md"), "tool:self_edit:docs:README.md");
    EXPECT_EQ(action("../docs/b.md"), "tool:self_edit:docs:b.md");
    EXPECT_EQ(action("notes/../../x.md"), "tool:self_edit:docs:notes/../../x.md");
    EXPECT_EQ(action("/etc/x.md"), "tool:self_edit:docs:/etc/x.md");
}

// L-20
TEST_F(SelfEditTest, AModelIsWrittenInFull) {
    EXPECT_EQ(action_of("self_edit_model", text("new_model", "-1")),
              "tool:self_edit:model:anthropic/small-1");
    const std::string told = ok("self_edit_model", text("new_model", "-1"));
    EXPECT_TRUE(has(told, "changed model\nold:\nanthropic/big\nnew:\nanthropic/small-1\n")) << told;
    EXPECT_EQ(member("model"), "anthropic/small-1");
    ok("self_edit_model", text("new_model", "builtin/script"));
    EXPECT_EQ(member("model"), "builtin/script");
}

// L-20
TEST_F(SelfEditTest, AModelThatIsNotListedOrNotOneIsRefused) {
    EXPECT_TRUE(has(refuses("self_edit_model", text("new_model", "small")),
                    "'small' is ambiguous\nchoose one of 'anthropic/small-1' and "
                    "'anthropic/small-2'"));
    for (const char* model : {"anthropic/huge", "huge", "nobody/x", "", "anthropic/", "/"}) {
        EXPECT_NE(refuses("self_edit_model", text("new_model", model)), "") << model;
        EXPECT_EQ(action_of("self_edit_model", text("new_model", model)),
                  std::string("tool:self_edit:model:") + model);
    }
    std::filesystem::remove(at("../available_models.json"));
    ok("self_edit_model", text("new_model", "anthropic/huge"));
}

// L-17
TEST_F(SelfEditTest, PermissionsAreANameOrAProfile) {
    const auto action = [&](const std::string& value) {
        return action_of("self_edit_permissions", R"({"new_profile": )" + value + "}");
    };
    EXPECT_EQ(action(R"("locked")"), "tool:self_edit:permissions:locked");
    EXPECT_EQ(action(R"({"deny": []})"), "tool:self_edit:permissions:custom");
    EXPECT_EQ(action(R"(" {\"deny\": []}")"), "tool:self_edit:permissions:custom");

    const std::string told = ok("self_edit_permissions", text("new_profile", "locked"));
    EXPECT_TRUE(has(told, "changed permissions\nold:\nopen\nnew:\nlocked\n")) << told;
    EXPECT_EQ(member("permissions"), "locked");
    ok("self_edit_permissions", text("new_profile", "ci"));
    EXPECT_EQ(member("permissions"), "ci");
    const std::string profile = R"({"base":"locked","deny":["tool:git:.*"],"ask":["tool:b:.*"]})";
    EXPECT_TRUE(has(ok("self_edit_permissions", R"({"new_profile": )" + profile + "}"),
                    "old:\nci\nnew:\n" + profile + "\n"));
    EXPECT_EQ(member("permissions").dump(), profile);
    // the same, as some models write it
    EXPECT_TRUE(
        has(ok("self_edit_permissions", text("new_profile", profile)), "that value already"));
    EXPECT_EQ(member("permissions").dump(), profile);
}

// L-17 L-19
TEST_F(SelfEditTest, AProfileIsCompiledBeforeItIsWritten) {
    const auto refusal = [&](const std::string& value) {
        return refuses("self_edit_permissions", R"({"new_profile": )" + value + "}");
    };
    const std::string pattern = refusal(R"({"allow": ["tool:a:.*", {"pattern": "tool:("}]})");
    EXPECT_TRUE(has(pattern, "allow[1] 'tool:(': missing )")) << pattern;
    EXPECT_TRUE(has(refusal(R"("nobody")"),
                    "there are 'open', 'sandboxed', 'standard', 'locked' "
                    "and 'ci'"));
    EXPECT_TRUE(has(refusal(R"({"base": "ci"})"), "no such preset"));
    EXPECT_TRUE(has(refusal(R"--({"allow": ["tool:a:(?!b)"]})--"), "deny"));
    EXPECT_TRUE(has(refusal(R"({"base": "open", "not_match": ["tool:view:a"]})"), "not_match[0]"));
    for (const char* value : {R"("")", R"({"alow": []})", R"({"allow": "x"})", R"({"allow": [5]})",
                              R"({"base": 5})", R"("{")", R"("{\"allow\": 5}")"})
        EXPECT_NE(refusal(value), "") << value;
}

TEST_F(SelfEditTest, NothingElseIsAProfile) {
    const Tool& tool = *find_tool("self_edit_permissions");
    for (const char* value : {"5", "true", "[]", R"(["a"])", "null"})
        EXPECT_NE(check_arguments(
                      tool, Arguments::parse(R"({"new_profile": )" + std::string(value) + "}")),
                  "")
            << value;
    EXPECT_EQ(check_arguments(tool, Arguments::parse(R"({"new_profile": 5})")),
              "self_edit_permissions: 'new_profile' is not of type string or object; expected: "
              "new_profile (string or object, required)");
}

TEST_F(SelfEditTest, WhatIsWantedIsTold) {
    const auto wanted = [](const std::string& value) {
        return wanted_permissions(Arguments::parse(R"({"new_profile": )" + value + "}"));
    };
    EXPECT_EQ(wanted(R"("open")").name, "open");
    EXPECT_FALSE(wanted(R"("open")").custom);
    EXPECT_EQ(wanted(R"("open")").json, R"("open")");
    for (const char* value : {R"({"base": "open"})", R"("{\"base\": \"open\"}")"}) {
        EXPECT_EQ(wanted(value).name, "custom");
        ASSERT_TRUE(wanted(value).custom);
        EXPECT_EQ(wanted(value).custom->base, "open");
    }
    EXPECT_EQ(wanted(R"("\" x \\")").name, "\" x \\");
}

}  // namespace
}  // namespace chorus::tools
