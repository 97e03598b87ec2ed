#include "channel/posting.hpp"

#include <algorithm>
#include <optional>

#include "agent/channel.hpp"
#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "channel/audit_sink.hpp"
#include "chat/json_text.hpp"
#include "context/pieces.hpp"
#include "model/retry.hpp"
#include "net/http.hpp"
#include "place/in_force.hpp"
#include "place/rights.hpp"
#include "store/records.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"
#include "sys/lock.hpp"
#include "sys/sandbox.hpp"

namespace chorus::channel {
namespace {

// The path of a webhook's URL is as secret as a key; the host may be shown.
std::string path_in(const std::string& url) {
    const auto path = url.find('/', url.find("://") + 3);
    return path == std::string::npos ? "" : url.substr(path);
}

using agent::Channel;

constexpr std::size_t kept_output_bytes = 4'096;
constexpr std::size_t shown_bytes = 200;

constexpr std::int64_t pause_ms = 1'000;
constexpr std::int64_t shortest_pause_ms = 100;
constexpr int attempts = 3;
constexpr int too_many_requests = 429;

std::string problem_of(const net::Response& response, const std::string& host) {
    if (response.fault == net::TransportFault::stopped) return host + ": timed out";
    if (response.status == 0 || response.fault != net::TransportFault::none)
        return response.fault_message;
    std::string problem = host + ": HTTP " + std::to_string(response.status);
    const std::string said = base::replace_invalid_utf8(base::trim(response.body));
    if (!said.empty())
        problem +=
            ": " + base::visible(base::utf8_prefix(said, shown_bytes), base::Newlines::escape);
    return problem;
}

// Returns nothing if another attempt would fail in the same way.
std::optional<std::int64_t> pause_before(const net::Response& response, int attempt) {
    const std::int64_t asked =
        std::max(response.retry_after_ms.value_or(pause_ms * attempt), shortest_pause_ms);
    if (response.status == too_many_requests) return asked;
    if (response.status < 500 || attempt == attempts) return std::nullopt;
    return asked;
}

// Returns the last line that a command wrote, from stderr if there is one.
std::string last_words(const sys::Finished& finished) {
    for (const std::string* text : {&finished.err.text, &finished.out.text}) {
        const std::string said = base::replace_invalid_utf8(base::trim(*text));
        if (said.empty()) continue;
        const std::string line(base::split_lines(said).back());
        return ": " + base::visible(base::utf8_prefix(line, shown_bytes), base::Newlines::escape);
    }
    return {};
}

// Returns the next text; nothing after the last.
using Next = std::function<std::optional<std::string>()>;

// One agent's channel while texts are posted to it.
class Correspondent {
  public:
    explicit Correspondent(const Posting& posting)
        : posting_(posting),
          directory_(posting.home.directory(posting.agent.dir)),
          home_(agent::load_home_configuration(posting.home)),
          agent_(place::configuration_in_force(posting.store, posting.agent, directory_, home_)
                     .configuration),
          channel_(agent::parse_channel(agent_.channel_id)),
          redaction_(posting.redaction),
          most_ms_(posting.environment.find_ms("CHORUS_CHANNEL_TIMEOUT_MS")
                       .value_or(base::limits::channel_ms)),
          deadline_ms_(sys::monotonic_ms() + most_ms_) {
        if (channel_.kind == Channel::Kind::webhook) redaction_.add(path_in(channel_.target));
    }

    // Returns what went wrong, or "".
    std::string post(const Next& next) {
        if (channel_.kind == Channel::Kind::none || most_ms_ == 0) return {};
        try {
            return redaction_.apply(post_in_turn(next));
        } catch (const std::exception& error) {
            return redaction_.apply(error.what());
        }
    }

    void record(const std::string& problem) {
        const bool is_webhook = channel_.kind == Channel::Kind::webhook;
        store::Transaction transaction(posting_.store);
        store::append_audit(posting_.store, posting_.agent,
                            {.turn_id = posting_.turn_id,
                             .action = is_webhook ? "channel:webhook" : "channel:command",
                             .decision = "allow",
                             .actor = posting_.actor,
                             .detail = "not posted: " + problem});
        transaction.commit();
        deliver_audit(posting_.store, {home_.audit_sink, posting_.home.audit_lock()},
                      posting_.warn);
    }

  private:
    bool is_interrupted() const { return posting_.interrupt && posting_.interrupt->requested(); }
    std::int64_t left_ms() const {
        return std::max<std::int64_t>(1, deadline_ms_ - sys::monotonic_ms());
    }

    // Holds a lock, so that the parts of a text stay together when several processes post.
    std::string post_in_turn(const Next& next) {
        const auto lock = sys::Lock::acquire(posting_.home.channel_lock(posting_.agent.id),
                                             sys::Lock::Mode::exclusive, left_ms(),
                                             [this] { return is_interrupted(); });
        if (!lock) return is_interrupted() ? "interrupted" : "another process is posting to it";
        while (const auto text = next()) {
            const std::string shown = redaction_.apply(base::replace_invalid_utf8(*text));
            if (base::trim(shown).empty()) continue;
            const bool is_webhook = channel_.kind == Channel::Kind::webhook;
            const std::string problem = is_webhook ? send(shown) : run(shown);
            if (!problem.empty()) return is_interrupted() ? "interrupted" : problem;
        }
        return {};
    }

