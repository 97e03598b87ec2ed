#include "server.hpp"

#include <arpa/inet.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <stdexcept>

namespace hostile {

void sleep_ms(long ms) {
    std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

Peer::Peer(int socket, SSL* tls) : socket_(socket), tls_(tls) {
    const int on = 1;
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (tls_ != nullptr) SSL_set_fd(tls_, socket_);
}

// Without TLS's own goodbye: who ends a connection here ends it rudely.
Peer::~Peer() {
    if (tls_ != nullptr) SSL_free(tls_);
}

bool Peer::greet() {
    return tls_ == nullptr || SSL_accept(tls_) == 1;
}

bool Peer::fill() {
    std::array<char, 65536> bytes;
    const ssize_t size = tls_ != nullptr && SSL_is_init_finished(tls_) == 1
                             ? SSL_read(tls_, bytes.data(), static_cast<int>(bytes.size()))
                             : recv(socket_, bytes.data(), bytes.size(), 0);
    if (size > 0) buffer_.append(bytes.data(), static_cast<std::size_t>(size));
    return size > 0;
}

std::optional<Asking> Peer::read() {
    std::size_t end;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos)
        if (!fill()) return {};
    Asking asking;
    asking.head = buffer_.substr(0, end + 2);
    buffer_.erase(0, end + 4);
    const std::size_t at = asking.head.find("Content-Length: ");
    const std::size_t size =
        at == std::string::npos ? 0 : std::strtoull(asking.head.c_str() + at + 16, nullptr, 10);
    while (buffer_.size() < size)
        if (!fill()) return {};
    asking.body = buffer_.substr(0, size);
    buffer_.erase(0, size);
    return asking;
}

bool Peer::send(std::string_view bytes) {
    if (tls_ == nullptr) return send_raw(bytes);
    while (!bytes.empty()) {
        const int size = SSL_write(tls_, bytes.data(), static_cast<int>(bytes.size()));
        if (size <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(size));
    }
    return true;
}

bool Peer::send_raw(std::string_view bytes) const {
    while (!bytes.empty()) {
        const ssize_t size = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (size <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(size));
    }
    return true;
}

void Peer::flush() const {
    int unsent = 0;
    for (int i = 0; i < 1000 && ioctl(socket_, SIOCOUTQ, &unsent) == 0 && unsent > 0; ++i)
        sleep_ms(1);
}

void Peer::wait_until_client_leaves() {
    while (fill()) buffer_.clear();
}

void Peer::reset_on_close() const {
    const linger at_once{1, 0};
    setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

Server::Server(Serve serve, SSL_CTX* tls) : serve_(std::move(serve)), tls_(tls) {
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
    acceptor_ = std::thread([this] { accept_all(); });
}

Server::~Server() {
    shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    close(listener_);
    {
        const std::lock_guard lock(mutex_);
        for (const int socket : sockets_) shutdown(socket, SHUT_RDWR);
    }
    for (std::thread& thread : threads_) thread.join();
}

void Server::accept_all() {
    for (int socket; (socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
        ++connections_;
        const std::lock_guard lock(mutex_);
        sockets_.push_back(socket);
        threads_.emplace_back([this, socket] { run(socket); });
    }
}

void Server::run(int socket) {
    {
        Peer peer(socket, tls_ == nullptr ? nullptr : SSL_new(tls_));
        serve_(peer);
    }
    const std::lock_guard lock(mutex_);
    std::erase(sockets_, socket);
    close(socket);
}

}  // namespace hostile
