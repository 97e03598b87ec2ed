// What a word that is being typed may become: an executable completes itself (chorus(7), SHELL
// COMPLETION), from the very options that it parses.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace chorus::cli {

struct Program;

struct Candidate {
    std::string word;
    std::string about;  // what a shell shows beside it
};

// What is a value of an option, or a word that is none.
enum class Source {
    nothing,
    agent,
    thread,
    branch,
    session,
    task,
    running_task,
    prompt,
    call,      // a prompt that is approved
    question,  // one that is answered
    model,
    profile,
    key,
    key_value,  // of the key named before
    files,
    directories,
};

struct Completion {
    std::string stem;   // what stays of the word: "--model=", "@"
    std::string begun;  // what is behind it, and is completed
    std::vector<Source> sources;
    std::vector<Candidate> candidates;  // each whole, with the stem
    std::string agent;                  // named before, "" for none
    std::string key;

    // Where `word` begins as the one begun.
    void offer(std::string_view word, std::string_view about);
};

// The words behind the program's name, as far as the cursor; the last is the one begun. What the
// program itself knows is in `candidates`: verbs, options and the values they list.
Completion complete(const Program& program, std::span<const std::string> words);

// A candidate a line, a tab, what it is. A line ":files" or ":directories", a tab and the stem:
// names of files belong here too, which the shell knows best.
std::string printed(const Completion& completion);

}  // namespace chorus::cli
