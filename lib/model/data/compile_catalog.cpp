// Makes the built-in catalog at build time: template/models.json on stdin, its rows on stdout.
#include <cstdio>
#include <iostream>
#include <iterator>

#include "base/error.hpp"
#include "model/catalog_rows.hpp"

int main() {
    const std::string source(std::istreambuf_iterator<char>(std::cin), {});
    try {
        std::cout << chorus::model::compile_rows(source, "template/models.json", "", "");
    } catch (const chorus::base::Error& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
    return std::cout.flush() ? 0 : 1;
}
