// Linked into every unit program: a test that leaves a descriptor open fails.
#include "support/descriptors.hpp"

#include <gtest/gtest.h>

#include "repo/git_process.hpp"

namespace chorus::test {
namespace {

class DescriptorCheck final : public testing::EmptyTestEventListener {
    void OnTestStart(const testing::TestInfo&) override { before_ = open_descriptors(); }
    void OnTestEnd(const testing::TestInfo&) override {
        repo::let_git_process_go();
        EXPECT_EQ(opened_since(before_), "") << "left open";
    }

    Descriptors before_;
};

class Environment final : public testing::Environment {
    void SetUp() override {
        testing::UnitTest::GetInstance()->listeners().Append(new DescriptorCheck);
    }
};

[[maybe_unused]] const auto* const registered =
    testing::AddGlobalTestEnvironment(new Environment);  // both are gtest's to delete

}  // namespace
}  // namespace chorus::test
