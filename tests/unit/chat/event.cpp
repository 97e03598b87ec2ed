#include "chat/event.hpp"

#include "chat/json.hpp"
#include "support/scratch.hpp"

namespace chorus::chat {
namespace {

constexpr base::TimeMs at = 1'770'892'200'123;

Json line(const Event& event) {
    const std::string text = to_json(event, {"ada", 3, 17}, at);
    EXPECT_EQ(text.find('\n'), std::string::npos);
    return Json::parse(text);
}

// A-42
TEST(Event, says_whose_it_is_and_when) {
    const std::vector<std::pair<Event, std::string>> kinds{
        {TaskEvent{}, "task"},       {StatusUpdate{}, "status-update"},
        {MessageEvent{}, "message"}, {ContentDelta{}, "content-delta"},
        {CallEvent{}, "tool-call"},  {CallComplete{}, "tool-complete"},
        {RetryNotice{}, "retry"},    {InternalEvent{"internal:x", "{}"}, "internal:x"}};
    for (const auto& [event, kind] : kinds) {
        const Json json = line(event);
        EXPECT_EQ(json["schema"], "chorus.event/1");
        EXPECT_EQ(json["kind"], kind);
        EXPECT_EQ(json["taskId"], "17");
        EXPECT_EQ(json["contextId"], "ada/3");
        EXPECT_EQ(json["timestamp"], "2026-02-12T10:30:00.123Z");
        EXPECT_EQ(is_internal(event), kind.rfind("internal:", 0) == 0) << kind;
    }
}

TEST(StatusUpdate, names_the_states_as_a2a_does) {
    const std::vector<std::pair<State, std::string>> states{
        {State::submitted, "submitted"},
        {State::working, "working"},
        {State::input_required, "input-required"},
        {State::completed, "completed"},
        {State::failed, "failed"},
        {State::canceled, "canceled"}};
    for (const auto& [state, text] : states) {
        const Json json = line(StatusUpdate{state, true, {}, {}, 0});
        EXPECT_EQ(json["status"]["state"], text);
        EXPECT_EQ(json["final"], true);
        EXPECT_EQ(json["metadata"], Json::object());
    }
    const Json json = line(StatusUpdate{State::failed, true, "parked", "later", 60'000});
    EXPECT_EQ(json["metadata"]["reason"], "parked");
    EXPECT_EQ(json["metadata"]["resume_at"], "1970-01-01T00:01:00.000Z");
    EXPECT_EQ(json["status"]["message"], "later");
}

TEST(CallEvent, shows_arguments_as_json_where_they_are) {
    const auto arguments = [](const std::string& text) {
        return line(CallEvent{{"c1", "bash", text}, "tool:bash:ls"})["arguments"];
    };
    EXPECT_EQ(arguments(R"({"command":"ls"})"), Json::parse(R"({"command":"ls"})"));
    EXPECT_EQ(arguments("{\"command\": \"l"), "{\"command\": \"l");
    EXPECT_EQ(arguments(""), "");
    // what is valid but deeper than is taken anywhere must not end the turn
    const std::string deep = std::string(65, '[') + std::string(65, ']');
    EXPECT_EQ(arguments(deep), deep);
    const std::string deeper = std::string(100'000, '[') + std::string(100'000, ']');
    EXPECT_EQ(arguments(deeper), deeper);
}

TEST(Event, has_the_members_of_its_kind) {
    const Json call = line(CallEvent{{"c1", "bash", "{}"}, "tool:bash:ls"});
    EXPECT_EQ(call["toolCallId"], "c1");
    EXPECT_EQ(call["tool"], "bash");
    EXPECT_EQ(call["action"], "tool:bash:ls");
    const Json done = line(CallComplete{"c1", "bash", "tool:bash:ls", "ok", "a\nb\"", 12});
    EXPECT_EQ(done["outcome"], "ok");
    EXPECT_EQ(done["result"], "a\nb\"");
    EXPECT_EQ(done["duration_ms"], 12);
    const Json message = line(MessageEvent{Role::assistant, 9, "hi"});
    EXPECT_EQ(message["role"], "assistant");
    EXPECT_EQ(message["messageId"], 9);
    EXPECT_EQ(message["text"], "hi");
    const Json retry = line(RetryNotice{2, 1'500, "server_error", "503"});
    EXPECT_EQ(retry["attempt"], 2);
    EXPECT_EQ(retry["wait_ms"], 1'500);
    EXPECT_EQ(retry["category"], "server_error");
    EXPECT_EQ(line(InternalEvent{"internal:x", R"({"a":1})"})["data"]["a"], 1);
}

TurnResult whole() {
    TurnResult result;
    result.agent = "ada";
    result.thread = 2;
    result.turn_id = 5;
    result.turn_number = 4;
    result.state = State::completed;
    result.reason = "max_iterations";
    result.text = "half\n\"done\"";
    result.usage = {100, 20, 30, 4, 7, 250'000};
    result.iterations = 25;
    result.tool_calls = 31;
    result.denied = {{"tool:bash:rm x", "deny[0]"}};
    result.audit_rows = 8;
    result.audit_hash = "abc";
    result.error =
        base::Error(base::ErrorCode::limit, "turn: ended after 25 model calls", "--max-iterations");
    result.error_category = "other";
    result.exit_status = base::ExitStatus::limit;
    return result;
}

TEST(TurnResult, has_every_key_always) {
    for (const TurnResult& result : {TurnResult{}, whole()}) {
        const Json json = Json::parse(to_json(result));
        for (const char* key :
             {"schema", "agent", "thread", "turn", "state", "reason", "text", "structured", "usage",
              "cost_usd", "sub_agents", "iterations", "tool_calls", "artifacts", "pending", "denied", "audit",
              "error", "resume_at", "exit_code"})
            EXPECT_TRUE(json.contains(key)) << key;
    }
    const Json json = Json::parse(to_json(whole()));
    EXPECT_EQ(json["schema"], "chorus.result/1");
    EXPECT_EQ(json["exit_code"], 9);
    EXPECT_EQ(json["error"]["code"], "LIMIT");
    EXPECT_EQ(json["cost_usd"], 0.25);
    EXPECT_EQ(json["usage"]["reasoning_tokens"], 7);
    EXPECT_EQ(Json::parse(to_json(TurnResult{}))["cost_usd"], 0);
    EXPECT_TRUE(Json::parse(to_json(TurnResult{}))["error"].is_null());
}

TEST(TurnResult, shows_the_questions_that_wait) {
    TurnResult result;
    result.prompts = {{"p1", PromptKind::permission, "tool:bash:ls", "bash", "{\"command\":\"ls\"}",
                       "may it?", 60'000}};
    const Json prompt = Json::parse(to_json(result))["pending"][0];
    EXPECT_EQ(prompt["id"], "p1");
    EXPECT_EQ(prompt["arguments"]["command"], "ls");
    EXPECT_EQ(prompt["expires_at"], "1970-01-01T00:01:00.000Z");
    result.prompts[0].arguments = std::string(65, '[') + std::string(65, ']');
    EXPECT_TRUE(Json::parse(to_json(result))["pending"][0]["arguments"].is_string());
}

// What --idempotency-key prints again is what was printed.
TEST(TurnResult, prints_again_as_it_was_printed) {
    TurnResult fine = whole();
    fine.reason.clear();
    fine.error.reset();
    fine.error_category.clear();
    fine.usage.cost = base::unknown_cost;
    fine.exit_status = base::ExitStatus::done;
    for (const TurnResult& result : {whole(), fine}) {
        const std::string printed = to_json(result);
        const TurnResult read = parse_result(printed);
        EXPECT_EQ(to_json(read), printed);
        EXPECT_EQ(read.exit_status, result.exit_status);
        EXPECT_EQ(read.text, result.text);
        EXPECT_EQ(read.usage, result.usage);
    }
}

TEST(TurnResult, that_is_damaged_is_an_error) {
    (void)test::error_of([] { (void)parse_result("{"); });
}

}  // namespace
}  // namespace chorus::chat
