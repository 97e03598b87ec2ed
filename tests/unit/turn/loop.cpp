#include "turn/loop.hpp"

#include <deque>

#include "support/scratch.hpp"

namespace chorus::turn {
namespace {

using chat::StopReason;
using chat::ToolCall;
using Said = std::vector<std::string>;

model::Answer text(std::string words, StopReason stop = StopReason::end) {
    model::Answer answer;
    answer.reply.text = std::move(words);
    answer.reply.stop = stop;
    answer.reply.usage = {100, 10, 0, 0};
    return answer;
}

model::Answer calls(const std::vector<std::string>& names, StopReason stop = StopReason::tool_use,
                    std::string words = {}) {
    model::Answer answer = text(std::move(words), stop);
    for (const std::string& name : names)
        answer.reply.tool_calls.push_back({"id-" + name, name, "{}"});
    return answer;
}

model::Answer failed(std::string words, model::Category category = model::Category::server_error) {
    model::Answer answer = text(std::move(words), StopReason::truncated_stream);
    answer.failure = model::Failure{};
    answer.failure->category = category;
    answer.failure->message = "503";
    return answer;
}

std::string joined(const std::vector<ToolCall>& list) {
    std::string out;
    for (const ToolCall& call : list) out += " " + call.name;
    return out;
}

// Answers from a script and writes down what it was asked, in order.
class RecordingHost : public LoopHost {
  public:
    std::deque<model::Answer> answers;
    std::deque<std::vector<CallOutcome>> outcomes;  // none: every call succeeds
    std::deque<Decided> decisions;                  // none: all
    int stop_after_steps = -1;                      // so many steps from now a signal comes
    Said said;
    std::vector<chat::Reply> kept;
    int unfit = 0;  // final answers that do not pass, the first ones
    int checks = 0;

    bool stop_requested() override {
        return stop_after_steps >= 0 && static_cast<int>(said.size()) >= stop_after_steps;
    }
    const chat::Request& assemble(std::int64_t iteration) override {
        said.push_back("assemble " + std::to_string(iteration));
        request_.model = "m" + std::to_string(iteration);
        return request_;
    }
    model::Answer ask(const chat::Request& request) override {
        said.push_back("ask " + request.model);
        if (answers.empty()) return repeated;
        return next(answers);
    }
    void keep(const chat::Reply& reply) override {
        said.push_back("keep '" + reply.text + "'" + joined(reply.tool_calls));
        kept.push_back(reply);
    }
    Decided decide(const std::vector<ToolCall>& list) override {
        said.push_back("decide" + joined(list));
        return decisions.empty() ? Decided::all : next(decisions);
    }
    Ran run(const std::vector<ToolCall>& list) override {
        said.push_back("run" + joined(list));
        return {outcomes.empty() ? std::vector<CallOutcome>(list.size(), CallOutcome::ok)
                                 : next(outcomes)};
    }
    void refuse_cut(const chat::Reply& reply) override {
        said.push_back("refuse" + joined(reply.tool_calls));
    }
    std::string check(std::string& text) override {
        ++checks;
        return checks <= unfit ? "not " + text : "";
    }
    void refuse_answer(const chat::Reply& reply, const std::string& problem) override {
        said.push_back("refused " + reply.text + ": " + problem);
    }
    void conclude(const chat::Reply&, const std::string& text) override {
        said.push_back("conclude '" + text + "'");
    }

    model::Answer repeated = calls({"again"});

