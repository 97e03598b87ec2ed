// Confines a command without mounts and namespaces, for kernels and containers that refuse those.
#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "chorus-sandbox/confine.hpp"

namespace chorus::sandbox {
namespace {

constexpr std::size_t room_for_one = CMSG_SPACE(sizeof(int));

msghdr message_of(iovec& content, std::array<char, room_for_one>& room) {
    msghdr message{};
    message.msg_iov = &content;
    message.msg_iovlen = 1;
    message.msg_control = room.data();
    message.msg_controllen = room.size();
    return message;
}

void send_descriptor(int socket, int fd) {
    char byte = 0;
    iovec content{&byte, sizeof byte};
    alignas(cmsghdr) std::array<char, room_for_one> room{};
    const msghdr message = message_of(content, room);
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof fd);
    std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
    if (sendmsg(socket, &message, MSG_NOSIGNAL) != sizeof byte) fail("listener", errno);
}

// Returns -1 if the other end closed the socket without sending one.
int receive_descriptor(int socket) {
    char byte = 0;
    iovec content{&byte, sizeof byte};
    alignas(cmsghdr) std::array<char, room_for_one> room{};
    msghdr message = message_of(content, room);
    if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != sizeof byte) return -1;
    const cmsghdr* const header = CMSG_FIRSTHDR(&message);
    int fd = -1;
    if (header != nullptr && header->cmsg_type == SCM_RIGHTS)
        std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
    return fd;
}

}  // namespace

Fence::Fence(const Options& options) : options_(options) {
    for (const char* place : options.writable) {
        places_.push_back(target_of(place));
        if (places_.back().empty()) fail(place, errno);
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets_) != 0)
        fail("socketpair", errno);
    give_up_capabilities();
}

void Fence::enter() const {
    const int landlock = restrict_files_of_fenced(options_);
    send_descriptor(sockets_[1], restrict_calls_of_fenced());
    // Also for the descriptors of the places: an open descriptor gives access without a path.
    if (syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC) != 0)
        fail("close_range", errno);
    test_restrictions(options_, landlock);
}

void Fence::watch() {
    close(sockets_[1]);
}

void Fence::serve(bool is_readable) {
    if (listener_ >= 0 && is_readable) return serve_metadata(listener_, places_);
    const int received = listener_ < 0 ? receive_descriptor(sockets_[0]) : -1;
    close(fd());
    sockets_[0] = -1;
    listener_ = received;
}

}  // namespace chorus::sandbox
