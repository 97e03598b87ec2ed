// What was acknowledged, kept outside of the disk, and whether a home still has it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fault/database.hpp"

namespace fault {

class Ledger {
  public:
    // `stranger`: a directory in agents/ that is of no agent, until one adopts it.
    explicit Ledger(std::string stranger) : stranger_(std::move(stranger)) {}
    // A prompt with `token` in it, of which no other has one, was given to `agent`.
    void asked(const std::string& agent, const std::string& token);
    // It was reported as accepted: by an event, by a request to the provider, by exit status 0.
    void accepted(const std::string& token);
    // The turn was reported as completed.
    void completed(const std::string& token);
    // A stored answer was reported with its id.
    void answered(std::int64_t message, const std::string& text);
    // The provider was told the result of this call.
    void told(const std::string& tool_call_id);
    // The file goes through these states, whole each; "\x01" stands for a file that is not there.
    void will_write(const std::string& path, const std::vector<std::string>& states);
    // At least this state was reported.
    void wrote(const std::string& path, std::size_t state);
    void committed(const std::string& agent, const std::string& id);
    // chorus-init of a name, with so many sessions to index again where it adopts.
    void will_be_born(const std::string& agent, int sessions);
    void born(const std::string& agent);
    std::vector<std::string> births() const;

    // Acknowledged so far.
    int message_count() const;
    int commit_count() const;

    // `settled`: a command came after the last cut, so nothing may be half done any more.
    enum class When { raw, settled };
    // What does not hold, in words; empty where all does.
    std::vector<std::string> faults(const std::string& home, When when) const;

  private:
    struct Prompt {
        std::string agent;
        bool accepted = false;
        bool completed = false;
    };
    struct File {
        std::vector<std::string> states;
        std::size_t at_least = 0;
    };
    struct Birth {
        int sessions = 0;
        bool reported = false;
    };
    using Found = std::vector<std::string>;

    void check_database(Database& database, When when, Found& found) const;
    void check_messages(Database& database, Found& found) const;
    void check_turns(Database& database, When when, Found& found) const;
    void check_files(Found& found) const;
    void check_agents(Database& database, const std::string& home, When when, Found& found) const;
    void check_directory(const std::string& home, const std::string& agent, Found& found) const;
    void check_transcript(Database& database, const std::string& home, const std::string& agent,
                          Found& found) const;

    std::string stranger_;
    std::map<std::string, Prompt> prompts_;
    std::map<std::int64_t, std::string> answers_;
    std::vector<std::string> told_;
    std::map<std::string, File> files_;
    std::map<std::string, std::vector<std::string>> commits_;
    std::map<std::string, Birth> births_;
};

// Stands for a file that is not there.
inline const std::string no_file = "\x01";

}  // namespace fault
