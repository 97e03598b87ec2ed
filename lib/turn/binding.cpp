#include "turn/binding.hpp"

#include <sys/stat.h>

#include <map>

#include "base/hash.hpp"
#include "chat/json_text.hpp"
#include "policy/shell.hpp"
#include "sys/file.hpp"

namespace chorus::turn {
namespace {

constexpr std::size_t most_hashed_bytes = 16U << 20;

// One that is too long to be read for a question is known by when it was written.
std::string stamp_of(const sys::Opened& opened) {
    struct stat status {};
    if (fstat(opened.fd.get(), &status) != 0) return "unreadable";
    return std::to_string(status.st_ino) + " " + std::to_string(status.st_size) + " " +
           std::to_string(status.st_mtim.tv_sec) + "." + std::to_string(status.st_mtim.tv_nsec);
}

using Files = std::map<std::string, std::string>;

void add_file(const sys::Root& root, const std::string& path, Files& files) {
    const sys::Opened opened = root.open_to_read(path);
    if (opened.outcome != sys::OpenOutcome::opened || opened.kind != sys::Kind::file) return;
    std::string content;
    std::string problem;
    files[root.canonical(path)] = root.read_file(path, most_hashed_bytes, content, problem)
                                      ? base::sha256_hex(content)
                                      : stamp_of(opened);
}

std::string files_of(const tools::Tool& tool, const tools::Arguments& arguments,
                     const sys::Root& root, const agent::Directory& own) {
    Files files;
    if (tool.kind == tools::Class::command)
        for (const std::string& word : policy::file_words(arguments.text("command")))
            add_file(root, word, files);
    if (tool.kind == tools::Class::write) {
        const bool is_own = tool.family == "self_edit";
        if (is_own && sys::is_directory(own.docs()))
            add_file(sys::Root(own.docs()), arguments.text("path"), files);
        if (!is_own) add_file(root, arguments.text("path"), files);
    }
    chat::JsonText out;
    out.begin_object();
    for (const auto& [path, hash] : files) out.key(path).string(hash);
    return out.end_object().take();
}

}  // namespace

Binding bind_call(const tools::Tool& tool, const tools::Arguments& arguments,
                  const tools::Workplace& workplace, const std::string& profile) {
    return {base::sha256_hex(std::string(tool.name) + '\0' + arguments.canonical()),
            workplace.root.path(), profile,
            files_of(tool, arguments, workplace.root, workplace.directory)};
}

Binding binding_of(const store::Prompt& prompt) {
    return {prompt.arguments_hash, prompt.directory, prompt.profile, prompt.files};
}

void write_binding(const Binding& binding, store::Prompt& prompt) {
    prompt.arguments_hash = binding.arguments;
    prompt.directory = binding.directory;
    prompt.profile = binding.profile;
    prompt.files = binding.files;
}

std::string difference(const Binding& approved, const Binding& now) {
    if (approved.arguments != now.arguments) return "the arguments have changed";
    if (approved.directory != now.directory) return "it would run in another directory";
    if (approved.profile != now.profile) return "the profile has changed";
    if (approved.files != now.files) return "a file that it names has changed";
    return {};
}

}  // namespace chorus::turn
