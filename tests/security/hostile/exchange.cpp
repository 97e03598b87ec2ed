#include "exchange.hpp"

#include <sqlite3.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "support/loopback_certificate.hpp"

namespace hostile {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t exchanges_of_a_home = 10;
constexpr std::size_t shown_bytes = 1500;

std::string shown(const std::string& text) {
    std::string out;
    for (const char c : text.substr(0, shown_bytes))
        out += c == '\n' || (c >= ' ' && c != 0x7f) || (c & 0x80) != 0 ? c : '?';
    return text.size() > shown_bytes ? out + " […]" : out;
}

std::size_t count_of(std::string_view text, std::string_view what) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string_view::npos;
         at += what.size())
        ++count;
    return count;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

int exit_status(const Finished& finished) {
    return WIFEXITED(finished.status) ? WEXITSTATUS(finished.status) : -1;
}

std::string names_of(const std::vector<Outcome>& outcomes) {
    std::string names;
    for (const Outcome& outcome : outcomes)
        names += (names.empty() ? "" : " or ") + std::to_string(outcome.status) + " " +
                 std::string(outcome.code);
    return names;
}

bool holds(const std::vector<Outcome>& outcomes, int status) {
    return std::any_of(outcomes.begin(), outcomes.end(),
                       [&](const Outcome& outcome) { return outcome.status == status; });
}

}  // namespace

Certificates::Certificates(const std::string& directory) : directory_(directory) {
    constexpr long day_s = 24L * 60 * 60;
    for (const Tls tls :
         {Tls::good, Tls::expired, Tls::early, Tls::other_name, Tls::unknown, Tls::old, Tls::h2}) {
        loopback::CertificateTerms terms;
        if (tls == Tls::expired) terms = {-2 * day_s, -day_s};
        if (tls == Tls::early) terms = {day_s, 2 * day_s};
        if (tls == Tls::other_name) terms.names = "IP:127.0.0.9,DNS:elsewhere.example";
        loopback::make_certificate(path(tls, "cert"), path(tls, "key"), terms);
        SSL_CTX* const context = SSL_CTX_new(TLS_server_method());
        if (SSL_CTX_use_certificate_chain_file(context, path(tls, "cert").c_str()) != 1 ||
            SSL_CTX_use_PrivateKey_file(context, path(tls, "key").c_str(), SSL_FILETYPE_PEM) != 1)
            throw std::runtime_error("cannot use a certificate");
        if (tls == Tls::old) {
            SSL_CTX_set_security_level(context, 0);
            SSL_CTX_set_min_proto_version(context, TLS1_VERSION);
            SSL_CTX_set_max_proto_version(context, TLS1_1_VERSION);
        }
        if (tls == Tls::h2)
            SSL_CTX_set_alpn_select_cb(
                context,
                [](SSL*, const unsigned char** out, unsigned char* size, const unsigned char*,
                   unsigned, void*) {
                    *out = reinterpret_cast<const unsigned char*>("h2");
                    *size = 2;
                    return SSL_TLSEXT_ERR_OK;
                },
                nullptr);
        contexts_[tls] = context;
    }
}

Certificates::~Certificates() {
    for (const auto& [tls, context] : contexts_) SSL_CTX_free(context);
}

SSL_CTX* Certificates::context(Tls tls) const {
    return tls == Tls::none ? nullptr : contexts_.at(tls);
}

std::string Certificates::trusted(Tls tls) const {
    return path(tls == Tls::unknown || tls == Tls::none ? Tls::good : tls, "cert");
}

std::string Certificates::path(Tls tls, const char* kind) const {
    return directory_ + "/" + kind + std::to_string(static_cast<int>(tls)) + ".pem";
}

// What the servers of a turn have seen.
struct Stage::Served {
    std::atomic<int> requests = 0;
    std::mutex mutex;
    std::vector<std::string> bodies;

    int take(std::string body) {
        const std::lock_guard lock(mutex);
        bodies.push_back(std::move(body));
        return ++requests;
    }
};

Stage::Stage(Programs programs, const Certificates& certificates, const Starter& starter,
             std::string directory)
    : programs_(std::move(programs)),
      certificates_(certificates),
      starter_(starter),
      directory_(std::move(directory)) {
    fs::create_directories(directory_);
}

