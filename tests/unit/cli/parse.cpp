#include "base/text.hpp"
#include "cli/parse.hpp"

#include <gtest/gtest.h>

#include <random>

#include "base/error.hpp"

namespace chorus::cli {
namespace {

using Words = std::vector<std::string>;

// One command with an option of each kind.
struct SampleCommand {
    std::string name;
    std::string text;
    std::string other;
    std::string short_only;
    std::optional<std::string> wait;
    std::string how;
    Words words;
    std::int64_t number = 0;
    bool quiet = false;
    bool loud = false;
    Command command{"chorus-sample", "a sample"};

    SampleCommand() {
        command.word("NAME", name, "the agent").required();
        command.words("WORDS", words, "what");
        command.flag("-q,--quiet", quiet, "not aloud");
        command.flag("-l,--loud", loud, "aloud").needs("--text");
        command.option("-t,--text", text, "text");
        command.option("--other", other, "text").may_be_empty();
        command.option("-A NAME", short_only, "text");
        command.option("--number", number, "number").from(1);
        command.option("--how", how, "how").one_of({"soft", "shrill"});
        command.option("--wait[=TIME]", wait, "wait");
    }
    SampleCommand(const SampleCommand&) = delete;
    Wanted read(const Words& arguments) { return parse(command, arguments); }
};

base::Error refusal(const Words& arguments) {
    SampleCommand sample;
    try {
        sample.read(arguments);
    } catch (const base::Error& error) {
        EXPECT_EQ(error.code(), base::ErrorCode::bad_request);
        EXPECT_FALSE(error.hint().empty()) << error.message();
        return error;
    }
    ADD_FAILURE() << "accepted: " << ::testing::PrintToString(arguments);
    return {base::ErrorCode::internal, "accepted"};
}
std::string why(const Words& arguments) {
    return refusal(arguments).message();
}

TEST(Parse, takes_options_before_and_between_words_that_are_no_text) {
    for (const Words& arguments :
         {Words{"-q", "--text", "x", "ada"}, Words{"ada", "-qt", "x"},
          Words{"-tx", "ada", "--quiet"}, Words{"--text=x", "-q", "--", "ada"}}) {
        SampleCommand sample;
        EXPECT_EQ(sample.read(arguments), Wanted::run);
        EXPECT_EQ(sample.name, "ada");
        EXPECT_EQ(sample.text, "x");
        EXPECT_TRUE(sample.quiet);
        EXPECT_EQ(sample.words, Words{});
    }
}

TEST(Parse, keeps_every_byte_of_a_word_and_a_value) {
    std::mt19937 random(20261124);
    const std::string_view letters = "[]{},;:'\"\\$%=-a b\t\n\x7f\xc3\xa9\xff()!*?~`|&<>#@^+._/0";
    for (int i = 0; i < 10'000; ++i) {
        std::string word;
        for (unsigned length = random() % 12 + 1; length > 0; --length)
            word += letters[random() % letters.size()];
        if (const auto at = base::find_invalid_utf8(word)) {
            EXPECT_NE(why({"--", word, word}).find("not valid UTF-8 at byte"), std::string::npos);
            word = base::replace_invalid_utf8(word);
        }
        SampleCommand sample;
        ASSERT_EQ(sample.read({"--text=" + word, "--", word, word, word}), Wanted::run) << word;
        ASSERT_EQ(sample.name, word);
        ASSERT_EQ(sample.text, word);
        ASSERT_EQ(sample.words, (Words{word, word}));
        if (word.front() == '-') continue;
        SampleCommand spaced;
        ASSERT_EQ(spaced.read({"-t", word, "-A", word, word, word}), Wanted::run) << word;
        ASSERT_EQ(spaced.text + spaced.short_only + spaced.name + spaced.words.at(0),
                  word + word + word + word);
    }
}

TEST(Parse, takes_no_option_between_the_words_of_a_text) {
    const base::Error error = refusal({"ada", "why", "does", "sort", "-t", "results.txt", "fail"});
    EXPECT_EQ(error.message(), "usage: '-t' is between the words of WORDS");
    EXPECT_NE(error.hint().find("chorus-sample ada -- why does sort -t results.txt fail"),
              std::string::npos)
        << error.hint();
    EXPECT_NE(why({"ada", "why", "--quiet", "now"}).find("between the words"), std::string::npos);
    EXPECT_NE(why({"ada", "why", "now", "-q"}).find("between the words"), std::string::npos);
    EXPECT_NE(why({"ada", "what", "does", "--help", "do"}).find("between the words"),
              std::string::npos);
    SampleCommand one;
    EXPECT_EQ(one.read({"ada", "one text", "-q", "--text", "x"}), Wanted::run);
    EXPECT_EQ(one.words, Words{"one text"});
    EXPECT_EQ(one.text, "x");
    SampleCommand behind;
    EXPECT_EQ(behind.read({"ada", "-q", "--", "-x", "--help", "--"}), Wanted::run);
    EXPECT_EQ(behind.words, (Words{"-x", "--help", "--"}));
}

TEST(Parse, takes_an_argument_with_a_blank_for_an_option_only_with_a_name_and_a_sign) {
    for (const char* text : {"-help me please", "-q now", "--quiet now", "--nothing=of the kind",
                             "- one", "-- two", "--text\n=x"}) {
        SampleCommand sample;
        EXPECT_EQ(sample.read({"ada", text}), Wanted::run) << text;
        EXPECT_EQ(sample.words, Words{text});
    }
    SampleCommand sample;
    EXPECT_EQ(sample.read({"ada", "--text=of two words"}), Wanted::run);
    EXPECT_EQ(sample.text, "of two words");
    EXPECT_EQ(sample.words, Words{});
}

TEST(Parse, refuses_a_value_that_is_missing_or_empty) {
    EXPECT_EQ(why({"ada", "--text"}), "usage: --text: its value is missing");
    EXPECT_EQ(why({"ada", "-A"}), "usage: -A: NAME is missing");
    EXPECT_EQ(why({"ada", "-A", "--"}), "usage: -A: NAME is missing");
    EXPECT_EQ(why({"ada", "--text", "-q"}),
              "usage: --text: its value is missing, '-q' is an option");
    EXPECT_EQ(why({"ada", "--text=", "word"}), "usage: --text: is empty");
    EXPECT_EQ(why({"ada", "--text", ""}), "usage: --text: is empty");
    EXPECT_EQ(why({"ada", "--wait="}), "usage: --wait: is empty");
    EXPECT_EQ(why({""}), "usage: NAME: is empty");
    EXPECT_EQ(why({"ada", ""}), "usage: WORDS: is empty");
    EXPECT_EQ(why({}), "usage: NAME is missing");
    SampleCommand sample;
    EXPECT_EQ(sample.read({"ada", "--other=", "--text", "-5", "--wait"}), Wanted::run);
    EXPECT_EQ(sample.other, "");
    EXPECT_EQ(sample.text, "-5") << "no option is called that";
    EXPECT_EQ(sample.wait, "");
}

TEST(Parse, refuses_a_value_where_none_goes_or_in_another_form) {
    EXPECT_EQ(why({"ada", "--quiet=yes"}), "usage: --quiet takes no value");
    EXPECT_EQ(why({"ada", "-t=x"}),
              "usage: '-t=x': give the value of -t after a blank, without '='");
    EXPECT_EQ(why({"ada", "--text", "x", "--text", "y"}), "usage: --text is given twice");
    EXPECT_EQ(why({"ada", "--how", "loud"}),
              "usage: --how: 'loud' is not one of 'soft' and 'shrill'");
    SampleCommand sample;
    EXPECT_EQ(sample.read({"ada", "-q", "-q"}), Wanted::run);
}

TEST(Parse, takes_decimal_numbers_in_range) {
    for (const char* text : {"2147483648", "99999999999999999999999999"})
        EXPECT_EQ(why({"ada", std::string("--number=") + text}),
                  "usage: --number: '" + std::string(text) + "' is more than 2147483647");
    for (const char* text : {"0", "-1", "+5", "0x10", "1e1", "5 ", " 5", "5.0", "five"})
        EXPECT_EQ(
            why({"ada", std::string("--number=") + text}),
            "usage: --number: '" + std::string(text) + "' is not a whole number, 1 or more");
    SampleCommand sample;
    EXPECT_EQ(sample.read({"ada", "--number", "007"}), Wanted::run);
    EXPECT_EQ(sample.number, 7);
}

TEST(Parse, names_what_is_near_and_the_help_of_the_command) {
    const base::Error error = refusal({"ada", "--quite"});
    EXPECT_EQ(error.message(), "usage: there is no option '--quite'");
    EXPECT_EQ(error.hint(), "did you mean --quiet? see chorus-sample --help");
    EXPECT_EQ(why({"ada", "-qx"}), "usage: there is no option '-qx'");
    EXPECT_EQ(why({"ada", "-l"}), "usage: --loud needs --text");
    SampleCommand sample;
    EXPECT_EQ(sample.read({"--help", "--nothing"}), Wanted::help);
    EXPECT_EQ(sample.read({"ada", "-h"}), Wanted::help);
    EXPECT_EQ(sample.read({"--version"}), Wanted::version);
}

TEST(Parse, takes_a_list_with_options_anywhere) {
    Words ids;
    std::string timeout;
    Command command("chorus-sample wait", "");
    command.list("ID", ids, "the tasks").required();
    command.option("--timeout", timeout, "at most");
    EXPECT_EQ(parse(command, {"a", "--timeout", "5", "b", "c"}), Wanted::run);
    EXPECT_EQ(ids, (Words{"a", "b", "c"}));
    EXPECT_EQ(timeout, "5");
}

}  // namespace
}  // namespace chorus::cli
