// A model provider on 127.0.0.1 that says what a script tells it to, for tests and benches.
//
//   loopback --script FILE --log DIR [--port-file FILE] [--tls CERT KEY]
//   loopback --fast TEXT [--port-file FILE] [--tls CERT KEY]
//
// Runs until SIGTERM. The port is written to the port file, or printed. A CERT that is not there is
// made, with its KEY, for 127.0.0.1 and localhost; clients take it as their CA file. The k-th POST
// (k from 1, over all connections) is logged as DIR/<k>.json (its body) and DIR/<k>.head before its
// answer is sent. FILE is {"answers": [A, …], "after": "repeat-last" | "error", "models": A}; an A
// is raw,
//   {"status": 429, "headers": {"retry-after": "1"}, "body": "…" | "body_base64": "…"},
// or said in the words of the protocol that the path belongs to,
//   {"say": {"thinking": "…", "signature": "…", "text": "…",
//            "tool_calls": [{"id", "name", "arguments": {…} | "arguments_text": "…"}],
//            "stop": "end" | "tool_use" | "max_tokens" | "refusal" | "none",
//            "usage": {"input": 10, "output": 5, "cache_read": 0, "cache_write": 0},
//            "error": {"type": "overloaded_error", "message": "…"}}},
// or {"say": "prompt"}: what the last message of the request says, if it is such an object (Anthropic's form alone);
// where usage.input counts the cached ones too, "none" ends the stream without its terminal marker
// and "error" is an event in its place. Either may have
//   "chunk": "whole" | N | "utf8"   one write; N bytes a write; inside characters and escapes.
//   Without
//                                   it an event is a write.
//   "chunked": bool                 transfer-encoding; true for "say"
//   "delay_ms", "drip_ms"           before the answer; after each write
//   "cut_after_bytes": N            of the body, then the connection ends
//   "reset": true                   by RST; without cut_after_bytes before the first byte
//   "hang_up": true                 without a byte
//   "stall": true                   instead of ending or closing: silence
// Beside "answers" may be "by_key": {"KEY": A, …}: what a POST gets that has KEY in its head; with
// "for_ms" in A, only so long after the server's start.
// --fast answers every POST with TEXT and looks at nothing but the path. GET of a path that ends in
// /models gives a list of models.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "loopback_certificate.hpp"
#include "loopback_http.hpp"

namespace loopback {
namespace {

struct Options {
    std::string script;
    std::string log;
    std::string port_file;
    std::string certificate;
    std::string key;
    std::optional<std::string> fast;
};

Options parse_options(const std::vector<std::string>& arguments) {
    Options options;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const auto next = [&]() -> const std::string& {
            if (++i >= arguments.size()) throw std::runtime_error(arguments[i - 1] + ": no value");
            return arguments[i];
        };
        const std::string& name = arguments[i];
        if (name == "--script") {
            options.script = next();
        } else if (name == "--log") {
            options.log = next();
        } else if (name == "--port-file") {
            options.port_file = next();
        } else if (name == "--fast") {
            options.fast = next();
        } else if (name == "--tls") {
            options.certificate = next();
            options.key = next();
        } else {
            throw std::runtime_error("unknown argument " + name);
        }
    }
    if (!options.fast && (options.script.empty() || options.log.empty()))
        throw std::runtime_error("--script and --log, or --fast, are needed");
    return options;
}

void write_whole(const std::string& path, const std::string& content) {
    const std::string temporary = path + ".part";
    std::ofstream(temporary, std::ios::binary) << content;
    std::filesystem::rename(temporary, path);
}

std::string numbered(std::size_t k) {
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "%04zu", k);
    return text.data();
}

std::string last_text(const Json& body) {
    const Json messages = body.value("messages", Json::array());
    if (messages.empty()) return {};
    Json content = messages.back().value("content", Json());
    if (content.is_array() && !content.empty()) content = content.back().value("text", Json());
    return content.is_string() ? content.get<std::string>() : std::string();
}

Asked asked_of(const Asking& asking, std::size_t k) {
    Asked asked;
    asked.dialect = dialect_of(asking.path);
    asked.number = static_cast<int>(k);
    asked.head = asking.head;
    const Json body = Json::parse(asking.body, nullptr, false);
    if (body.is_object()) {
        asked.model = body.value("model", "");
        asked.said = last_text(body);
        asked.wants_usage =
            body.value("stream_options", Json::object()).value("include_usage", false);
    }
    if (asked.dialect == Dialect::gemini) {
        const std::size_t end = asking.path.rfind(':');
        const std::size_t begin = asking.path.rfind('/', end) + 1;
        asked.model = asking.path.substr(begin, end - begin);
    }
    return asked;
}