void Stage::expect(bool good, const std::string& what) {
    if (!good) wrong_.push_back(what);
}

Finished Stage::start(std::vector<std::string> arguments,
                      std::vector<std::string> variables) const {
    arguments.front() = programs_.directory + "/" + arguments.front();
    variables.insert(variables.end(), {"CHORUS_HOME=" + directory_ + "/home", "HOME=" + directory_,
                                       "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"});
    for (const char* passed : {"ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS"})
        if (const char* value = std::getenv(passed))
            variables.push_back(std::string(passed) + "=" + value);
    return starter_.run(arguments, variables, directory_);
}

void Stage::renew_home() {
    fs::remove_all(directory_ + "/home");
    agent_.clear();
    told_.clear();
    const std::string agent = "a" + std::to_string(++agents_);
    const Finished made = start({"chorus-init", agent, "--model", "anthropic/m"}, {});
    if (exit_status(made) != 0) throw std::runtime_error("chorus-init: " + made.err);
    agent_ = agent;
}

void Stage::write_configuration(int retries) const {
    std::ofstream(directory_ + "/home/config.json")
        << Json{{"max_retries", retries}, {"sandbox", "off"}};
}

Finished Stage::run(const std::vector<std::string>& arguments, const Protocol& protocol,
                    const std::string& base_url, const std::string& ca_file) const {
    std::vector<std::string> all{"chorus-run", agent_, "-m", std::string(protocol.name) + "/m"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return start(std::move(all), {"SSL_CERT_FILE=" + ca_file,
                                  std::string(protocol.base_url_variable) + "=" + base_url +
                                      std::string(protocol.base_path),
                                  std::string(protocol.key_variable) + "=" + std::string(secret)});
}

namespace {

std::string good_answer(const Protocol& protocol) {
    return stream(joined(good_events(protocol)));
}

void deliver(Peer& peer, const std::string& bytes, std::size_t at) {
    if (at > 0 && at < bytes.size()) {
        peer.send(std::string_view(bytes).substr(0, at));
        peer.flush();
        sleep_ms(2);
        peer.send(std::string_view(bytes).substr(at));
    } else {
        peer.send(bytes);
    }
}

}  // namespace

Finished Stage::run_mode(const Mode& mode, const Scene& scene, const std::string& prompt,
                         Served& served) const {
    const Tls tls = is_over_tls(scene.framing) ? Tls::good : mode.tls;
    std::atomic<int> connections = 0;
    const auto serve = [&](Peer& peer) {
        if (mode.connection && ++connections == 1) return mode.connection(peer, scene);
        if (!peer.greet()) return;
        while (auto asking = peer.read()) {
            if (served.take(std::move(asking->body)) > 1) {
                if (!peer.send(good_answer(scene.protocol))) return;
                continue;
            }
            if (mode.act) return mode.act(peer, scene);
            deliver(peer, mode.bytes(scene), scene.at);
            if (mode.closes) return;
        }
    };
    auto server = std::make_unique<Server>(serve, certificates_.context(tls));
    const std::string url = (tls == Tls::none ? "http" : "https") + std::string("://127.0.0.1:") +
                            std::to_string(server->port());
    if (mode.nobody_listens) server.reset();
    std::vector<std::string> arguments{"-p", prompt};
    if (format_ != "text") arguments.insert(arguments.end(), {"--output-format", format_});
    if (!mode.timeout.empty()) arguments.insert(arguments.end(), {"--timeout", mode.timeout});
    return run(arguments, scene.protocol, url, certificates_.trusted(tls));
}

std::vector<std::string> Stage::play(const Mode& mode, const Scene& given, std::size_t number) {
    wrong_.clear();
    // a draw may bring the same exchange twice, and its message is looked for once
    if (agent_.empty() || told_.size() >= exchanges_of_a_home || told_.contains(number))
        renew_home();
    told_.insert(number);
    write_configuration(mode.retries);
    constexpr std::array<std::string_view, 4> formats{"json", "text", "json", "stream-json"};
    format_ = formats[number % formats.size()];
    const std::string prompt = "message <" + std::to_string(number) + ">";

    Server trap([](Peer&) {});
    Scene scene = given;
    scene.trap_port = trap.port();
    Served served;
    const Finished finished = run_mode(mode, scene, prompt, served);
    check_turn(mode, scene, finished);
    for (const std::string& body : served.bodies)
        expect(Json::accept(body), "a request that is no JSON: " + shown(body));
    check_record(mode, prompt, exit_status(finished) == 0);
    check_next_turn(mode, scene, prompt);
    expect(trap.connections() == 0, "a server was called that only the answer named");
    check_home(mode);
    if (mode.once || mode.keeps_key || exit_status(finished) == parked.status) agent_.clear();
    return std::move(wrong_);
}

void Stage::check_turn(const Mode& mode, const Scene& scene, const Finished& finished) {
    const std::vector<Outcome> outcomes = mode.outcomes(scene);
    const int status = exit_status(finished);
    expect(!finished.hung, "hangs");
    expect(WIFEXITED(finished.status), "ended by signal " + std::to_string(finished.status & 0x7f));
    expect(holds(outcomes, status),
           "exit " + std::to_string(status) + ", expected " + names_of(outcomes));
    expect(finished.memory_kib < mode.memory_mib << 10,
           "took " + std::to_string(finished.memory_kib >> 10) + " MiB, at most " +
               std::to_string(mode.memory_mib) + " are expected");
    expect(finished.out.find(secret) == std::string::npos &&
               finished.err.find(secret.substr(0, 14)) == std::string::npos,
           "the key was told");
    std::size_t errors = 0;
    for (const std::string& line : lines_of(finished.err)) {
        expect(line.starts_with("chorus-run: "), "stderr: a line of another form");
        if (line.starts_with("chorus-run: error: ")) ++errors;
    }
    expect(std::none_of(
               finished.err.begin(), finished.err.end(),
               [](char c) { return (c >= 0 && c < ' ' && c != '\n' && c != '\t') || c == 0x7f; }),
           "stderr: control characters");
    expect(finished.err.size() < 4000, "stderr: long");
    const bool tells = status != 0 && status != limited.status;
    expect(errors == (tells ? 1U : 0U), std::to_string(errors) + " error lines");
    for (const char* word : {"Sanitizer", "runtime error", "terminate called", "internal: "})
        expect(finished.err.find(word) == std::string::npos, std::string("stderr: ") + word);
    check_result(mode, finished, outcomes);
    if (!wrong_.empty())
        wrong_.push_back("format " + format_ + ", status " + std::to_string(status) +
                         "\nout: " + shown(finished.out) + "\nerr: " + shown(finished.err));
}

void Stage::check_result(const Mode& mode, const Finished& finished,
                         const std::vector<Outcome>& outcomes) {
    const int status = exit_status(finished);
    const std::vector<std::string> lines = lines_of(finished.out);
    std::optional<std::string> text;
    if (format_ == "text") {
        text = finished.out;
        if (mode.text && status == 0) expect(text == *mode.text + "\n", "the text is another one");
        return;
    }
    Json last = lines.empty() ? Json() : Json::parse(lines.back(), nullptr, false);
    if (!last.is_object()) return expect(false, "stdout: its last line is no JSON object");
    if (format_ == "json") {
        expect(lines.size() == 1, "stdout: more than one line");
        expect(last["exit_code"] == status, "exit_code is " + last["exit_code"].dump());
        const std::string code = last["error"].is_object() ? last["error"].value("code", "?") : "";
        expect(std::any_of(outcomes.begin(), outcomes.end(),
                           [&](const Outcome& outcome) {
                               return outcome.status == status && outcome.code == code;
                           }),
               "error.code is " + code + ", expected " + names_of(outcomes));
        if (mode.text && status == 0) expect(last["text"] == *mode.text, "the text is another one");
        return;
    }
    std::size_t finals = 0;
    std::string deltas;
    for (const std::string& line : lines) {
        const Json event = Json::parse(line, nullptr, false);
        if (!event.is_object()) return expect(false, "stdout: a line that is no JSON object");
        if (event.value("final", false)) ++finals;
        if (event.value("kind", "") == "content-delta") deltas += event.value("text", "");
    }
    expect(finals == 1 && last.value("final", false), "stdout: not one final event at the end");
    if (mode.text && status == 0)
        expect(deltas.ends_with(*mode.text), "the text of the deltas is another one");
}

std::string Stage::query(const std::string& sql) {
    const std::string path = directory_ + "/home/chorus.db";
    sqlite3* db = nullptr;
    std::string out;
    if (sqlite3_open_v2(path.c_str(), &db, SQLITE_OPEN_READWRITE, nullptr) != SQLITE_OK ||
        sqlite3_exec(
            db, sql.c_str(),
            [](void* sum, int columns, char** values, char**) {
                for (int i = 0; i < columns; ++i)
                    *static_cast<std::string*>(sum) += values[i] == nullptr ? "NULL" : values[i];
                return 0;
            },
            &out, nullptr) != SQLITE_OK)
        out = std::string("error: ") + sqlite3_errmsg(db);
    sqlite3_close(db);
    return out;
}

void Stage::check_record(const Mode& mode, const std::string& prompt, bool ended_well) {
    const auto is = [&](const std::string& sql, const std::string& value) {
        const std::string got = query(sql);
        expect(got == value, "database: " + got + " instead of " + value + ": " + sql);
    };
    is("SELECT count(*) FROM messages WHERE role = 'user' AND content = '" + prompt + "'", "1");
    is("SELECT count(*) FROM messages m, json_each(m.tool_calls) c WHERE 1 <> (SELECT count(*) "
       "FROM "
       "messages r WHERE r.role = 'tool_result' AND r.turn_id = m.turn_id AND r.tool_call_id = "
       "c.value ->> 'id')",
       "0");
    is("SELECT count(*) FROM messages r WHERE r.role = 'tool_result' AND NOT EXISTS (SELECT 1 FROM "
       "messages m, json_each(m.tool_calls) c WHERE m.turn_id = r.turn_id AND c.value ->> 'id' = "
       "r.tool_call_id)",
       "0");
    is("SELECT count(*) FROM turns WHERE ended_at IS NULL AND state <> 'parked'", "0");
    is("SELECT count(*) FROM turns WHERE pid IS NOT NULL AND ended_at IS NOT NULL", "0");
    if (mode.tool_runs && (ended_well || *mode.tool_runs == 0))
        is("SELECT count(*) FROM tool_runs WHERE turn_id = (SELECT max(id) FROM turns)",
           std::to_string(*mode.tool_runs));
}

void Stage::check_next_turn(const Mode& mode, const Scene& scene, const std::string& prompt) {
    const bool is_parked = query(
                               "SELECT count(*) FROM turns WHERE state = 'parked' AND "
                               "resume_at > (julianday('now') - 2440587.5) * 86400000") != "0";
    Served served;
    const Server server([&](Peer& peer) {
        while (auto asking = peer.read()) {
            served.take(std::move(asking->body));
            if (!peer.send(good_answer(scene.protocol))) return;
        }
    });
    const Finished next =
        run({"-p", "and on", "--json"}, scene.protocol,
            "http://127.0.0.1:" + std::to_string(server.port()), certificates_.trusted(Tls::good));
    const int status = exit_status(next);
    expect(status == (is_parked ? parked.status : 0),
           "the next turn: exit " + std::to_string(status) + ": " + shown(next.err));
    if (is_parked || status != 0) return;
    const Json result = Json::parse(next.out, nullptr, false);
    expect(result.is_object() && result.value("text", "") == good_text, "the next turn: its text");
    const std::string body = served.bodies.empty() ? "" : served.bodies.front();
    expect(Json::accept(body), "the next turn: its request is no JSON");
    expect(count_of(body, prompt) == 1, "the next turn: it told the message " +
                                            std::to_string(count_of(body, prompt)) + " times");
    expect(body.find(secret) == std::string::npos || mode.keeps_key,
           "the next turn: its request holds the key");
}

void Stage::check_home(const Mode& mode) {
    const std::string sound = query("PRAGMA integrity_check; PRAGMA foreign_key_check");
    expect(sound == "ok", "database: " + sound);
    if (mode.keeps_key) return;
    for (const auto& entry : fs::recursive_directory_iterator(directory_ + "/home"))
        if (entry.is_regular_file() && !entry.is_symlink() &&
            content_of(entry.path()).find(secret) != std::string::npos)
            expect(false, "the key is in " + entry.path().string());
}

}  // namespace hostile
