#include "tools/effect.hpp"

#include "base/hash.hpp"
#include "chat/json_text.hpp"
#include "repo/repository.hpp"
#include "tools/result.hpp"
#include "tools/tool.hpp"

namespace chorus::tools {
namespace {

constexpr std::size_t most_hashed_bytes = 64U << 20;

Trace find_file(const Arguments& evidence, const sys::Root& root) {
    const std::string path = evidence.text("path");
    const std::string now = before_write(root, path).hash;
    if (now.empty()) return {};
    if (now == evidence.text("after")) return {Effect::done, listed(path) + " was written"};
    if (now == evidence.text("before")) return {Effect::absent, {}};
    return {};
}

Trace find_commit(const std::string& id, const sys::Root& root) {
    const auto repository = repo::Repository::open(root.path(), root.mask());
    if (!repository) return {};
    if (repository->contains(id)) return {Effect::done, "commit " + id + " was made"};
    return {Effect::absent, {}};
}

}  // namespace

const std::string no_file = "none";

std::string content_hash(std::string_view content) {
    return base::sha256_hex(content);
}

Before before_write(const sys::Root& root, const std::string& path) {
    if (root.open_to_read(path).outcome == sys::OpenOutcome::missing) return {no_file, {}};
    std::string text;
    std::string error;
    if (!root.read_file(path, most_hashed_bytes, text, error)) return {};
    std::string hash = content_hash(text);
    return {std::move(hash), std::move(text)};
}

std::string file_evidence(const std::string& path, const std::string& before,
                          const std::string& after, std::string_view of) {
    chat::JsonText out;
    out.begin_object().key("path").string(path).key("before").string(before);
    out.key("after").string(after);
    if (!of.empty()) out.key("of").string(of);
    return out.end_object().take();
}

bool is_of_own_file(const std::string& evidence) {
    return Arguments::parse(evidence).text("of") == of_agent;
}

std::string commit_evidence(const std::string& id) {
    return chat::JsonText().begin_object().key("commit").string(id).end_object().take();
}

Trace find_effect(const std::string& evidence, const sys::Root& root) {
    const Arguments read = Arguments::parse(evidence.empty() ? "{}" : evidence);
    if (read.has("commit")) return find_commit(read.text("commit"), root);
    if (read.has("path")) return find_file(read, root);
    return {};
}

}  // namespace chorus::tools
