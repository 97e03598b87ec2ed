#include "net/hashed_copy.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "net/curl.hpp"
#include "sys/fd.hpp"
#include "sys/file.hpp"

namespace chorus::net {
namespace {

constexpr std::int64_t most_copied_bytes = 16 << 20;
// A process that began before its bundle changed may still read the older copy.
constexpr std::int64_t kept_seconds = 24L * 60 * 60;

// Returns the texts of a bundle's certificates from their first line to their last. As PEM_read_bio
// does, ignores what is between two of them and other objects.
std::vector<std::string> certificates_of(const std::string& text) {
    constexpr std::string_view begin = "-----BEGIN ";
    constexpr std::string_view end = "-----END ";
    constexpr std::string_view kind = "CERTIFICATE-----";
    std::vector<std::string> all;
    for (std::size_t at = 0; (at = text.find(begin, at)) != std::string::npos;) {
        const std::size_t label = at + begin.size();
        const std::size_t label_end = text.find("-----", label);
        const std::size_t last_line = text.find(end, label);
        const std::size_t stop = text.find('\n', last_line);
        if (text.substr(label, label_end + 5 - label).ends_with(kind))
            all.push_back(text.substr(at, stop == std::string::npos ? stop : stop + 1 - at));
        at = label;
    }
    return all;
}

// Returns the hash in the name of the certificate's file; nothing if it cannot be read.
std::optional<unsigned long> hash_of(const OpenSsl& ssl, const std::string& certificate) {
    BIO* const input =
        ssl.BIO_new_mem_buf(certificate.data(), static_cast<int>(certificate.size()));
    X509* const parsed = ssl.PEM_read_bio_X509_AUX(input, nullptr, nullptr, nullptr);
    ssl.BIO_free(input);
    if (parsed == nullptr) return {};
    const unsigned long hash = ssl.X509_subject_name_hash(parsed);
    ssl.X509_free(parsed);
    return hash;
}

bool write_copy(const OpenSsl& ssl, const std::string& bundle, const std::string& directory) {
    std::ostringstream text;
    text << std::ifstream(bundle, std::ios::binary).rdbuf();
    const std::vector<std::string> all = certificates_of(text.str());
    std::map<unsigned long, int> used;
    for (const std::string& certificate : all) {
        const auto hash = hash_of(ssl, certificate);
        if (!hash) return false;
        const std::string name = fmt::format("{:08x}.{}", *hash, used[*hash]++);
        std::ofstream file(sys::join_path(directory, name), std::ios::binary);
        if (!(file << certificate).flush()) return false;
    }
    return !all.empty();
}

bool is_synced(const std::string& directory) {
    const sys::Fd fd(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return fd && syncfs(fd.get()) == 0;
}

void remove_old(const std::string& copies) {
    for (const std::string& name : sys::list_directory(copies)) {
        const std::string path = sys::join_path(copies, name);
        struct stat status {};
        if (lstat(path.c_str(), &status) == 0 &&
            std::time(nullptr) - status.st_mtim.tv_sec > kept_seconds)
            sys::try_remove_tree(path);
    }
}

}  // namespace

std::string hashed_copy(const std::string& bundle, const std::string& copies) {
    struct stat status {};
    if (stat(bundle.c_str(), &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_size > most_copied_bytes)
        return {};
    const std::string name =
        fmt::format("{:x}-{:x}-{:x}-{:x}.{:09x}", status.st_dev, status.st_ino, status.st_size,
                    status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
    const std::string directory = sys::join_path(copies, name);
    if (sys::is_directory(directory)) return directory;
    const OpenSsl* const ssl = openssl();
    std::string made = sys::join_path(copies, ".new-XXXXXX");
    if (ssl == nullptr || (mkdir(copies.c_str(), 0700) != 0 && errno != EEXIST) ||
        mkdtemp(made.data()) == nullptr)
        return {};
    remove_old(copies);
    // of two processes the first one's copy stays
    if (write_copy(*ssl, bundle, made) && is_synced(made))
        std::rename(made.c_str(), directory.c_str());
    sys::try_remove_tree(made);
    return sys::is_directory(directory) ? directory : std::string();
}

}  // namespace chorus::net
