#include "store/sqlite_memory.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "base/sanitizer.hpp"

namespace chorus::store {
namespace {

// A block is a header and what SQLite was given, which it wants aligned to 8 bytes. Small blocks
// are cut from large ones and stay with the thread that frees them; none is returned.
struct Header {
    std::uint64_t size;  // of what follows
};
struct Free {
    Free* next;
};
constexpr std::size_t granule = 16;
constexpr std::size_t most_small = 1024;  // with its header
constexpr std::size_t cut_from = 16 << 10;

struct Pool {
    std::array<Free*, most_small / granule + 1> free;
    std::byte* next;
    std::byte* end;
};
thread_local Pool pool = {};

constexpr std::size_t whole(std::size_t size) {
    return (size + sizeof(Header) + granule - 1) & ~(granule - 1);
}

Header* header_of(void* memory) {
    return static_cast<Header*>(memory) - 1;
}

void* begin_block(void* block, std::size_t with_header) {
    auto* header = static_cast<Header*>(block);
    header->size = with_header - sizeof(Header);
    return header + 1;
}

void* cut(std::size_t size) {
    if (static_cast<std::size_t>(pool.end - pool.next) < size) {
        auto* more = static_cast<std::byte*>(std::malloc(cut_from));
        if (more == nullptr) return nullptr;
        pool.next = more;
        pool.end = more + cut_from;
    }
    void* block = pool.next;
    pool.next += size;
    return begin_block(block, size);
}

void* allocate(int wanted) {
    const std::size_t size = whole(static_cast<std::size_t>(wanted));
    if (size > most_small) {
        void* block = std::malloc(size);
        return block == nullptr ? nullptr : begin_block(block, size);
    }
    Free*& free = pool.free[size / granule];
    if (free == nullptr) return cut(size);
    Free* memory = free;
    free = free->next;
    return memory;
}

void release(void* memory) {
    if (memory == nullptr) return;
    const std::size_t size = header_of(memory)->size + sizeof(Header);
    if (size > most_small) return std::free(header_of(memory));
    Free*& free = pool.free[size / granule];
    auto* freed = static_cast<Free*>(memory);
    freed->next = free;
    free = freed;
}

int size_of(void* memory) {
    return memory == nullptr ? 0 : static_cast<int>(header_of(memory)->size);
}

void* resize(void* memory, int wanted) {
    const std::size_t size = whole(static_cast<std::size_t>(wanted));
    const std::size_t before = header_of(memory)->size + sizeof(Header);
    if (size == before) return memory;
    if (std::min(size, before) > most_small) {
        void* block = std::realloc(header_of(memory), size);
        return block == nullptr ? nullptr : begin_block(block, size);
    }
    void* moved = allocate(wanted);
    if (moved == nullptr) return nullptr;
    std::memcpy(moved, memory, std::min(size, before) - sizeof(Header));
    release(memory);
    return moved;
}

int round_up(int wanted) {
    return static_cast<int>(whole(static_cast<std::size_t>(wanted)) - sizeof(Header));
}

int begin(void*) {
    return SQLITE_OK;
}
void end(void*) {}

}  // namespace

void set_sqlite_memory() {
#ifdef CHORUS_ADDRESS_SANITIZER
    constexpr bool is_checked = true;  // it sees each block of malloc(3)
#else
    constexpr bool is_checked = false;
#endif
    static const sqlite3_mem_methods methods{allocate, release, resize, size_of,
                                             round_up, begin,   end,    nullptr};
    if (!is_checked) sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
}

}  // namespace chorus::store
