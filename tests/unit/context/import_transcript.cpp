#include "base/text.hpp"
#include "context/export_record.hpp"
#include "context/import.hpp"
#include "context/transcript_entry.hpp"
#include "policy/redaction.hpp"
#include "store/messages.hpp"
#include "support/scratch.hpp"
#include "unit/context/hostile_texts.hpp"
#include "unit/store/home.hpp"

namespace chorus::context {
namespace {

using chat::Message;
using chat::Role;

// A conversation as turns record it: each call has its result, in order.
std::vector<Message> conversation(unsigned seed) {
    HostileTexts texts(seed);
    std::vector<Message> all;
    base::TimeMs now = 1'770'000'000'000;
    const auto add = [&](Role role, std::string content) -> Message& {
        Message made;
        made.id = static_cast<std::int64_t>(all.size()) + 1;
        made.role = role;
        made.content = std::move(content);
        made.timestamp = now += static_cast<base::TimeMs>(texts.below(5'000));
        return all.emplace_back(std::move(made));
    };
    for (std::size_t turns = 1 + texts.below(3); turns > 0; --turns) {
        add(Role::user, texts.text(6)).starts_turn = true;
        for (std::size_t rounds = texts.below(3); rounds > 0; --rounds) {
            Message& answer = add(Role::assistant, texts.text(3));
            for (std::size_t calls = 1 + texts.below(3); calls > 0; --calls)
                answer.tool_calls.push_back({"c" + std::to_string(calls) + texts.text(0),
                                             texts.below(3) == 0 ? "x\n```" : "bash",
                                             texts.text(4)});
            for (const chat::ToolCall& call : std::vector(answer.tool_calls)) {
                Message& result = add(Role::tool_result, texts.text(6));
                result.tool_call_id = call.id;
                result.is_error = texts.below(3) == 0;
            }
        }
        add(Role::assistant, texts.text(6));
    }
    return all;
}

std::string transcript_of(const std::string& name, const std::vector<Message>& messages) {
    std::string text = "# " + name + "\n";
    for (const Message& each : messages) text += transcript_entry(each);
    return text;
}

class ImportTranscript : public testing::Test {
  protected:
    store::Agent add(const std::string& name) {
        store::Agent agent = *store::find_agent(store_, store::add_agent(store_, name));
        agent.dir = "agents/" + name;
        std::filesystem::create_directories(paths_.directory(agent.dir).path() + "/branches/main");
        return agent;
    }
    // What the agent's record has, with the ids that the conversation has.
    std::vector<Message> recorded(const store::Agent& agent) {
        std::vector<Message> all;
        for (const store::StoredMessage& stored :
             store::load_messages(store_, {.agent = agent.id})) {
            all.push_back(stored.message);
            all.back().id = static_cast<std::int64_t>(all.size());
            all.back().timestamp = said_at(stored);
            EXPECT_FALSE(stored.left_out);
        }
        return all;
    }

    store::Home home_;
    agent::Home paths_{home_.directory()};
    store::Store store_{home_.open()};
};

// Requirement P-51: a sub-agent's conversation is whole in its session.md.
TEST_F(ImportTranscript, is_the_conversation_that_was_written) {
    for (unsigned seed = 0; seed < 2'000; ++seed) {
        const std::vector<Message> all = conversation(seed);
        const std::string name = "a" + std::to_string(seed);
        const store::Agent agent = add(name);
        const std::string text = transcript_of(name, all);
        const Imported imported = import_record(store_, paths_, agent, text, "session.md");
        ASSERT_EQ(imported.messages, all.size()) << "seed " << seed;
        ASSERT_EQ(imported.cancelled, 0U) << "seed " << seed;
        ASSERT_EQ(recorded(agent), all) << "seed " << seed << "\n" << text;
        std::filesystem::remove_all(paths_.directory(agent.dir).path());
    }
}

TEST_F(ImportTranscript, does_nothing_the_second_time) {
    const store::Agent agent = add("ada");
    const std::string text = transcript_of("ada", conversation(3));
    import_record(store_, paths_, agent, text, "session.md");
    const Imported again = import_record(store_, paths_, agent, text, "session.md");
    EXPECT_EQ(again.messages, 0U);
    EXPECT_GT(again.known, 0U);
}

// The next turn appends what comes after the last id in the file.
TEST_F(ImportTranscript, gives_a_sub_agents_file_its_new_ids) {
    const store::Agent other = add("other");
    import_record(store_, paths_, other, transcript_of("other", conversation(1)), "session.md");
    const store::Agent agent = add("ada");
    const agent::Directory directory = paths_.directory(agent.dir);
    const std::string path = directory.transcript("main", 1, true);
    const std::vector<Message> all = conversation(2);
    test::put(path, transcript_of("ada", all));
    EXPECT_EQ(bring_transcript(store_, directory, agent, policy::Redaction()), all.size());
    std::vector<Message> written = read_transcript(test::text_of(path), path);
    ASSERT_EQ(written.size(), all.size());
    const auto stored = store::load_messages(store_, {.agent = agent.id});
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(written[i].id, stored[i].message.id);
        written[i].id = all[i].id;
        EXPECT_EQ(written[i], all[i]);
    }
}

TEST_F(ImportTranscript, brings_nothing_from_a_file_without_messages) {
    const store::Agent agent = add("ada");
    const agent::Directory directory = paths_.directory(agent.dir);
    EXPECT_EQ(bring_transcript(store_, directory, agent, policy::Redaction()), 0U);
    test::put(directory.transcript("main", 1, true), "# ada\n");
    EXPECT_EQ(bring_transcript(store_, directory, agent, policy::Redaction()), 0U);
}

}  // namespace
}  // namespace chorus::context
