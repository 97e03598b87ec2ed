#include "agent/configuration.hpp"

#include <gtest/gtest.h>

#include "policy/grants.hpp"

namespace chorus::agent {
namespace {

TEST(ProfileText, is_what_is_compiled_for_presets_names_and_written_out) {
    HomeConfiguration home;
    home.profiles["ci"].base = "sandboxed";
    home.profiles["ci"].deny = {{"tool:git:.*"}};
    home.profiles["locked"].base = "open";  // a preset's name is the preset's
    for (const char* json :
         {R"("open")", R"("locked")", R"("ci")", R"({"base": "standard"})",
          R"({"deny": ["tool:a:.*"], "ask": [{"pattern": "b", "shell": true}]})"}) {
        const Permissions permissions = parse_permissions(json, "test");
        EXPECT_EQ(policy::Profile::compile(profile_text(permissions, home), "test").fingerprint(),
                  resolve_profile(permissions, home, "test").fingerprint())
            << json;
    }
}

// order.md, section Rights
TEST(ProfileText, can_be_compared) {
    HomeConfiguration home;
    home.profiles["ci"].base = "sandboxed";
    const auto narrows = [&](const char* from, const char* to) {
        return policy::narrows(profile_text(parse_permissions(from, "test"), home),
                               profile_text(parse_permissions(to, "test"), home));
    };
    EXPECT_TRUE(narrows(R"("open")", R"("ci")"));
    EXPECT_TRUE(narrows(R"("ci")", R"("standard")"));
    EXPECT_TRUE(narrows(R"("ci")", R"({"base": "standard", "deny": ["tool:git:.*"]})"));
    EXPECT_FALSE(narrows(R"("standard")", R"("ci")"));
    EXPECT_FALSE(narrows(R"("standard")", R"({"base": "standard", "allow": ["tool:bash:ls"]})"));
}

}  // namespace
}  // namespace chorus::agent
