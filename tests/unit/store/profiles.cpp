#include "store/profiles.hpp"

#include "home.hpp"

namespace chorus::store {
namespace {

constexpr base::TimeMs start = 1'000'000'000;
constexpr base::TimeMs hour = 3'600'000;

class Profiles : public testing::Test {
  protected:
    ProfileChoice choose(base::TimeMs now) {
        return in_transaction(store, [&] { return choose_profile(store, ring, rules, 7, now); });
    }
    void cool(const std::string& name, base::TimeMs until) {
        in_transaction(store, [&] {
            cool_profile(store, name, until);
            return 0;
        });
    }
    std::string active(base::TimeMs now) {
        for (const ProfileState& state : profile_states(store, ring, now))
            if (state.is_active) return state.name;
        return {};
    }

    const Home home;
    Store store = home.open();
    ProfileRing ring{"groq", {"one", "two", "three"}};
    RotationRules rules;
};

// S-32 S-37
TEST_F(Profiles, the_first_is_active) {
    EXPECT_EQ(active(start), "one");
    const ProfileChoice choice = choose(start);
    EXPECT_EQ(choice.name, "one");
    EXPECT_EQ(choice.previous, "");
    cool("two", start + 10);
    const auto states = profile_states(store, ring, start);
    EXPECT_EQ(states[1].cools_until, start + 10);
    EXPECT_EQ(profile_states(store, ring, start + 10)[1].cools_until, 0);
}

TEST_F(Profiles, where_there_are_none_none_is_chosen) {
    ring.names.clear();
    EXPECT_EQ(active_profile(store, ring), "");
    EXPECT_EQ(profile_choice(store, ring, rules, start).name, "");
    EXPECT_EQ(choose(start).name, "");
    EXPECT_EQ(profile_states(store, ring, start).size(), 0U);
}

// S-33
TEST_F(Profiles, the_next_in_the_circle_that_can_be_used_becomes_active) {
    cool("one", start + 100);
    cool("two", start + 50);
    ProfileChoice choice = profile_choice(store, ring, rules, start);
    EXPECT_EQ(choice.name, "three");
    EXPECT_EQ(choice.previous, "one");
    EXPECT_EQ(active(start), "one") << "nothing was written";
    EXPECT_EQ(choose(start).name, "three");
    EXPECT_EQ(active(start), "three");
    cool("three", start + 200);
    EXPECT_EQ(choose(start + 60).name, "two");
    EXPECT_EQ(active(start + 60), "two");
    EXPECT_EQ(choose(start + 300).name, "two") << "nobody goes back";
}

TEST_F(Profiles, a_longer_limit_is_not_cut_short) {
    cool("one", start + 100);
    cool("one", start + 50);
    EXPECT_EQ(profile_states(store, ring, start)[0].cools_until, start + 100);
}

// S-36
TEST_F(Profiles, with_none_left_the_first_to_be_free_says_when) {
    cool("one", start + 100);
    cool("two", start + 50);
    cool("three", start + 75);
    const ProfileChoice choice = choose(start);
    EXPECT_EQ(choice.name, "");
    EXPECT_EQ(choice.resume_at, start + 50);
    EXPECT_EQ(active(start), "one");
    EXPECT_EQ(choose(start + 50).name, "two");
}

// S-30
TEST_F(Profiles, in_manual_mode_the_active_one_is_waited_for) {
    rules.is_automatic = false;
    cool("one", start + 100);
    const ProfileChoice choice = choose(start);
    EXPECT_EQ(choice.name, "");
    EXPECT_EQ(choice.resume_at, start + 100);
}

// S-35
TEST_F(Profiles, an_hour_has_so_many_switches) {
    rules.most_per_hour = 2;
    cool("one", start + 10 * hour);
    EXPECT_EQ(choose(start).name, "two");
    cool("two", start + 10 * hour);
    EXPECT_EQ(choose(start + 5).name, "three");
    cool("three", start + 100);
    cool("one", start + 50);
    cool("two", start + 10);
    ring.names.insert(ring.names.end(), {"four", "five"});
    const ProfileChoice choice = choose(start + 6);
    EXPECT_EQ(choice.name, "");
    EXPECT_EQ(choice.resume_at, start + 100) << "its own limit ends before the hour does";
    cool("three", start + 2 * hour);
    EXPECT_EQ(choose(start + 7).resume_at, start + hour);
    EXPECT_EQ(choose(start + hour).name, "four");
    cool("four", start + 10 * hour);
    EXPECT_EQ(choose(start + hour + 1).resume_at, start + hour + 5);
    cool("five", start + hour + 3);
    cool("three", start + 10 * hour);
    EXPECT_EQ(choose(start + hour + 2).resume_at, start + hour + 5)
        << "another can be used before, but the hour allows no switch";
    rules.most_per_hour = 0;
    EXPECT_EQ(choose(start + 3 * hour).name, "");
}

TEST_F(Profiles, a_request_comes_first_and_once) {
    const auto request = [&](const std::string& name, bool is_forced) {
        in_transaction(store, [&] {
            request_switch(store, ring.provider, {name, is_forced, start, "uid 1"});
            return 0;
        });
    };
    request("three", false);
    EXPECT_FALSE(is_cut(store, ring, "one"));
    const ProfileChoice choice = choose(start);
    EXPECT_EQ(choice.name, "three");
    EXPECT_EQ(choice.previous, "one");
    EXPECT_FALSE(requested_switch(store, ring.provider));
    EXPECT_FALSE(is_cut(store, ring, "one")) << "by the next request only";
    request("added", true);
    EXPECT_EQ(choose(start).name, "three");
    EXPECT_FALSE(is_cut(store, ring, "three"));
    EXPECT_TRUE(requested_switch(store, ring.provider)) << "a process that knows it carries it out";
    request("two", true);
    EXPECT_TRUE(is_cut(store, ring, "three"));
    EXPECT_FALSE(is_cut(store, ring, "two"));
    EXPECT_EQ(choose(start).name, "two");
    EXPECT_TRUE(is_cut(store, ring, "three")) << "another process has carried it out";
    EXPECT_FALSE(is_cut(store, ring, "two"));
}

TEST_F(Profiles, providers_do_not_touch_each_other) {
    const ProfileRing other{"xai", {"four", "five"}};
    cool("one", start + 100);
    rules.most_per_hour = 1;
    EXPECT_EQ(choose(start).name, "two");
    cool("four", start + 100);
    EXPECT_EQ(
        in_transaction(store, [&] { return choose_profile(store, other, rules, 0, start); }).name,
        "five");
    in_transaction(store, [&] {
        forget_profile(store, "groq", "two");
        return 0;
    });
    EXPECT_EQ(active(start), "one");
    EXPECT_EQ(profile_choice(store, other, rules, start).name, "five");
}

}  // namespace
}  // namespace chorus::store
