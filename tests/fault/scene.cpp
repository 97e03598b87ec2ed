#include "fault/scene.hpp"

#include <filesystem>
#include <fstream>

namespace fault {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t long_stdin_bytes = 70'000;
constexpr const char* fresh_suffix = "-fresh";
constexpr const char* adopted_suffix = "-adopted";
constexpr int not_found = 4;

// The lines of a stream of events that are whole.
std::vector<Json> events_of(const std::string& out) {
    std::vector<Json> events;
    std::size_t at = 0;
    for (std::size_t end = out.find('\n'); end != std::string::npos; end = out.find('\n', at)) {
        Json event = Json::parse(out.substr(at, end - at), nullptr, false);
        if (event.is_object()) events.push_back(std::move(event));
        at = end + 1;
    }
    return events;
}

// The prompt's token is followed by a blank, so that none is the beginning of another.
std::string prompt_of(const std::string& token) {
    return "please " + token + " now";
}

// A turn with files and a commit. The states of a file follow its calls one by one.
class Turn : public Activity {
  public:
    Turn(const Scene& scene, std::string agent, std::string token, bool works)
        : Activity(scene), agent_(std::move(agent)), token_(std::move(token)), works_(works) {}

    std::string name() const override { return works_ ? "turn with files and a commit" : "turn"; }

    void start() override {
        ask();
        if (works_) announce_files();
        begin({scene_.programs.run, agent_, "--output-format", "stream-json", "-p",
               prompt_of(token_)});
    }

    void seal() override {
        Activity::seal();
        server_->seal();
    }

    void collect() override {
        for (const Json& event : events_of(commands_.front()->out())) read_event(event);
        read_requests();
        if (commands_.front()->finish() == 0) scene_.ledger->completed(token_);
    }

  protected:
    void begin(const Words& words, const std::string& stdin_path = "/dev/null") {
        server_ = std::make_unique<Server>(scene_.programs.loopback,
                                           scene_.scratch + "/provider-" + agent_, answers());
        Variables variables = scene_.variables();
        for (auto& variable : server_->variables()) variables.push_back(variable);
        commands_.push_back(std::make_unique<Command>(words, variables, stdin_path));
    }

    // What the provider was sent was on record before.
    void read_requests() {
        const std::vector<Json> requests = server_->requests();
        if (requests.empty()) return;
        if (is_asked_) scene_.ledger->accepted(token_);
        for (const Json& message : requests.back().at("messages"))
            for (const Json& block : message.at("content"))
                if (block.value("type", "") == "tool_result")
                    scene_.ledger->told(block.at("tool_use_id").get<std::string>());
    }

    void ask() {
        scene_.ledger->asked(agent_, token_);
        is_asked_ = true;
    }

    const std::string& agent() const { return agent_; }
    const std::string& token() const { return token_; }

  private:
    std::string workspace() const { return scene_.home() + "/agents/" + agent_ + "/workspace/"; }
    std::string file() const { return token_ + ".txt"; }
    std::string long_file() const { return token_ + ".log"; }
    std::string deep_file() const { return "new-" + token_ + "/deep/" + token_ + ".txt"; }

    void announce_files() const {
        scene_.ledger->will_write(workspace() + file(), {no_file, "one\n", "two\n"});
        scene_.ledger->will_write(workspace() + long_file(), {no_file, "three\n"});
        scene_.ledger->will_write(workspace() + deep_file(), {no_file, "deep\n"});
    }

    Json answers() const {
        if (!works_) return Json::array({say("done " + token_)});
        return Json::array(
            {say("first " + token_,
                 {call(token_ + "-create", "create_file", {{"path", file()}, {"content", "one\n"}}),
                  call(token_ + "-deep", "create_file",
                       {{"path", deep_file()}, {"content", "deep\n"}})}),
             say("then " + token_,
                 {call(token_ + "-replace", "str_replace",
                       {{"path", file()}, {"old_str", "one"}, {"new_str", "two"}}),
                  call(token_ + "-append", "append_file",
                       {{"path", long_file()}, {"content", "three\n"}}),
                  call(token_ + "-commit", "git_commit", {{"message", "work of " + token_}})}),
             say("done " + token_)});
    }

    void read_event(const Json& event) {
        const std::string kind = event.value("kind", "");
        if (kind == "task") scene_.ledger->accepted(token_);
        if (kind == "message" && event.value("role", "") == "assistant")
            scene_.ledger->answered(event.at("messageId").get<std::int64_t>(),
                                    event.at("text").get<std::string>());
        if (kind == "tool-complete" && event.value("outcome", "") == "ok")
            read_effect(event.at("toolCallId").get<std::string>(),
                        event.at("result").get<std::string>());
    }

