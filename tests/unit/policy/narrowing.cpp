#include "policy/grants.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <random>

namespace chorus::policy {
namespace {

using Rules = std::vector<Rule>;

ProfileText preset(std::string name) {
    return {.base = std::move(name)};
}

ProfileText with(std::string base, Rules deny, Rules allow, Rules ask) {
    return {.base = std::move(base),
            .deny = std::move(deny),
            .allow = std::move(allow),
            .ask = std::move(ask)};
}

const std::vector<std::string> widest_first{"open", "sandboxed", "standard", "locked", ""};

// order.md, section Rights
TEST(Narrowing, PresetsAreRanked) {
    for (std::size_t i = 0; i < widest_first.size(); ++i)
        for (std::size_t j = 0; j < widest_first.size(); ++j)
            EXPECT_EQ(narrows(preset(widest_first[i]), preset(widest_first[j])), i <= j)
                << widest_first[i] << " to " << widest_first[j];
}

TEST(Narrowing, AStricterBaseUnderTheSameListsIsNone) {
    const Rules deny{{"tool:git:.*"}};
    const Rules allow{{"tool:bash:make"}};
    EXPECT_TRUE(narrows(with("sandboxed", deny, allow, {}), with("standard", deny, allow, {})));
    EXPECT_FALSE(narrows(with("standard", deny, allow, {}), with("sandboxed", deny, allow, {})));
    EXPECT_FALSE(narrows(preset("open"), with("locked", {}, allow, {})));
    EXPECT_TRUE(narrows(preset("open"), with("locked", deny, {}, {})));
}

TEST(Narrowing, DenyEntriesMayBeAddedAndNotRemoved) {
    const ProfileText before = with("standard", {{"a"}}, {{"b"}}, {{"c"}});
    const ProfileText after = with("standard", {{"x"}, {"a"}}, {{"b"}}, {{"c"}});
    EXPECT_TRUE(narrows(before, after));
    EXPECT_FALSE(narrows(after, before));
    EXPECT_FALSE(narrows(before, with("standard", {{"x"}}, {{"b"}}, {{"c"}})));
    EXPECT_FALSE(narrows(before, preset("locked")));
}

TEST(Narrowing, AllowAndAskEntriesMayBeRemovedAndNotAdded) {
    const ProfileText before = with("", {}, {{"a"}, {"b"}}, {{"c"}, {"d"}});
    EXPECT_TRUE(narrows(before, with("", {}, {{"b"}}, {{"d"}, {"c"}})));
    EXPECT_TRUE(narrows(before, with("", {}, {}, {})));
    EXPECT_FALSE(narrows(before, with("", {}, {{"a"}, {"b"}, {"x"}}, {})));
    EXPECT_FALSE(narrows(before, with("", {}, {}, {{"x"}})));
    EXPECT_FALSE(narrows(before, with("", {}, {{"c"}}, {})));
    // told from the lists: that "a" is covered by ".*" is not looked at
    EXPECT_FALSE(narrows(with("", {}, {{".*"}}, {}), with("", {}, {{"a"}}, {})));
}

TEST(Narrowing, EntriesOfTheBaseCountAsItsOwn) {
    const Rule views{"tool:(view|list_files|search_files):.*"};
    const Rule commands{R"(tool:bash:[\s\S]*)"};
    EXPECT_TRUE(narrows(preset("locked"), with("", {}, {views}, {})));
    EXPECT_TRUE(narrows(preset("locked"), with("", {}, {}, {views})));
    EXPECT_TRUE(narrows(preset("standard"), with("", {}, {}, {commands})));
    EXPECT_FALSE(narrows(preset("standard"), with("", {}, {commands}, {})));
    // sandboxed allows them only while they are confined
    EXPECT_FALSE(narrows(preset("sandboxed"), with("", {}, {commands}, {})));
    // spelled out, a preset is not recognised
    EXPECT_FALSE(narrows(with("", {}, {views}, {}), preset("locked")));
}

TEST(Narrowing, AllowMayBecomeAsk) {
    for (const char* pattern : {"tool:view:.*", "tool:git:push .*", R"(tool:mcp:[\s\S]*)"}) {
        EXPECT_TRUE(narrows(with("", {}, {{pattern}}, {}), with("", {}, {}, {{pattern}})));
        EXPECT_FALSE(narrows(with("", {}, {}, {{pattern}}), with("", {}, {{pattern}}, {})));
    }
}

// An ask entry that matches the whole of `make; rm x` has a person asked about it, an allow entry
// leaves it denied: `rm x` is not covered.
TEST(Narrowing, AllowMayBecomeAskForCommandsWhereItCoveredThemWhole) {
    const auto becomes_ask = [](const Rule& rule) {
        return narrows(with("", {}, {rule}, {}), with("", {}, {}, {rule}));
    };
    EXPECT_FALSE(becomes_ask({"tool:bash:make.*"}));
    EXPECT_FALSE(becomes_ask({".*"}));
    EXPECT_FALSE(becomes_ask({"(?i)tool:view:.*"}));
    EXPECT_TRUE(becomes_ask({"tool:bash:make.*", true}));
    EXPECT_TRUE(becomes_ask({R"(tool:bash:[\s\S]*)"}));
    EXPECT_TRUE(becomes_ask({R"(tool:[\s\S]*)"}));

    const Action joined = parse_action("tool:bash:make; rm x");
    const auto verdict = [&](const ProfileText& text) {
        return Profile::compile(text, "test").decide(joined, {}).verdict;
    };
    EXPECT_EQ(verdict(with("", {}, {{"tool:bash:make.*"}}, {})), Verdict::deny);
    EXPECT_EQ(verdict(with("", {}, {}, {{"tool:bash:make.*"}})), Verdict::ask);
}

TEST(Narrowing, ShellMayBeLostAndNotGained) {
    const Rule plain{"tool:bash:make.*"};
    const Rule shell{"tool:bash:make.*", true};
    EXPECT_TRUE(narrows(with("", {}, {shell}, {}), with("", {}, {plain}, {})));
    EXPECT_FALSE(narrows(with("", {}, {plain}, {}), with("", {}, {shell}, {})));
    // what `always` adds
    EXPECT_FALSE(narrows(preset("standard"), with("standard", {}, {shell}, {})));
    // it says nothing in the other lists
    EXPECT_TRUE(narrows(with("", {plain}, {}, {shell}), with("", {shell}, {}, {plain})));
}

TEST(Narrowing, ExamplesDecideNothing) {
    ProfileText before = preset("standard");
    before.match = {"tool:view:a"};
    EXPECT_TRUE(narrows(before, preset("standard")));
    EXPECT_TRUE(narrows(preset("standard"), before));
}

std::string shown(const ProfileText& text) {
    std::string all = "base '" + text.base + "'";
    const auto add = [&](const char* name, const Rules& rules) {
        all += std::string(", ") + name;
        for (const Rule& one : rules) all += " " + one.pattern + (one.shell ? " (shell)" : "");
    };
    add("deny", text.deny);
    add("allow", text.allow);
    add("ask", text.ask);
    return all;
}

// Random profiles, most of them a step or a few from another, and every pair of them.
class World {
  public:
    explicit World(unsigned seed) : random_(seed) {
        while (profiles_.size() < most_profiles) add_family();
        for (int i = 0; i < most_actions; ++i) actions_.push_back(parse_action(action()));
        for (Judged& one : profiles_) judge(one);
    }