Answer list_models(const Asking& asking) {
    Dialect dialect = Dialect::chat;
    if (asking.headers.contains("anthropic-version")) dialect = Dialect::anthropic;
    if (asking.headers.contains("x-goog-api-key") || asking.path.starts_with("/v1beta/"))
        dialect = Dialect::gemini;
    const std::string path = asking.path.substr(0, asking.path.find('?'));
    if (path.ends_with("/api/tags")) dialect = Dialect::ollama;
    if (dialect != Dialect::ollama && !path.ends_with("/models"))
        return plain_answer(404, "application/json", R"({"error":{"message":"no such path"}})");
    return plain_answer(200, "application/json", model_list(dialect));
}

class Server {
  public:
    explicit Server(Options options) : options_(std::move(options)) {
        if (!options_.script.empty()) script_.emplace(options_.script);
        if (!options_.log.empty()) std::filesystem::create_directories(options_.log);
        if (options_.fast) prepare_fast();
        if (!options_.certificate.empty()) prepare_tls();
        listen();
    }

    [[noreturn]] void run() {
        for (;;) {
            const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
            if (socket < 0) continue;
            std::thread([this, socket] { serve(socket); }).detach();
        }
    }

  private:
    void listen() {
        listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* const name = reinterpret_cast<sockaddr*>(&address);
        if (bind(listener_, name, size) != 0 || ::listen(listener_, SOMAXCONN) != 0 ||
            getsockname(listener_, name, &size) != 0)
            throw std::runtime_error("cannot listen on 127.0.0.1");
        const std::string port = std::to_string(ntohs(address.sin_port)) + "\n";
        if (!options_.port_file.empty()) return write_whole(options_.port_file, port);
        std::fputs(port.c_str(), stdout);
        std::fflush(stdout);
    }

    void prepare_fast() {
        for (const Dialect dialect :
             {Dialect::anthropic, Dialect::responses, Dialect::chat, Dialect::gemini,
              Dialect::ollama}) {
            Asked asked;
            asked.dialect = dialect;
            asked.model = "fast";
            Answer answer = plain_answer(200, "text/event-stream", "");
            answer.chunked = true;
            answer.parts = render({{"text", *options_.fast}}, asked);
            fast_[static_cast<std::size_t>(dialect)] = rendered(answer);
        }
    }

    void prepare_tls() {
        if (!std::filesystem::exists(options_.certificate))
            make_certificate(options_.certificate, options_.key);
        tls_ = SSL_CTX_new(TLS_server_method());
        if (SSL_CTX_use_certificate_chain_file(tls_, options_.certificate.c_str()) != 1 ||
            SSL_CTX_use_PrivateKey_file(tls_, options_.key.c_str(), SSL_FILETYPE_PEM) != 1)
            throw std::runtime_error("cannot use the certificate or its key");
    }

    void serve(int socket) {
        SSL* const tls = tls_ == nullptr ? nullptr : SSL_new(tls_);
        Connection connection(socket, tls);
        while (const auto asking = connection.read())
            if (!(options_.fast ? answer_fast(connection, *asking) : answer(connection, *asking)))
                return;
    }

    bool answer_fast(Connection& connection, const Asking& asking) {
        const Dialect dialect = dialect_of(asking.path);
        if (asking.method != "POST" || dialect == Dialect::none)
            return connection.send(list_models(asking));
        return connection.write(fast_[static_cast<std::size_t>(dialect)]);
    }

    bool answer(Connection& connection, const Asking& asking) {
        if (asking.method != "POST") {
            const auto scripted = script_->models();
            return connection.send(scripted ? *scripted : list_models(asking));
        }
        const std::size_t k = ++requests_;
        const std::string path = options_.log + "/" + numbered(k);
        write_whole(path + ".head", asking.head);
        write_whole(path + ".json", asking.body);
        return connection.send(scripted_answer(asking, k)) &&
               !(asking.headers.contains("connection") &&
                 asking.headers.at("connection") == "close");
    }

    // A script with a wrong answer must be seen, not guessed at.
    Answer scripted_answer(const Asking& asking, std::size_t k) const {
        try {
            return script_->answer(k, asked_of(asking, k));
        } catch (const std::exception& error) {
            std::fprintf(stderr, "loopback: answer %zu: %s\n", k, error.what());
            return plain_answer(500, "text/plain", error.what());
        }
    }

    Options options_;
    std::optional<Script> script_;
    std::array<std::string, 5> fast_;
    SSL_CTX* tls_ = nullptr;
    int listener_ = -1;
    std::atomic<std::size_t> requests_ = 0;
};

void run(const std::vector<std::string>& arguments) {
    std::signal(SIGPIPE, SIG_IGN);
    // Ends in mid-answer too: nothing here is worth keeping.
    std::signal(SIGTERM, [](int) { _exit(0); });
    std::signal(SIGINT, [](int) { _exit(0); });
    Server(parse_options(arguments)).run();
}

}  // namespace
}  // namespace loopback

int main(int count, char** arguments) {
    try {
        loopback::run({arguments + 1, arguments + count});
    } catch (const std::exception& error) {
        std::fprintf(stderr, "loopback: %s\n", error.what());
        return 2;
    }
}
