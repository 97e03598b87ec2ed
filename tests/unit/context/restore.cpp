#include "context/restore.hpp"

#include "agents.hpp"
#include "context/clear.hpp"
#include "context/compaction.hpp"
#include "context/saved.hpp"
#include "context/window.hpp"
#include "sys/clock.hpp"

namespace chorus::context {
namespace {

using base::ErrorCode;
using chat::Message;
using chat::Role;

// U the user begins a turn, u the user in its midst, a an answer, c one with a call, r its result.
std::vector<SessionMessage> conversation(const std::string& letters) {
    std::vector<SessionMessage> messages;
    for (const char letter : letters) {
        Message message;
        message.timestamp = static_cast<base::TimeMs>(messages.size()) + 1;
        message.starts_turn = letter == 'U';
        message.role = letter == 'U' || letter == 'u' ? Role::user
                       : letter == 'r'                ? Role::tool_result
                                                      : Role::assistant;
        message.content = std::string(1, letter);
        if (letter == 'c')
            message.tool_calls = {{"call" + std::to_string(messages.size()), "view", "{}"}};
        if (letter == 'r') message.tool_call_id = "call" + std::to_string(messages.size() - 1);
        messages.push_back({message});
    }
    return messages;
}

std::vector<Message> plain(const std::vector<SessionMessage>& messages) {
    std::vector<Message> all;
    for (const SessionMessage& each : messages) all.push_back(each.message);
    return all;
}

std::string letters(const Mended& mended) {
    std::string text;
    for (const SessionMessage& each : mended.messages)
        text += each.message.content.starts_with("interrupted") ? "R" : each.message.content;
    return text;
}

TEST(Mend, leaves_a_whole_conversation_as_it_is) {
    auto whole = conversation("UcraUucrcraUa");
    whole[1].message.opaque = chat::Opaque{"p", "m", "[{}]"};
    const Mended mended = mend(whole);
    EXPECT_EQ(plain(mended.messages), plain(whole));
    EXPECT_EQ(mended.left_out + mended.added, 0U);
}

TEST(Mend, makes_torn_ones_whole_or_leaves_parts_out) {
    struct Case {
        std::string given;
        std::string mended;
        std::size_t left_out;
        std::size_t added;
    };
    for (const Case& one : std::vector<Case>{{"Uc", "UcR", 0, 1},
                                             {"UcUa", "UcRUa", 0, 1},
                                             {"Uca", "UcRa", 0, 1},
                                             {"rU", "U", 1, 0},
                                             {"acrU", "U", 3, 0},
                                             {"Ur", "U", 1, 0},
                                             {"Ucrr", "Ucr", 1, 0},
                                             {"a", "", 1, 0},
                                             {"", "", 0, 0}}) {
        const Mended mended = mend(conversation(one.given));
        EXPECT_EQ(letters(mended), one.mended) << one.given;
        EXPECT_EQ(mended.left_out, one.left_out) << one.given;
        EXPECT_EQ(mended.added, one.added) << one.given;
        EXPECT_EQ(find_torn(plain(mended.messages)), "") << one.given;
    }
}

// Whatever a file holds, a provider takes what comes of it.
TEST(Mend, never_leaves_anything_torn) {
    const std::string alphabet = "Uuacr";
    for (int code = 0; code < 5 * 5 * 5 * 5 * 5 * 5; ++code) {
        std::string word;
        for (int rest = code, i = 0; i < 6; ++i, rest /= 5)
            word += alphabet[static_cast<std::size_t>(rest % 5)];
        auto given = conversation(word);
        for (auto& each : given)
            if (code % 3 == 0) each.message.starts_turn = false;
        const Mended mended = mend(given);
        ASSERT_EQ(find_torn(plain(mended.messages)), "") << word;
        EXPECT_EQ(mended.messages.size() + mended.left_out - mended.added, word.size()) << word;
        EXPECT_TRUE(mended.messages.empty() || mended.messages.front().message.starts_turn) << word;
    }
}

TEST(Mend, knows_turns_where_nothing_names_them) {
    auto given = conversation("uaucrau");
    const Mended mended = mend(given);
    std::string starts;
    for (const SessionMessage& each : mended.messages)
        starts += each.message.starts_turn ? '1' : '0';
    EXPECT_EQ(starts, "1010001");
}

TEST(Mend, gives_every_call_an_id_of_its_own) {
    auto given = conversation("UcrcrU");
    given[3].message.tool_calls[0].id = given[1].message.tool_calls[0].id;
    given[3].message.opaque = chat::Opaque{"p", "m", "[{}]"};
    given[4].message.tool_call_id = given[1].message.tool_calls[0].id;
    const Mended mended = mend(given, {{1, {"call1"}}});
    std::set<std::string> ids{"call1"};
    for (const SessionMessage& each : mended.messages)
        for (const chat::ToolCall& call : each.message.tool_calls)
            EXPECT_TRUE(ids.insert(call.id).second) << call.id;
    EXPECT_EQ(find_torn(plain(mended.messages)), "");
    EXPECT_FALSE(mended.messages[3].message.opaque);
}

TEST(Mend, keeps_threads_apart) {
    auto given = conversation("Uc");
    given.push_back({conversation("U")[0].message, 2});
    auto result = conversation("Ucr")[2];
    given.push_back(result);
    const Mended mended = mend(given);
    EXPECT_EQ(letters(mended), "UcUr");
    EXPECT_EQ(mended.added, 0U);
}

class RestoreTest : public AgentTest {
  protected:
    store::Session save() {
        return save_session(store_, paths_, agent(), context(), {.model = "m/m"},
                            policy::Redaction());
    }
    Restoration restore(const store::Session& row, const RestoreOptions& options = {}) {
        auto file = load_session(paths_, row);
        return restore_session(store_, paths_, agent(), row, std::move(file.messages), options,
                               policy::Redaction());
    }
    void clear() { clear_context(store_, paths_, agent(), 0, std::nullopt, policy::Redaction()); }
};

// C-41: saving ends nothing.
TEST_F(RestoreTest, save_does_not_clear) {
    ask("x");
    save();
    EXPECT_EQ(texts(context()), Texts{"x"});
}

// C-44
TEST_F(RestoreTest, brings_back_what_was_saved) {
    for (const SessionMessage& each : conversation("UcraUa")) say(each.message);
    const auto before = plain(context());
    const store::Session saved = save();
    clear();
    ask("meanwhile");
    const Restoration done = restore(saved);
    ASSERT_TRUE(done.saved);
    EXPECT_EQ(done.saved->trigger, "pre_restore");
    EXPECT_EQ(done.saved->message_count, 1);
    const auto after = plain(context());
    ASSERT_EQ(after.size(), before.size());
    std::string was;
    std::string is;
    for (std::size_t i = 0; i < before.size(); ++i) {
        was = chained_hash(was, before[i]);
        is = chained_hash(is, after[i]);
        EXPECT_EQ(is, was) << i;
        EXPECT_GT(after[i].id, before.back().id);
        EXPECT_EQ(store::prefix_hash_of(store_, after[i].id), is);
        EXPECT_TRUE(i == 0 || after[i].timestamp > after[i - 1].timestamp) << i;
    }
    EXPECT_EQ(store::restored_messages(store_, id_, 1, 0, saved.id).size(), 6U);
}

TEST_F(RestoreTest, twice_is_as_once) {
    ask("x");
    const store::Session saved = save();
    EXPECT_TRUE(restore(saved).saved);
    EXPECT_FALSE(restore(saved).saved);
    EXPECT_EQ(texts(context()), Texts{"x"});
    EXPECT_TRUE(restore(saved, {.append = true}).was_there);
    EXPECT_EQ(texts(context()), Texts{"x"});
    ask("y");
    EXPECT_TRUE(restore(saved).saved);
    EXPECT_EQ(texts(context()), Texts{"x"});
}

TEST_F(RestoreTest, appends_where_it_is_to) {
    ask("x");
    const store::Session saved = save();
    clear();
    ask("y");
    const Restoration done = restore(saved, {.append = true});
    EXPECT_FALSE(done.saved);
    EXPECT_EQ(texts(context()), (Texts{"y", "x"}));
}

TEST_F(RestoreTest, makes_threads_that_are_missing) {
    auto messages = conversation("Ua");
    for (auto& each : messages) each.thread = 5;
    const auto done =
        restore_session(store_, paths_, agent(), {}, messages, {}, policy::Redaction());
    EXPECT_EQ(done.newest.size(), 1U);
    const auto thread = store::find_thread(store_, id_, 5);
    ASSERT_TRUE(thread);
    EXPECT_EQ(thread->branch, "main");
    EXPECT_EQ(thread->parent_thread, 1);
}

TEST_F(RestoreTest, an_empty_session_empties_the_context) {
    const store::Session saved = save();
    ask("x");
    EXPECT_EQ(restore(saved).messages, 0U);
    EXPECT_TRUE(context().empty());
}

TEST_F(RestoreTest, refuses_where_a_turn_has_not_ended) {
    ask("x");
    const store::Session saved = save();
    store::add_turn(store_, id_);
    const auto error = test::error_of([&] { restore(saved); });
    EXPECT_EQ(error.code(), ErrorCode::agent_busy);
    EXPECT_TRUE(test::says(error, "turn 1 of thread 1 has not ended"));
}

// C-45
TEST_F(RestoreTest, an_id_that_is_none_is_refused) {
    EXPECT_EQ(test::error_of([&] { require_session(store_, agent(), "nowhere"); }).code(),
              ErrorCode::not_found);
    EXPECT_EQ(test::error_of([&] { require_session(store_, agent(), ""); }).code(),
              ErrorCode::bad_request);
}

// L-49
TEST_F(RestoreTest, finds_the_session_of_an_earlier_agent_of_the_name) {
    ask("x");
    const store::Session saved = save();
    store::in_transaction(store_, [&] { store::mark_destroyed(store_, id_, 1, false); });
    const store::Agent earlier = agent();
    id_ = store::add_agent(store_, "ada");
    EXPECT_EQ(require_session(store_, agent(), saved.id.substr(0, 8)).agent_id, earlier.id);
    EXPECT_EQ(load_session(paths_, require_session(store_, agent(), saved.id)).messages.size(), 1U);
    store::Session own = saved;
    own.agent_id = id_;
    store::in_transaction(store_, [&] { store::insert_session(store_, own); });
    EXPECT_EQ(require_session(store_, agent(), saved.id).agent_id, id_);
}

// A full stop between the file and the rows: a file may be left, and nothing else has happened.
TEST_F(RestoreTest, is_all_or_nothing) {
    ask("x");
    const store::Session saved = save();
    ask("y");
    auto file = load_session(paths_, saved);
    file.messages.push_back(file.messages.front());
    file.messages.back().thread = -1;  // the threads table refuses it, after the first copy
    EXPECT_THROW(
        restore_session(store_, paths_, agent(), saved, file.messages, {}, policy::Redaction()),
        base::Error);
    EXPECT_EQ(texts(context()), (Texts{"x", "y"}));
    EXPECT_EQ(agent().last_clear_message, 0);
    EXPECT_EQ(store::list_sessions(store_, id_).size(), 1U);
}

class CompactionTest : public RestoreTest {
  protected:
    void compact(std::size_t count) {
        const auto all = plain(context());
        const std::vector<Message> replaced(all.begin(),
                                            all.begin() + static_cast<std::ptrdiff_t>(count));
        store::Thread thread = *store::find_thread(store_, id_, 1);
        write_compaction(store_, thread, replaced, compaction_message(count, "In short."), save());
    }
};

TEST_F(CompactionTest, stands_first_for_what_it_replaces) {
    for (const char* text : {"one", "two", "three"}) ask(text);
    compact(2);
    const auto window = context();
    ASSERT_EQ(window.size(), 2U);
    EXPECT_TRUE(window[0].message.is_compaction);
    EXPECT_NE(window[0].message.content.find("In short."), std::string::npos);
    EXPECT_EQ(window[1].message.content, "three");
    EXPECT_EQ(store::load_messages_after(store_, id_, 1, 0).size(), 4U);
    ask("four");
    compact(2);
    EXPECT_EQ(context().size(), 2U);
    EXPECT_EQ(context()[1].message.content, "four");
    clear();
    EXPECT_TRUE(context().empty());
}

TEST_F(CompactionTest, comes_back_from_its_session_in_its_place) {
    for (const char* text : {"one", "two", "three"}) ask(text);
    compact(2);
    const auto before = context();
    const store::Session saved = save();
    clear();
    restore(saved);
    EXPECT_EQ(texts(context()), texts(before));
    EXPECT_EQ(saved.window_start, before[1].message.timestamp);
}

TEST(OlderHalf, falls_before_a_turn) {
    EXPECT_EQ(older_half(plain(conversation(""))), 0U);
    EXPECT_EQ(older_half(plain(conversation("Ucra"))), 0U);
    EXPECT_EQ(older_half(plain(conversation("UaUa"))), 2U);
    EXPECT_EQ(older_half(plain(conversation("UaUaUaUa"))), 4U);
    EXPECT_EQ(older_half(plain(conversation("UaUcrcrcra"))), 2U);
    EXPECT_EQ(older_half(plain(conversation("UcrcrcraUa"))), 8U);
    auto one = plain(conversation("UUa"));
    one[0].is_compaction = true;
    EXPECT_EQ(older_half(one), 0U);
}

}  // namespace
}  // namespace chorus::context
