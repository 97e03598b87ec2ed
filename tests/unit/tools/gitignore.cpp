#include "tools/gitignore.hpp"

#include <cstdio>
#include <set>

#include "base/handle.hpp"
#include "base/text.hpp"
#include "unit/tools/workspace.hpp"

namespace chorus::tools {
namespace {

struct Case {
    std::string rules;  // of the outermost .gitignore
    std::string inner;  // of sub/.gitignore
    std::vector<std::string> files;
};

const std::vector<Case> cases = {
    {"*.o\n", "", {"a.o", "b.c", "sub/a.o", "sub/deep/x.o", "o"}},
    {"# comment\n\\#hash\n", "", {"# comment", "#hash", "comment"}},
    {"!*.c\n*.c\n", "", {"a.c"}},
    {"*.c\n!keep.c\n", "", {"a.c", "keep.c", "sub/keep.c"}},
    {"\\!bang\n", "", {"!bang", "bang"}},
    {"build/\n", "", {"build/x", "sub/build/y", "sub/buildx"}},
    {"build/\n", "", {"build"}},
    {"/top\n", "", {"top", "sub/top"}},
    {"/top/\n", "", {"top/x", "sub/top/x"}},
    {"sub/x\n", "", {"sub/x", "deep/sub/x", "x"}},
    {"**/x\n", "", {"x", "sub/x", "sub/deep/x", "sub/xx"}},
    {"sub/**\n", "", {"sub/a", "sub/deep/b", "other/sub/a"}},
    {"sub/**/b\n", "", {"sub/b", "sub/deep/b", "sub/deep/er/b", "b"}},
    {"a**b\n", "", {"ab", "axxb", "sub/axb", "a/b", "a/x/b"}},
    {"sub/a**b\n", "", {"sub/axb", "sub/a/b", "sub/a/x/b"}},
    {"sub/**b\n", "", {"sub/b", "sub/xb", "sub/deep/b"}},
    {"**sub/b\n", "", {"sub/b", "xsub/b", "deep/sub/b"}},
    {"***/b\n", "", {"b", "sub/b", "sub/deep/b"}},
    {"sub/*/b\n", "", {"sub/b", "sub/deep/b", "sub/deep/er/b"}},
    {"a?c\n", "", {"abc", "ac", "a/c", "abbc"}},
    {"[ab].txt\n", "", {"a.txt", "b.txt", "c.txt"}},
    {"[!ab].txt\n", "", {"a.txt", "c.txt"}},
    {"[^ab].txt\n", "", {"a.txt", "c.txt"}},
    {"[a-c]x[]]\n", "", {"bx]", "dx]"}},
    {"[[:digit:]]*\n", "", {"1a", "a1"}},
    {"a\\*b\n", "", {"a*b", "axb"}},
    {"trailing   \n", "", {"trailing", "trailing   "}},
    {"kept\\ \n", "", {"kept", "kept "}},
    {"kept\\ \\  \n", "", {"kept  ", "kept "}},
    {"\n   \n", "", {"a", "   "}},
    {"dos\r\n*.tmp\r\n", "", {"dos", "a.tmp"}},
    {"\xef\xbb\xbf*.bom\n", "", {"a.bom", "b"}},
    {"/\n", "", {"a", "sub/b"}},
    {"//a\n", "", {"a"}},
    {"*\n!keep\n", "", {"a", "keep", "sub/keep"}},
    {"/*\n!/sub\n", "", {"a", "sub/x"}},
    {"*\n!*/\n!*.c\n", "", {"a.c", "a.o", "sub/b.c", "sub/deep/b.o", "sub/deep/b.c"}},
    {"*.log\n", "!important.log\n", {"important.log", "sub/important.log", "sub/a.log"}},
    {"", "*.c\n", {"a.c", "sub/a.c", "sub/deep/a.c"}},
    {"", "/a\n", {"a", "sub/a", "sub/deep/a"}},
    {"", "deep/\n", {"sub/deep/x", "deep/x"}},
    {"!sub/x\n", "x\n", {"sub/x"}},
    {"sub/\n", "!x\n", {"sub/x"}},
    {"x", "", {"x", "sub/x"}},
    {".*\n", "", {".hidden", "sub/.hidden", "plain"}},
    {"ü*\n", "", {"übung", "u"}},
    {"UPPER\n", "", {"upper", "UPPER"}},
    {"a[/]b\n", "", {"a/b", "a[/]b"}},
    {"[unclosed\n", "", {"[unclosed", "u"}},
    {"x[unclosed\\]\n*.o\n", "", {"x[unclosed]", "xu", "a.o"}},
    {"[]]x\n[]-]y\n", "", {"]x", "x", "-y", "]y"}},
    {"[a\\]]z\n", "", {"]z", "az", "\\z"}},
    {"[[:alpha:]-]q\n", "", {"aq", "-q", "1q"}},
    {"foo/*\n!foo/bar\n", "", {"foo/bar/x", "foo/baz"}},
    {"**\n", "", {"a", "sub/b"}},
    {"**/\n", "", {"a", "sub/b"}},
    {"a\\\n", "", {"a", "a\\"}},
    {"sub/**/\n", "", {"sub/a", "sub/deep/b"}},
};

class GitignoreFiles : public Workspace {
  protected:
    std::set<std::string> lines_of(const std::string& command) const {
        const base::Handle<FILE, pclose> pipe(popen(command.c_str(), "r"));
        std::string text;
        for (int c = fgetc(pipe.get()); c != EOF; c = fgetc(pipe.get()))
            text += c == '\0' ? '\n' : static_cast<char>(c);
        std::set<std::string> lines;
        for (const std::string_view line : base::split_lines(text)) lines.emplace(line);
        return lines;
    }
    void clear() const {
        for (const auto& entry : std::filesystem::directory_iterator(root.path()))
            if (entry.path().filename() != ".git") std::filesystem::remove_all(entry.path());
    }
};

TEST_F(GitignoreFiles, AgreesWithGit) {
    const std::string git = "git -C '" + root.path() + "' -c core.excludesFile=/dev/null ";
    lines_of(git + "init -q");
    for (const Case& each : cases) {
        clear();
        put(".gitignore", each.rules);
        if (!each.inner.empty()) put("sub/.gitignore", each.inner);
        for (const std::string& file : each.files) put(file, "");
        const std::set<std::string> wanted =
            lines_of(git + "ls-files -z --others --exclude-standard");
        std::set<std::string> got;
        const std::string listing = ok("list_files", "{}");
        for (const std::string_view line : base::split_lines(listing))
            if (line != "no file matches") got.emplace(line);
        EXPECT_EQ(got, wanted) << "rules: " << each.rules << "inner: " << each.inner;
    }
}

TEST(Gitignore, HostileRulesEndInTime) {
    Gitignore ignore;
    std::string rules;
    for (int i = 0; i < 200; ++i) rules += "**/a*a*a*a*a*a*a*a*a*a*b/**/**/**/c\n";
    ignore.enter("", rules);
    std::string path;
    for (int i = 0; i < 40; ++i) path += repeated("a", 40) + "/";
    EXPECT_FALSE(ignore.ignores(path + "d", false));
}

}  // namespace
}  // namespace chorus::tools