    void read_effect(const std::string& id, const std::string& result) {
        if (id == token_ + "-create") scene_.ledger->wrote(workspace() + file(), 1);
        if (id == token_ + "-replace") scene_.ledger->wrote(workspace() + file(), 2);
        if (id == token_ + "-append") scene_.ledger->wrote(workspace() + long_file(), 1);
        if (id == token_ + "-deep") scene_.ledger->wrote(workspace() + deep_file(), 1);
        const std::string said = "committed ";
        if (id == token_ + "-commit" && result.starts_with(said))
            scene_.ledger->committed(
                agent_, result.substr(said.size(), result.find(' ', said.size()) - said.size()));
    }

    std::string agent_;
    std::string token_;
    bool works_;
    bool is_asked_ = false;
    std::unique_ptr<Server> server_;
};

// Its answer also goes to a file, and its prompt is so long that it becomes one.
class FileTurn : public Turn {
  public:
    FileTurn(const Scene& scene, const std::string& token)
        : Turn(scene, first_agent, token, false), output_(scene.mount + "/" + token + ".out") {}

    std::string name() const override { return "turn with a long stdin and -o"; }

    void start() override {
        ask();
        scene_.ledger->will_write(output_, {no_file, "done " + token() + "\n"});
        const std::string stdin_path = scene_.scratch + "/stdin";
        write_text(stdin_path, long_text());
        begin({scene_.programs.run, agent(), "-o", output_, "-p", prompt_of(token())}, stdin_path);
    }

    void collect() override {
        read_requests();
        if (commands_.front()->finish() == 0) {
            scene_.ledger->completed(token());
            scene_.ledger->wrote(output_, 1);
        }
    }

  private:
    std::string long_text() const {
        std::string text;
        while (text.size() < long_stdin_bytes) text += "line of " + token() + "\n";
        return text;
    }
    std::string output_;
};

// What a cut left is taken up again, and may be cut again.
class Resumption : public Turn {
  public:
    Resumption(const Scene& scene, const std::string& token)
        : Turn(scene, first_agent, token, false) {}

    std::string name() const override { return "resumption"; }

    void start() override {
        begin({scene_.programs.run, agent(), "--resume", "--output-format", "stream-json"});
    }

    void collect() override {
        for (const Json& event : events_of(commands_.front()->out()))
            if (event.value("kind", "") == "message" && event.value("role", "") == "assistant")
                scene_.ledger->answered(event.at("messageId").get<std::int64_t>(),
                                        event.at("text").get<std::string>());
        read_requests();
        commands_.front()->finish();
    }
};

class Pair : public Activity {
  public:
    Pair(const Scene& scene, const std::string& token)
        : Activity(scene),
          one_(scene, first_agent, token + "-one", true),
          other_(scene, second_agent, token + "-other", true) {}

    std::string name() const override { return "two turns at once"; }

    void start() override {
        for (Turn* turn : {&one_, &other_}) {
            turn->start();
            commands_.push_back(std::move(turn->commands().front()));
        }
    }

    void seal() override {
        one_.commands().front() = std::move(commands_.front());
        other_.commands().front() = std::move(commands_.back());
        one_.seal();
        other_.seal();
        commands_.front() = std::move(one_.commands().front());
        commands_.back() = std::move(other_.commands().front());
    }

    void collect() override {
        one_.commands().front() = std::move(commands_.front());
        other_.commands().front() = std::move(commands_.back());
        one_.collect();
        other_.collect();
    }

  private:
    Turn one_;
    Turn other_;
};

class Birth : public Activity {
  public:
    enum class Kind { fresh, adopted, in_place };
    Birth(const Scene& scene, std::string agent)
        : Activity(scene),
          agent_(std::move(agent)),
          kind_(agent_ == left_agent               ? Kind::in_place
                : agent_.ends_with(adopted_suffix) ? Kind::adopted
                                                   : Kind::fresh) {}

    std::string name() const override {
        return kind_ == Kind::fresh     ? "init"
               : kind_ == Kind::adopted ? "init that adopts a directory"
                                        : "init that adopts what is in place";
    }

    void start() override {
        scene_.ledger->will_be_born(agent_, kind_ == Kind::fresh ? 0 : foreign_sessions);
        commands_.push_back(std::make_unique<Command>(words(), scene_.variables()));
    }

