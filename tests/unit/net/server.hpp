// A server in the test's own process: every connection is a thread that runs what the test says.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "net/http.hpp"

namespace chorus::net {

struct Got {
    Response response;
    std::string body;
};

class Peer {
  public:
    explicit Peer(int socket) : socket_(socket) {}

    // One request, head and body; empty once the client has gone.
    std::string read_request() {
        for (;;) {
            const std::size_t end = buffer_.find("\r\n\r\n");
            if (end != std::string::npos) {
                const std::size_t size = end + 4 + content_length(end);
                while (buffer_.size() < size && fill()) {
                }
                std::string request = buffer_.substr(0, size);
                buffer_.erase(0, size);
                return request;
            }
            if (!fill()) return {};
        }
    }
    void send(std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t size = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (size <= 0) return;
            bytes.remove_prefix(static_cast<std::size_t>(size));
        }
    }
    void send_answer(std::string_view body, std::string_view headers = "",
                     std::string_view status = "200 OK") {
        send("HTTP/1.1 " + std::string(status) + "\r\n" + std::string(headers) +
             "content-length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body));
    }
    void wait_until_client_leaves() {
        while (fill()) {
        }
    }
    // The connection then ends with RST.
    void reset_on_close() {
        const linger at_once{1, 0};
        setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    }

  private:
    std::size_t content_length(std::size_t head_end) const {
        const std::size_t at = buffer_.find("Content-Length: ");
        return at < head_end ? std::stoul(buffer_.substr(at + 16)) : 0;
    }
    bool fill() {
        char bytes[4096];
        const ssize_t size = recv(socket_, bytes, sizeof bytes, 0);
        if (size > 0) buffer_.append(bytes, static_cast<std::size_t>(size));
        return size > 0;
    }

    int socket_;
    std::string buffer_;
};

class Server {
  public:
    using Serve = std::function<void(Peer&)>;

    explicit Server(Serve serve) : serve_(std::move(serve)) {
        listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* const name = reinterpret_cast<sockaddr*>(&address);
        EXPECT_EQ(bind(listener_, name, size), 0);
        EXPECT_EQ(listen(listener_, 64), 0);
        getsockname(listener_, name, &size);
        port_ = ntohs(address.sin_port);
        acceptor_ = std::thread([this] { accept_all(); });
    }
    ~Server() {
        shutdown(listener_, SHUT_RDWR);
        acceptor_.join();
        close(listener_);
        {
            const std::lock_guard lock(mutex_);
            for (const int socket : sockets_) shutdown(socket, SHUT_RDWR);
        }
        for (std::thread& thread : threads_) thread.join();
    }
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    int port() const { return port_; }
    std::string place() const { return "127.0.0.1:" + std::to_string(port_); }
    std::string url(const std::string& path = "/v1") const { return "http://" + place() + path; }
    int connections() const { return connections_; }

  private:
    void accept_all() {
        for (int socket; (socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
            ++connections_;
            const std::lock_guard lock(mutex_);
            sockets_.push_back(socket);
            threads_.emplace_back([this, socket] { run(socket); });
        }
    }
    void run(int socket) {
        Peer peer(socket);
        serve_(peer);
        const std::lock_guard lock(mutex_);
        std::erase(sockets_, socket);
        close(socket);
    }

    Serve serve_;
    int listener_ = -1;
    int port_ = 0;
    std::atomic<int> connections_ = 0;
    std::mutex mutex_;
    std::vector<int> sockets_;
    std::vector<std::thread> threads_;
    std::thread acceptor_;
};

}  // namespace chorus::net