  private:
    template <typename T>
    static T next(std::deque<T>& queue) {
        T value = std::move(queue.front());
        queue.pop_front();
        return value;
    }
    chat::Request request_;
};

class LoopTest : public testing::Test {
  protected:
    LoopEnd run(const LoopLimits& limits = {}) { return run_loop(host, limits, state); }
    bool was_said(const std::string& beginning) const {
        for (const std::string& line : host.said)
            if (line.rfind(beginning, 0) == 0) return true;
        return false;
    }
    RecordingHost host;
    LoopState state;
};

// A-04 A-46 A-62 A-63: with no database at all; what is to be stored is handed to the host
TEST_F(LoopTest, ends_when_the_model_stops) {
    host.answers = {text("done")};
    const LoopEnd end = run();
    EXPECT_EQ(end.end, End::completed);
    EXPECT_EQ(end.text, "done");
    EXPECT_FALSE(end.failure);
    EXPECT_EQ(host.said, (Said{"assemble 1", "ask m1", "conclude 'done'"}));
    EXPECT_EQ(state.iterations, 1);
    EXPECT_EQ(state.usage, (chat::Usage{100, 10, 0, 0}));
}

TEST_F(LoopTest, a_final_answer_that_does_not_pass_is_repaired_twice) {
    for (const int unfit : {1, 2, 3}) {
        host.answers = {text("a"), text("b"), text("c"), text("d")};
        host.unfit = unfit;
        host.checks = 0;
        host.said.clear();
        const LoopEnd end = run();
        EXPECT_EQ(end.end, unfit < 3 ? End::completed : End::schema_mismatch);
        EXPECT_EQ(end.text, unfit == 1 ? "b" : "c");
        EXPECT_EQ(was_said("refused a: not a"), true);
        EXPECT_EQ(was_said("refused b: not b"), unfit > 1);
        EXPECT_EQ(was_said("keep 'c'"), unfit > 2) << "the last one is on record";
        EXPECT_EQ(end.problem, unfit < 3 ? "" : "not c");
    }
}

//
TEST_F(LoopTest, runs_calls_and_asks_again) {
    host.answers = {calls({"view", "bash"}, StopReason::tool_use, "let me see"), calls({"view"}),
                    text("done")};
    EXPECT_EQ(run().end, End::completed);
    EXPECT_EQ(host.said,
              (Said{"assemble 1", "ask m1", "keep 'let me see' view bash", "decide view bash",
                    "run view bash", "assemble 2", "ask m2", "keep '' view", "decide view",
                    "run view", "assemble 3", "ask m3", "conclude 'done'"}));
    EXPECT_EQ(state.iterations, 3);
    EXPECT_EQ(state.tool_calls, 3);
    EXPECT_EQ(state.usage, (chat::Usage{300, 30, 0, 0}));
}

// Some servers say "end" where they mean that calls follow.
TEST_F(LoopTest, runs_calls_whatever_the_answer_s_last_word) {
    for (const StopReason stop : {StopReason::end, StopReason::tool_use, StopReason::pause}) {
        host = {};
        host.answers = {calls({"view"}, stop), text("done")};
        EXPECT_EQ(run().end, End::completed);
        EXPECT_TRUE(was_said("run view")) << static_cast<int>(stop);
    }
}

// A-05 A-47
TEST_F(LoopTest, ends_at_its_most_iterations) {
    host.repeated = calls({"view"}, StopReason::tool_use, "partial");
    const LoopEnd end = run({.iterations = 25});
    EXPECT_EQ(end.end, End::max_iterations);
    EXPECT_EQ(end.text, "partial");
    EXPECT_EQ(state.iterations, 25);
    EXPECT_EQ(host.said.back(), "run view") << "the calls of the last answer have their results";
}

TEST_F(LoopTest, has_25_iterations_unless_told_otherwise) {
    EXPECT_EQ(run().end, End::max_iterations);
    EXPECT_EQ(state.iterations, 25);
}

TEST_F(LoopTest, counts_the_iterations_of_earlier_attempts) {
    state.iterations = 23;
    EXPECT_EQ(run({.iterations = 25}).end, End::max_iterations);
    EXPECT_EQ(host.said.front(), "assemble 24");
    EXPECT_EQ(state.iterations, 25);
    host.said.clear();
    EXPECT_EQ(run({.iterations = 25}).end, End::max_iterations);
    EXPECT_TRUE(host.said.empty());
}

TEST_F(LoopTest, that_may_not_iterate_asks_nobody) {
    EXPECT_EQ(run({.iterations = 0}).end, End::max_iterations);
    EXPECT_TRUE(host.said.empty());
}

TEST_F(LoopTest, ends_at_its_token_cap) {
    const LoopEnd end = run({.tokens = 220});  // 110 an answer
    EXPECT_EQ(end.end, End::tokens);
    EXPECT_EQ(state.iterations, 2);
    EXPECT_EQ(host.said.back(), "run again");
}

TEST_F(LoopTest, goes_on_below_its_token_cap) {
    EXPECT_EQ(run({.tokens = 221}).end, End::tokens);
    EXPECT_EQ(state.iterations, 3);
    state = {};
    host.answers = {text("done")};
    EXPECT_EQ(run({.tokens = 1}).end, End::completed) << "an answer that is there is taken";
}

TEST_F(LoopTest, counts_the_tokens_of_earlier_attempts) {
    state.usage = {200, 20, 0, 0};
    EXPECT_EQ(run({.tokens = 220}).end, End::tokens);
    EXPECT_TRUE(host.said.empty());
}

TEST_F(LoopTest, ends_after_five_failures_in_a_row) {
    for (int i = 0; i < 6; ++i) host.outcomes.push_back({CallOutcome::error});
    const LoopEnd end = run();
    EXPECT_EQ(end.end, End::tool_failures);
    EXPECT_EQ(state.iterations, 5);
    EXPECT_EQ(host.outcomes.size(), 1U);
}

TEST_F(LoopTest, counts_failures_of_one_answer_in_their_order) {
    constexpr auto no = CallOutcome::error;
    constexpr auto yes = CallOutcome::ok;
    host.repeated = calls({"a", "b", "c", "d", "e"});
    host.outcomes = {{yes, no, no, no, no},
                     {yes, no, yes, no, no},
                     {no, no, yes, no, no},
                     {no, no, no, yes, yes}};
    EXPECT_EQ(run().end, End::tool_failures);
    EXPECT_EQ(state.iterations, 4);
    EXPECT_EQ(state.tool_calls, 20);
}

TEST_F(LoopTest, begins_to_count_anew_after_any_success) {
    for (int i = 0; i < 30; ++i)
        host.outcomes.push_back({i % 5 == 4 ? CallOutcome::ok : CallOutcome::error});
    EXPECT_EQ(run().end, End::max_iterations);
}

TEST_F(LoopTest, counts_a_denial_as_neither) {
    constexpr auto no = CallOutcome::error;
    constexpr auto denied = CallOutcome::denied;
    host.outcomes = {{no}, {no}, {denied}, {no}, {denied}, {denied}, {no}, {denied}, {no}};
    EXPECT_EQ(run().end, End::tool_failures);
    EXPECT_EQ(state.iterations, 9);
}

TEST_F(LoopTest, ends_at_no_number_of_denials) {
    for (int i = 0; i < 25; ++i) host.outcomes.push_back({CallOutcome::denied});
    EXPECT_EQ(run().end, End::max_iterations);
}

TEST_F(LoopTest, never_runs_calls_of_an_answer_cut_at_its_token_limit) {
    host.answers = {calls({"bash", "write"}, StopReason::max_tokens, "I will"), text("done")};
    EXPECT_EQ(run().end, End::completed);
    EXPECT_EQ(host.said, (Said{"assemble 1", "ask m1", "keep 'I will' bash write",
                               "refuse bash write", "assemble 2", "ask m2", "conclude 'done'"}));
    EXPECT_EQ(state.tool_calls, 2);
}

TEST_F(LoopTest, that_is_cut_again_and_again_ends) {
    host.repeated = calls({"bash"}, StopReason::max_tokens);
    EXPECT_EQ(run().end, End::tool_failures);
    EXPECT_EQ(state.iterations, 5);
    EXPECT_FALSE(was_said("run"));
    EXPECT_FALSE(was_said("decide"));
}

TEST_F(LoopTest, counts_what_attempts_that_failed_used) {
    host.answers = {text("done")};
    host.answers.front().spent_before = {1'000, 20, 3, 4};
    EXPECT_EQ(run().end, End::completed);
    EXPECT_EQ(state.usage, (chat::Usage{1'100, 30, 3, 4}));
}

TEST_F(LoopTest, ends_at_an_end_that_nobody_knows) {
    host.answers = {text("so far", StopReason::unknown)};
    host.answers.front().reply.raw_stop = "insufficient_system_resource";
    const LoopEnd end = run();
    EXPECT_EQ(end.end, End::provider_failed);
    ASSERT_TRUE(end.failure);
    EXPECT_EQ(end.failure->message, "the answer ended with 'insufficient_system_resource'");
    EXPECT_EQ(host.said.back(), "keep 'so far'");
}

TEST_F(LoopTest, ends_at_an_answer_cut_at_its_token_limit) {
    host.answers = {text("half of i", StopReason::max_tokens)};
    const LoopEnd end = run();
    EXPECT_EQ(end.end, End::tokens);
    EXPECT_EQ(end.text, "half of i");
    EXPECT_FALSE(end.failure);
    EXPECT_EQ(host.said.back(), "keep 'half of i'");
}

TEST_F(LoopTest, goes_on_where_the_model_paused) {
    host.answers = {text("searching", StopReason::pause), text("found")};
    const LoopEnd end = run();
    EXPECT_EQ(end.end, End::completed);
    EXPECT_EQ(end.text, "searchingfound");
    EXPECT_EQ(host.said, (Said{"assemble 1", "ask m1", "keep 'searching'", "assemble 2", "ask m2",
                               "conclude 'searchingfound'"}));
    host.repeated = text("", StopReason::pause);
    state = {};
    EXPECT_EQ(run().end, End::max_iterations) << "and does not pause for ever";
}

TEST_F(LoopTest, ends_where_the_model_declines) {
    for (const StopReason stop : {StopReason::refusal, StopReason::content_filter}) {
        host = {};
        host.answers = {text("I will not", stop)};
        host.answers.front().reply.raw_stop = "refusal";
        const LoopEnd end = run();
        EXPECT_EQ(end.end, End::refused);
        EXPECT_EQ(end.text, "I will not");
        EXPECT_EQ(end.raw_stop, "refusal");
        EXPECT_EQ(host.said.back(), "keep 'I will not'");
        host = {};
        host.answers = {text("", stop)};
        EXPECT_EQ(run().end, End::refused);
        EXPECT_EQ(host.said.back().substr(0, 3), "ask") << "an empty answer is not kept";
    }
}

TEST_F(LoopTest, runs_no_calls_of_an_answer_that_was_broken_off) {
    for (const StopReason stop :
         {StopReason::refusal, StopReason::content_filter, StopReason::context_overflow,
          StopReason::truncated_stream, StopReason::unknown}) {
        host = {};
        host.answers = {calls({"bash"}, stop, "so far")};
        const LoopEnd end = run();
        EXPECT_TRUE(end.end == End::refused || end.end == End::provider_failed)
            << static_cast<int>(stop);
        EXPECT_EQ(end.text, "so far");
        EXPECT_EQ(host.said.back(), "keep 'so far'") << static_cast<int>(stop);
        host = {};
        host.answers = {calls({"bash"}, stop)};
        run();
        EXPECT_FALSE(was_said("keep")) << "calls without results are never kept";
        EXPECT_FALSE(was_said("run"));
    }
}

TEST_F(LoopTest, ends_where_the_context_is_full) {
    host.answers = {text("", StopReason::context_overflow)};
    const LoopEnd end = run();
    EXPECT_EQ(end.end, End::provider_failed);
    ASSERT_TRUE(end.failure);
    EXPECT_TRUE(end.failure->context_overflow);
    EXPECT_FALSE(end.failure->message.empty());
    host.answers = {text("cut he", StopReason::truncated_stream)};
    const LoopEnd cut = run();
    EXPECT_EQ(cut.end, End::provider_failed);
    ASSERT_TRUE(cut.failure);
    EXPECT_FALSE(cut.failure->context_overflow);
}

TEST_F(LoopTest, keeps_the_text_that_came_before_a_failure_but_not_its_calls) {
    host.answers = {failed("The answer is")};
    host.answers.front().reply.tool_calls = {{"x", "bash", "{\"comm"}};
    host.answers.front().reply.opaque = chat::Opaque{"p", "m", "[half"};
    const LoopEnd end = run();
    EXPECT_EQ(end.end, End::provider_failed);
    EXPECT_EQ(end.text, "The answer is");
    ASSERT_TRUE(end.failure);
    EXPECT_EQ(end.failure->category, model::Category::server_error);
    EXPECT_EQ(end.failure->message, "503");
    ASSERT_EQ(host.kept.size(), 1U);
    EXPECT_EQ(host.kept[0].text, "The answer is");
    EXPECT_TRUE(host.kept[0].tool_calls.empty());
    EXPECT_FALSE(host.kept[0].opaque);
    EXPECT_EQ(state.iterations, 1);
    EXPECT_EQ(state.usage.output_tokens, 10) << "what was spent counts";
}

TEST_F(LoopTest, keeps_nothing_of_a_failure_without_text) {
    host.answers = {calls({"view"}, StopReason::tool_use, "earlier"), failed("")};
    const LoopEnd end = run();
    EXPECT_EQ(end.end, End::provider_failed);
    EXPECT_EQ(end.text, "earlier");
    EXPECT_EQ(host.kept.size(), 1U);
}

TEST_F(LoopTest, asks_nobody_after_a_signal) {
    host.stop_after_steps = 0;
    EXPECT_EQ(run().end, End::interrupted);
    EXPECT_TRUE(host.said.empty());
    EXPECT_EQ(state.iterations, 0);
}

TEST_F(LoopTest, is_interrupted_not_failed_where_a_signal_cut_the_stream) {
    host.answers = {failed("half an ans")};
    host.stop_after_steps = 2;  // after "ask"
    const LoopEnd end = run();
    EXPECT_EQ(end.end, End::interrupted);
    EXPECT_EQ(end.text, "half an ans");
    EXPECT_EQ(host.said.back(), "keep 'half an ans'");
}

TEST_F(LoopTest, is_interrupted_after_the_running_calls) {
    host.stop_after_steps = 5;  // after "run"
    EXPECT_EQ(run().end, End::interrupted);
    EXPECT_EQ(host.said.back(), "run again");
    EXPECT_EQ(state.iterations, 1);
}

TEST_F(LoopTest, is_interrupted_where_a_signal_made_the_fifth_call_fail) {
    for (int i = 0; i < 5; ++i) host.outcomes.push_back({CallOutcome::error});
    host.stop_after_steps = 25;
    EXPECT_EQ(run().end, End::interrupted);
}

TEST_F(LoopTest, concludes_an_answer_that_was_whole_when_the_signal_came) {
    host.answers = {text("done")};
    host.stop_after_steps = 2;
    EXPECT_EQ(run().end, End::completed);
    EXPECT_EQ(host.said.back(), "conclude 'done'");
}

TEST_F(LoopTest, runs_nothing_while_a_question_waits) {
    host.answers = {calls({"view"}), calls({"bash", "view"}, StopReason::tool_use, "may I")};
    host.decisions = {Decided::all, Decided::suspended};
    const LoopEnd end = run();
    EXPECT_EQ(end.end, End::input_required);
    EXPECT_EQ(end.text, "may I");
    EXPECT_EQ(host.said.back(), "decide bash view");
    EXPECT_EQ(state.tool_calls, 3);
}

}  // namespace
}  // namespace chorus::turn
