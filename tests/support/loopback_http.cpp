#include "loopback_http.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace loopback {
namespace {

void sleep_ms(long ms) {
    if (ms > 0) std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

Asking parse_head(std::string head) {
    Asking asking;
    const std::size_t first_end = head.find("\r\n");
    const std::string line = head.substr(0, first_end);
    const std::size_t blank = line.find(' ');
    asking.method = line.substr(0, blank);
    if (blank != std::string::npos)
        asking.path = line.substr(blank + 1, line.rfind(' ') - blank - 1);
    for (std::size_t at = first_end + 2; at < head.size();) {
        const std::size_t end = head.find("\r\n", at);
        const std::size_t colon = head.find(':', at);
        if (end == at || end == std::string::npos || colon == std::string::npos) break;
        const std::size_t value = head.find_first_not_of(' ', colon + 1);
        asking.headers[lower(head.substr(at, colon - at))] = head.substr(value, end - value);
        at = end + 2;
    }
    asking.head = std::move(head);
    return asking;
}

std::string head_of(const Answer& answer) {
    std::string head = "HTTP/1.1 " + std::to_string(answer.status) + " Scripted\r\n";
    for (const auto& [name, value] : answer.headers) head += name + ": " + value + "\r\n";
    // One more than comes, so that a client waits for it.
    std::size_t size = answer.stall ? 1 : 0;
    for (const std::string& part : answer.parts) size += part.size();
    if (answer.chunked)
        head += "transfer-encoding: chunked\r\n";
    else
        head += "content-length: " + std::to_string(size) + "\r\n";
    return head + "\r\n";
}

std::string chunk_head(std::size_t size) {
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "%zx\r\n", size);
    return text.data();
}

std::string framed(const Answer& answer, const std::string& part) {
    if (!answer.chunked || part.empty()) return answer.chunked ? std::string() : part;
    return chunk_head(part.size()) + part + "\r\n";
}

}  // namespace

Connection::Connection(int socket, SSL* tls) : socket_(socket), tls_(tls) {
    const int on = 1;
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (tls_ == nullptr) return;
    SSL_set_fd(tls_, socket_);
    SSL_accept(tls_);
}

Connection::~Connection() {
    if (tls_ != nullptr) SSL_free(tls_);
    close(socket_);
}

bool Connection::fill() {
    std::array<char, 65536> bytes;
    const auto room = static_cast<int>(bytes.size());
    const ssize_t size = tls_ != nullptr ? SSL_read(tls_, bytes.data(), room)
                                         : recv(socket_, bytes.data(), bytes.size(), 0);
    if (size <= 0) return false;
    buffer_.append(bytes.data(), static_cast<std::size_t>(size));
    return true;
}

bool Connection::write(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t size = tls_ != nullptr
                                 ? SSL_write(tls_, bytes.data(), static_cast<int>(bytes.size()))
                                 : ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (size <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(size));
    }
    return true;
}

std::optional<Asking> Connection::read() {
    std::size_t end;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos)
        if (buffer_.size() > (1U << 20) || !fill()) return {};
    Asking asking = parse_head(buffer_.substr(0, end + 2));
    buffer_.erase(0, end + 4);
    if (asking.headers.contains("expect") && !write("HTTP/1.1 100 Continue\r\n\r\n")) return {};
    const auto length = asking.headers.find("content-length");
    const std::size_t size =
        length == asking.headers.end() ? 0 : std::strtoull(length->second.c_str(), nullptr, 10);
    while (buffer_.size() < size)
        if (!fill()) return {};
    asking.body = buffer_.substr(0, size);
    buffer_.erase(0, size);
    return asking;
}

bool Connection::send(const Answer& answer) {
    sleep_ms(answer.delay_ms);
    const bool misbehaves_at_once = answer.reset && !answer.cut_after_bytes;
    if (answer.hang_up || misbehaves_at_once) {
        give_up(answer);
        return false;
    }
    return send_body(answer, head_of(answer));
}

// The head goes out with the first part.
bool Connection::send_body(const Answer& answer, std::string head) {
    std::string pending = std::move(head);
    std::size_t left = answer.cut_after_bytes.value_or(std::string::npos);
    for (const std::string& part : answer.parts) {
        if (part.size() > left) {
            if (left > 0) {
                if (answer.chunked) pending += chunk_head(part.size());
                pending += part.substr(0, left);
            }
            left = 0;
            break;
        }
        if (!write(pending + framed(answer, part))) return false;
        pending.clear();
        if (answer.cut_after_bytes) left -= part.size();
        sleep_ms(answer.drip_ms);
    }
    if (answer.cut_after_bytes || answer.stall) {
        if (write(pending)) give_up(answer);
        return false;
    }
    return write(pending + (answer.chunked ? "0\r\n\r\n" : ""));
}

void Connection::give_up(const Answer& answer) {
    if (answer.stall) return wait_for_client_to_leave();
    if (!answer.reset) return;
    const linger at_once{1, 0};
    setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

void Connection::wait_for_client_to_leave() {
    while (fill()) buffer_.clear();
}

std::string rendered(const Answer& answer) {
    std::string out = head_of(answer);
    for (const std::string& part : answer.parts) out += framed(answer, part);
    return out + (answer.chunked ? "0\r\n\r\n" : "");
}

}  // namespace loopback