    struct Judged {
        ProfileText text;
        std::string verdicts;  // one character for each action, in the open, then confined
    };
    const std::vector<Judged>& profiles() const { return profiles_; }
    const std::vector<Action>& actions() const { return actions_; }
    // Steps that took something away by the letter, and were not told as that.
    const std::vector<std::string>& unrecognised() const { return unrecognised_; }

  private:
    static constexpr std::size_t most_profiles = 320;
    static constexpr int most_actions = 130;

    std::size_t below(std::size_t count) {
        return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_);
    }
    const std::string& one_of(const std::vector<std::string>& all) {
        return all[below(all.size())];
    }
    // Most of them are about a few commands: what covers all hides what the others do.
    Rule rule() {
        static const std::vector<std::string> wide{R"(tool:[\s\S]*)",
                                                   R"(tool:bash:[\s\S]*)",
                                                   R"(tool:(bash|mcp):[\s\S]*)",
                                                   "tool:bash:.*",
                                                   R"(tool:bash:.*(\n.*)*)",
                                                   "(?i)TOOL:BASH:.*",
                                                   ".*",
                                                   "tool:(view|bash):.*",
                                                   "tool:[a-z_]+:.*"};
        static const std::vector<std::string> narrow{"tool:bash:make.*",
                                                     "tool:bash:ls",
                                                     "tool:bash:ls.*",
                                                     "tool:bash:make; ls",
                                                     "tool:bash:(ls|cat|rm).*",
                                                     "(?i)tool:bash:make.*",
                                                     "tool:bash:timeout 5 make",
                                                     R"(tool:bash:rm[\s\S]*)",
                                                     "tool:view:.*",
                                                     "tool:(view|list_files|search_files):.*",
                                                     "tool:create_file:a",
                                                     "tool:self_edit:.*",
                                                     "tool:self_edit:docs:notes/.*",
                                                     "tool:git:(push|merge_request|checkout) .*",
                                                     "tool:git:.*"};
        return {one_of(below(6) == 0 ? wide : narrow), below(5) == 0};
    }
    // What a preset says of every command hides what the lists say.
    const std::string& base() { return below(2) == 0 ? widest_first.back() : one_of(widest_first); }
    Rules rules(std::size_t most) {
        Rules all;
        for (std::size_t left = below(most + 1); left > 0; --left) all.push_back(rule());
        return all;
    }

    void add_family() {
        ProfileText text = with(base(), rules(1), rules(3), rules(2));
        for (int step = 0; step < 12; ++step) {
            profiles_.push_back({text, {}});
            const ProfileText before = text;
            const bool taken = below(3) > 0 ? take_away(text) : (change(text), false);
            if (taken && !narrows(before, text)) unrecognised_.push_back("step " + shown(text));
        }
    }

