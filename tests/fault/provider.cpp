#include "fault/provider.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cctype>
#include <csignal>
#include <set>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include "support/loopback_dialects.hpp"
#include "support/loopback_http.hpp"

namespace fault {
namespace {

std::string text_of(const Json& content) {
    if (content.is_string()) return content.get<std::string>();
    std::string text;
    for (const Json& part : content) text += part.value("text", "");
    return text;
}

Block block_of(const std::string& role, const Json& part) {
    const std::string type = part.value("type", "");
    if (type == "tool_use") return {role, type, part.value("id", ""), part["input"].dump()};
    if (type == "tool_result")
        return {role, type, part.value("tool_use_id", ""), text_of(part.value("content", Json()))};
    return {role, type, "", part.value("text", "")};
}

// The number behind `word`, or nothing.
std::string number_of(const std::string& text, const std::string& word) {
    if (text.rfind(word + " ", 0) != 0) return {};
    std::size_t end = word.size() + 1;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    return text.substr(word.size() + 1, end - word.size() - 1);
}

Json say(const std::string& text, Json calls = Json::array()) {
    return {{"say", {{"text", text}, {"tool_calls", std::move(calls)}}}, {"chunk", "whole"}};
}

Json call(const std::string& number, const char* tool, Json arguments) {
    return {{"id", "w" + number + "_" + tool}, {"name", tool}, {"arguments", std::move(arguments)}};
}

Json work(const std::string& n, int step) {
    const std::string notes = "notes-" + n + ".txt";
    switch (step) {
        case 0:
            return say("I begin " + n + ".",
                       {call(n, "create_file",
                             {{"path", notes}, {"content", "first\nsecond " + n + "\n"}})});
        case 1:
            return say("I change " + n + ".",
                       {call(n, "str_replace",
                             {{"path", notes}, {"old_str", "second"}, {"new_str", "2nd"}}),
                        call(n, "append_file",
                             {{"path", "log.txt"}, {"content", "appended " + n + "\n"}})});
        case 2:
            return say("",
                       {call(n, "view", {{"path", notes}}), call(n, "list_files", Json::object())});
        case 3:
            return say("", {call(n, "bash", {{"command", "echo ran " + n + " >>count.txt"}})});
        case 4:
            return say("I commit.", {call(n, "git_commit", {{"message", "commit " + n}})});
        default:
            return say("Done " + n + ".");
    }
}

// Two commands at once, each of which tells its call's id.
Json ask(const std::string& n, int step) {
    if (step > 0) return say("Done " + n + ".");
    Json calls = Json::array();
    for (const char* letter : {"a", "b"}) {
        const std::string id = "q" + n + letter;
        calls.push_back({{"id", id},
                         {"name", "bash"},
                         {"arguments", {{"command", "echo ran " + id + " >>count.txt"}}}});
    }
    return say("", calls);
}

// A summary that tells which prompts it stands for.
Json summary(const std::string& conversation) {
    std::string numbers;
    std::istringstream lines(conversation);
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind("User: ", 0) == 0) line.erase(0, 6);
        for (const char* word : {"say", "work", "ask"})
            if (const std::string found = number_of(line, word); !found.empty())
                numbers += " " + found;
        const std::string earlier = "Summary of ";
        if (line.rfind(earlier, 0) == 0) numbers += " " + line.substr(earlier.size());
    }
    return say("Summary of" + numbers);
}

}  // namespace

std::vector<Block> blocks_of(const Json& messages) {
    std::vector<Block> blocks;
    for (const Json& message : messages) {
        const std::string role = message.value("role", "");
        const Json& content = message["content"];
        if (content.is_string()) {
            blocks.push_back({role, "text", "", content.get<std::string>()});
            continue;
        }
        for (const Json& part : content) blocks.push_back(block_of(role, part));
    }
    return blocks;
}