    void collect() override {
        if (commands_.front()->finish() == 0) scene_.ledger->born(agent_);
    }

  private:
    Words words() const {
        Words words{scene_.programs.init, agent_,          "--model",
                    "builtin/script",     "--permissions", "sandboxed"};
        if (kind_ == Kind::adopted) words.push_back("--adopt=" + scene_.mount + foreign_directory);
        if (kind_ == Kind::in_place) words.emplace_back("--adopt");
        return words;
    }

    std::string agent_;
    Kind kind_;
};

void must(const Finished& ended, const std::string& what) {
    if (ended.status != 0) give_up(what + ": " + ended.err);
}

void make_agent(const Scene& scene, const std::string& agent, const std::string& model) {
    must(run({scene.programs.init, agent, "--model", model, "--permissions", "sandboxed"},
             scene.variables()),
         "chorus-init " + agent);
}

// An agent's directory, with saved sessions, that this home does not know.
void make_foreign(const Scene& scene) {
    Scene elsewhere = scene;
    elsewhere.mount = scene.mount + "/elsewhere";
    make_agent(elsewhere, "foreign", "builtin/script");
    const std::string from = elsewhere.home() + "/agents/foreign";
    for (int i = 1; i <= foreign_sessions; ++i) {
        const std::string id = "session-" + std::to_string(i);
        write_text(from + "/sessions/2026-01-0" + std::to_string(i) + "_" + id + ".json",
                   Json{{"id", id}, {"messages", Json::array()}}.dump());
    }
    const auto everything = fs::copy_options::recursive | fs::copy_options::copy_symlinks;
    fs::copy(from, scene.mount + foreign_directory, everything);
    fs::copy(from, scene.home() + "/agents/" + left_agent, everything);
    fs::remove_all(elsewhere.mount);
}

}  // namespace

void Activity::seal() {
    for (const auto& command : commands_) command->seal();
}

void make_home(const Scene& scene) {
    fs::create_directories(scene.scratch + "/user");
    make_agent(scene, first_agent, "anthropic/m");
    make_agent(scene, second_agent, "anthropic/m");
    make_foreign(scene);
    must(run({scene.programs.run, first_agent, "-m", "builtin/script", "hello"}, scene.variables()),
         "chorus-run");
}

std::unique_ptr<Activity> choose_activity(const Scene& scene, Random& random,
                                          const std::string& token, bool resumes) {
    const auto dice = random() % 100;
    if (resumes && dice < 60) return std::make_unique<Resumption>(scene, token);
    if (dice < 10) return std::make_unique<Turn>(scene, first_agent, token, false);
    if (dice < 50) return std::make_unique<Turn>(scene, first_agent, token, true);
    if (dice < 60) return std::make_unique<Pair>(scene, token);
    if (dice < 70) return std::make_unique<FileTurn>(scene, token);
    if (dice < 85) return std::make_unique<Birth>(scene, token + fresh_suffix);
    if (dice < 93) return std::make_unique<Birth>(scene, token + adopted_suffix);
    return std::make_unique<Birth>(scene, left_agent);
}

std::vector<std::string> settle(const Scene& scene, const std::string& token) {
    std::vector<std::string> failed;
    const auto talk = [&](const std::string& agent) {
        const std::string own = token + "-" + agent;
        scene.ledger->asked(agent, own);
        const Finished ended =
            run({scene.programs.run, agent, "-m", "builtin/script", "--json", "-p", prompt_of(own)},
                scene.variables());
        if (ended.status == 0) scene.ledger->completed(own);
        if (ended.status != 0 && ended.status != not_found)
            failed.push_back("the next turn of " + agent + ": exit " +
                             std::to_string(ended.status) + ": " + ended.err);
        return ended.status;
    };
    const auto give_birth = [&](const std::string& agent) {
        Birth birth(scene, agent);
        birth.start();
        birth.collect();
        const Command& command = *birth.commands().front();
        if (command.status() != 0)
            failed.push_back("the next init of " + agent + ": exit " +
                             std::to_string(command.status()) + ": " + command.err());
    };
    for (const std::string& agent : {first_agent, second_agent})
        if (talk(agent) == not_found) failed.push_back(agent + " is not found");
    std::vector<std::string> births = scene.ledger->births();
    for (const std::string& agent : births)
        if (talk(agent) == not_found) give_birth(agent);
    if (!births.empty()) give_birth(token + fresh_suffix);
    return failed;
}

}  // namespace fault
