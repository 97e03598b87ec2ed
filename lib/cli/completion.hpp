// Shell completion (chorus(7), SHELL COMPLETION): an executable completes its own command line,
// from the options that it parses.
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

// Where candidates for the value of an option, or for a word, come from.
enum class WordSource {
    nothing,
    agent,
    thread,
    branch,
    session,
    task,
    running_task,
    prompt,
    call,      // a pending call, to be approved
    question,  // a pending question, to be answered
    model,
    profile,
    preset,
    provider,
    key,
    key_value,  // of the key named before
    files,
    directories,
};

struct Completion {
    std::string stem;   // the part of the word that stays: "--model=", "@"
    std::string begun;  // the part after it, which is completed
    std::vector<WordSource> sources;
    std::vector<Candidate> candidates;  // whole words, with the stem
    std::string agent;                  // the one named before, "" for none
    std::string key;

    // Adds `word` if it begins with `begun`.
    void offer(std::string_view word, std::string_view about);
};

// `words` are those after the program's name, up to the cursor; the last one is being typed. The
// result's `candidates` are what the program itself knows: verbs, options and the values they list.
Completion complete(const Program& program, std::span<const std::string> words);

// One line per candidate: the word, a tab and its description. A line ":files" or ":directories", a
// tab and the stem asks the shell to add the names of files.
std::string printed(const Completion& completion);

}  // namespace chorus::cli
