#include "approval/binding.hpp"

#include "base/hash.hpp"
#include "base/text.hpp"
#include "net/gzip.hpp"
#include "sys/file.hpp"

namespace chorus::approval {
namespace {

constexpr std::size_t most_kept_entries = 200'000;
constexpr std::size_t most_kept_bytes = 1U << 30;
constexpr std::size_t most_named = 8;

sys::Fingerprint files_of(const tools::Tool& tool, const tools::Arguments& arguments,
                          const sys::Root& root, const agent::Directory& own) {
    if (tool.kind == tools::Class::command) return sys::Fingerprint::of(root);
    const std::string path = arguments.text("path");
    if (path.empty()) return sys::Fingerprint();
    if (tool.family != "self_edit") return sys::Fingerprint::of_file(root, path);
    return sys::is_directory(own.docs()) ? sys::Fingerprint::of_file(sys::Root(own.docs()), path)
                                         : sys::Fingerprint();
}

std::string named(const std::vector<std::string>& changes) {
    return base::visible(base::replace_invalid_utf8(base::first_few(changes, most_named)),
                         base::Newlines::escape);
}

}  // namespace

Binding bind_call(const tools::Tool& tool, const tools::Arguments& arguments, const sys::Root& root,
                  const agent::Directory& own, const std::string& profile) {
    Binding binding{base::sha256_hex(std::string(tool.name) + '\0' + arguments.canonical()),
                    root.path(),
                    profile,
                    {}};
    if (tool.kind != tools::Class::command && tool.kind != tools::Class::write) return binding;
    binding.files = std::make_shared<const sys::Fingerprint>(files_of(tool, arguments, root, own));
    binding.state = binding.files->size() > most_kept_entries
                        ? std::string(held_state)
                        : base::sha256_hex(binding.files->text());
    return binding;
}

Binding binding_of(store::Store& store, const store::Prompt& prompt,
                   const std::map<std::string, place::SeenFiles>& held) {
    Binding binding{prompt.arguments_hash, prompt.directory, prompt.profile, prompt.files};
    if (const auto found = held.find(prompt.id); found != held.end()) {
        binding.files = found->second;
    } else if (const std::string packed = store::load_fingerprint(store, prompt.files);
               !packed.empty()) {
        if (const auto text = net::gunzip(packed, most_kept_bytes))
            if (auto files = sys::Fingerprint::parse(*text))
                binding.files = std::make_shared<const sys::Fingerprint>(std::move(*files));
    }
    return binding;
}

void write_binding(const Binding& binding, store::Prompt& prompt) {
    prompt.arguments_hash = binding.arguments;
    prompt.directory = binding.directory;
    prompt.profile = binding.profile;
    prompt.files = binding.state;
    const bool is_kept = binding.files && binding.state != any_state && binding.state != held_state;
    prompt.fingerprint = is_kept ? net::gzip(binding.files->text()) : std::string();
}

std::string changed_files(const Binding& before, const Binding& now) {
    if (before.state == any_state) return {};
    if (before.files && now.files) {
        const auto changes = now.files->changes_since(*before.files);
        return changes.empty() ? std::string() : "changed: " + named(changes);
    }
    if (before.state == now.state && before.state != held_state) return {};
    return "the earlier state of the files is no longer known";
}

std::string difference(const Binding& before, const Binding& now) {
    if (before.arguments != now.arguments) return "the arguments have changed";
    if (before.directory != now.directory) return "it would run in another directory";
    if (before.profile != now.profile) return "the profile has changed";
    return changed_files(before, now);
}

}  // namespace chorus::approval
