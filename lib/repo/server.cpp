#include "repo/server.hpp"

#include <functional>
#include <map>
#include <optional>
#include <tuple>

#include "repo/git_message.hpp"
#include "repo/mutation.hpp"
#include "repo/served_calls.hpp"

namespace chorus::repo {
namespace {

// Converts the words after a call's name to the arguments of its function, in order.
class Words {
  public:
    explicit Words(const Message& request) : request_(request) {}

    template <typename... Arguments>
    std::tuple<std::decay_t<Arguments>...> read_all() {
        std::tuple<std::decay_t<Arguments>...> all;
        std::apply([this](auto&... each) { (this->read(each), ...); }, all);
        return all;
    }

  private:
    const std::string& next() { return request_.at(next_++); }
    void read(std::string& text) { text = next(); }
    void read(bool& flag) { flag = !next().empty(); }
    void read(int& number) { number = std::stoi(next()); }
    void read(Author& author) {
        read(author.name);
        read(author.email);
    }
    void read(Texts& texts) {
        while (next_ < request_.size()) texts.push_back(next());
    }
    void read(GitRepository& repository) {
        repository = open_repository(next());
        if (!repository) refuse("git: the repository is gone");
    }
    void read(git_repository*& repository) {
        read(repository_);
        repository = repository_.get();
    }

    const Message& request_;
    std::size_t next_ = 1;
    GitRepository repository_;
};

Message answer_of(std::string text) {
    return {std::move(text)};
}
Message answer_of(bool yes) {
    return yes ? Message{"yes"} : Message{};
}
Message answer_of(Texts texts) {
    return texts;
}

using Call = std::function<Message(Words)>;

template <typename Result, typename... Arguments>
Call call_of(Result (*act)(Arguments...)) {
    return [act](Words words) {
        if constexpr (std::is_void_v<Result>) {
            std::apply(act, words.read_all<Arguments...>());
            return Message{};
        } else {
            return answer_of(std::apply(act, words.read_all<Arguments...>()));
        }
    };
}

using Calls = std::map<std::string_view, Call>;

Calls calls_with(std::optional<PlannedCommit>& plan) {
    return {{"open", call_of(+[](const std::string& workspace) {
                 return open_repository(workspace) != nullptr;
             })},
            {"init", call_of(initialise)},
            {"clone", call_of(fetch_clone)},
            {"clone-head", call_of(clone_head_into)},
            {"leave-out", call_of(leave_out)},
            {"clear", call_of(clear_mutation)},
            {"status", call_of(status)},
            {"diff", call_of(diff)},
            {"log", call_of(log)},
            {"contains", call_of(contains)},
            {"branches", call_of(branches)},
            {"create-branch", call_of(create_branch)},
            {"delete-branch", call_of(delete_branch)},
            {"take", call_of(take_branch)},
            {"checkout", call_of(checkout)},
            {"plan",
             [&plan](Words words) {
                 plan = std::apply(
                     plan_commit,
                     words.read_all<GitRepository, std::string, std::string, Author, Texts>());
                 return Message{plan->id, plan->note};
             }},
            {"finish",
             [&plan](const Words&) {
                 plan.value().finish();
                 return Message{};
             }},
            {"forget", [&plan](const Words&) {
                 plan.reset();
                 return Message{};
             }}};
}

// Returns false if the other side is closed. An answer that is too large becomes an error.
bool answer(const Calls& calls, const Message& request) {
    try {
        Message answer = calls.at(request.at(0))(Words(request));
        answer.insert(answer.begin(), "ok");
        return send(server_socket, answer);
    } catch (const base::Error& error) {
        return send(server_socket, {"error", std::string(base::name(error.code())), error.message(),
                                    error.hint()});
    } catch (const std::exception& error) {
        return send(server_socket, {"error", "FAILED", std::string("git: ") + error.what(), ""});
    }
}

}  // namespace

void serve() {
    start_library();
    std::optional<PlannedCommit> plan;
    const Calls calls = calls_with(plan);
    std::optional<Message> request;
    do request = receive(server_socket);
    while (request && answer(calls, *request));
}

}  // namespace chorus::repo
