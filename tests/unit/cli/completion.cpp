#include "cli/completion.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "cli/main.hpp"

namespace chorus::cli {
namespace {

using Words = std::vector<std::string>;

// Options of every form that the executables have.
struct Sample {
    std::string text;
    std::optional<std::string> maybe;
    std::vector<std::string> texts;
    std::int64_t number = 0;
    bool flag = false;
    Program program{.name = "chorus-sample",
                    .description = "a sample",
                    .verbs = {{"say", "say something", [this](Command& say) { return add(say); }},
                              {"save", "save it",
                               [this](Command& save) {
                                   save.word("FILE", text, "where to");
                                   return Action();
                               }},
                              {"supervise", "for itself", {}, true},
                              {"restore", "restore it", [this](Command& restore) {
                                   restore.word("NAME", text, "the agent");
                                   restore.word("ID", text, "the session");
                                   return Action();
                               }}}};
    Sample() = default;
    Sample(const Sample&) = delete;
    Action add(Command& say) {
        say.word("NAME", text, "the agent").required();
        say.words("WORDS", texts, "what");
        say.flag("-l,--loud", flag, "aloud");
        say.flag("-q,--quiet", flag, "not aloud");
        say.option("-t,--thread THREAD", text, "where");
        say.option("-A NAME", text, "another");
        say.option("--max-iterations,--max-turns N", number, "at most").from(1);
        say.option("--how HOW", text, "how").one_of({"soft", "shrill"});
        say.option("--wait[=TIME]", maybe, "wait");
        say.option("--adopt[=DIR|TAR]", maybe, "take over");
        say.option("--approve ID|all", text, "approve");
        say.option("--profile PROFILE|@FILE", text, "as");
        return {};
    }
    Completion complete(const Words& words) const { return cli::complete(program, words); }
    Words candidates(const Words& words) const {
        Words found;
        for (const Candidate& one : complete(words).candidates) found.push_back(one.word);
        std::sort(found.begin(), found.end());
        return found;
    }
    std::vector<WordSource> sources(const Words& words) const { return complete(words).sources; }
};

using Sources = std::vector<WordSource>;

TEST(Completion, of_a_verb_knows_what_it_does) {
    const Sample sample;
    EXPECT_EQ(sample.candidates({""}), (Words{"restore", "save", "say"}));
    EXPECT_EQ(sample.candidates({}), (Words{"restore", "save", "say"}));
    EXPECT_EQ(sample.candidates({"sa"}), (Words{"save", "say"}));
    EXPECT_EQ(sample.candidates({"x"}), Words{});
    EXPECT_EQ(printed(sample.complete({"sav"})), "save\tsave it\n");
    EXPECT_EQ(sample.candidates({"say", "sa"}), Words{});
}

TEST(Completion, of_options_offers_what_may_still_come) {
    const Sample sample;
    EXPECT_EQ(sample.candidates({"-"}), (Words{"--help", "--version"}));
    EXPECT_EQ(sample.candidates({"say", "--"}),
              (Words{"--adopt", "--approve", "--help", "--how", "--loud", "--max-iterations",
                     "--profile", "--quiet", "--thread", "--wait"}));
    EXPECT_EQ(sample.candidates({"say", "-A"}), Words{"-A"});
    EXPECT_EQ(sample.candidates({"say", "-t"}), Words{"-t"});
    EXPECT_EQ(sample.candidates({"say", "--max-t"}), Words{"--max-turns"});
    EXPECT_EQ(sample.candidates({"say", "--loud", "--lo"}), Words{});
    EXPECT_EQ(sample.candidates({"say", "-l", "--lo"}), Words{});
    EXPECT_EQ(sample.candidates({"say", "--q"}), Words{"--quiet"});
}

// By the table of conflicts.
TEST(Completion, offers_no_option_that_one_before_excludes) {
    std::string text;
    const Program program{.name = "chorus-tasks",
                          .description = "",
                          .verbs = {{"steps", "", [&text](Command& steps) {
                                         steps.option("-t,--thread THREAD", text, "");
                                         steps.option("--turn TURN", text, "");
                                         return Action();
                                     }}}};
    const auto offered = [&](const Words& words) {
        return complete(program, words).candidates.size();
    };
    EXPECT_EQ(offered({"steps", "--tu"}), 1U);
    EXPECT_EQ(offered({"steps", "-t", "1", "--tu"}), 0U);
    EXPECT_EQ(offered({"steps", "--turn=1", "--th"}), 0U);
}

TEST(Completion, of_a_value_offers_the_ones_listed) {
    const Sample sample;
    EXPECT_EQ(sample.candidates({"say", "--how", ""}), (Words{"shrill", "soft"}));
    EXPECT_EQ(sample.candidates({"say", "--how", "so"}), Words{"soft"});
    EXPECT_EQ(sample.candidates({"say", "--how=sh"}), Words{"--how=shrill"});
    EXPECT_EQ(sample.candidates({"say", "--approve", ""}), Words{"all"});
    EXPECT_EQ(sample.sources({"say", "--approve", ""}), Sources{WordSource::call});
    EXPECT_EQ(sample.sources({"say", "--max-turns", ""}), Sources{WordSource::nothing});
}

TEST(Completion, of_a_value_knows_where_it_stands) {
    const Sample sample;
    for (const Words& words :
         {Words{"say", "--thread", "tr"}, Words{"say", "-t", "tr"}, Words{"say", "-lt", "tr"}}) {
        const Completion completion = sample.complete(words);
        EXPECT_EQ(completion.sources, Sources{WordSource::thread});
        EXPECT_EQ(completion.stem, "");
        EXPECT_EQ(completion.begun, "tr");
    }
    for (const auto& [word, stem] :
         {std::pair{"--thread=tr", "--thread="}, {"-ttr", "-t"}, {"-lttr", "-lt"}}) {
        const Completion completion = sample.complete({"say", word});
        EXPECT_EQ(completion.sources, Sources{WordSource::thread}) << word;
        EXPECT_EQ(completion.stem, stem);
        EXPECT_EQ(completion.begun, "tr");
    }
}

TEST(Completion, of_a_value_that_may_be_left_out_is_behind_the_sign) {
    const Sample sample;
    EXPECT_EQ(sample.sources({"say", "--wait=1"}), Sources{WordSource::nothing});
    EXPECT_EQ(sample.sources({"say", "--wait", ""}), Sources{WordSource::agent});
    EXPECT_EQ(sample.sources({"say", "--adopt=x"}),
              (Sources{WordSource::directories, WordSource::files}));
    EXPECT_EQ(printed(sample.complete({"say", "--adopt=x"})), ":files\t--adopt=\n");
}

TEST(Completion, of_a_file_behind_an_at_keeps_that_sign) {
    const Sample sample;
    EXPECT_EQ(sample.sources({"say", "--profile", "x"}), Sources{WordSource::profile});
    EXPECT_EQ(printed(sample.complete({"say", "--profile", "@x"})), ":files\t@\n");
    EXPECT_EQ(printed(sample.complete({"say", "--profile=@x"})), ":files\t--profile=@\n");
}

TEST(Completion, of_words_counts_them) {
    const Sample sample;
    EXPECT_EQ(sample.sources({"say", ""}), Sources{WordSource::agent});
    EXPECT_EQ(sample.sources({"say", "--loud", "-t", "main", ""}), Sources{WordSource::agent});
    EXPECT_EQ(sample.sources({"say", "ada", ""}), Sources{WordSource::files});
    EXPECT_EQ(sample.sources({"say", "ada", "a", "b", ""}), Sources{WordSource::files});
    EXPECT_EQ(sample.sources({"save", ""}), Sources{WordSource::files});
    EXPECT_EQ(sample.sources({"save", "x", ""}), Sources{});
    EXPECT_EQ(sample.sources({"say", "-", ""}), Sources{WordSource::files});
}

TEST(Completion, behind_two_dashes_knows_words_only) {
    const Sample sample;
    EXPECT_EQ(sample.sources({"say", "--", ""}), Sources{WordSource::agent});
    EXPECT_EQ(sample.sources({"say", "ada", "--", "--"}), Sources{WordSource::files});
    EXPECT_EQ(sample.candidates({"say", "ada", "--", "-"}), Words{});
    EXPECT_EQ(sample.sources({"save", "x", "--", ""}), Sources{WordSource::files});
    EXPECT_EQ(sample.candidates({"--", "sa"}), Words{});
}

TEST(Completion, remembers_the_agent_named_before) {
    const Sample sample;
    EXPECT_EQ(sample.complete({"say", "ada", "-t", ""}).agent, "ada");
    EXPECT_EQ(sample.complete({"say", "-A", "bob", "-t", ""}).agent, "bob");
    EXPECT_EQ(sample.complete({"say", "-Abob", "-t", ""}).agent, "bob");
    EXPECT_EQ(sample.complete({"say", "-t", ""}).agent, "");
    EXPECT_EQ(sample.complete({"restore", "ada", "12"}).agent, "ada");
    EXPECT_EQ(sample.sources({"restore", "ada", "12"}), Sources{WordSource::session});
}

TEST(Completion, survives_what_no_parser_takes) {
    const Sample sample;
    for (const Words& words :
         {Words{"say", "--nothing", "x"}, Words{"say", "--nothing=x", "="},
          Words{"say", "-xyz", "-"}, Words{"--=", "--="}, Words{"", "", ""}, Words{"say", "--how"},
          Words{"say", "-Z"}, Words{"say", "--"}, Words{"\xff", "say", std::string(100'000, '-')}})
        EXPECT_NO_THROW((void)sample.complete(words)) << words.back().substr(0, 20);
    EXPECT_EQ(sample.candidates({"say", "--nothing=x"}), Words{});
}

TEST(Completion, prints_lines_that_move_no_cursor) {
    Completion completion;
    completion.offer("a", "one\ttwo\nthree\x1b[2J\xff");
    completion.offer("b", std::string(500, 'x'));
    completion.offer("", "nothing");
    const std::string lines = printed(completion);
    EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 2);
    EXPECT_EQ(std::count(lines.begin(), lines.end(), '\t'), 2);
    EXPECT_EQ(lines.rfind("a\tone two\\nthree\\x1b[2J", 0), 0U) << lines;
    EXPECT_FALSE(base::find_hidden(lines));
    EXPECT_LT(lines.size(), 200U);
}

}  // namespace
}  // namespace chorus::cli
