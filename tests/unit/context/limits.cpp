// What of files goes into a request, at one byte less than the bound, at it and at one more.
#include "base/limits.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "context/prompt_texts.hpp"
#include "support/scratch.hpp"

namespace chorus::context {
namespace {

namespace limits = base::limits;
using test::put;

class Limits : public testing::Test {
  protected:
    test::Scratch scratch_;
    agent::Directory directory_{scratch_.path()};

    std::string text_with(std::size_t document_bytes) {
        put(directory_.docs() + "/a.md", std::string(document_bytes, 'a'));
        return "P" + documents_text(directory_);
    }
    bool cuts_project_text(std::size_t bytes) {
        put(scratch_ / "AGENTS.md", std::string(bytes, 'x'));
        return project_text(sys::Root(scratch_.path())).text->find("[AGENTS.md cut") !=
               std::string::npos;
    }
};

TEST_F(Limits, DocumentsOnDisk) {
    EXPECT_NO_THROW(text_with(limits::docs_bytes - 1));
    EXPECT_NO_THROW(text_with(limits::docs_bytes));
    const base::Error error = test::error_of([&] { text_with(limits::docs_bytes + 1); });
    EXPECT_EQ(error.code(), base::ErrorCode::config_invalid);
}

TEST_F(Limits, DocumentsInARequest) {
    // a blank line, the document's title, a blank line, and a line's end where it has none
    const std::size_t frame = std::string("\n## docs/a.md\n\n\n").size();
    const std::size_t most = limits::docs_tokens * 4 - frame;
    EXPECT_EQ(text_with(most - 1).find("[docs cut"), std::string::npos);
    EXPECT_EQ(text_with(most).find("[docs cut"), std::string::npos);
    const std::string cut = text_with(most + 1);
    EXPECT_TRUE(cut.ends_with("\n[docs cut: 131072 of 131073 bytes shown]\n"));
}

TEST_F(Limits, ProjectText) {
    EXPECT_FALSE(cuts_project_text(limits::project_text_bytes - 1));
    EXPECT_FALSE(cuts_project_text(limits::project_text_bytes));
    EXPECT_TRUE(cuts_project_text(limits::project_text_bytes + 1));
}

}  // namespace
}  // namespace chorus::context
