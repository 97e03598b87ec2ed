#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/error.hpp"
#include "sys/directory.hpp"
#include "sys/file.hpp"

namespace chorus::sys {
namespace {

struct NetworkType {
    std::uint32_t magic;  // statfs(2), linux/magic.h and the file systems' own sources
    const char* name;
};
constexpr std::array network_types{
    NetworkType{0x6969, "nfs"},        NetworkType{0x517b, "smb"},
    NetworkType{0xff534d42, "cifs"},   NetworkType{0xfe534d42, "smb2"},
    NetworkType{0x65735546, "fuse"},   NetworkType{0x01021997, "9p"},
    NetworkType{0x5346414f, "afs"},    NetworkType{0x6b414653, "afs"},
    NetworkType{0x73757245, "coda"},   NetworkType{0x00c36400, "ceph"},
    NetworkType{0x564c, "ncp"},        NetworkType{0x7461636f, "ocfs2"},
    NetworkType{0x01161970, "gfs2"},   NetworkType{0x0bd00bd0, "lustre"},
    NetworkType{0x47504653, "gpfs"},   NetworkType{0x20030528, "orangefs"},
    NetworkType{0x19830326, "beegfs"}, NetworkType{0x786f4256, "vboxsf"},
    NetworkType{0xbacbacbc, "vmhgfs"}, NetworkType{0xaad7aaea, "panfs"},
};

}  // namespace

std::optional<std::string> network_filesystem(const std::string& path) {
    struct statfs status {};
    if (statfs(c_path(path), &status) != 0) {
        const int why = errno;
        // A missing path will be made on the file system of its parent.
        if (why == ENOENT && parent_of(path) != path) return network_filesystem(parent_of(path));
        throw base::system_error(path, why);
    }
    const auto magic = static_cast<std::uint32_t>(status.f_type);
    const auto found = std::find_if(network_types.begin(), network_types.end(),
                                    [&](const NetworkType& type) { return type.magic == magic; });
    if (found == network_types.end()) return std::nullopt;
    return found->name;
}

}  // namespace chorus::sys
