#include "repo/git.hpp"

#include <array>

namespace chorus::repo {
namespace {

std::string hint_for(int result) {
    if (result == GIT_ELOCKED)
        return "another git is at work; if none is, remove the .lock files in .git";
    return {};
}

std::string last_words() {
    const git_error* error = git_error_last();
    const bool has_words =
        error != nullptr && error->message != nullptr && error->klass != GIT_ERROR_NONE;
    return has_words ? error->message : "";
}

}  // namespace

// libgit2 finds these places while it starts, so they are cleared right after, before it reads
// anything. Whose the repository is, the caller has looked at (owner.hpp).
void start_library() {
    bool works = git_libgit2_init() > 0;
    for (const int level : {GIT_CONFIG_LEVEL_PROGRAMDATA, GIT_CONFIG_LEVEL_SYSTEM,
                            GIT_CONFIG_LEVEL_XDG, GIT_CONFIG_LEVEL_GLOBAL})
        works = works && git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, level, "") == 0;
    works = works && git_libgit2_opts(GIT_OPT_SET_TEMPLATE_PATH, "") == 0 &&
            git_libgit2_opts(GIT_OPT_ENABLE_FSYNC_GITDIR, 1) == 0 &&
            git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0) == 0;
    if (!works)
        throw base::Error(base::ErrorCode::failed, "git: libgit2 does not start: " + last_words());
}

base::Error failure(std::string_view what, int result) {
    std::string words = last_words();
    if (words.empty()) words = "libgit2 error " + std::to_string(result);
    return {base::ErrorCode::failed, std::string(what) + ": " + words, hint_for(result)};
}

void check(int result, std::string_view what) {
    if (result < 0) throw failure(what, result);
}

std::string text_of(const git_oid& id) {
    std::array<char, GIT_OID_HEXSZ + 1> text{};
    return git_oid_tostr(text.data(), text.size(), &id);
}

}  // namespace chorus::repo
