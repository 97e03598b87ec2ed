#include "approval/decision.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "agent/configuration.hpp"
#include "approval/approval.hpp"
#include "approval/binding.hpp"
#include "approval/expiry.hpp"
#include "approval/widening.hpp"
#include "base/error.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "channel/audit_sink.hpp"
#include "chat/asked.hpp"
#include "chat/commands.hpp"
#include "chat/json.hpp"
#include "life/children.hpp"
#include "life/deciders.hpp"
#include "life/trust.hpp"
#include "place/rights.hpp"
#include "place/secrets.hpp"
#include "store/agents.hpp"
#include "store/records.hpp"
#include "store/turns.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"
#include "tools/tool.hpp"

namespace chorus::approval {
namespace {

using base::Error;
using base::ErrorCode;
using Verb = place::PromptDecision::Verb;

constexpr std::size_t most_hinted = 5;

// If nothing is left to decide in a turn that has not ended, it only needs to be resumed.
std::string hint_for(store::Store& store, store::TurnId id) {
    const auto turn = store::find_turn(store, id);
    const auto agent = turn ? store::find_agent(store, turn->agent_id) : std::nullopt;
    if (!agent || turn->ended_at != 0) return "chorus-tasks pending lists the pending questions";
    return chat::resume_command(agent->name, turn->thread_id) + " continues the turn";
}

[[noreturn]] void refuse_decided(store::Store& store, const store::Prompt& prompt) {
    throw Error(ErrorCode::no_prompt,
                "prompt " + prompt.id + ": nothing to decide: " + how_decided(prompt),
                hint_for(store, prompt.turn_id));
}

store::Agent agent_of(store::Store& store, const store::Prompt& prompt) {
    const auto agent = store::find_agent(store, prompt.agent_id);
    if (!agent || agent->status == store::AgentStatus::destroyed ||
        agent->status == store::AgentStatus::destroying)
        throw Error(ErrorCode::exited, "prompt " + prompt.id + ": its agent was destroyed");
    return *agent;
}

// Whether the agent is a sub-agent of that one, at any depth.
bool is_below(store::Store& store, const store::Agent& agent, const std::string& name) {
    const auto above = life::ancestors_of(store, agent);
    return std::any_of(above.begin(), above.end(),
                       [&](const store::Agent& one) { return one.name == name; });
}

store::Prompt one_prompt(store::Store& store, const std::string& name, const std::string& id) {
    const auto prompt = store::find_prompt(store, id);
    if (!prompt)
        throw Error(ErrorCode::no_prompt, "prompt " + base::quoted(id) + ": no such prompt",
                    "chorus-tasks pending lists the pending questions");
    const store::Agent agent = agent_of(store, *prompt);
    if (!name.empty() && agent.name != name && !is_below(store, agent, name))
        throw Error(ErrorCode::no_prompt, "prompt " + id + ": it does not belong to agent " +
                                              base::quoted(name) + " but to '" + agent.name + "'");
    if (prompt->state != store::PromptState::pending) refuse_decided(store, *prompt);
    return *prompt;
}

// Returns the commands that decide what the agent's sub-agents ask in the background.
std::string hint_for_all(store::Store& store, const std::string& name, store::TurnId turn) {
    const auto agent = store::find_agent(store, name);
    std::vector<std::string> commands;
    if (agent)
        for (const store::Prompt& prompt : store::pending_prompts_below(store, agent->id))
            if (prompt.turn_id != turn && commands.size() < most_hinted)
                commands.push_back(chat::decide_commands(name, prompt.id, prompt.kind));
    return commands.empty() ? hint_for(store, turn) : base::join(commands, ", or ");
}

// Returns the pending prompts that the verb can decide.
std::vector<store::Prompt> all_prompts(store::Store& store, const std::string& name,
                                       const place::PromptDecision& decision) {
    std::vector<store::Prompt> prompts;
    // a rule that is to hold from now on is one of this agent's, not of its sub-agents'
    for (store::Prompt& prompt : decision.always ? store::load_prompts(store, decision.turn)
                                                 : store::load_prompts_below(store, decision.turn))
        if (prompt.state == store::PromptState::pending &&
            (prompt.kind == chat::PromptKind::permission || decision.verb == Verb::deny))
            prompts.push_back(std::move(prompt));
    if (prompts.empty())
        throw Error(ErrorCode::no_prompt, "all: no pending question that this command can decide",
                    hint_for_all(store, name, decision.turn));
    return prompts;
}

std::string checked_answer(const store::Prompt& prompt, const std::string& text) {
    if (base::find_invalid_utf8(text) || text.find('\0') != std::string::npos)
        throw Error(ErrorCode::bad_request,
                    "prompt " + prompt.id + ": the answer is not UTF-8 text");
    const auto options = chat::try_parse_json(prompt.options.empty() ? "[]" : prompt.options);
    const auto all = options && options->is_array() ? options->get<std::vector<std::string>>()
                                                    : std::vector<std::string>{};
    if (all.empty() && base::trim(text).empty())
        throw Error(ErrorCode::bad_request, "prompt " + prompt.id + ": the answer is empty");
    if (all.empty()) return text;
    const auto chosen = chosen_option(all, text);
    if (chosen) return *chosen;
    throw Error(ErrorCode::bad_request,
                "prompt " + prompt.id + ": " + base::quoted(text) + " is not one of the answers",
                "the answers are " + base::quoted_list(all) + ", or their numbers");
}

// `name` is the agent given to decide().
void check_kind(const store::Prompt& prompt, Verb verb, bool always, const std::string& name) {
    const auto way = [&](const std::string& wanted) {
        return (name.empty() ? "chorus-tasks " : "chorus-run " + name + " --") + wanted + " " +
               prompt.id;
    };
    if (prompt.kind == chat::PromptKind::trust && (verb == Verb::answer || always))
        throw Error(ErrorCode::bad_request, "prompt " + prompt.id + ": it asks for trust",
                    way("approve") + ", or " + way("deny"));
    const bool is_question = prompt.kind == chat::PromptKind::question;
    if (verb == Verb::approve && is_question)
        throw Error(ErrorCode::bad_request, "prompt " + prompt.id + ": it is a question",
                    way("answer") + " TEXT, or " + way("deny"));
    if (verb == Verb::answer && !is_question)
        throw Error(ErrorCode::bad_request, "prompt " + prompt.id + ": it asks for permission",
                    way("approve") + ", or " + way("deny"));
}

// Refuses to approve what the rules now deny or what this person may not grant.
void check_grant(store::Store& store, const store::Prompt& prompt, const Widening& widening,
                 const agent::HomeConfiguration& configuration, const policy::Redaction& secrets,
                 bool always) {
    const auto refuse = [&](const std::string& why, const std::string& hint = {}) {
        return Error(ErrorCode::forbidden, "prompt " + prompt.id + ": " + why, hint);
    };
    const auto person = sys::invoking_person(widening.environment);
    if (always)
        if (const auto problem = life::grant_problem(configuration, person, "custom");
            !problem.empty())
            throw refuse(problem);
    const tools::Tool* tool = tools::find_tool(prompt.tool);
    if (prompt.kind != chat::PromptKind::permission || tool == nullptr) return;
    const Proposed call =
        proposed(*tool, prompt.action, tools::Arguments::parse(prompt.arguments), configuration);
    const place::Rights rights = rights_in_force(store, widening, configuration);
    const auto decision = decide_call(call, {rights, secrets, configuration, {widening.actor}});
    if (decision.verdict == policy::Verdict::deny)
        throw refuse("the profile denies it now: " + decision.reason,
                     "chorus-tasks deny " + prompt.id + " ends the question");
}

// Returns the present binding of a call that is bound to files; nothing if its directory is gone.
std::optional<Binding> binding_now(const agent::Home& home, const store::Agent& agent,
                                   const store::Prompt& prompt) {
    const tools::Tool* tool = tools::find_tool(prompt.tool);
    if (prompt.kind != chat::PromptKind::permission || prompt.files.empty() || tool == nullptr)
        return std::nullopt;
    const auto root = sys::Root::find(prompt.directory);
    if (!root) return std::nullopt;
    return bind_call(*tool, tools::Arguments::parse(prompt.arguments), *root,
                     home.directory(agent.dir), prompt.profile);
}

// Binds the approval to the files as they are now, and warns of changes since the question.
void bind_approval(store::Store& store, const DecisionContext& decider,
                   const place::PromptDecision& decision, const store::Agent& agent,
                   store::Prompt& prompt) {
    const auto now = binding_now(decider.home, agent, prompt);
    if (!now) return;
    const std::string changes = changed_files(binding_of(store, prompt, {}), *now);
    if (!changes.empty()) decider.warn("prompt " + prompt.id + ": since it was asked: " + changes);
    write_binding(*now, prompt);
    if (decision.even_if_changed) {
        prompt.files = any_state;
        prompt.fingerprint.clear();
    } else if (now->state == held_state) {
        if (decider.held == nullptr)
            throw Error(
                ErrorCode::bad_request,
                "prompt " + prompt.id +
                    ": the workspace has too many files for another process to check later "
                    "whether they have changed",
                "chorus-run " + agent.name + " --approve " + prompt.id + ", or --even-if-changed");
        (*decider.held)[prompt.id] = now->files;
    }
}

store::PromptState state_after(Verb verb) {
    return verb == Verb::approve ? store::PromptState::approved
           : verb == Verb::deny  ? store::PromptState::denied
                                 : store::PromptState::answered;
}

std::string audit_detail(const store::Prompt& decided) {
    std::string detail = std::string(name(decided.state)) + " prompt " + decided.id;
    if (decided.state == store::PromptState::approved && decided.files == any_state)
        detail += ", even if files change";
    if (!decided.answer.empty()) detail += ": " + decided.answer;
    return detail;
}

// Returns false if the prompt was already decided.
bool decide_one(store::Store& store, const Widening& widening, const store::Prompt& decided) {
    if (decided.kind == chat::PromptKind::trust && decided.state == store::PromptState::approved)
        return approve_trust(store, widening, decided);
    store::Transaction transaction(store);
    if (!record_decision(store, widening.agent, decided, audit_detail(decided))) return false;
    transaction.commit();
    return true;
}

}  // namespace

std::string in_one_line(const store::Prompt& prompt) {
    if (prompt.kind == chat::PromptKind::question)
        return chat::asked_question(prompt.text, chat::parse_options(prompt.options));
    if (prompt.kind != chat::PromptKind::trust)
        return chat::asked_action(prompt.action, prompt.arguments, prompt.text);
    const auto lines = base::split(base::trim(prompt.text), '\n');
    return fmt::format("{}: {}", prompt.action, fmt::join(lines, "; "));
}

std::string how_decided(const store::Prompt& prompt) {
    if (prompt.state == store::PromptState::pending) return "its agent is being destroyed";
    std::string how = prompt.state == store::PromptState::expired
                          ? "it has expired"
                          : "it was " + std::string(name(prompt.state));
    if (!prompt.decided_by.empty()) how += " by " + prompt.decided_by;
    if (prompt.decided_at != 0) how += ", " + base::iso8601(prompt.decided_at);
    return how;
}

std::optional<std::string> chosen_option(const std::vector<std::string>& options,
                                         std::string_view text) {
    const std::string_view wanted = base::trim(text);
    if (std::find(options.begin(), options.end(), wanted) != options.end())
        return std::string(wanted);
    const std::size_t number = base::parse_number<std::size_t>(wanted).value_or(0);
    if (number == 0 || number > options.size()) return std::nullopt;
    return options[number - 1];
}

std::string changed_since_asked(store::Store& store, const agent::Home& home,
                                const store::Prompt& prompt) {
    const auto agent = store::find_agent(store, prompt.agent_id);
    const auto now = agent ? binding_now(home, *agent, prompt) : std::nullopt;
    return now ? changed_files(binding_of(store, prompt, {}), *now) : std::string();
}

std::vector<store::Prompt> decide(store::Store& store, const DecisionContext& decider,
                                  const std::string& agent_name,
                                  const place::PromptDecision& decision) {
    life::refuse_from_inside(store, decider.environment);
    expire_prompts(store);
    const bool all = decision.id == "all";
    auto prompts = all ? all_prompts(store, agent_name, decision)
                       : std::vector{one_prompt(store, agent_name, decision.id)};
    const agent::HomeConfiguration configuration = agent::load_home_configuration(decider.home);
    const policy::Redaction secrets =
        place::secrets_of(decider.home, decider.environment, configuration.shared.environment);
    std::map<store::AgentId, store::Agent> agents;
    for (const store::Prompt& prompt : prompts)
        agents.emplace(prompt.agent_id, agent_of(store, prompt));
    const auto widening_for = [&](const store::Prompt& prompt) -> Widening {
        return {decider.home, decider.environment, agents.at(prompt.agent_id), decider.actor,
                prompt.turn_id};
    };
    for (store::Prompt& prompt : prompts) {
        const Widening widening = widening_for(prompt);
        check_kind(prompt, decision.verb, decision.always, agent_name);
        if (decision.verb == Verb::approve)
            check_grant(store, prompt, widening, configuration, secrets, decision.always);
        prompt.state = state_after(decision.verb);
        prompt.answer = secrets.apply(
            decision.verb == Verb::answer ? checked_answer(prompt, decision.text) : decision.text);
        prompt.decided_by = decider.actor;
        if (decision.verb != Verb::approve) continue;
        prompt.profile = rights_in_force(store, widening, configuration).fingerprint();
        bind_approval(store, decider, decision, widening.agent, prompt);
    }
    std::vector<store::Prompt> decided;
    const auto decide_each = [&](const auto& decides) {
        for (store::Prompt& prompt : prompts) {
            prompt.decided_at = sys::now_ms();
            if (decides(prompt))
                decided.push_back(prompt);
            else if (!all)
                refuse_decided(store, *store::find_prompt(store, prompt.id));
        }
    };
    if (decision.always)
        allow_always(store, widening_for(prompts.front()), [&] {
            decide_each([&](const store::Prompt& prompt) {
                return record_decision(store, agents.at(prompt.agent_id), prompt,
                                       audit_detail(prompt));
            });
            std::vector<std::string> actions;
            for (const store::Prompt& prompt : decided) actions.push_back(prompt.action);
            return actions;
        });
    else
        decide_each([&](const store::Prompt& prompt) {
            return decide_one(store, widening_for(prompt), prompt);
        });
    if (decided.empty()) refuse_decided(store, *store::find_prompt(store, prompts.front().id));
    channel::deliver_audit(store, {configuration.audit_sink, decider.home.audit_lock()},
                           decider.warn);
    return decided;
}

}  // namespace chorus::approval