std::string problem_of(const Json& messages) {
    std::multiset<std::string> open;
    std::string before = "assistant";
    for (const Json& message : messages) {
        const std::string role = message.value("role", "");
        if (role == before) return "two messages in a row of the " + role;
        before = role;
        const std::vector<Block> blocks = blocks_of(Json::array({message}));
        if (blocks.empty()) return "an empty message";
        std::multiset<std::string> answered;
        std::multiset<std::string> calls;
        for (const Block& block : blocks) {
            if (block.type == "tool_result") answered.insert(block.id);
            if (block.type == "tool_use") calls.insert(block.id);
            if (block.type == "text" && block.text.empty()) return "an empty text";
        }
        if (answered != open) return "calls and results that do not match";
        open = std::move(calls);
    }
    if (before != "user") return "the last message is not the user's";
    return {};
}

Json answer_to(const std::vector<Block>& blocks) {
    if (blocks.size() == 1 && blocks[0].text.rfind("<conversation>\n", 0) == 0)
        return summary(blocks[0].text);
    std::string asked = "say";
    std::string number = "0";
    int answers = 0;
    std::string role;
    for (const Block& block : blocks) {
        if (block.role == "assistant" && role != "assistant") ++answers;
        role = block.role;
        if (block.role != "user" || block.type != "text") continue;
        for (const char* word : {"say", "work", "ask"}) {
            const std::string found = number_of(block.text, word);
            if (found.empty()) continue;
            asked = word;
            number = found;
            answers = 0;
        }
    }
    if (asked == "work") return work(number, answers);
    return asked == "ask" ? ask(number, answers) : say("Said " + number + ".");
}

Provider::Provider() {
    std::signal(SIGPIPE, SIG_IGN);
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const name = reinterpret_cast<sockaddr*>(&address);
    if (bind(listener_, name, size) != 0 || listen(listener_, SOMAXCONN) != 0 ||
        getsockname(listener_, name, &size) != 0)
        throw std::runtime_error("cannot listen on 127.0.0.1");
    port_ = ntohs(address.sin_port);
    // the alarm of launch() is for the thread that waits
    sigset_t alarm;
    sigset_t before;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarm, &before);
    std::thread([this] { accept_all(); }).detach();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// The suites end by _exit: connections may still be open in threads that nobody waits for.
Provider::~Provider() = default;

std::string Provider::url() const {
    return "http://127.0.0.1:" + std::to_string(port_);
}

std::vector<Request> Provider::take_requests() {
    const std::lock_guard guard(mutex_);
    return std::exchange(requests_, {});
}

void Provider::accept_all() {
    for (;;) {
        const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (socket >= 0) std::thread([this, socket] { serve(socket); }).detach();
    }
}

void Provider::serve(int socket) {
    loopback::Connection connection(socket, nullptr);
    while (const auto asking = connection.read()) {
        Request request;
        request.body = Json::parse(asking->body, nullptr, false);
        if (request.body.is_object() && request.body.contains("messages")) {
            request.blocks = blocks_of(request.body["messages"]);
            request.problem = problem_of(request.body["messages"]);
        } else {
            request.problem = "not a request";
        }
        const bool fine = request.problem.empty();
        const std::string problem = request.problem;
        const Json answer = answer_to(request.blocks);
        {
            const std::lock_guard guard(mutex_);
            requests_.push_back(std::move(request));
        }
        if (!fine) {
            const Json error = {
                {"type", "error"},
                {"error", {{"type", "invalid_request_error"}, {"message", problem}}}};
            if (!connection.send(loopback::plain_answer(400, "application/json", error.dump())))
                return;
            continue;
        }
        loopback::Asked asked;
        asked.dialect = loopback::Dialect::anthropic;
        asked.model = "m";
        loopback::Answer whole = loopback::plain_answer(200, "text/event-stream", "");
        whole.chunked = true;
        whole.parts = {""};
        for (const std::string& part : loopback::render(answer["say"], asked))
            whole.parts[0] += part;
        if (!connection.send(whole)) return;
    }
}

}  // namespace fault
