#include "context/forgetting.hpp"

#include "context/transcript.hpp"
#include "store/forget.hpp"
#include "sys/file.hpp"
#include "sys/lock.hpp"

namespace chorus::context {

void forget_thread(const agent::Home& home, store::Store& store, const store::Agent& agent,
                   const store::Thread& thread) {
    sys::try_remove_tree(transcript_path(home.directory(agent.dir), thread));
    store::forget_thread(store, agent.id, thread.id);
    sys::try_remove_tree(home.thread_lock(agent.id, thread.id));
}

void forget_leftovers(const agent::Home& home, store::Store& store, const store::Agent& agent,
                      const std::function<void(store::ThreadId)>& before) {
    for (const store::ThreadId id : store::ephemeral_threads(store, agent.id)) {
        const auto lock =
            sys::Lock::try_acquire(home.thread_lock(agent.id, id), sys::Lock::Mode::exclusive);
        if (!lock) continue;
        before(id);
        const auto thread = store::find_thread(store, agent.id, id);
        if (thread)
            forget_thread(home, store, agent, *thread);
        else
            sys::try_remove_tree(home.thread_lock(agent.id, id));
    }
}

}  // namespace chorus::context
