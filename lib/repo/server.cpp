#include "repo/server.hpp"

#include <functional>
#include <map>
#include <optional>
#include <tuple>

#include "repo/calls.hpp"
#include "repo/message.hpp"
#include "repo/mutation.hpp"

namespace chorus::repo {
namespace {

// What follows a call's name, read in order into what its function takes.
class Words {
  public:
    explicit Words(const Message& request) : request_(request) {}

    template <typename... Arguments>
    std::tuple<std::decay_t<Arguments>...> read_all() {
        std::tuple<std::decay_t<Arguments>...> all;
        std::apply([this](auto&... each) { (read(each), ...); }, all);
        return all;
    }
    // Of the workspace that was read.
    GitRepository take_repository() { return std::move(repository_); }

  private:
    void read(std::string& text) {
        if (next_ == request_.size())
            throw base::Error(base::ErrorCode::internal, "git: no such call");
        text = request_[next_++];
    }
    void read(bool& flag) { flag = !std::get<0>(read_all<std::string>()).empty(); }
    void read(int& number) { number = std::stoi(std::get<0>(read_all<std::string>())); }
    void read(Author& author) {
        read(author.name);
        read(author.email);
    }
    void read(Texts& texts) {
        texts.assign(request_.begin() + std::exchange(next_, request_.size()), request_.end());
    }
    void read(git_repository*& repository) {
        repository_ = open_repository(std::get<0>(read_all<std::string>()));
        if (!repository_) refuse("git: the repository is gone");
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
Message answer_of(const Aside& aside) {
    return {aside.commit, aside.branch};
}
Message answer_of(const std::vector<Commit>& commits) {
    Message answer;
    for (const Commit& commit : commits)
        answer.insert(answer.end(), {commit.id, commit.author, commit.summary, commit.time});
    return answer;
}

using Call = std::function<Message(Words)>;

template <typename Result, typename... Arguments>
Call call_of(Result (*act)(Arguments...)) {
    return [act](Words words) {
        const auto arguments = words.read_all<Arguments...>();
        if constexpr (std::is_void_v<Result>) {
            std::apply(act, arguments);
            return Message{};
        } else {
            return answer_of(std::apply(act, arguments));
        }
    };
}

// A repository whose branch is about to move: nobody else changes it until the plan is gone.
struct Plan {
    GitRepository repository;
    PlannedCommit planned;
};

class Server {
  public:
    Message answer(const Message& request) {
        const auto call = calls_.find(request.empty() ? "" : request.front());
        if (call == calls_.end()) throw base::Error(base::ErrorCode::internal, "git: no such call");
        Message answer = call->second(Words(request));
        answer.insert(answer.begin(), "ok");
        return answer;
    }

  private:
    Message plan(Words words) {
        const auto arguments = words.read_all<git_repository*, std::string, Author, Texts>();
        PlannedCommit planned = std::apply(plan_commit, arguments);
        plan_.emplace(words.take_repository(), std::move(planned));
        return {plan_->planned.id, plan_->planned.note};
    }
    Message finish(const Words&) {
        plan_.value().planned.finish();
        return {};
    }
    Message forget(const Words&) {
        plan_.reset();
        return {};
    }

    std::optional<Plan> plan_;
    const std::map<std::string_view, Call> calls_{
        {"open", call_of(is_repository)},
        {"init", call_of(initialise)},
        {"clone", call_of(fetch_clone)},
        {"leave-out", call_of(leave_out)},
        {"clear", call_of(clear_mutation)},
        {"status", call_of(status)},
        {"diff", call_of(diff)},
        {"log", call_of(log)},
        {"commit", call_of(commit)},
        {"plan", [this](Words words) { return plan(std::move(words)); }},
        {"finish", [this](const Words& words) { return finish(words); }},
        {"forget", [this](const Words& words) { return forget(words); }},
        {"contains", call_of(contains)},
        {"branches", call_of(branches)},
        {"create-branch", call_of(create_branch)},
        {"delete-branch", call_of(delete_branch)},
        {"checkout", call_of(checkout)},
        {"require-commit", call_of(require_commit)},
        {"reset", call_of(reset)}};
};

Message answer_or_error(Server& server, const Message& request) {
    try {
        return server.answer(request);
    } catch (const base::Error& error) {
        return {"error", std::string(base::name(error.code())), error.message(), error.hint()};
    } catch (const std::exception& error) {
        return {"error", "FAILED", std::string("git: ") + error.what(), ""};
    }
}

// What is too large to be sent is an error too.
bool send_answer(int socket, const Message& answer) {
    try {
        return send(socket, answer);
    } catch (const base::Error& error) {
        return send(socket, {"error", "FAILED", error.message(), ""});
    }
}

}  // namespace

void serve() {
    start_library();
    Server server;
    while (const auto request = receive(server_socket))
        if (!send_answer(server_socket, answer_or_error(server, *request))) return;
}

}  // namespace chorus::repo
