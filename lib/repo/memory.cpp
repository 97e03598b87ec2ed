#include "repo/memory.hpp"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

namespace chorus::repo {
namespace {

template <typename T>
T* there(T* block) {
    const std::new_handler handler = std::get_new_handler();
    if (block == nullptr && handler != nullptr) handler();
    return block;
}

// malloc(0) may be null and be no failure.
std::size_t at_least_one(std::size_t size) {
    return size == 0 ? 1 : size;
}

void* get(std::size_t size, const char*, int) {
    return there(std::malloc(at_least_one(size)));
}
void* get_zeroed(std::size_t count, std::size_t size, const char*, int) {
    return there(std::calloc(at_least_one(count), at_least_one(size)));
}
char* copy(const char* text, const char*, int) {
    return there(strdup(text));
}
char* copy_part(const char* text, std::size_t most, const char*, int) {
    return there(strndup(text, most));
}
char* copy_bytes(const char* bytes, std::size_t size, const char* file, int line) {
    auto* const block = static_cast<char*>(get(size + 1, file, line));
    if (block == nullptr) return nullptr;
    std::memcpy(block, bytes, size);
    block[size] = '\0';
    return block;
}
void* resize(void* block, std::size_t size, const char*, int) {
    return there(std::realloc(block, at_least_one(size)));
}
void* resize_array(void* block, std::size_t count, std::size_t size, const char*, int) {
    return there(reallocarray(block, at_least_one(count), at_least_one(size)));
}
void* get_array(std::size_t count, std::size_t size, const char* file, int line) {
    return resize_array(nullptr, count, size, file, line);
}

}  // namespace

git_allocator* allocator() {
    static git_allocator functions = {.gmalloc = get,
                                      .gcalloc = get_zeroed,
                                      .gstrdup = copy,
                                      .gstrndup = copy_part,
                                      .gsubstrdup = copy_bytes,
                                      .grealloc = resize,
                                      .greallocarray = resize_array,
                                      .gmallocarray = get_array,
                                      .gfree = std::free};
    return &functions;
}

}  // namespace chorus::repo
