#include "policy/profile.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "policy/pattern.hpp"

namespace chorus::policy {
namespace {

constexpr ShellConfinement open_air{};
constexpr ShellConfinement confined{.confined_shell = true};

Profile preset_profile(std::string_view name) {
    return std::move(*Profile::preset(name));
}

Profile allowing(std::vector<Rule> allow) {
    ProfileText text;
    text.allow = std::move(allow);
    return Profile::compile(text, "test");
}

Decision decide(const Profile& profile, const std::string& action,
                ShellConfinement where = open_air) {
    return profile.decide(parse_action(action), where);
}

std::string verdict(const Profile& profile, const std::string& action,
                    ShellConfinement where = open_air) {
    return std::string(name(decide(profile, action, where).verdict));
}

base::Error compile_error(const ProfileText& text) {
    try {
        Profile::compile(text, "agent.json: permissions");
    } catch (const base::Error& error) {
        return error;
    }
    return {base::ErrorCode::internal, "nothing was thrown"};
}

base::Error allow_error(const std::string& pattern) {
    ProfileText text;
    text.allow = {{"tool:view:.*"}, {"tool:task:.*"}, {pattern}};
    return compile_error(text);
}

struct Row {
    const char* action;
    const char* open;
    const char* sandboxed;
    const char* standard;
    const char* locked;
};

// The table of chorus-permissions(7), one action for every tool that exists.
const Row table[] = {
    {"tool:view:src/a.c", "allow", "allow", "allow", "allow"},
    {"tool:list_files:.", "allow", "allow", "allow", "allow"},
    {"tool:list_files:", "allow", "allow", "allow", "allow"},
    {"tool:search_files:src", "allow", "allow", "allow", "allow"},
    {"tool:create_file:a", "allow", "allow", "allow", "deny"},
    {"tool:create_file:view:a", "allow", "allow", "allow", "deny"},
    {"tool:append_file:a", "allow", "allow", "allow", "deny"},
    {"tool:str_replace:a b", "allow", "allow", "allow", "deny"},
    {"tool:bash:ls -la", "allow", "ask", "ask", "deny"},
    {"tool:bash:a\nb", "allow", "ask", "ask", "deny"},
    {"tool:bash:", "allow", "ask", "ask", "deny"},
    {"tool:git:init", "allow", "allow", "allow", "deny"},
    {"tool:git:commit", "allow", "allow", "allow", "deny"},
    {"tool:git:status", "allow", "allow", "allow", "deny"},
    {"tool:git:diff HEAD~1 main", "allow", "allow", "allow", "deny"},
    {"tool:git:diff ", "allow", "allow", "allow", "deny"},
    {"tool:git:log", "allow", "allow", "allow", "deny"},
    {"tool:git:branch topic", "allow", "allow", "allow", "deny"},
    {"tool:git:checkout main", "allow", "ask", "ask", "deny"},
    {"tool:git:push origin main", "allow", "ask", "ask", "deny"},
    {"tool:git:merge_request main", "allow", "ask", "ask", "deny"},
    {"tool:git:commits", "allow", "deny", "deny", "deny"},
    {"tool:self_edit:system_prompt", "allow", "ask", "ask", "deny"},
    {"tool:self_edit:docs:README.md", "allow", "ask", "ask", "deny"},
    {"tool:self_edit:docs:notes/a.md", "allow", "allow", "ask", "deny"},
    {"tool:self_edit:permissions:open", "allow", "ask", "ask", "deny"},
    {"tool:self_edit:permissions:custom", "allow", "ask", "ask", "deny"},
    {"tool:self_edit:model:opus", "allow", "ask", "ask", "deny"},
    {"tool:task:output abc", "allow", "allow", "allow", "deny"},
    {"tool:task:wait abc", "allow", "allow", "allow", "deny"},
    {"tool:task:kill abc", "allow", "allow", "allow", "deny"},
    {"tool:spawn_agent:worker look\nhere", "allow", "ask", "ask", "deny"},
    {"tool:send_to_agent:bob", "allow", "ask", "ask", "deny"},
    {"tool:list_agents:", "allow", "allow", "allow", "deny"},
    {"tool:plan:", "allow", "allow", "allow", "deny"},
    {"tool:read_agent_docs:bob", "allow", "ask", "ask", "deny"},
    {"tool:ask_user:", "allow", "allow", "allow", "deny"},
    {"tool:artifact:create report", "allow", "allow", "allow", "deny"},
    {"tool:artifact:append report", "allow", "allow", "allow", "deny"},
    {"tool:artifact:list ", "allow", "allow", "allow", "deny"},
    {"tool:artifact:get report", "allow", "allow", "allow", "deny"},
    {"tool:load_skill:pdf", "allow", "allow", "allow", "deny"},
    {R"(tool:mcp:files read {"path":"a"})", "allow", "ask", "ask", "deny"},
    {"tool:unheard_of:x", "allow", "deny", "deny", "deny"},
    // a newline in a name is nobody's file
    {"tool:create_file:a\nb", "allow", "deny", "deny", "deny"},
    {"tool:view:a\nb", "allow", "deny", "deny", "deny"},
    {"tool:git:push origin\nmain", "allow", "deny", "deny", "deny"},
};

// L-19 X-12 X-13
TEST(Profile, PresetsDecideAsTheTableSays) {
    for (const Row& row : table) {
        EXPECT_EQ(verdict(preset_profile("open"), row.action), row.open) << row.action;
        EXPECT_EQ(verdict(preset_profile("sandboxed"), row.action), row.sandboxed) << row.action;
        EXPECT_EQ(verdict(preset_profile("standard"), row.action), row.standard) << row.action;
        EXPECT_EQ(verdict(preset_profile("locked"), row.action), row.locked) << row.action;
    }
}

TEST(Profile, SandboxedAllowsBashOnlyWhileItIsConfined) {
    const Profile sandboxed = preset_profile("sandboxed");
    EXPECT_EQ(verdict(sandboxed, "tool:bash:make $(x)\nrm y", confined), "allow");
    EXPECT_EQ(verdict(sandboxed, "tool:bash:make $(x)\nrm y", open_air), "ask");
    EXPECT_EQ(verdict(preset_profile("standard"), "tool:bash:ls", confined), "ask");
    EXPECT_EQ(verdict(preset_profile("locked"), "tool:bash:ls", confined), "deny");
}

TEST(Profile, PresetsAreWidestFirst) {
    EXPECT_EQ(Profile::preset_names(),
              (std::vector<std::string>{"open", "sandboxed", "standard", "locked"}));
    EXPECT_FALSE(Profile::preset("Open"));
    EXPECT_FALSE(Profile::preset(""));
    EXPECT_EQ(preset_profile("locked").name(), "locked");
}

// Their patterns are compiled when first needed, so that nothing else would find a faulty one.
TEST(Profile, EveryPatternOfAPresetCompiles) {
    for (const Preset& one : presets())
        for (const auto& list : {one.allow, one.ask})
            for (const Rule& rule : list)
                EXPECT_EQ(Pattern(rule.pattern).fault(), std::nullopt) << rule.pattern;
}

TEST(Profile, TheReasonNamesListIndexAndPattern) {
    EXPECT_EQ(decide(preset_profile("standard"), "tool:artifact:get x").reason,
              "allow[2] tool:artifact:.*");
    EXPECT_EQ(decide(preset_profile("standard"), "tool:bash:x").reason,
              R"(ask[0] tool:bash:[\s\S]*)");
    EXPECT_EQ(decide(preset_profile("locked"), "tool:bash:x").reason, "no pattern matches");
    ProfileText text;
    text.base = "standard";
    text.deny = {{"tool:git:push origin main"}};
    text.allow = {{"tool:bash:ls.*"}, {"tool:bash:cat .*"}};
    const Profile custom = Profile::compile(text, "test");
    EXPECT_EQ(custom.name(), "custom");
    EXPECT_EQ(decide(custom, "tool:git:push origin main").reason,
              "deny[0] tool:git:push origin main");
    EXPECT_EQ(decide(custom, "tool:bash:ls | cat - && ls").reason,
              "allow[0] tool:bash:ls.*, allow[1] tool:bash:cat .*");
    EXPECT_EQ(decide(custom, "tool:bash:ls $x").reason, R"(standard.ask[0] tool:bash:[\s\S]*)");
    EXPECT_EQ(decide(allowing({{"tool:bash:ls.*"}}), "tool:bash:ls $x").reason,
              "allow[0] tool:bash:ls.* covers simple commands only");
}

// X-14
TEST(Profile, DenyComesBeforeAllowBeforeAskBeforeDeny) {
    ProfileText text;
    text.deny = {{"tool:view:secret.*"}};
    text.allow = {{"tool:view:.*"}};
    text.ask = {{"tool:(view|list_files):.*"}};
    const Profile profile = Profile::compile(text, "test");
    EXPECT_EQ(verdict(profile, "tool:view:secret/a"), "deny");
    EXPECT_EQ(verdict(profile, "tool:view:a"), "allow");
    EXPECT_EQ(verdict(profile, "tool:list_files:a"), "ask");
    EXPECT_EQ(verdict(profile, "tool:search_files:a"), "deny");
}

TEST(Profile, ALineIsReadForPeople) {
    ProfileText text;
    text.deny = {{"tool:bash:rm .*"}};
    text.allow = {{"tool:bash:ls.*"}};
    text.ask = {{"tool:bash:make.*"}};
    const Profile profile = Profile::compile(text, "test");
    const auto reading = profile.read(parse_action("tool:bash:ls -l | make x; rm y && pwd"), {});
    EXPECT_EQ(reading.not_simple, "");
    std::string told;
    for (const auto& [command, decision] : reading.commands)
        told += command + ": " + std::string(name(decision.verdict)) + " " + decision.reason + "\n";
    EXPECT_EQ(told,
              "ls -l: allow allow[0] tool:bash:ls.*\n"
              "make x: ask ask[0] tool:bash:make.*\n"
              "rm y: deny deny[0] tool:bash:rm .*\n"
              "pwd: deny no pattern matches\n");
    EXPECT_EQ(profile.read(parse_action("tool:bash:ls $x"), {}).not_simple, "at '$x'");
    EXPECT_TRUE(profile.read(parse_action("tool:view:a"), {}).commands.empty());
    EXPECT_TRUE(profile.read(parse_action(std::string("tool:bash:a\0b", 13)), {}).commands.empty());
}

TEST(Profile, WhatIsAskedAboutTheWholeLineIsAskedAboutEachCommand) {
    ProfileText text;
    text.allow = {{"tool:bash:ls"}};
    text.ask = {{"tool:bash:.*make.*"}};
    const auto reading =
        Profile::compile(text, "test").read(parse_action("tool:bash:ls; make; pwd"), {});
    ASSERT_EQ(reading.commands.size(), 3U);
    EXPECT_EQ(reading.commands[2].decision.verdict, Verdict::ask);
    EXPECT_EQ(reading.commands[2].decision.reason, "ask[0] tool:bash:.*make.*");
}

TEST(Pattern, IsFoundAnywhere) {
    const Pattern pattern("git (push|commit)");
    EXPECT_TRUE(pattern.is_in("tool:bash:git push origin"));
    EXPECT_TRUE(pattern.is_in("a\ngit commit\nb"));
    EXPECT_FALSE(pattern.is_in("tool:bash:git pull"));
    EXPECT_TRUE(Pattern("").is_in("x"));
    EXPECT_FALSE(Pattern("(").is_in("("));
}

TEST(Profile, WithoutDenyAndBaseNothingIsAdded) {
    const Profile empty = Profile::compile({}, "test");
    for (const Row& row : table) EXPECT_EQ(verdict(empty, row.action), "deny") << row.action;
}

TEST(Profile, APatternMatchesTheWholeAction) {
    const Profile profile = allowing({{"tool:view:a"}, {"view:b"}, {"^tool:list_files:a$"}});
    EXPECT_EQ(verdict(profile, "tool:view:a"), "allow");
    EXPECT_EQ(verdict(profile, "tool:list_files:a"), "allow");
    for (const char* other : {"tool:view:ab", "xtool:view:a", "tool:view:b", "tool:view:a\n",
                              "tool:view:a\nx", "tool:view:", "tool:View:a", "tool:list_files:a\n"})
        EXPECT_EQ(verdict(profile, other), "deny") << other;
}

TEST(Profile, ACustomProfileStartsFromItsBase) {
    ProfileText text;
    text.base = "locked";
    text.allow = {{"tool:create_file:out/.*"}};
    const Profile profile = Profile::compile(text, "test");
    EXPECT_EQ(verdict(profile, "tool:view:a"), "allow");
    EXPECT_EQ(verdict(profile, "tool:create_file:out/a"), "allow");
    EXPECT_EQ(verdict(profile, "tool:create_file:a"), "deny");
    text.base = "sandboxed";
    EXPECT_EQ(verdict(Profile::compile(text, "test"), "tool:bash:ls", confined), "allow");
    EXPECT_EQ(verdict(Profile::compile(text, "test"), "tool:bash:ls", open_air), "ask");
    text.base = "strict";
    EXPECT_EQ(compile_error(text).message(),
              "agent.json: permissions.base 'strict': there is no such preset");
    EXPECT_NE(compile_error(text).hint().find("sandboxed"), std::string::npos);
}

// L-19
TEST(Profile, AnInvalidPatternFailsTheWholeProfileAndIsNamed) {
    const base::Error error = allow_error("tool:(");
    EXPECT_EQ(error.code(), base::ErrorCode::config_invalid);
    EXPECT_EQ(error.message(), "agent.json: permissions.allow[2] 'tool:(': missing )");
    EXPECT_NE(allow_error("tool:[a").message().find("allow[2] 'tool:[a': missing ]"),
              std::string::npos);
    EXPECT_NE(allow_error("*").message().find("no argument for repetition"), std::string::npos);
    EXPECT_NE(allow_error(R"((a)\1)").message().find("invalid escape sequence"), std::string::npos);
    EXPECT_NE(allow_error("tool:\xff").message().find("is not valid UTF-8"), std::string::npos);
    EXPECT_NE(allow_error(std::string("a\0b", 3)).message().find("holds a NUL"), std::string::npos);
    EXPECT_NE(allow_error("(((a{100}){100}){100})").message().find("allow[2]"), std::string::npos);
    ProfileText text;
    text.deny = {{"ok"}, {"("}};
    EXPECT_NE(compile_error(text).message().find("deny[1] '('"), std::string::npos);
    text.deny.clear();
    text.ask = {{")"}};
    EXPECT_NE(compile_error(text).message().find("ask[0] ')'"), std::string::npos);
}

TEST(Profile, LookaroundIsRefusedWithAHintToDeny) {
    for (const char* pattern :
         {"tool:git:push (?!origin main).*", "tool:(?=bash).*", "(?<!x)a", "(?<=x)a"}) {
        const base::Error error = allow_error(pattern);
        EXPECT_NE(error.message().find("lookaround is not supported"), std::string::npos)
            << error.message();
        EXPECT_NE(error.hint().find(R"("deny": ["tool:git:push origin main"])"), std::string::npos);
    }
}

TEST(Profile, APatternHasAtMost512Bytes) {
    const std::string longest = "tool:view:" + std::string(502, 'a');
    EXPECT_EQ(verdict(allowing({{longest}}), longest), "allow");
    const base::Error error = allow_error(longest + "a");
    EXPECT_NE(error.message().find("is 513 bytes long, at most 512"), std::string::npos)
        << error.message();
    EXPECT_LT(error.message().size(), 300U);
    EXPECT_NE(allow_error(std::string(1U << 20U, '(')).message().find("bytes long"),
              std::string::npos);
}

TEST(Profile, AnActionHasAtMost64KiB) {
    const Profile open = preset_profile("open");
    const std::string head = "tool:bash:";
    const std::string fits = head + std::string(base::limits::action_bytes - head.size(), 'a');
    EXPECT_EQ(fits.size(), 65536U);
    EXPECT_EQ(verdict(open, fits), "allow");
    EXPECT_EQ(verdict(open, fits.substr(1)), "deny");  // no tool:
    EXPECT_EQ(verdict(open, fits.substr(0, 65535)), "allow");
    EXPECT_EQ(decide(open, fits + "a").reason, "the action is longer than 65536 bytes");
    EXPECT_EQ(verdict(open, fits + "a"), "deny");
}

TEST(Profile, NulAndInvalidUtf8AreDeniedEvenWhenOpen) {
    const Profile open = preset_profile("open");
    EXPECT_EQ(decide(open, std::string("tool:view:a\0b", 13)).reason, "the action holds a NUL");
    EXPECT_EQ(decide(open, "tool:view:\xc0\xaf").reason, "the action is not valid UTF-8");
    EXPECT_EQ(decide(open, "tool:view:a\xe2\x82").reason, "the action is not valid UTF-8");
    EXPECT_EQ(verdict(open, "tool:view:\u00fc"), "allow");
    EXPECT_EQ(decide(open, "view:a").reason, "the action does not name its tool");
    EXPECT_EQ(open.decide({"view", "tool:bash:ls", false}, open_air).verdict, Verdict::deny);
}

TEST(Profile, ExamplesAreCheckedWhenItIsCompiled) {
    ProfileText text;
    text.deny = {{"tool:bash:git push.*"}};
    text.allow = {{"tool:bash:git .*"}};
    text.ask = {{"tool:bash:make.*"}};
    text.match = {"tool:bash:git status", "tool:bash:make all"};
    text.not_match = {"tool:bash:git push", "tool:bash:ls",
                      "tool:bash:git status; git -C . push origin"};
    EXPECT_NO_THROW(Profile::compile(text, "test"));
    text.match.emplace_back("tool:bash:git push origin");
    EXPECT_EQ(compile_error(text).message(),
              "agent.json: permissions.match[2] 'tool:bash:git push origin': denied by deny[0] "
              "tool:bash:git push.*");
    text.match.pop_back();
    text.not_match.emplace_back("tool:bash:make");
    EXPECT_EQ(compile_error(text).message(),
              "agent.json: permissions.not_match[3] 'tool:bash:make': not denied by ask[0] "
              "tool:bash:make.*");
}

TEST(Profile, HidesOnlyWhatCanOnlyBeDenied) {
    const Profile locked = preset_profile("locked");
    for (const char* hidden :
         {"tool:bash:", "tool:create_file:", "tool:append_file:", "tool:str_replace:", "tool:git:",
          "tool:git:status", "tool:self_edit:", "tool:self_edit:docs:", "tool:task:",
          "tool:spawn_agent:", "tool:send_to_agent:", "tool:mcp:", "tool:ask_user:",
          "tool:load_skill:", "tool:artifact:", "tool:list_agents:"})
        EXPECT_TRUE(locked.hides(hidden)) << hidden;
    for (const char* shown : {"tool:view:", "tool:list_files:", "tool:search_files:"})
        EXPECT_FALSE(locked.hides(shown)) << shown;
    for (const Row& row : table) {
        EXPECT_FALSE(preset_profile("open").hides(row.action));
        const bool decided = std::string(row.standard) != "deny";
        EXPECT_FALSE(decided && preset_profile("standard").hides(row.action)) << row.action;
    }
    EXPECT_TRUE(preset_profile("standard").hides("tool:unheard_of:"));
}

TEST(Profile, HidesWhatADenyListRulesOut) {
    ProfileText text;
    text.base = "standard";
    text.deny = {{R"(tool:(bash|mcp):[\s\S]*)"}, {"tool:git:push .*"}};
    const Profile profile = Profile::compile(text, "test");
    EXPECT_TRUE(profile.hides("tool:bash:"));
    EXPECT_TRUE(profile.hides("tool:mcp:"));
    EXPECT_FALSE(profile.hides("tool:git:push "));  // an argument with a newline would be asked
    EXPECT_FALSE(profile.hides("tool:view:"));
}

TEST(Profile, HidesIsFalseWhereAPatternIsTooClever) {
    for (const char* pattern :
         {".*", "(?i)TOOL:BASH:.*", "tool:[a-z]+:.*", "tool:b?ash:.*", R"(tool:\w+:.*)",
          R"(\Qtool:bash:\E.*)", "tool:(view|b.*)", "(?:tool:)(?:bash|x):ls", "tool:bash:ls"})
        EXPECT_FALSE(allowing({{pattern}}).hides("tool:bash:")) << pattern;
    for (const char* pattern :
         {"tool:view:.*", "tool:bas:.*", "tool:(view|git):x", R"(tool\:git.*)", "x|tool:view:"})
        EXPECT_TRUE(allowing({{pattern}}).hides("tool:bash:")) << pattern;
}

TEST(Profile, AnExactPatternMatchesOnlyItsAction) {
    const std::string action = "tool:bash:echo $(x) | grep 'a.*[b]' \\ \n\"\u00fc\" {1,2}";
    const Profile profile = allowing({{exact_pattern(action), true}});
    EXPECT_EQ(verdict(profile, action), "allow");
    for (const std::string& other :
         {action + " ", action + "\n", "x" + action, action.substr(1),
          std::string("tool:bash:echo $(x) | grep 'aa[b]' \\ \n\"\u00fc\" {1,2}")})
        EXPECT_EQ(verdict(profile, other), "deny") << other;
}

TEST(Profile, ParsesAnAction) {
    EXPECT_EQ(parse_action("tool:bash:a:b").tool, "bash");
    EXPECT_TRUE(parse_action("tool:bash:a:b").is_shell);
    EXPECT_EQ(parse_action("tool:self_edit:docs:a").tool, "self_edit");
    EXPECT_FALSE(parse_action("tool:self_edit:docs:a").is_shell);
    EXPECT_EQ(parse_action("nonsense").tool, "");
}

}  // namespace
}  // namespace chorus::policy
