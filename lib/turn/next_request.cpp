#include "turn/next_request.hpp"

#include <iterator>

#include "approval/widening.hpp"
#include "context/window.hpp"
#include "model/model.hpp"
#include "place/place.hpp"
#include "store/records.hpp"
#include "store/turns.hpp"
#include "sys/clock.hpp"
#include "turn/attaching.hpp"
#include "turn/live.hpp"
#include "turn/said.hpp"

namespace chorus::turn {
namespace {

// Returns the open turn or 0. Its messages stay in the window, as the next turn will find them.
std::int64_t open_turn_of(place::Place& place) {
    const auto open = store::find_open_turn(place.store, place.agent.id, place.thread.id);
    return open ? open->id : 0;
}

void add_window(place::Place& place, const place::Loaded& loaded, NextRequest& next) {
    AssembledWindow window = assemble_window(
        place, loaded, frame_for(place, loaded.settings, sys::now_ms()), open_turn_of(place));
    next.estimated_tokens = context::estimated_tokens(window.messages);
    std::move(window.messages.begin(), window.messages.end(),
              std::back_inserter(next.request.messages));
}

NextRequest assemble(place::Place& place, const place::Loaded& loaded) {
    const store::ReadTransaction all_at_once(place.store);
    NextRequest next;
    next.agent = place.agent.name;
    next.thread = place.thread.id;
    next.model = loaded.settings.model;
    next.token_budget = loaded.settings.token_budget;
    write_opening(place, loaded, next.request);
    if (auto project = project_message(place)) {
        next.begins_with_project = true;
        next.request.messages.push_back(std::move(*project));
    }
    next.status = user_message(place, "", store::running_tasks(place.store, place.agent.id)).status;
    if (!place.options.fresh && !place.options.new_thread) add_window(place, loaded, next);
    return next;
}

void add_inbox(place::Place& place, std::vector<chat::Message>& messages) {
    if (place.options.new_thread) return;
    for (store::InboxRow& row : store::undelivered(place.store, place.agent.id, place.thread.id))
        if (!row.begins_turn || place.options.inbox)
            messages.emplace_back().content = std::move(row.content);
}

}  // namespace

NextRequest next_request(const place::TurnOptions& options,
                         const place::Surroundings& surroundings) {
    place::Place place = place::open_place(options, surroundings);
    return assemble(place, place::load(place));
}

std::string dry_run(const place::TurnOptions& options, const place::Surroundings& surroundings) {
    place::Place place = place::open_place(options, surroundings);
    approval::check_given_permissions(place);
    const place::Loaded loaded = place::load(place);
    check_attachments(place.options, loaded.settings);
    NextRequest next = assemble(place, loaded);
    add_inbox(place, next.request.messages);
    if (!place.options.says_nothing()) {
        chat::Message said;
        said.content = compose_message(place, KeepArtifact::no);
        said.status = next.status;
        said.attachments = attachments_given(place);
        next.request.messages.push_back(std::move(said));
    }
    write_attachments(place, loaded.settings, next.request);
    std::string body = model::request_body(loaded.settings.endpoint, next.request);
    if (body.empty()) surroundings.warn(next.model + " sends no request");
    return body;
}

}  // namespace chorus::turn
