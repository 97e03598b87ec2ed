#include "repo/server.hpp"

#include <cstdlib>
#include <map>
#include <memory>

#include "base/error.hpp"
#include "repo/cloning.hpp"
#include "repo/git.hpp"
#include "repo/message.hpp"
#include "repo/repository.hpp"

namespace chorus::repo {
namespace {

// A repository whose branch is about to move: nobody else changes it until the plan is gone.
struct Plan {
    Repository repository;
    PlannedCommit planned;
};

class Server {
  public:
    Message answer(const Message& request) {
        const Verb* verb = find_verb(request);
        if (verb == nullptr || request.size() < verb->words)
            throw base::Error(base::ErrorCode::internal, "git: no such call");
        Message answer = (this->*verb->act)(request);
        answer.insert(answer.begin(), "ok");
        return answer;
    }

  private:
    struct Verb {
        const char* name;
        std::size_t words;  // at least, with its own name
        Message (Server::*act)(const Message&);
    };
    static const Verb* find_verb(const Message& request);

    static Repository open(const Message& request) {
        auto repository = Repository::open(request[1]);
        if (!repository) throw base::Error(base::ErrorCode::failed, "git: the repository is gone");
        return std::move(*repository);
    }
    static std::vector<std::string> rest(const Message& request, std::size_t from) {
        return {request.begin() + static_cast<std::ptrdiff_t>(from), request.end()};
    }
    static Message yes_or_no(bool yes) { return yes ? Message{"yes"} : Message{}; }

    Message open_one(const Message& request) {
        return yes_or_no(Repository::open(request[1]).has_value());
    }
    Message initialise(const Message& request) {
        (void)Repository::initialise(request[1], {request[2], request[3]});
        return {};
    }
    Message clone(const Message& request) {
        return fetch_clone(request[2], request[1], {request[3], request[4]}, !request[5].empty());
    }
    Message leave_out(const Message& request) {
        repo::leave_out(request[1], rest(request, 2));
        return {};
    }
    Message clear(const Message& request) {
        clear_broken_mutation(request[1]);
        return {};
    }
    Message status(const Message& request) { return {open(request).status()}; }
    Message diff(const Message& request) { return {open(request).diff(request[2], request[3])}; }
    Message log(const Message& request) {
        Message answer;
        for (Commit& commit : open(request).log(std::atoi(request[2].c_str())))
            answer.insert(answer.end(), {std::move(commit.id), std::move(commit.author),
                                         std::move(commit.summary), std::move(commit.time)});
        return answer;
    }
    Message commit(const Message& request) {
        return {open(request).commit(request[2], rest(request, 5), {request[3], request[4]})};
    }
    Message plan(const Message& request) {
        auto plan = std::make_unique<Plan>(Plan{open(request), {}});
        plan->planned =
            plan->repository.plan_commit(request[2], rest(request, 5), {request[3], request[4]});
        const std::string number = std::to_string(++plans_made_);
        Message answer{number, plan->planned.id, plan->planned.note};
        plans_[number] = std::move(plan);
        return answer;
    }
    Message finish(const Message& request) {
        plans_.at(request[1])->planned.finish();
        return {};
    }
    Message forget(const Message& request) {
        plans_.erase(request[1]);
        return {};
    }
    Message contains(const Message& request) {
        return yes_or_no(open(request).contains(request[2]));
    }
    Message branches(const Message& request) { return {open(request).branches()}; }
    Message create_branch(const Message& request) {
        open(request).create_branch(request[2]);
        return {};
    }
    Message delete_branch(const Message& request) {
        open(request).delete_branch(request[2]);
        return {};
    }
    Message checkout(const Message& request) {
        open(request).checkout(request[2], request[0] == "checkout-new");
        return {};
    }
    Message require_commit(const Message& request) {
        open(request).require_commit(request[2]);
        return {};
    }
    Message reset(const Message& request) {
        Aside aside = open(request).reset(request[2], request[3], {request[4], request[5]});
        return {std::move(aside.commit), std::move(aside.branch)};
    }

    std::map<std::string, std::unique_ptr<Plan>> plans_;
    int plans_made_ = 0;
};

// The second word is the workspace, or the plan.
const Server::Verb* Server::find_verb(const Message& request) {
    static constexpr Verb verbs[] = {{"open", 2, &Server::open_one},
                                     {"init", 4, &Server::initialise},
                                     {"clone", 6, &Server::clone},
                                     {"leave-out", 2, &Server::leave_out},
                                     {"clear", 2, &Server::clear},
                                     {"status", 2, &Server::status},
                                     {"diff", 4, &Server::diff},
                                     {"log", 3, &Server::log},
                                     {"commit", 5, &Server::commit},
                                     {"plan", 5, &Server::plan},
                                     {"finish", 2, &Server::finish},
                                     {"forget", 2, &Server::forget},
                                     {"contains", 3, &Server::contains},
                                     {"branches", 2, &Server::branches},
                                     {"create-branch", 3, &Server::create_branch},
                                     {"delete-branch", 3, &Server::delete_branch},
                                     {"checkout", 3, &Server::checkout},
                                     {"checkout-new", 3, &Server::checkout},
                                     {"require-commit", 3, &Server::require_commit},
                                     {"reset", 6, &Server::reset}};
    for (const Verb& verb : verbs)
        if (!request.empty() && request[0] == verb.name) return &verb;
    return nullptr;
}

Message answer_of(Server& server, const Message& request) {
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
        if (!send_answer(server_socket, answer_of(server, *request))) return;
}

}  // namespace chorus::repo
