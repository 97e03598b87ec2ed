#include "agent/preset.hpp"

#include "base/error.hpp"
#include "support/scratch.hpp"

namespace chorus::agent {
namespace {

constexpr const char* whole =
    R"(---
# who reads
description: >
  Reads code,
  writes nothing.
backend: Anthropic
model: "claude-haiku-4-5"   # small
temperature: 0.2
max_tokens: 4096
effort: low
tools: [view, list_files]
permissions: {base: locked, allow: ["tool:view:.*"]}
confirm-tool-calls: true
include-tool-results: true
isolate: yes
paths:
  read:
    - "src/**"
  write: []
  deny: ["**/*.pem"]
color: blue
---

You read code.
---
Not front matter.
)";

std::string front(const std::string& lines) {
    return "---\n" + lines + "---\nBody.\n";
}

// P-16 P-63
TEST(Preset, is_read) {
    const Preset preset = parse_preset(whole, "p.md");
    EXPECT_EQ(preset.description, "Reads code, writes nothing.\n");
    EXPECT_EQ(preset.model, "anthropic/claude-haiku-4-5");
    EXPECT_EQ(preset.options.temperature, 0.2);
    EXPECT_EQ(preset.options.max_tokens, 4096);
    EXPECT_EQ(preset.options.effort, "low");
    EXPECT_EQ(preset.tools, (std::vector<std::string>{"view", "list_files"}));
    ASSERT_TRUE(preset.permissions);
    EXPECT_EQ(preset.permissions->custom->base, "locked");
    EXPECT_TRUE(preset.confirm_calls);
    EXPECT_TRUE(preset.isolate);
    EXPECT_EQ(preset.paths.read, (std::vector<std::string>{"src/**"}));
    EXPECT_EQ(preset.paths.write, (std::vector<std::string>{}));
    EXPECT_EQ(preset.paths.deny, (std::vector<std::string>{"**/*.pem"}));
    EXPECT_EQ(preset.unread, (std::vector<std::string>{"color"}));
    EXPECT_EQ(preset.system_message, "You read code.\n---\nNot front matter.");
}

TEST(Preset, without_front_matter_is_a_system_message) {
    for (const char* text : {"Just text.\n", "\xEF\xBB\xBFJust text.", "---\n---\nJust text.",
                             "---  \r\n---\r\nJust text.\r\n"}) {
        const Preset preset = parse_preset(text, "p.md");
        EXPECT_EQ(preset.system_message, "Just text.") << text;
        EXPECT_EQ(preset.model, "");
        EXPECT_FALSE(preset.tools);
        EXPECT_FALSE(preset.permissions);
        EXPECT_FALSE(preset.paths.read);
    }
}

TEST(Preset, a_model_is_named_with_its_provider) {
    EXPECT_EQ(parse_preset(front("model: openai/gpt-5\nbackend: x\n"), "p").model, "openai/gpt-5");
    EXPECT_EQ(parse_preset(front("model: gpt-5\n"), "p").model, "gpt-5");
}

// P-56: never a default instead of what cannot be read.
TEST(Preset, an_error_names_the_file_and_the_line) {
    const std::pair<const char*, const char*> cases[] = {
        {"tools: view\n", "line 2: tools: must be a list of texts"},
        {"\ntools:\n  - [view]\n", "line 4: tools: must be a list of texts"},
        {"model: a\nmodel: b\n", "line 3: model: given twice"},
        {"paths: {read: [a], read: [b]}\n", "line 2: paths.read: given twice"},
        {"paths: [a]\n", "line 2: paths: must be a mapping"},
        {"paths: {reed: [a]}\n", "line 2: paths.reed: is not known; read, write and deny are"},
        {"paths: {read: a}\n", "line 2: paths.read: must be a list of texts"},
        {"paths:\n  deny: ['']\n", "line 3: paths.deny: '' is empty"},
        {"temperature: hot\n", "line 2: temperature: must be a number from 0 to 2"},
        {"temperature: .nan\n", "line 2: temperature: must be a number from 0 to 2"},
        {"temperature: 3\n", "line 2: temperature: must be a number from 0 to 2"},
        {"max_tokens: 0\n", "line 2: max_tokens: must be a number of tokens"},
        {"isolate: maybe\n", "line 2: isolate: must be true or false"},
        {"include-tool-results: false\n",
         "line 2: include-tool-results: must be true: results are always recorded"},
        {"backend: openai\n", "backend: there is no model beside it"},
        {"a: [\n", "line 3: "},
        {"a: b: c\n", "line 2: "},
        {"- a\n", "line 2: the front matter must be a mapping"},
        {"? [a]\n: b\n", "a key must be a text"},
    };
    for (const auto& [lines, expected] : cases) {
        const base::Error error =
            test::error_of([&lines = lines] { (void)parse_preset(front(lines), "dir/p.md"); });
        EXPECT_EQ(error.code(), base::ErrorCode::config_invalid) << lines;
        EXPECT_TRUE(error.message().starts_with("Failed to load preset from dir/p.md: ")) << lines;
        EXPECT_NE(error.message().find(expected), std::string::npos) << error.message();
    }
    EXPECT_NE(test::error_of([] { (void)parse_preset("---\nmodel: a\n", "p"); })
                  .message()
                  .find("line 1: no line '---' ends the front matter"),
              std::string::npos);
    EXPECT_NE(test::error_of([] { (void)parse_preset("a\xff", "p"); }).message().find("not UTF-8"),
              std::string::npos);
    EXPECT_NE(test::error_of([] { (void)load_preset("/nonexistent/p.md"); })
                  .message()
                  .find("no such file"),
              std::string::npos);
}

TEST(Preset, deep_nesting_is_an_error) {
    const std::string deep(100'000, '[');
    EXPECT_THROW((void)parse_preset(front("tools: " + deep + "\n"), "p"), base::Error);
    EXPECT_THROW((void)parse_preset(
                     front("permissions: {a: [[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]}\n"), "p"),
                 base::Error);
}

struct Edit {
    const char* before;
    PathLists paths;
    const char* after;
};

// P-17 P-69: the lists and nothing else; a second front matter is never made.
TEST(Preset, paths_are_written_in_place) {
    const PathLists some{{{"src/**", "a b"}}, {{}}, {"**/.env"}};
    const Edit edits[] = {
        {"Text.\n", some,
         "---\npaths:\n  read:\n    - \"src/**\"\n    - \"a b\"\n  write: []\n  deny:\n"
         "    - \"**/.env\"\n---\nText.\n"},
        {"---\nmodel: a # why\n\n# end\n---\nText.\n",
         {{{"x"}}, {}, {}},
         "---\nmodel: a # why\n\n# end\npaths:\n  read:\n    - \"x\"\n---\nText.\n"},
        {"---\r\nmodel: a\r\n---\r\nText.\r\n",
         {{{"x"}}, {}, {}},
         "---\r\nmodel: a\r\npaths:\r\n  read:\r\n    - \"x\"\r\n---\r\nText.\r\n"},
        {"---\npaths:\n  # sources\n  read:\n    - src/** # all\n    - \"old\" # gone\n\n"
         "# the model\nmodel: a\n---\n---\nText.",
         {{{"src/**", "new"}}, {{"w"}}, {}},
         "---\npaths:\n  # sources\n  read:\n    - src/** # all\n# gone\n    - \"new\"\n"
         "  write:\n    - \"w\"\n\n# the model\nmodel: a\n---\n---\nText."},
        {"---\npaths: {read: [\"a # b\"], deny: []} # flow\nmodel: a\n---\n",
         {{{"c"}}, {}, {"d"}},
         "---\npaths:\n  read:\n    - \"c\"\n  deny:\n    - \"d\"\n# flow\nmodel: a\n---\n"},
        {"---\npaths:\n    read: [a,\n      b] # two\n    deny:\n    - c\n---\n",
         {{{"a"}}, {}, {"c", "d"}},
         "---\npaths:\n    read:\n      - \"a\"\n# two\n    deny:\n    - c\n    - \"d\"\n---\n"},
        {"---\npaths:\n  write:\n    - a\n    - b\n---\n",
         {{}, {{}}, {}},
         "---\npaths:\n  write: []\n---\n"},
        {"---\npaths:\n---\n", {{{"a"}}, {}, {}}, "---\npaths:\n  read:\n    - \"a\"\n---\n"},
        {"\xEF\xBB\xBF---\nmodel: a\n---\n",
         {{{"a"}}, {}, {}},
         "\xEF\xBB\xBF---\nmodel: a\npaths:\n  read:\n    - \"a\"\n---\n"},
    };
    for (const auto& [before, paths, after] : edits) {
        const std::string written = with_paths(before, paths, "p.md");
        EXPECT_EQ(written, after);
        EXPECT_EQ(parse_preset(written, "p.md").paths, paths);
        EXPECT_EQ(with_paths(written, paths, "p.md"), written);
    }
}

TEST(Preset, what_cannot_be_written_in_place_is_refused) {
    const base::Error error = test::error_of([] {
        (void)with_paths("---\n{model: a}\n---\n", {{{"x"}}, {}, {}}, "p.md");
    });
    EXPECT_EQ(error.code(), base::ErrorCode::config_invalid);
}

}  // namespace
}  // namespace chorus::agent
