// Searches a workspace for plants.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "base/hash.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "sys/descent.hpp"
#include "sys/directory.hpp"
#include "sys/file.hpp"
#include "sys/git_config.hpp"
#include "sys/git_files.hpp"
#include "sys/git_place.hpp"
#include "sys/outer_git_config.hpp"
#include "sys/plants.hpp"
#include "sys/plants_list.hpp"
#include "sys/workspace_view.hpp"

namespace chorus::sys {
namespace {

class Survey : private WorkspaceView {
  public:
    explicit Survey(const std::string& workspace)
        : WorkspaceView(workspace), git_(find_git(workspace)) {}

    std::set<Plant> run() {
        if (!is_there()) return {};
        for (const std::string_view name : Plants::settings_files())
            inspect_settings(std::string(name));
        for (const char* name : {".hg/sharedpath", ".jj/repo"}) inspect_settings(name);
        for (const std::string& git : places_outside()) inspect(git, "");
        for (const auto& config : enclosing_) inspect_outer(config, config.tree, config.tree);
        while (!open_.empty() && plants_.take_directory(open_.back())) {
            const std::string directory = std::move(open_.back());
            open_.pop_back();
            look_through(directory);
        }
        if (!open_.empty()) plants_.add_unread({".", "too many directories", ""});
        return plants_.take();
    }

    bool points_to(std::string_view path) {
        for (const std::string_view name : Plants::settings_files())
            if (beneath(place_of("", std::string(name))) == path) return true;
        for (const std::string& git : places_outside()) inspect_configuration(git, "");
        for (const auto& config : enclosing_) inspect_outer(config, config.tree, config.tree);
        for (std::size_t end = 0; end != path.npos; end = path.find('/', end + 1)) {
            const std::string directory = end == 0 ? "" : std::string(path.substr(0, end)) + "/";
            const Fd fd = opened(directory, O_PATH | O_DIRECTORY);
            if (fd && is_git_directory(fd.get())) return true;
            inspect_configuration(directory, directory);
            const auto git = status_of(directory + ".git");
            if (git && S_ISDIR(git->st_mode))
                inspect_configuration(directory + ".git/", directory);
            else if (git)
                follow(directory, ".git");
        }
        return !plants_.is_whole() ||
               std::any_of(pointed_to_.begin(), pointed_to_.end(),
                           [&](const std::string& place) { return is_within(path, place); });
    }

  private:
    // The git directories of a linked worktree or a submodule.
    std::set<std::string> places_outside() const {
        std::set<std::string> outside;
        for (const std::string& path : {git_.git_directory, git_.common_directory})
            if (!path.empty() && !is_within(path, workspace())) outside.insert(path + "/");
        return outside;
    }

    // The file itself, or the link and what it leads to.
    void inspect_settings(const std::string& name) {
        const auto place = beneath(place_of("", name));
        const auto own = status_of(name);
        const auto target = place && *place != name ? status_of(*place) : std::nullopt;
        if (place && !target && (!own || S_ISDIR(own->st_mode))) return;
        add(name, place ? "is new or changed" : "leads out of the workspace",
            (own ? mark_of(*own) : "") + (target ? " " + mark_of(*target) : place_of("", name)));
    }

    void add(const std::string& path, std::string what, std::string mark) {
        plants_.add({path, std::move(what), std::move(mark)});
    }

    // Whether the names in this file, or this repository, can be looked up.
    bool may_look_up(std::size_t names, const std::string& path) {
        if (plants_.take_names(names, path)) return true;
        const auto status = status_of(path);
        plants_.add_unread({path, "is not inspected", status ? mark_of(*status) : ""});
        return false;
    }

    // `directory` is "" or ends in '/'.
    void look_through(const std::string& directory) {
        if (is_content(directory)) return;
        const Fd& fd = descent_.open(directory);
        if (!fd) {
            if (errno != ENOENT) add(directory, "cannot be read", "");
            return;
        }
        bool has_head = false;
        for_each_entry(fd, entries_, [&](const dirent64& entry) {
            note(directory, entry);
            has_head |= std::strcmp(entry.d_name, "HEAD") == 0;
        });
        if (!has_head || !is_git_directory(fd.get())) return;
        repositories_.insert(directory);
        inspect(directory, tree_of(directory));
    }

    // A bare repository is its own work tree.
    static std::string tree_of(const std::string& repository) {
        const std::string name = name_of(repository);
        return repository.substr(0, strcasecmp(name.c_str(), ".git") == 0
                                        ? repository.size() - name.size() - 1
                                        : std::string::npos);
    }

