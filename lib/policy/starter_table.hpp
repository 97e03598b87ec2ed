// The programs known to start others, as data. wrappers (env, timeout …), git, make and sed have
// their own readers.
#pragma once

#include <optional>
#include <string_view>

namespace chorus::policy {

enum class Caution {
    opaque,       // what it starts cannot be told
    options,      // it starts or writes something where one of `words` is among its words
    first_word,   // it starts something unless its first word is one of `words`
    one_operand,  // it writes to the second of its words that are no options
    script,  // it runs a named file as a program of its own, unless its first word is an option
             // that is not one of `words`; without any it reads what to run
};

struct Starter {
    std::string_view program;
    Caution caution = Caution::opaque;
    std::string_view words;
};

// By base name. Nothing for a program that is not known to start others.
std::optional<Starter> find_starter(std::string_view program);

}  // namespace chorus::policy
