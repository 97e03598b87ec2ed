#include "repo/git_message.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <cstdint>

#include "base/error.hpp"

namespace chorus::repo {
namespace {

constexpr std::size_t most_bytes = 64U << 20;

using Size = std::uint32_t;

void append(std::string& bytes, std::size_t size) {
    const auto number = static_cast<Size>(size);
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void check_size(std::size_t bytes) {
    if (bytes > most_bytes)
        throw base::Error(base::ErrorCode::failed, "git: the answer is larger than 64 MiB");
}

// Returns false at the end.
bool fill(int socket, void* place, std::size_t size, const std::function<void()>& wait) {
    for (char* next = static_cast<char*>(place); size > 0;) {
        wait();
        const ssize_t count = recv(socket, next, size, 0);
        if (count == 0 || (count < 0 && errno != EINTR)) return false;
        if (count < 0) continue;
        next += count;
        size -= static_cast<std::size_t>(count);
    }
    return true;
}

}  // namespace

bool send(int socket, const Message& message) {
    std::string bytes;
    append(bytes, message.size());
    for (const std::string& text : message) {
        append(bytes, text.size());
        bytes += text;
        check_size(bytes.size());
    }
    for (std::size_t sent = 0; sent < bytes.size();) {
        iovec rest{bytes.data() + sent, bytes.size() - sent};
        msghdr part{};
        part.msg_iov = &rest;
        part.msg_iovlen = 1;
        // not send(2), which libcurl uses: tests kill the process at this one
        const ssize_t count = sendmsg(socket, &part, MSG_NOSIGNAL);
        if (count < 0 && errno != EINTR) return false;
        if (count > 0) sent += static_cast<std::size_t>(count);
    }
    return true;
}

std::optional<Message> receive(int socket, const std::function<void()>& wait) {
    Size count = 0;
    Size size = 0;
    std::size_t bytes = 0;
    Message message;
    if (!fill(socket, &count, sizeof count, wait)) return std::nullopt;
    for (; count > 0; --count) {
        if (!fill(socket, &size, sizeof size, wait)) return std::nullopt;
        check_size(bytes += sizeof size + size);
        std::string& text = message.emplace_back(size, '\0');
        if (!fill(socket, text.data(), size, wait)) return std::nullopt;
    }
    return message;
}

}  // namespace chorus::repo
