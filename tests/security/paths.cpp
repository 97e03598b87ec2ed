// Every file tool with every path of a corpus, each in a workspace of its own, full of traps.
//
//   security_paths CORPUS
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <iostream>
#include <stdexcept>

#include "chat/json_text.hpp"
#include "security/corpus.hpp"
#include "security/scene.hpp"

namespace chorus::security {
namespace {

const std::string secret = "what is written outside";

void make_special_files(const std::string& workspace) {
    const auto at = [&](const char* name) { return workspace + "/" + name; };
    if (mkfifo(at("fifo").c_str(), 0600) != 0 ||
        mknod(at("device").c_str(), S_IFCHR | 0600, makedev(1, 3)) != 0)
        throw std::runtime_error("mknod");
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    at("socket").copy(address.sun_path, sizeof address.sun_path - 1);
    const sys::Fd server(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (bind(server.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
        throw std::runtime_error("bind");
}

void make_links(const std::string& workspace, const std::string& outside) {
    const std::vector<std::pair<const char*, std::string>> links{
        {"link-in", "a.txt"},
        {"link-dir-in", "dir"},
        {"link-up", "."},
        {"dir/link-up-in", ".."},
        {"link-out", "../outside/secret.txt"},
        {"link-out-absolute", outside + "/secret.txt"},
        {"link-dir-out", "../outside"},
        {"link-root", "/"},
        {"link-parent", ".."},
        {"link-chain", "link-chain-2"},
        {"link-chain-2", "dir/../link-chain-3"},
        {"link-chain-3", "link-dir-out/secret.txt"},
        {"link-loop", "link-loop"},
        {"link-two", "link-two-2"},
        {"link-two-2", "link-two"},
        {"link-dangling", "nowhere"},
        {"link-dangling-out", "../outside/new.txt"},
        {"link-proc-root", "/proc/self/root"},
        {"link-proc-cwd", "/proc/self/cwd"},
        {"link-fd", "/dev/fd/0"},
        {"link-back", "../workspace"},
        {"link-workspace-absolute", workspace},
        {"link-fifo", "fifo"},
        {"link-git", ".git"},
    };
    for (const auto& [name, target] : links) fs::create_symlink(target, workspace + "/" + name);
}

// The names of the corpus that are there: what is read is what was put there.
const std::vector<std::string> plain_names{
    "a.txt",          "dir/b.txt",         ".gitignore",    "-rf",
    "--help",         "name with  blanks", "tab\tname",     "new\nforged: line",
    "esc\x1b[2Kname", "\xc3\xa9.txt",      "e\xcc\x81.txt", ".git/config",
    "sub/.git/config"};

void furnish(const Scene& scene) {
    const std::string workspace = scene.workspace();
    const std::string outside = scene.outside();
    for (const char* each : {"dir", ".git/hooks", "sub/.git/hooks", "locked"})
        fs::create_directories(workspace + "/" + each);
    for (const std::string& name : plain_names) put(workspace + "/" + name, "# inside\n");
    put(outside + "/secret.txt", secret + "\n");
    put(outside + "/linked.txt", "# inside\n");
    fs::create_directory(workspace + "-other");
    put(workspace + "-other/secret.txt", secret + "\n");
    put(workspace + "/dir/linked.txt", "# inside\n");
    fs::create_hard_link(workspace + "/dir/linked.txt", workspace + "/hard.txt");
    fs::create_hard_link(outside + "/linked.txt", workspace + "/hard-out.txt");
    make_links(workspace, outside);
    make_special_files(workspace);
}

void replace(std::string& text, const std::string& what, const std::string& with) {
    const std::size_t at = text.find(what);
    if (at != std::string::npos) text.replace(at, what.size(), with);
}

// What no tool may change, in one text.
std::string untouchable(const Scene& scene) {
    return fingerprint(scene.outside()) + fingerprint(scene.workspace() + "-other") +
           fingerprint(scene.workspace() + "/.git") + fingerprint(scene.workspace() + "/sub/.git");
}

struct Attempt {
    bool reads = false;
    bool writes = false;
    std::string fault;
};

std::string fault_in(const std::string& answer) {
    if (answer.find(secret) != std::string::npos) return "tells what is outside";
    if (answer.find("root:x:") != std::string::npos) return "tells /etc/passwd";
    if (answer.find("\nforged: line") != std::string::npos) return "a name begins a line";
    if (answer.find("HOME=") != std::string::npos) return "tells an environment";
    return {};
}

Attempt attempt(const std::string& path_given) {
    const Scene scene("/dev/shm");
    furnish(scene);
    std::string path = path_given;
    replace(path, "{ws}", scene.workspace());
    replace(path, "{out}", scene.outside());
    const std::string before = untouchable(scene);
    const Place place(scene);
    Attempt result;
    const auto call = [&](const char* tool, const char* arguments) {
        const chat::ToolResult answer = place.call(tool, arguments, path);
        const std::string fault = fault_in(answer.text);
        if (!fault.empty()) result.fault = std::string(tool) + " " + fault;
        if (untouchable(scene) != before)
            result.fault = std::string(tool) + " changed what it may not";
        return !answer.is_error;
    };
    result.reads = call("view", "{}");
    const bool lists = call("list_files", "{}");
    const bool searches = call("search_files", R"({"pattern": "[w]ritten|inside|root:x"})");
    if (result.reads != lists || result.reads != searches) result.fault = "tools disagree";
    if (call("str_replace", R"({"old_str": "inside", "new_str": "Inside"})") &&
        !(result.reads || result.fault.empty()))
        result.fault = "str_replace writes what view does not read";
    const bool appends = call("append_file", R"({"content": "more\n"})");
    result.writes = call("create_file", R"({"content": "new\n"})");
    if (appends != result.writes) result.fault = "append_file and create_file disagree";
    return result;
}

int judge_corpus(const std::string& path) {
    std::size_t expected = 0;
    std::vector<Line> cases;
    for (const Line& line : read_corpus(path, 2)) {
        if (line.fields.size() == 2)
            cases.push_back(line);
        else
            expected = std::stoul(line.fields[0].substr(7));
    }
    Report report(fs::path(path).filename(), expected);
    for (const Line& line : cases) {
        const Attempt done = attempt(line.fields[1]);
        const std::string found = std::string(done.reads ? "r" : "-") + (done.writes ? "w" : "-");
        report.ran(found == line.fields[0] && done.fault.empty(), line,
                   found + ", not " + line.fields[0] + ": " + done.fault + " " +
                       line.fields[1].substr(0, 200));
    }
    return report.finish();
}

}  // namespace
}  // namespace chorus::security

int main(int argc, char** argv) {
    if (argc != 2) throw std::runtime_error("security_paths CORPUS");
    alarm(100);  // what hangs on a FIFO fails
    return chorus::security::judge_corpus(argv[1]);
}
