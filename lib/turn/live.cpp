#include "turn/live.hpp"

#include <set>

#include "base/error.hpp"
#include "base/id.hpp"
#include "base/time.hpp"
#include "chat/json.hpp"
#include "context/window.hpp"
#include "life/children.hpp"
#include "model/retry.hpp"
#include "place/agent_tasks.hpp"
#include "place/rights.hpp"
#include "repo/repository.hpp"
#include "sys/clock.hpp"
#include "turn/asking.hpp"
#include "turn/attaching.hpp"
#include "turn/compact.hpp"
#include "turn/last_turn.hpp"

namespace chorus::turn {
namespace {

using base::Error;
using base::ErrorCode;
using base::ExitStatus;
using chat::State;

constexpr std::size_t most_id_bytes = 256;

}  // namespace

tools::Workplace make_workplace(place::Place& place, const place::Settings& settings) {
    const place::Surroundings& surroundings = place.surroundings;
    tools::Workplace workplace{
        .root = place.root,
        .home_configuration = place.home_configuration,
        .catalog = place.catalog,
        .agent = place.agent.name,
        .sandbox = place::command_sandbox(place.store, surroundings.home, place.home_configuration,
                                          settings.sandbox, place.root.path(), place.directory,
                                          place.agent.name, surroundings.environment),
        .environment = sys::scrubbed_environment(surroundings.environment, place.agent.name,
                                                 settings.environment_names),
        .bash_most_ms = place.home_configuration.max_bash_timeout_ms,
        .file_lock_path = surroundings.home.file_lock(life::top_of(place.store, place.agent)),
        .directory = place.directory,
        .configuration_lock_path = surroundings.home.configuration_lock(place.agent.id),
        .available_models_path = surroundings.home.available_models()};
    workplace.sandbox.umask = place.root.mask();
    place::confine(workplace.sandbox, place.root);
    workplace.sandbox.homes = sys::keep_homes();
    workplace.plants_file = place.directory.call_plants(place.thread.id);
    return workplace;
}

LiveTurn::LiveTurn(place::Place& place, Record& record, place::Loaded loaded, WindowFrame frame)
    : place_(place),
      record_(record),
      loaded_(std::move(loaded)),
      frame_(frame),
      shutdown_(place),
      workplace_(make_workplace(place, loaded_.settings)),
      tasks_{.site = place::task_site(place.store, place.surroundings.home, place.agent),
             .own = place.surroundings.environment,
             .about = [this] { return next_task(); },
             .secrets = place.redaction,
             .grace_ms = shutdown_.grace_ms(),
             .may_start = !place.options.ephemeral},
      sub_agents_(sub_agents_of(place, loaded_, record, shutdown_, tasks_)),
      artifacts_(artifacts_of(place, record, tasks_.mutex)),
      other_agents_(other_agents_of(place, record, tasks_)),
      calls_(place, record, workplace_,
             {loaded_, [this] { return stop_requested(); }, [this] { reload(); }}, result_.denied),
      keys_(place::keys_for(place)) {
    workplace_.stop = [this] { return shutdown_.command_must_stop(); };
    workplace_.stop_grace_ms = [this] { return shutdown_.command_grace_ms(); };
    workplace_.alert = [this](const sys::PlantReport& report) { record_.alerts().raise(report); };
    workplace_.tasks = &tasks_;
    workplace_.sub_agents = &sub_agents_;
    workplace_.artifacts = &artifacts_;
    workplace_.other_agents = &other_agents_;
    workplace_.keep_plan = [this](const chat::Plan& plan) { keep_plan(plan); };
    state_.iterations = record.turn().iterations;
    state_.tool_calls = record.turn().tool_calls;
    state_.usage = record.turn().usage;
    use_model();
}

void LiveTurn::use_model() {
    const place::Settings& settings = loaded_.settings;
    if (model_ && model_name_ == settings.model) return;
    if (!client_)
        client_ = std::make_unique<net::Client>(
            place::transport_for(place_.surroundings.environment, settings.endpoint.trusted_http));
    model_ = model::make_model(keys_.with_key(settings.endpoint), *client_);
    model_name_ = settings.model;
}

store::Task LiveTurn::next_task() {
    const store::Turn& turn = record_.turn();
    store::Task task;
    task.turn_id = turn.id;
    task.thread_id = turn.thread_id;
    task.actor = turn.actor;
    task.depth = store::delivered_depth(place_.store, turn.id) + 1;
    task.rights = place::rights_text(place::in_force_for(place_), place_.home_configuration,
                                     loaded_.settings.sandbox, loaded_.joined);
    return task;
}

void LiveTurn::renew_rules() {
    if (record_.has_inbox()) {
        place_.joined_rights = store::delivered_rights(place_.store, record_.turn().id);
        place_.is_shared = !store::senders(place_.store, record_.turn().id).empty();
    }
    // self-edits of the last iteration take effect here
    if (assembled_ || place_.is_shared || !place_.joined_rights.empty()) reload();
    assembled_ = true;
    use_model();
}

void LiveTurn::reload() {
    if (place::is_current(place_, loaded_)) return;
    loaded_ = place::load(place_);
    request_.tools.clear();
    workplace_.sandbox.mode = loaded_.settings.sandbox;
}

void LiveTurn::keep_plan(chat::Plan plan) {
    const std::lock_guard lock(tasks_.mutex);
    for (chat::PlanStep& step : plan) step.text = place_.redaction.apply(step.text);
    record_.keep_plan(plan);
}

std::int64_t LiveTurn::tokens_below() {
    const chat::Usage below = store::spent_below(place_.store, record_.turn().id).settled;
    return below.input_tokens + below.output_tokens;
}

const chat::Request& LiveTurn::assemble(std::int64_t iteration) {
    // the last iteration takes no new messages
    if (iteration < loaded_.settings.max_iterations) record_.deliver_inbox();
    renew_rules();
    write_opening(place_, loaded_, request_);
    renew_conversation();
    write_attachments(place_, loaded_.settings, request_);
    const std::string torn = context::find_torn(request_.messages);
    if (!torn.empty())
        throw Error(ErrorCode::internal, "context: " + torn,
                    "chorus-context clear " + place_.agent.name + " starts a new window");
    return request_;
}

void LiveTurn::begin_with(AssembledWindow window) {
    request_.messages = std::move(window.messages);
    add_usage(window.usage);
    has_window_ = true;
}

// Adds the usage of a summary, which is in the ledger already.
void LiveTurn::add_usage(const chat::Usage& usage) {
    state_.usage += usage;
    record_.turn().usage += usage;
}

// The window is read once and then grows by what is committed, until a limit cuts it.
void LiveTurn::renew_conversation() {
    std::vector<chat::Message>& messages = request_.messages;
    if (has_project_) messages.erase(messages.begin());
    std::vector<chat::Message> committed = record_.take_committed();
    std::move(committed.begin(), committed.end(), std::back_inserter(messages));
    if (!has_window_ || exceeds_limits(place_, loaded_, request_)) {
        use_window(fit_window(place_, loaded_, frame_, record_.turn().id));
    }
    begin_with_project();
}

void LiveTurn::use_window(AssembledWindow window) {
    const bool cut_moved = window.cut_moved;
    begin_with(std::move(window));
    if (cut_moved) record_.begin_chain(request_.messages);
}

void LiveTurn::begin_with_project() {
    auto project = project_message(place_);
    has_project_ = project.has_value();
    if (record_.keeps_chain())
        record_.use_prefix(prefix_of(loaded_, request_, project ? project->content : ""));
    if (project) request_.messages.insert(request_.messages.begin(), std::move(*project));
}

model::Answer LiveTurn::ask_once(const chat::Request& request) {
    record_.emit(chat::InternalEvent{
        "internal:model-call",
        chat::dump({{"model", loaded_.settings.model}, {"messages", request.messages.size()}})});
    policy::RedactedStream shown(place_.redaction, [this](std::string_view text) {
        record_.emit(chat::ContentDelta{std::string(text)});
    });
    model::StreamSink sink;
    // an answer that is checked is shown when it is valid
    if (place_.surroundings.shows_text && place_.options.json_schema.empty())
        sink.on_text = [&](std::string_view text) { shown.write(text); };
    const model::Provider& provider = loaded_.settings.endpoint.provider;
    const Account account{
        .store = place_.store,
        .agent = place_.agent.id,
        .turn = record_.turn().id,
        .settings = loaded_.settings,
        .warn = place_.surroundings.warn,
        .used = [this] { return record_.turn().usage; },
        .settle = [this](const store::ModelCall& call, base::TimeMs sent_at,
                         bool at_once) { record_.note_model_call(call, sent_at, at_once); }};
    LimitedAnswer asked = ask_model(
        {.model = *model_,
         .account = account,
         .keys = keys_,
         .interruption = {[this] { return stop_requested(); }, place_.surroundings.interrupt.fd()},
         .policy = {.most = static_cast<int>(place_.home_configuration.max_retries),
                    .deadline_ms = place_.options.deadline_ms},
         .commit = [this](const auto& change) { record_.commit(change); },
         .on_retry =
             [this](const model::RetryEvent& event) {
                 record_.emit(chat::RetryNotice{event.attempt, event.wait_ms,
                                                std::string(model::name(event.failure.category)),
                                                place_.redaction.apply(event.failure.message)});
             },
         .on_switch =
             [&](const std::string& previous, const std::string& profile) {
                 record_.restart(previous, profile);
                 record_.emit(chat::CredentialSwitch{provider.name, previous, profile,
                                                     record_.turn().attempt});
             }},
        request, sink);
    shown.end();
    record_.emit(chat::InternalEvent{"internal:model-answer", about_answer(asked.answer)});
    if (record_.turn().state == store::TurnState::restarting) record_.end_restart();
    resume_at_ = asked.resume_at;
    return std::move(asked.answer);
}

// Sleeps until resume_at_, or until another credential can be used. Returns false if the turn was
// stopped, or is not to wait so long.
bool LiveTurn::wait_parked(const std::string& why) {
    constexpr std::int64_t look_every_ms = 500;  // the clock may be set, too
    if (!may_sleep_until(place_, resume_at_)) return false;
    const model::Provider& provider = loaded_.settings.endpoint.provider;
    const std::string cooling = keys_.credential(provider);
    record_.park(resume_at_, cooling);
    place_.surroundings.warn(why + "; waiting until " + base::iso8601(resume_at_));
    bool goes_on = true;
    while (goes_on && keys_.credential(provider) == cooling) {
        const std::int64_t left_ms = resume_at_ - sys::now_ms();
        if (left_ms <= 0) break;
        goes_on = model::wait_for(
            std::min(left_ms, look_every_ms),
            {[this] { return stop_requested(); }, place_.surroundings.interrupt.fd()});
    }
    record_.unpark();
    return goes_on;
}

// Goes on with the fallback model, for the rest of the turn, if the provider is what failed.
bool LiveTurn::fall_back(const model::Answer& answer) {
    using model::Category;
    const std::string next = loaded_.settings.fallback_model;
    if (!answer.failure || next.empty() || answer.text_was_streamed || stop_requested())
        return false;
    const Category why = answer.failure->category;
    if (!answer.budget.empty() || (why != Category::rate_limited && why != Category::server_error &&
                                   why != Category::no_internet))
        return false;
    place_.options.has_fallen_back = true;
    loaded_ = place::load(place_);
    use_model();
    write_opening(place_, loaded_, request_);
    write_attachments(place_, loaded_.settings, request_);
    record_.turn().model = loaded_.settings.model;
    place_.surroundings.warn(place_.redaction.apply(answer.failure->message) + "; going on with " +
                             loaded_.settings.model);
    return true;
}

// Replaces older messages by a summary, once in a turn, if they do not fit into the model's
// context.
bool LiveTurn::make_room(const model::Answer& answer) {
    const bool overflows = answer.failure ? answer.failure->context_overflow
                                          : answer.reply.stop == chat::StopReason::context_overflow;
    if (!overflows || has_made_room_ || answer.text_was_streamed || stop_requested()) return false;
    has_made_room_ = true;
    auto window = shrink_window(place_, loaded_, frame_, record_.turn().id);
    if (!window) return false;
    use_window(std::move(*window));
    begin_with_project();
    write_attachments(place_, loaded_.settings, request_);
    return true;
}

model::Answer LiveTurn::ask(const chat::Request& request) {
    chat::Usage spent;
    for (;;) {
        model::Answer answer = ask_once(request);
        spent += answer.spent_before;
        if (fall_back(answer) || make_room(answer)) {
            spent += answer.reply.usage;
            continue;
        }
        const bool is_limited =
            answer.failure && answer.failure->category == model::Category::rate_limited;
        if (is_limited && !answer.text_was_streamed &&
            wait_parked(place_.redaction.apply(answer.failure->message))) {
            spent += answer.reply.usage;
            continue;
        }
        answer.spent_before = spent;
        if (!answer.reply.tool_calls.empty()) give_unique_ids(request, answer.reply);
        return answer;
    }
}

// Some servers restart the numbers of calls in each answer. Ids must be unique in the conversation
// and among the calls of the turn, some of which --retry leaves out of the window.
void LiveTurn::give_unique_ids(const chat::Request& request, chat::Reply& reply) const {
    std::set<std::string> taken = record_.call_ids();
    for (const chat::Message& message : request.messages)
        for (const chat::ToolCall& call : message.tool_calls) taken.insert(call.id);
    for (chat::ToolCall& call : reply.tool_calls) {
        const bool usable = !call.id.empty() && call.id.size() <= most_id_bytes;
        if (!usable || !taken.insert(call.id).second) {
            call.id = "call_" + base::random_short_id(12);
            taken.insert(call.id);
            reply.opaque.reset();
        }
    }
}

void LiveTurn::keep(const chat::Reply& reply) {
    record_.turn().iterations = state_.iterations;
    record_.turn().tool_calls =
        state_.tool_calls + static_cast<std::int64_t>(reply.tool_calls.size());
    record_.keep(reply);
}

void LiveTurn::tell(const chat::Reply& reply) const {
    record_.emit(chat::MessageEvent{chat::Role::assistant, record_.newest_answer(),
                                    place_.redaction.apply(reply.text), record_.turn().usage});
}

Decided LiveTurn::decide(const std::vector<chat::ToolCall>& calls) {
    return calls_.decide(calls);
}

Ran LiveTurn::run(const std::vector<chat::ToolCall>&) {
    return calls_.run();
}

void LiveTurn::refuse_cut(const chat::Reply& reply) {
    // the tokens used tell a limit of the provider's own too
    const std::int64_t most = reply.usage.output_tokens > 0 ? reply.usage.output_tokens
                                                            : loaded_.settings.max_output_tokens;
    const std::string limit = most > 0 ? " of " + std::to_string(most) + " tokens" : "";
    const std::string text = "the answer was cut at its limit" + limit +
                             ", thoughts included; this call was not run. Make smaller calls: "
                             "write a long file in parts";
    std::vector<Judged> refused;
    for (const chat::ToolCall& call : reply.tool_calls) {
        refused.push_back(Judged{call});
        refused.back().result = {text, true};
        refused.back().outcome = CallOutcome::interrupted;
    }
    record_.advance(all_of(refused));
}

// Calls that have changed nothing yet are decided again and run. Those that may have taken effect
// only get a result.
std::optional<LoopEnd> LiveTurn::take_up(const std::vector<Unfinished>& unfinished) {
    std::vector<Unfinished> settled;
    std::vector<chat::ToolCall> again;
    for (const Unfinished& call : unfinished) {
        if (call.may_run)
            again.push_back(call.call);
        else
            settled.push_back(call);
    }
    settle_calls(record_, settled);
    if (again.empty()) return std::nullopt;
    renew_rules();
    Decided how = calls_.decide(again);
    if (how == Decided::all) how = calls_.run().how;
    if (how == Decided::all) return std::nullopt;
    LoopEnd end;
    end.end = how == Decided::suspended ? End::input_required : End::denied;
    return end;
}

void LiveTurn::run_to_end(const std::vector<Unfinished>& unfinished) {
    if (resume_at_ != 0)
        wait_parked("parked: the credential for " + model_name_ + " is rate-limited");
    std::optional<LoopEnd> end = take_up(unfinished);
    if (!end)
        end = run_loop(*this, {loaded_.settings.max_iterations, loaded_.settings.tokens_per_turn},
                       state_);
    if (!concluded_) fill(*end);
}

// An error that the turn cannot recover from (an invalid configuration, a full disk) ends it, and
// the end is recorded if possible. A turn whose end cannot be recorded is treated like one whose
// process is gone: --resume continues it.
void LiveTurn::guard(const std::function<void()>& work) {
    try {
        work();
    } catch (const Error& error) {
        fill_counts();
        set_end(result_, State::failed, result_.reason, with_way_on(error, place_, record_.turn()));
    }
}

chat::TurnResult LiveTurn::take(const std::vector<Unfinished>& unfinished) {
    result_.agent = place_.agent.name;
    result_.thread = place_.thread.id;
    result_.turn_id = record_.turn().id;
    result_.turn_number = record_.turn().turn_number;
    record_.emit(chat::TaskEvent{});
    record_.emit(chat::StatusUpdate{State::working, false, {}, {}, 0});
    if (const std::string why = sys::why_not_written(place_.root.path());
        !why.empty() && loaded_.settings.sandbox != sys::SandboxMode::off)
        place_.surroundings.warn("commands cannot write in " + place_.root.path() + ", " + why);

    guard([&] { run_to_end(unfinished); });
    calls_.note_end();
    if (result_.state == State::input_required)
        describe_records(place_.store, record_.turn(), result_);
    else if (!concluded_)
        guard([&] { record_.end(result_); });
    for (const std::string& plants :
         task::plants_of(tasks_.site, store::running_tasks(place_.store, place_.agent.id)))
        place_.surroundings.alert(plants);
    if (!record_.transcript_problem().empty())
        place_.surroundings.warn("transcript: " + record_.transcript_problem() +
                                 "; the next turn adds what is missing");
    if (result_.state == State::canceled)
        place::save_at_shutdown(place_, loaded_.settings.model, frame_.after_time);
    record_.emit(chat::StatusUpdate{result_.state, true, result_.reason,
                                    result_.error ? result_.error->message() : "",
                                    result_.resume_at});
    return std::move(result_);
}

}  // namespace chorus::turn