    static bool drop(Rules& rules, std::size_t at) {
        if (rules.empty()) return true;
        rules.erase(rules.begin() + static_cast<std::ptrdiff_t>(at % rules.size()));
        return true;
    }

    // False where it may give something too.
    bool take_away(ProfileText& text) {
        const auto base = std::find(widest_first.begin(), widest_first.end(), text.base);
        switch (below(5)) {
            case 0:
                if (base + 1 != widest_first.end()) text.base = *(base + 1);
                return true;
            case 1:
                text.deny.push_back(rule());
                return true;
            case 2:
                return drop(text.allow, below(100));
            case 3:
                return drop(text.ask, below(100));
            default:
                if (text.allow.empty()) return true;
                text.ask.push_back(text.allow.back());
                text.allow.pop_back();
                return text.ask.back().shell;
        }
    }

    void change(ProfileText& text) {
        switch (below(6)) {
            case 0:
                text.base = base();
                break;
            case 1:
                drop(text.deny, below(100));
                break;
            case 2:
                text.allow.push_back(rule());
                break;
            case 3:
                text.ask.push_back(rule());
                break;
            case 4:
                for (Rule& one : text.allow) one.shell = !one.shell;
                break;
            default:
                std::swap(text.allow, text.ask);
        }
    }

    std::string action() {
        static const std::vector<std::string> commands{
            "make",    "ls",     "rm x",         "cat a",    "timeout 5 make", "make all",
            "sudo ls", "env ls", "sh -c 'rm x'", "git push", "echo \"make\"",  "X=1 make"};
        static const std::vector<std::string> joints{"; ", " && ", " || ", " | ", "\n", " & "};
        static const std::vector<std::string> tails{"",         "",        "",         " > out",
                                                    " $(ls)",   " `ls`",   " *",       " <<x",
                                                    " >/etc/x", " # make", " \\\n ls", " {a,b}"};
        static const std::vector<std::string> others{"view:a",
                                                     "view:a\nb",
                                                     "create_file:a",
                                                     "self_edit:docs:notes/a",
                                                     "self_edit:model:x",
                                                     "git:push a b",
                                                     "git:commit",
                                                     "mcp:s t {}\n",
                                                     "list_files:",
                                                     "unheard:of",
                                                     "self_edit:docs:a\nb",
                                                     "BASH:ls"};
        if (below(4) == 0) return "tool:" + one_of(others);
        std::string text = "tool:bash:" + one_of(commands);
        for (std::size_t more = below(3); more > 0; --more)
            text += one_of(joints) + one_of(commands);
        return text + one_of(tails);
    }

    void judge(Judged& one) const {
        const Profile profile = Profile::compile(one.text, "test");
        for (const bool confined : {false, true})
            for (const Action& action : actions_)
                one.verdicts += static_cast<char>(profile.decide(action, {confined}).verdict);
    }

    std::mt19937 random_;
    std::vector<Judged> profiles_;
    std::vector<Action> actions_;
    std::vector<std::string> unrecognised_;
};

// The place of an action that is decided more mildly under `to`, or nothing.
std::optional<std::size_t> find_milder(const World::Judged& from, const World::Judged& to) {
    for (std::size_t i = 0; i < from.verdicts.size(); ++i)
        if (to.verdicts[i] < from.verdicts[i]) return i;
    return std::nullopt;
}

unsigned chosen_seed() {
    const int given = testing::GTEST_FLAG(random_seed);
    if (given != 0) return static_cast<unsigned>(given);
    return static_cast<unsigned>(
        std::chrono::system_clock::now().time_since_epoch() / std::chrono::seconds(1) % 99'999 + 1);
}

TEST(Narrowing, NeverMakesAnActionMilder) {
    const unsigned seed = chosen_seed();
    std::printf("again: test_policy --gtest_filter=Narrowing.* --gtest_random_seed=%u\n", seed);
    const World world(seed);
    std::size_t narrowing = 0;
    std::size_t widening = 0;
    for (const World::Judged& from : world.profiles()) {
        EXPECT_TRUE(narrows(from.text, from.text)) << shown(from.text);
        for (const World::Judged& to : world.profiles()) {
            const auto milder = find_milder(from, to);
            if (!narrows(from.text, to.text)) {
                widening += milder ? 1 : 0;
                continue;
            }
            ++narrowing;
            if (!milder) continue;
            const Action& action = world.actions()[*milder % world.actions().size()];
            FAIL() << "seed " << seed << ": " << action.text << "\nfrom " << shown(from.text)
                   << "\nto   " << shown(to.text);
        }
    }
    EXPECT_TRUE(world.unrecognised().empty()) << world.unrecognised().front();
    std::printf("%zu pairs, %zu narrow, %zu are seen to widen\n",
                world.profiles().size() * world.profiles().size(), narrowing, widening);
    EXPECT_GT(narrowing, 2 * world.profiles().size());
    EXPECT_GT(widening, 10 * world.profiles().size());
}

}  // namespace
}  // namespace chorus::policy
