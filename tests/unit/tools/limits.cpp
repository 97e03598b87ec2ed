// Bounds of tools, through the tools.
#include "base/limits.hpp"

#include "base/text.hpp"
#include "sys/clock.hpp"
#include "tools/result.hpp"
#include "workspace.hpp"

namespace chorus::tools {
namespace {

namespace limits = base::limits;

class Limits : public Workspace {
  protected:
    // With the one timeout that was asked for, in seconds; 0: none was.
    std::string timed(std::int64_t seconds) const {
        const std::string timeout = seconds == 0 ? "" : ",\"timeout\":" + std::to_string(seconds);
        return ok("bash", R"({"command":"true")" + timeout + "}");
    }
};

TEST_F(Limits, AResult) {
    constexpr std::size_t most = limits::tool_result_characters;
    for (const char* character : {"x", "ä"}) {
        EXPECT_EQ(answer(repeated(character, most - 1)).text, repeated(character, most - 1));
        EXPECT_EQ(answer(repeated(character, most)).text, repeated(character, most));
        const std::string cut = answer(repeated(character, most + 1)).text;
        EXPECT_EQ(base::utf8_length(cut), most);
        EXPECT_TRUE(has(cut, "[cut: only the start of 50001 characters is shown"));
        EXPECT_EQ(base::utf8_length(failure(repeated(character, most + 1)).text), most);
    }
}

TEST_F(Limits, EveryToolKeepsToIt) {
    std::string many;
    for (int i = 0; i < 2'000; ++i) {
        put("d/" + std::to_string(i) + repeated("n", 200) + ".txt", "x");
        many += std::to_string(i) + " " + repeated("needle ", 20) + "\n";
    }
    put("many.txt", many);
    for (const auto& [name, json] : std::vector<std::pair<std::string, std::string>>{
             {"view", R"({"path":"many.txt"})"},
             {"list_files", R"({"path":"d"})"},
             {"search_files", R"({"pattern":"needle"})"},
             {"bash", R"({"command":"cat many.txt; cat many.txt >&2"})"}}) {
        const std::string text = ok(name, json);
        EXPECT_LE(base::utf8_length(text), limits::tool_result_characters) << name;
        EXPECT_GT(base::utf8_length(text), limits::tool_result_characters / 2) << name;
    }
}

TEST_F(Limits, TimeoutOfACommand) {
    const std::int64_t most_s = limits::bash_most_ms / 1000;
    EXPECT_FALSE(has(timed(most_s - 1), "more than allowed"));
    EXPECT_FALSE(has(timed(most_s), "more than allowed"));
    EXPECT_TRUE(has(timed(most_s + 1), "[timeout 601 s is more than allowed, 600 s was used]"));
}

TEST_F(Limits, WithoutATimeoutACommandHasTheShorterOfTheTwo) {
    workplace.bash_most_ms = 1'000;
    EXPECT_TRUE(has(ok("bash", R"({"command":"sleep 60"})"), "timed out after 1 s"));
}

TEST_F(Limits, FromTermToKill) {
    const std::int64_t began_ms = sys::monotonic_ms();
    ok("bash", R"({"command":"trap '' TERM; while :; do sleep 0.1; done","timeout":1})");
    const std::int64_t took_ms = sys::monotonic_ms() - began_ms;
    EXPECT_GE(took_ms, 1'000 + limits::bash_grace_ms);
    EXPECT_LT(took_ms, 1'000 + 2 * limits::bash_grace_ms);
}

// What it left behind holds its output open.
TEST_F(Limits, WaitForThePipes) {
    const std::int64_t began_ms = sys::monotonic_ms();
    ok("bash", R"({"command":"setsid sleep 20 & echo done"})");
    const std::int64_t took_ms = sys::monotonic_ms() - began_ms;
    EXPECT_GE(took_ms, limits::pipe_grace_ms);
    EXPECT_LT(took_ms, 10'000);
}

TEST_F(Limits, AFileThatIsEdited) {
    const auto of_size = [&](std::size_t bytes) {
        put("f", "needle" + std::string(bytes - 6, '.'));
        return call("str_replace", R"({"path":"f","old_str":"needle","new_str":"thread"})");
    };
    EXPECT_FALSE(of_size(limits::edited_file_bytes - 1).is_error);
    EXPECT_FALSE(of_size(limits::edited_file_bytes).is_error);
    const chat::ToolResult refused = of_size(limits::edited_file_bytes + 1);
    EXPECT_TRUE(has(refused.text, "16777217 bytes, more than the 16777216 that can be edited"));
    EXPECT_TRUE(get("f").starts_with("needle"));
}

TEST_F(Limits, AFileThatIsSearched) {
    const auto of_size = [&](std::size_t bytes) {
        put("f", std::string(bytes - 7, '\n') + "needle\n");
        return ok("search_files", R"({"pattern":"needle"})");
    };
    EXPECT_FALSE(has(of_size(limits::searched_file_bytes - 1), "not searched"));
    EXPECT_FALSE(has(of_size(limits::searched_file_bytes), "not searched"));
    EXPECT_TRUE(has(of_size(limits::searched_file_bytes + 1), "16 MiB not searched"));
}

}  // namespace
}  // namespace chorus::tools
