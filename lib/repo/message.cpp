#include "repo/message.hpp"

#include <sys/socket.h>
#include <sys/uio.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/error.hpp"

namespace chorus::repo {
namespace {

constexpr std::size_t most_bytes = 64U << 20;
constexpr std::size_t chunk_bytes = 64U << 10;

using Size = std::uint32_t;

void append_size(std::string& bytes, std::size_t size) {
    const auto number = static_cast<Size>(size);
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

[[noreturn]] void refuse(const char* why) {
    throw base::Error(base::ErrorCode::failed, std::string("git: the answer ") + why);
}

// False at the end. Memory is taken as bytes come, not as many as the other side says.
bool fill(int socket, std::string& bytes, std::size_t size, const std::function<void()>& wait) {
    bytes.clear();
    while (bytes.size() < size) {
        wait();
        const std::size_t have = bytes.size();
        bytes.resize(std::min(size, have + chunk_bytes));
        const ssize_t count = recv(socket, bytes.data() + have, bytes.size() - have, 0);
        bytes.resize(have + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
        if (count == 0 || (count < 0 && errno != EINTR)) return false;
    }
    return true;
}

class Reader {
  public:
    explicit Reader(std::string_view bytes) : rest_(bytes) {}

    bool is_empty() const { return rest_.empty(); }
    std::string next() {
        Size size = 0;
        if (rest_.size() < sizeof size) refuse("is malformed");
        std::memcpy(&size, rest_.data(), sizeof size);
        rest_.remove_prefix(sizeof size);
        if (rest_.size() < size) refuse("is malformed");
        const std::string text(rest_.substr(0, size));
        rest_.remove_prefix(size);
        return text;
    }

  private:
    std::string_view rest_;
};

}  // namespace

bool send(int socket, const Message& message) {
    std::string bytes;
    for (const std::string& text : message) {
        append_size(bytes, text.size());
        bytes += text;
        if (bytes.size() > most_bytes) refuse("is larger than 64 MiB");
    }
    std::string head;
    append_size(head, bytes.size());
    bytes.insert(0, head);
    for (std::size_t sent = 0; sent < bytes.size();) {
        iovec rest{bytes.data() + sent, bytes.size() - sent};
        msghdr part{};
        part.msg_iov = &rest;
        part.msg_iovlen = 1;
        const ssize_t count = sendmsg(socket, &part, MSG_NOSIGNAL);
        if (count < 0 && errno != EINTR) return false;
        if (count > 0) sent += static_cast<std::size_t>(count);
    }
    return true;
}

std::optional<Message> receive(int socket, const std::function<void()>& wait) {
    std::string bytes;
    Size size = 0;
    if (!fill(socket, bytes, sizeof size, wait)) return std::nullopt;
    std::memcpy(&size, bytes.data(), sizeof size);
    if (size > most_bytes) refuse("is larger than 64 MiB");
    if (!fill(socket, bytes, size, wait)) return std::nullopt;
    Message message;
    for (Reader reader(bytes); !reader.is_empty();) message.push_back(reader.next());
    return message;
}

}  // namespace chorus::repo
