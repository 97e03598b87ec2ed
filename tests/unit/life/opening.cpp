#include "life/opening.hpp"

#include "support/scratch.hpp"

namespace chorus::life {
namespace {

using agent::Groom;
using agent::IfMissing;
using base::ErrorCode;
using test::error_of;

const sys::Environment nothing;

TEST(OpenHome, is_made_unasked_only_where_grooming_is_automatic) {
    const test::Scratch scratch;
    const agent::Home home(scratch / "home");
    for (const Groom groom : {Groom::manual, Groom::pristine}) {
        const base::Error error =
            error_of([&] { open_home(home, nothing, IfMissing::create, groom); });
        EXPECT_EQ(error.code(), ErrorCode::config_invalid);
        EXPECT_EQ(error.hint(), "CHORUS_GROOM=auto creates it");
        EXPECT_FALSE(test::is_there(home.path()));
    }
    EXPECT_NO_THROW(open_home(home, nothing, IfMissing::create, Groom::automatic));
    EXPECT_NO_THROW(open_home(home, nothing, IfMissing::create, Groom::manual));
}

TEST(OpenHome, that_is_missing_is_told_as_ever) {
    const test::Scratch scratch;
    const agent::Home home(scratch / "home");
    for (const Groom groom : {Groom::automatic, Groom::manual})
        EXPECT_EQ(error_of([&] { open_home(home, nothing, IfMissing::refuse, groom); }).code(),
                  ErrorCode::not_found);
}

}  // namespace
}  // namespace chorus::life