    void note(const std::string& directory, const dirent64& entry) {
        if (is_a_directory(directory, entry))
            open_.push_back(directory + entry.d_name + "/");
        else if (strcasecmp(entry.d_name, ".git") == 0)
            follow(directory, entry.d_name);
    }

    bool is_a_directory(const std::string& directory, const dirent64& entry) const {
        if (entry.d_type != DT_UNKNOWN) return entry.d_type == DT_DIR;
        const auto status = status_of(directory + entry.d_name);
        return status && S_ISDIR(status->st_mode);
    }

    // These may hold thousands of directories; a repository among them matters only where something
    // points to it.
    bool is_content(const std::string& directory) const {
        const std::string name = name_of(directory);
        return (name == "objects" || name == "refs" || name == "logs") &&
               repositories_.contains(directory.substr(0, directory.size() - name.size() - 1));
    }

    // Follows a .git that is a link, or a file that names the git directory.
    void follow(const std::string& directory, const char* name) {
        const std::string path = directory + name;
        std::string place = name;
        const auto status = status_of(path);
        if (status && S_ISREG(status->st_mode)) {
            const auto text = content(path);
            if (!text || !text->starts_with("gitdir:")) return;
            place = base::trim(std::string_view(*text).substr(7));
        }
        if (const auto real = inside(path, directory, place)) inspect(*real + "/", directory);
    }

    // Returns where `name`, written in the file `path`, leads from `directory`, relative to the
    // workspace. A place outside is a plant, unless `path` is "".
    std::optional<std::string> inside(const std::string& path, const std::string& directory,
                                      const std::string& name) {
        const std::string real = place_of(directory, name);
        if (auto found = beneath(real)) return found;
        if (!real.empty() && !path.empty()) add(path, "leads out of the workspace", real);
        return std::nullopt;
    }
    // Files may name each other, or themselves, more than once.
    bool is_first(const std::string& file, const std::string& repository = "",
                  const std::string& tree = "") {
        return inspected_.insert({file, repository, tree}).second;
    }

    void inspect(const std::string& repository, const std::string& tree) {
        if (!is_first("", repository, tree)) return;
        if (!may_look_up(1, repository)) return;
        inspect_configuration(repository, tree);
        inspect_alternates(repository + "objects/", 0);
        inspect_hooks(repository + "hooks");
        inspect_files(repository, 0, true);
        for (const OperationFile& operation : operation_files) {
            const std::string path = repository + operation.path;
            const auto text = content(path);
            if (text && operation.is_obeyed(*text))
                add(path, operation.what, base::sha256_hex(*text));
        }
        inspect_conflicts(repository + "MERGE_RR", tree);
        inspect_remotes(repository);
        const std::string common = common_of(repository);
        inspect_indexes(repository, common);
        if (!common.starts_with('/')) inspect(common, tree);
    }

    void inspect_conflicts(const std::string& path, const std::string& tree) {
        const std::string text = content(path).value_or("");
        const auto names = rerere_paths(text);
        if (!may_look_up(names.size(), path)) return;
        for (const std::string_view name : names) {
            const Fd file = opened(tree + std::string(name), O_PATH | O_NOFOLLOW);
            struct stat status {};
            const bool leads_out =
                file ? fstat(file.get(), &status) != 0 || S_ISLNK(status.st_mode) : errno == ELOOP;
            if (leads_out || !is_plain_git_path(name))
                add(path, "a file outside the workspace", base::sha256_hex(text));
        }
    }

    // Older places for the addresses of remotes, which git still reads.
    void inspect_remotes(const std::string& repository) {
        for (const char* place : {"remotes/", "branches/"}) {
            const std::string directory = repository + place;
            const DirectoryStream stream = stream_of(opened(directory, O_RDONLY | O_DIRECTORY));
            while (const dirent* entry = next_entry(stream.get()))
                if (const auto status = status_of(directory + entry->d_name))
                    add(directory + entry->d_name, "a remote", mark_of(*status));
        }
    }

    // For a repository outside, find_git() has found the common directory.
    std::string common_of(const std::string& repository) {
        if (repository.starts_with('/')) return git_.common_directory + "/";
        const std::string path = repository + "commondir";
        const auto text = content(path);
        const auto real =
            text ? inside(path, repository, std::string(base::trim(*text))) : std::nullopt;
        return real ? *real + "/" : repository;
    }

