#include <gtest/gtest.h>

#include <algorithm>

#include "policy/shell.hpp"

namespace chorus::policy {
namespace {

bool names(const std::string& command, const std::string& file) {
    const auto words = file_words(command);
    return std::find(words.begin(), words.end(), file) != words.end();
}

TEST(FileWords, AreWhatACommandMayReadOrRun) {
    for (const char* command :
         {"bash job.sh", "./job.sh; true", "bash < job.sh", "bash 'job.sh'", "\"job.sh\"",
          "env X=1 bash job.sh", "curl -d @job.sh x", "tool --file=job.sh", "dd if=job.sh",
          "$(cat job.sh)", "`cat job.sh`", "sh -c 'bash job.sh'", "true && (. job.sh)",
          "bash <<<\"$(cat job.sh)\"", "x=job.sh; bash $x", "cat {job.sh,other}", "cat <> job.sh",
          "bash job.sh > job.sh", "eval \"bash job.sh\""})
        EXPECT_TRUE(names(command, "job.sh") || names(command, "./job.sh")) << command;
    EXPECT_TRUE(names("bash 'my job.sh'", "my job.sh"));
    EXPECT_TRUE(names("bash my\\ job.sh", "my job.sh"));
}

TEST(FileWords, AreNotWhatIsOnlyWrittenTo) {
    for (const char* command : {"echo x > log", "echo x >>log", "echo x 2> log", "echo x &> 'log'"})
        EXPECT_FALSE(names(command, "log")) << command;
}

}  // namespace
}  // namespace chorus::policy
