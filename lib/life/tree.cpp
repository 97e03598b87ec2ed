#include "life/tree.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "repo/repository.hpp"
#include "sys/file.hpp"

namespace chorus::life {
namespace {

repo::Author author_of(const std::string& name) {
    return {name, name + "@chorus.local"};
}

// Makes no repository if the user turned the sandbox off and chorus-git cannot be confined here.
void make_repository(const std::string& workspace, const BirthOptions& options,
                     const BirthPlan& plan, Birth& birth) {
    if (plan.sandbox == sys::SandboxMode::off) {
        if (const auto problem = repo::confinement_problem(workspace)) {
            birth.left_out.push_back(".git: " + problem->message());
            return;
        }
    }
    repo::Repository::initialise(workspace, author_of(options.name));
}

}  // namespace

void complete_tree(const agent::Directory& directory, const BirthOptions& options,
                   const BirthPlan& plan, Birth& birth) {
    // a copied directory has the mode of its source
    if (chmod(directory.path().c_str(), 0700) != 0) throw base::system_error(directory.path());
    for (const std::string& path :
         {directory.docs(), directory.sessions(), directory.branch("main")})
        sys::make_directory(path, 0700);
    if (!sys::exists(directory.current()) &&
        symlink("branches/main", directory.current().c_str()) != 0)
        throw base::system_error(directory.current());
    if (options.clone.empty()) {
        sys::make_directory(directory.workspace(), 0700);
        make_repository(sys::real_path(directory.workspace()), options, plan, birth);
    } else {
        sys::remove_tree(directory.workspace());
        for (std::string& path : repo::clone(options.clone, directory.workspace(),
                                             author_of(options.name), options.submodules))
            birth.left_out.push_back(std::move(path));
    }
}

}  // namespace chorus::life
