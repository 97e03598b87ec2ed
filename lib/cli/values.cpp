#include "cli/values.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "agent/editing.hpp"
#include "agent/home.hpp"
#include "agent/keys.hpp"
#include "agent/preset.hpp"
#include "model/choice.hpp"
#include "model/model.hpp"
#include "policy/profile.hpp"
#include "store/named.hpp"
#include "store/prompts.hpp"
#include "store/threads.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"
#include "sys/sandbox.hpp"

namespace chorus::cli {
namespace {

bool is_plain(std::string_view word) {
    constexpr std::string_view characters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,/:@+%=-";
    constexpr std::string_view first = characters.substr(0, characters.find('.'));
    return !word.empty() && first.find(word.front()) != word.npos &&
           word.find_first_not_of(characters) == word.npos;
}

class Values {
  public:
    Values(Completion& completion, const sys::Environment& environment)
        : completion_(completion), environment_(environment) {}

    void offer(WordSource source) {
        const std::string& begun = completion_.begun;
        switch (source) {
            case WordSource::agent:
                if (has_store()) offer(store::named_agents(*store_, begun));
                break;
            case WordSource::thread:
                return offer_threads();
            case WordSource::branch:
                return offer_branches();
            case WordSource::session:
                if (const auto id = agent()) offer(store::named_sessions(*store_, id, begun));
                break;
            case WordSource::task:
                if (const auto id = agent())
                    offer(store::named_tasks(*store_, id, begun, store::WhichTasks::all));
                break;
            case WordSource::running_task:
                if (const auto id = agent())
                    offer(store::named_tasks(*store_, id, begun, store::WhichTasks::running));
                break;
            case WordSource::prompt:
            case WordSource::call:
            case WordSource::question:
                return offer_prompts(source);
            case WordSource::model:
                return offer_models();
            case WordSource::profile:
                return offer_profiles();
            case WordSource::preset:
                if (has_home())
                    for (const std::string& name : agent::preset_names(*home_)) offer(name, "");
                break;
            case WordSource::provider:
                for (const std::string& name : catalog().provider_names()) offer(name, "");
                break;
            case WordSource::key:
                return offer_keys();
            case WordSource::key_value:
                return offer_key_values();
            case WordSource::nothing:
            case WordSource::files:
            case WordSource::directories:
                break;
        }
    }

  private:
    void offer(std::string_view word, std::string_view about) {
        if (is_plain(word)) completion_.offer(word, about);
    }
    void offer(const std::vector<store::Named>& found) {
        for (const store::Named& one : found) offer(one.name, one.about);
    }

    bool has_home() {
        if (home_) return true;
        agent::Home home = agent::find_home(environment_);
        if (!sys::exists(home.path())) return false;
        agent::check_home(home, environment_);
        home_ = std::move(home);
        return true;
    }

    bool has_store() {
        if (!store_ && has_home()) store_ = store::Store::look({home_->database(), home_->gate()});
        return store_.has_value();
    }

    // Returns 0 if no agent is named or none has that name.
    store::AgentId agent() {
        if (completion_.agent.empty() || !has_store()) return 0;
        return store::find_agent_id(*store_, completion_.agent).value_or(0);
    }

    void offer_threads() {
        const auto id = agent();
        if (id == 0) return;
        offer_branches();
        for (const store::Thread& thread : store::named_threads(*store_, id))
            if (!store::has_own_branch(thread)) offer(std::to_string(thread.id), thread.summary);
    }

    // Offers a branch's given name if no other branch has it, else its full name.
    void offer_branches() {
        const auto id = agent();
        if (id == 0) return;
        std::vector<store::Thread> threads = store::named_threads(*store_, id);
        std::erase_if(threads, [](const auto& thread) { return !store::has_own_branch(thread); });
        for (const store::Thread& thread : threads) {
            const std::string name = store::given_name(thread.branch);
            const auto same = std::count_if(threads.begin(), threads.end(), [&](const auto& other) {
                return store::given_name(other.branch) == name;
            });
            offer(same == 1 ? name : thread.branch, thread.summary);
        }
    }

    void offer_prompts(WordSource source) {
        if (!has_store()) return;
        const auto id = agent();
        if (id == 0 && !completion_.agent.empty()) return;
        const auto now = sys::now_ms();
        for (const store::Prompt& prompt : id == 0 ? store::pending_prompts(*store_)
                                                   : store::pending_prompts_below(*store_, id)) {
            const bool is_question = prompt.kind == chat::PromptKind::question;
            if (source == (is_question ? WordSource::call : WordSource::question)) continue;
            if (store::has_expired(prompt, now)) continue;
            offer(prompt.id, prompt.text.empty() ? prompt.action : prompt.text);
        }
    }

    model::Catalog catalog() {
        return has_home() ? model::catalog_of(agent::models_text(*home_), home_->models())
                          : model::Catalog();
    }

    void offer_models() {
        std::set<std::string> names;
        const auto add = [&](std::string_view provider, std::string_view name) {
            if (!name.empty()) names.insert(std::string(provider).append("/").append(name));
        };
        const model::Catalog known = catalog();
        model::AvailableModels available;
        if (has_home())
            available = model::parse_available_models(agent::available_models_text(*home_));
        for (const auto& [provider, listed] : available.providers)
            for (const std::string& name : listed.models)
                if (listed.valid) add(provider, name);
        for (const std::string& provider : known.provider_names()) {
            add(provider, known.require_provider(provider).default_model);
            // only a provider that has said what it lists refuses another name
            if (available.providers.contains(provider)) continue;
            for (std::string& name : known.model_names(provider)) names.insert(std::move(name));
        }
        for (const std::string& name : names) offer(name, "");
    }

    void offer_profiles() {
        for (const policy::Preset& preset : policy::presets()) offer(preset.name, "");
        if (!has_home()) return;
        for (const auto& [name, profile] : agent::load_home_configuration(*home_).profiles)
            offer(name, "");
    }

    // After "limits.budget." the members of a budget are offered.
    void offer_keys() {
        const std::string_view begun = completion_.begun;
        const std::size_t dot = begun.rfind('.');
        if (dot == std::string_view::npos) {
            for (const agent::Key& key : agent::keys())
                if (agent::belongs(key, file()) && !key.is_kept) offer(key.name, key.sentence);
            return;
        }
        const auto place = agent::find_place(begun.substr(0, dot), file());
        if (!place) return;
        for (const agent::Member& member : agent::members(place->type))
            if (!member.name.empty())
                offer(std::string(begun.substr(0, dot + 1)).append(member.name), "");
    }

    void offer_key_values() {
        const auto place = agent::find_place(completion_.key, file());
        if (!place) return;
        if (completion_.key == "default_model" || completion_.key == "model") return offer_models();
        if (place->type == agent::KeyType::permissions) return offer_profiles();
        if (place->type == agent::KeyType::boolean)
            for (const char* word : {"false", "true"}) offer(word, "");
        if (place->type == agent::KeyType::profile_mode)
            for (const std::string_view mode : agent::profile_modes.names) offer(mode, "");
        if (place->type == agent::KeyType::sandbox)
            for (const std::string_view mode : sys::sandbox_modes.names) offer(mode, "");
    }

    agent::File file() const {
        return completion_.agent.empty() ? agent::File::home : agent::File::agent;
    }

    Completion& completion_;
    const sys::Environment& environment_;
    std::optional<agent::Home> home_;
    std::optional<store::Store> store_;
};

}  // namespace

void offer_values(Completion& completion, const sys::Environment& environment) {
    Values values(completion, environment);
    for (const WordSource source : completion.sources) values.offer(source);
}

}  // namespace chorus::cli
