#include "approval/expiry.hpp"

#include "sys/clock.hpp"

namespace chorus::approval {

void expire_prompts(store::Store& store) {
    const base::TimeMs now = sys::now_ms();
    if (!store::has_expired_prompts(store, now)) return;
    store::Transaction transaction(store);
    store::expire_prompts(store, now);
    transaction.commit();
}

std::vector<store::Prompt> waiting_prompts(store::Store& store,
                                           std::optional<store::AgentId> agent) {
    expire_prompts(store);
    return agent ? store::pending_prompts_below(store, *agent) : store::pending_prompts(store);
}

}  // namespace chorus::approval
