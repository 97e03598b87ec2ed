#include "repo/message.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/error.hpp"

namespace chorus::repo {
namespace {

constexpr std::size_t most_bytes = 64U << 20;

using Size = std::uint32_t;

void append_size(std::string& bytes, std::size_t size) {
    const auto number = static_cast<Size>(size);
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

[[noreturn]] void refuse(const char* why) {
    throw base::Error(base::ErrorCode::failed, std::string("git: the answer ") + why);
}

// False at the end.
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

std::string take(std::string_view& bytes) {
    Size size = 0;
    if (bytes.size() < sizeof size) refuse("is malformed");
    std::memcpy(&size, bytes.data(), sizeof size);
    bytes.remove_prefix(sizeof size);
    if (bytes.size() < size) refuse("is malformed");
    const std::string text(bytes.substr(0, size));
    bytes.remove_prefix(size);
    return text;
}

}  // namespace

bool send(int socket, const Message& message) {
    std::string bytes(sizeof(Size), '\0');
    for (const std::string& text : message) {
        append_size(bytes, text.size());
        bytes += text;
        if (bytes.size() > most_bytes) refuse("is larger than 64 MiB");
    }
    const auto size = static_cast<Size>(bytes.size() - sizeof(Size));
    std::memcpy(bytes.data(), &size, sizeof size);
    for (std::size_t sent = 0; sent < bytes.size();) {
        const ssize_t count =
            ::send(socket, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
        if (count < 0 && errno != EINTR) return false;
        if (count > 0) sent += static_cast<std::size_t>(count);
    }
    return true;
}

std::optional<Message> receive(int socket, const std::function<void()>& wait) {
    Size size = 0;
    if (!fill(socket, &size, sizeof size, wait)) return std::nullopt;
    if (size > most_bytes) refuse("is larger than 64 MiB");
    std::string bytes(size, '\0');
    if (!fill(socket, bytes.data(), size, wait)) return std::nullopt;
    Message message;
    for (std::string_view rest = bytes; !rest.empty();) message.push_back(take(rest));
    return message;
}

}  // namespace chorus::repo