    void inspect_indexes(const std::string& repository, const std::string& common) {
        const auto formats =
            git_values(content(common + "config").value_or(""), "extensions", "objectformat");
        const std::size_t hash_bytes = !formats.empty() && formats.back() == "sha256" ? 32 : 20;
        const DirectoryStream stream = stream_of(opened(repository, O_RDONLY | O_DIRECTORY));
        while (const dirent* entry = next_entry(stream.get())) {
            const std::string_view name = entry->d_name;
            if (name != "index" && !name.starts_with("sharedindex.")) continue;
            const std::string path = repository + entry->d_name;
            const auto index = content(path, SIZE_MAX, &PlantList::left_index_bytes);
            const auto odd = index ? odd_index_names(*index, hash_bytes) : "";
            if (!odd) add(path, "cannot be read", base::sha256_hex(*index));
            if (odd && !odd->empty())
                add(path, "the entry " + odd->substr(0, odd->find('\0')), base::sha256_hex(*odd));
        }
    }

    void inspect_alternates(const std::string& objects, int depth) {
        const std::string path = objects + "info/alternates";
        const auto text = is_first(path) ? content(path) : std::nullopt;
        if (!text) return;
        if (depth == most_included) return add(path, "is nested too deeply", "");
        const auto lines = base::split_lines(*text);
        if (!may_look_up(lines.size(), path)) return;
        for (const std::string_view line : lines)
            if (const auto other = inside(path, objects, std::string(line)))
                inspect_alternates(*other + "/", depth + 1);
    }

    void inspect_configuration(const std::string& repository, const std::string& tree) {
        for (const char* name : {"config", "config.worktree", "hooks"}) {
            std::string place = repository + name;
            (void)follow_links(place);
            if (place != repository + name) pointed_to_.insert(place);
        }
        for (const char* name : {"config", "config.worktree"})
            inspect_keys(repository + name, repository, tree, 0);
        inspect_outer(user_, repository, tree);
    }

    void inspect_outer(const OuterGitConfig& config, const std::string& repository,
                       const std::string& tree) {
        inspect_hooks_of(config.text, "", repository, tree);
        inspect_words(config.words, tree);
        for (const std::string& file : config.included) {
            pointed_to_.insert(file);
            inspect_keys(file, repository, tree, 0);
        }
    }

    // git writes through links and symbolic references, wherever they lead. Objects are left out:
    // git always makes new ones.
    void inspect_files(const std::string& directory, int depth, bool has_references) {
        Fd fd = opened(directory, O_RDONLY | O_DIRECTORY);
        if (!fd && errno == ENOENT) return;
        const DirectoryStream stream = stream_of(std::move(fd));
        if (!stream || depth > most_depth) return add(directory, "cannot be read", "");
        while (const dirent* entry = next_entry(stream.get())) {
            const std::string name = entry->d_name;
            const std::string path = directory + name;
            const unsigned type = entry_type(stream.get(), *entry);
            if (type == S_IFREG && has_references) inspect_reference(dirfd(stream.get()), path);
            if (type == S_IFLNK)
                if (const auto status = status_of(path)) add(path, "is a link", mark_of(*status));
            // hooks and modules are inspected separately
            const bool is_left_out =
                (depth == 0 && (name == "hooks" || name == "modules")) ||
                (depth == 1 && name.size() == 2 && directory.ends_with("objects/"));
            if (type == S_IFDIR && !is_left_out)
                inspect_files(path + "/", depth + 1,
                              has_references && (depth > 0 || name == "refs"));
        }
    }

    void inspect_reference(int directory, const std::string& path) {
        const Fd file(openat(directory, name_of(path).c_str(), read_only | O_NOFOLLOW));
        std::array<char, reference_bytes> text;
        const ssize_t count = file ? read(file.get(), text.data(), text.size()) : 0;
        const auto odd =
            odd_reference({text.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0))});
        if (odd) add(path, "leads to " + *odd, base::sha256_hex(*odd));
    }

    void inspect_keys(const std::string& path, const std::string& repository,
                      const std::string& tree, int depth) {
        const auto text = is_first(path, repository, tree) ? content(path) : std::nullopt;
        if (!text) return;
        auto entries = obeyed_git_entries(*text);
        const GitWords words = obeyed_git_words(*text);
        if (!may_look_up(entries.size() + words.size(), path)) return;
        // a core.worktree in the workspace is harmless: submodules have one
        for (GitEntry& entry : entries)
            if (entry.key != "core.worktree" || entry.line.find('\\') != entry.line.npos)
                add(path, std::move(entry.key), std::move(entry.line));
        for (const std::string& name : git_values(*text, "core", "worktree"))
            inside(path, repository, name);
        inspect_hooks_of(*text, path, repository, tree);
        inspect_words(words, tree);
        for (const char* section : {"include", "includeif.*"})
            for (const std::string& name : git_values(*text, section, "path"))
                if (depth == most_included) {
                    add(path, "is nested too deeply", "");
                } else if (const auto file =
                               inside(path, path.substr(0, path.rfind('/') + 1), name)) {
                    pointed_to_.insert(*file);
                    inspect_keys(*file, repository, tree, depth + 1);
                }
    }

