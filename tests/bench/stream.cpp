// How long an answer takes through chorus-run: from the server's first piece to the first byte of
// stdout, and from the end marker, behind which the server hangs on, to the end of the process.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>

#include "measure.hpp"

namespace bench {
namespace {

// One connection; sends an answer with pauses and keeps the connection.
class SlowServer {
  public:
    SlowServer() {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
            listen(listener_, 1) != 0 ||
            getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
            std::exit(1);
        url_ = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/v1";
        thread_ = std::thread([this] { serve(); });
    }
    ~SlowServer() {
        thread_.join();
        close(listener_);
    }
    SlowServer(const SlowServer&) = delete;
    SlowServer& operator=(const SlowServer&) = delete;
    const std::string& url() const { return url_; }
    double first_ms = 0;
    double end_ms = 0;

  private:
    void serve() {
        const int peer = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        const int on = 1;
        setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        std::string asked;
        char buffer[65'536];
        while (!asked.ends_with("]}")) {
            const ssize_t count = read(peer, buffer, sizeof buffer);
            if (count <= 0) break;
            asked.append(buffer, static_cast<std::size_t>(count));
        }
        const auto send = [&](std::string_view text) {
            std::this_thread::sleep_for(std::chrono::milliseconds(30));
            const double now = now_ms();
            if (write(peer, text.data(), text.size()) < 0) std::exit(1);
            return now;
        };
        send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: thinking\n\n");
        first_ms = send("data: {\"choices\":[{\"delta\":{\"content\":\"first\"}}]}\n\n");
        end_ms = send(
            "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
            "data: [DONE]\n\n");
        while (read(peer, buffer, sizeof buffer) > 0) continue;
        close(peer);
    }

    int listener_ = -1;
    std::string url_;
    std::thread thread_;
};

}  // namespace

void streaming(int count) {
    new_home("stream", "openai-chat/bench");
    setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef", 1);
    const std::string command = bin + "/chorus-run a --fresh --stream hi </dev/null";
    std::vector<double> first;
    std::vector<double> end;
    for (int i = 0; i < count; ++i) {
        SlowServer server;
        setenv("CHORUS_OPENAI_CHAT_BASE_URL", server.url().c_str(), 1);
        FILE* out = popen(command.c_str(), "r");
        if (out == nullptr || std::fgetc(out) != 'f') std::exit(1);
        first.push_back(now_ms() - server.first_ms);
        while (std::fgetc(out) != EOF) continue;
        if (pclose(out) != 0) std::exit(1);
        end.push_back(now_ms() - server.end_ms);
    }
    report("first piece of an answer in, first byte out", median(first), "ms", 5);
    report("end marker in, process ended, the connection kept open", median(end), "ms", 100);
}

}  // namespace bench
