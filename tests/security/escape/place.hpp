// Where a round plays: a home with agents, and around it what nobody may read or change.
#pragma once

#include <string>
#include <vector>

#include "fault/command.hpp"

namespace escape {

// Stands in files outside, in their names, and in the environment of every program: nothing that
// an agent can see may hold either.
inline const std::vector<std::string> secrets{"what is kept outside", "name-kept-outside"};

// The programs, and what they need, where an ordinary user and a sandbox can read them too.
class Kit {
  public:
    // `user`: whose it is, and who removes it; -1 for this process's own.
    Kit(const std::string& bin, long user);
    ~Kit();
    Kit(const Kit&) = delete;
    Kit& operator=(const Kit&) = delete;

    std::string program(const std::string& name) const { return top_ + "/bin/" + name; }
    std::string directory() const { return top_ + "/bin"; }

  private:
    std::string top_;
};

class Place {
  public:
    // `is_harmless`: no link in it leads out.
    Place(const Kit& kit, bool is_harmless, std::string sandbox);
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    const std::string& top() const { return top_; }
    std::string outside() const { return top_ + "/outside"; }
    std::string tree() const { return outside() + "/tree"; }
    std::string home() const { return top_ + "/home"; }
    // Of an agent, or of a sub-agent of "a".
    std::string agent(const std::string& name) const {
        return home() + "/agents/" + (is_sub_agent(name) ? "a/branches/main/agents/" : "") + name;
    }
    static bool is_sub_agent(const std::string& name) { return name.find('-') != name.npos; }
    std::string workspace(const std::string& name) const { return agent(name) + "/workspace"; }
    std::string project() const { return top_ + "/project"; }  // no repository; for -C
    // A person's repository, with a linked worktree and a submodule; for -C.
    std::string person() const { return top_ + "/person"; }
    std::string linked() const { return top_ + "/linked"; }
    std::string module() const { return person() + "/module"; }
    std::string foreign() const { return top_ + "/foreign"; }  // an agent's directory, to adopt
    std::string control() const { return top_ + "/control"; }  // of the suite itself
    std::string program(const std::string& name) const { return kit_.program(name); }
    fault::Variables variables() const;
    // The arguments that tell the adversary where to lead: names outside, none of which it opens.
    fault::Words outside_words() const;

    // A fresh agent with files that tools work on, and a repository with branches; its permissions
    // allow everything where no others are named.
    void make_agent(const std::string& name, const std::string& permissions = {}) const;
    // A sub-agent of "a" that may read and write everything there; returns its id.
    std::string make_sub_agent() const;
    void make_person() const;
    void keep() { is_kept_ = true; }

  private:
    void make_outside();
    void make_home() const;
    void make_project() const;
    void make_nested(const std::string& tree, const std::string& text) const;
    void git(const std::string& directory, const fault::Words& words) const;

    const Kit& kit_;
    bool is_harmless_;
    std::string sandbox_;
    std::string top_;
    std::string commit_;
    bool is_kept_ = false;
};

// The same names everywhere, so that a path that got out would find what it looks for.
void put_files(const std::string& top, const std::string& text);

}  // namespace escape