    // `path` is "" for the user's own configuration: what that names outside the workspace is the
    // user's choice.
    void inspect_hooks_of(const std::string& text, const std::string& path,
                          const std::string& repository, const std::string& tree) {
        // git copies hooks and configuration of a template into each new repository
        for (const std::string& name : git_values(text, "init", "templatedir")) {
            if (const auto hooks = inside("", tree, name + "/hooks")) {
                pointed_to_.insert(*hooks);
                inspect_hooks(*hooks);
            }
            if (const auto file = inside("", tree, name + "/config")) {
                pointed_to_.insert(*file);
                inspect_keys(*file, repository, tree, 0);
            }
        }
        for (const std::string& name : git_values(text, "core", "hookspath"))
            for (const std::string& directory : {tree, repository})
                if (const auto hooks = inside(path, directory, name)) {
                    pointed_to_.insert(*hooks);
                    inspect_hooks(*hooks);
                    // hooks that husky makes there run files of the directory above
                    if (hooks->ends_with("/_")) {
                        pointed_to_.insert(parent_of(*hooks));
                        inspect_hooks(parent_of(*hooks), 0777);
                    }
                }
    }

    // git runs these programs in the top directory of the tree.
    void inspect_words(const GitWords& words, const std::string& tree) {
        for (const auto& [word, key] : words) {
            const bool is_resolved = word.find('/') != word.npos || tree.starts_with('/');
            const auto place = is_resolved ? inside("", tree, word) : std::optional(tree + word);
            const auto status = place ? status_of(*place) : std::nullopt;
            if (place) pointed_to_.insert(*place);
            if (status && !S_ISDIR(status->st_mode))
                add(*place, "named by " + key, mark_of(*status) + mark_of_target(*place));
        }
    }

    void inspect_hooks(std::string path, unsigned modes = 0111) {
        (void)follow_links(path);
        const DirectoryStream stream = stream_of(opened(path, O_RDONLY | O_DIRECTORY));
        while (const dirent* entry = next_entry(stream.get())) {
            const std::string hook = path + "/" + entry->d_name;
            const auto status = hook.ends_with(".sample") ? std::nullopt : status_of(hook);
            if (!status || S_ISDIR(status->st_mode)) continue;
            if (S_ISLNK(status->st_mode))
                add(hook, "a hook", mark_of(*status) + mark_of_target(hook));
            else if ((status->st_mode & modes) != 0)
                add(hook, "a hook", mark_of(*status));
        }
    }
    // Returns "" for a link that leads out of the workspace: commands do not change what lies
    // there.
    std::string mark_of_target(const std::string& link) const {
        const auto place = beneath(resolved(full(link)).value_or(""));
        const auto target = place ? status_of(*place) : std::nullopt;
        return target ? mark_of(*target) : "";
    }

    // Returns nothing for a missing file. A file that git would not read in full either is a plant,
    // and so is one that exceeds what is left of the limits.
    std::optional<std::string> content(std::string path,
                                       std::size_t most = base::limits::config_bytes,
                                       std::size_t PlantList::*left = &PlantList::left_bytes) {
        const auto status = follow_links(path);
        if (!status) return std::nullopt;
        auto text = S_ISREG(status->st_mode)
                        ? read_regular(opened(path, read_only), std::min(most, plants_.*left))
                        : std::nullopt;
        if (text)
            plants_.*left -= text->size();
        else
            plants_.add_unread({path, "cannot be read", mark_of(*status)});
        return text;
    }

    static constexpr int most_depth = 16;  // of the name of a branch

    GitPlace git_;
    // no command changes these
    OuterGitConfig user_ = read_user_git_config(*this);
    std::vector<OuterGitConfig> enclosing_ = read_enclosing_git_configs(*this);
    Descent descent_{fd()};
    Buffer entries_;
    std::vector<std::string> open_{""};
    std::set<std::string> repositories_;
    std::set<std::array<std::string, 3>> inspected_;
    std::set<std::string> pointed_to_;
    PlantList plants_;
};

}  // namespace

Plants Plants::in(const std::string& workspace) {
    Plants plants;
    plants.all_ = Survey(workspace).run();
    return plants;
}

bool Plants::is_pointed_to(const std::string& workspace, std::string_view path) {
    return Survey(workspace).points_to(path);
}

}  // namespace chorus::sys
