#include "repo/checkout.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "repo/conversion.hpp"
#include "repo/opened.hpp"

namespace chorus::repo {
namespace {

using Paths = std::vector<std::string>;

Paths changed_paths(git_repository* repository, git_tree* from, git_tree* to) {
    const auto diff = make<Diff>("git", git_diff_tree_to_tree, repository, from, to, nullptr);
    Paths paths;
    for (std::size_t i = 0; i < git_diff_num_deltas(diff.get()); ++i)
        paths.emplace_back(git_diff_get_delta(diff.get(), i)->new_file.path);
    return paths;
}

int check_out_paths(git_repository* repository, const git_object* target,
                    git_checkout_options options, Paths& paths) {
    std::vector<char*> names;
    for (std::string& path : paths) names.push_back(path.data());
    options.checkout_strategy |= GIT_CHECKOUT_FORCE | GIT_CHECKOUT_DISABLE_PATHSPEC_MATCH;
    options.paths = {names.data(), names.size()};
    return git_checkout_tree(repository, target, &options);
}

}  // namespace

// libgit2 goes by the .gitattributes in the work tree, when it writes and when it compares. So
// where they change, all is compared by the old ones first; then they are written, then the rest.
int check_out_tree(git_repository* repository, git_tree* from, const git_commit* commit,
                   git_checkout_options options) {
    options.dir_mode = 0777;
    const auto* target = reinterpret_cast<const git_object*>(commit);
    Paths paths = changed_paths(repository, from, tree_of(commit).get());
    Paths attributes;
    std::copy_if(paths.begin(), paths.end(), std::back_inserter(attributes), is_attribute_file);
    if (attributes.empty()) return git_checkout_tree(repository, target, &options);
    const bool is_forced = (options.checkout_strategy & GIT_CHECKOUT_FORCE) != 0;
    git_checkout_options dry = options;
    dry.checkout_strategy &= ~static_cast<unsigned>(GIT_CHECKOUT_SAFE);
    dry.checkout_strategy |= GIT_CHECKOUT_DONT_UPDATE_INDEX;
    int result = is_forced ? 0 : git_checkout_tree(repository, target, &dry);
    if (result == 0) result = check_out_paths(repository, target, options, attributes);
    if (result != 0) return result;
    return is_forced ? git_checkout_tree(repository, target, &options)
                     : check_out_paths(repository, target, options, paths);
}

}  // namespace chorus::repo