    // Posts the text as {"content": "…"}, in pieces of a size that such services accept.
    // Returns "" when everything is posted, else why not, without the URL. Waits as long as a
    // server asks, and tries a failing one three times, within the deadline; posts nothing out of
    // order. The body of a successful answer is ignored.
    std::string send(const std::string& text) const {
        net::Transport transport = place::transport_for(posting_.environment, false);
        const std::int64_t answer_ms = std::min(base::limits::webhook_answer_ms, most_ms_);
        transport.timeouts = {answer_ms, answer_ms, answer_ms};
        net::Client client(transport);
        std::vector<context::Piece> pieces =
            context::split_text(text, base::limits::webhook_characters);
        // services refuse blank text
        std::erase_if(pieces,
                      [](const context::Piece& piece) { return base::trim(piece.text).empty(); });
        for (std::size_t done = 0; done < pieces.size(); ++done) {
            std::string problem = send_piece(client, pieces[done].body());
            if (problem.empty()) continue;
            if (pieces.size() > 1)
                problem += "; " + std::to_string(done) + " of " + std::to_string(pieces.size()) +
                           " parts were posted";
            return problem;
        }
        return {};
    }

    std::string send_piece(net::Client& client, const std::string& content) const {
        const std::string host = agent::webhook_host(channel_.target);
        net::HttpRequest request;
        request.url = channel_.target;
        request.public_only = !home_.limits.private_webhooks;
        request.headers = {"Content-Type: application/json"};
        request.body =
            chat::JsonText().begin_object().key("content").string(content).end_object().take();
        const model::Interruption ends{
            [this] { return sys::monotonic_ms() >= deadline_ms_ || is_interrupted(); },
            posting_.interrupt != nullptr ? posting_.interrupt->fd() : -1};
        for (int attempt = 1;; ++attempt) {
            const net::Response response = client.send(
                request, [](std::string_view) { return net::Received::answer; }, ends.stop,
                ends.wake_fd);
            if (response.status / 100 == 2) return {};
            const std::string problem = problem_of(response, host);
            const auto pause = pause_before(response, attempt);
            if (!pause) return problem;
            if (sys::monotonic_ms() + *pause >= deadline_ms_)
                return problem + "; the next attempt would be in " + base::seconds_text(*pause);
            if (!model::wait_for(*pause, ends)) return host + ": timed out";
        }
    }

    std::string run(const std::string& text) const {
        const std::string workspace = sys::real_path(directory_.workspace());
        const sys::Sandbox sandbox = place::command_sandbox(
            posting_.store, posting_.home, home_, agent::sandbox_in_force(agent_, home_), workspace,
            directory_, posting_.agent.name, posting_.environment);
        if (const auto problem = sys::sandbox_problem(sandbox, posting_.home.sandbox_state()))
            return "no command can be run: " + problem->message();
        sys::ProcessCommand shell = sys::shell_command(sandbox, channel_.target);
        shell.environment = sys::scrubbed_environment(posting_.environment, posting_.agent.name,
                                                      place::environment_in_force(agent_, home_));
        shell.directory = workspace;
        shell.input = text.back() == '\n' ? text : text + "\n";
        const sys::Finished finished =
            sys::run(sys::sandboxed(sandbox, shell), {.timeout_ms = left_ms(),
                                                      .grace_ms = base::limits::timeout_grace_ms,
                                                      .output_bytes = kept_output_bytes,
                                                      .stop = [this] { return is_interrupted(); }});
        if (finished.timed_out)
            return "the command did not end within " + base::seconds_text(most_ms_) +
                   " and was ended";
        if (finished.signal != 0)
            return "the command was ended by signal " + std::to_string(finished.signal);
        if (finished.exit_code == 0) return {};
        return "the command ended with exit status " + std::to_string(finished.exit_code) +
               last_words(finished);
    }

    const Posting& posting_;
    agent::Directory directory_;
    agent::HomeConfiguration home_;
    agent::Configuration agent_;
    Channel channel_;
    policy::Redaction redaction_;
    std::int64_t most_ms_;
    std::int64_t deadline_ms_;
};

void post(const Posting& posting, const Next& next) {
    try {
        Correspondent correspondent(posting);
        const std::string problem = correspondent.post(next);
        // drops the rest: what could not be posted is not tried again
        while (next()) {
        }
        if (problem.empty()) return;
        posting.warn("channel: not posted: " + problem);
        correspondent.record(problem);
    } catch (const std::exception& error) {
        posting.warn(std::string("channel: ") + error.what());
    }
}

}  // namespace

Posting posting_of(const place::Surroundings& surroundings, store::Store& store,
                   const store::Agent& agent, const policy::Redaction& redaction,
                   const std::string& claimed) {
    return {.home = surroundings.home,
            .environment = surroundings.environment,
            .store = store,
            .agent = agent,
            .warn = surroundings.warn,
            .redaction = redaction,
            .interrupt = &surroundings.interrupt,
            .actor = place::actor_text(claimed, surroundings.environment)};
}

void post_to_channel(const Posting& posting, const std::vector<std::string>& texts) {
    std::size_t at = 0;
    post(posting, [&]() -> std::optional<std::string> {
        if (at == texts.size()) return std::nullopt;
        return texts[at++];
    });
}

void post_outbox(const Posting& posting, std::int64_t newest) {
    post(posting, [&] {
        store::Transaction transaction(posting.store);
        auto text = store::take_from_outbox(posting.store, posting.agent.id, newest);
        transaction.commit();
        return text;
    });
}

}  // namespace chorus::channel
