// An honest answer whose connection fails at its k-th byte.
#include "modes.hpp"

namespace hostile {
namespace {

constexpr std::string_view short_timeout = "400ms";
constexpr std::string_view long_timeout = "20s";
const std::vector<Framing> every_framing{Framing::chunked, Framing::length, Framing::close,
                                         Framing::gzip,    Framing::tls,    Framing::tls_close};

Answer subject(const Scene& scene, bool calls) {
    return answer(scene.protocol, calls ? call_events(scene.protocol) : good_events(scene.protocol),
                  scene.framing);
}

bool is_whole(const Scene& scene, bool calls) {
    return scene.at >= subject(scene, calls).complete_at;
}

Mode at_each_byte(std::string name, bool calls,
                  std::function<void(Peer&, const std::string&, std::size_t)> act) {
    Mode mode;
    mode.name = std::move(name) + (calls ? "-call" : "");
    mode.framings = every_framing;
    mode.points = [calls](const Scene& scene) { return subject(scene, calls).bytes.size(); };
    mode.act = [act = std::move(act), calls](Peer& peer, const Scene& scene) {
        act(peer, subject(scene, calls).bytes, scene.at);
    };
    mode.tool_runs.reset();
    return mode;
}

Mode cut(bool calls) {
    Mode mode = at_each_byte("cut", calls, [](Peer& peer, const std::string& bytes, std::size_t k) {
        peer.send(std::string_view(bytes).substr(0, k));
    });
    mode.outcomes = [calls](const Scene& scene) -> std::vector<Outcome> {
        return {scene.at >= subject(scene, calls).complete_at_close ? done : no_internet};
    };
    return mode;
}

Mode reset(bool calls) {
    Mode mode =
        at_each_byte("reset", calls, [](Peer& peer, const std::string& bytes, std::size_t k) {
            peer.send(std::string_view(bytes).substr(0, k));
            peer.flush();
            peer.reset_on_close();
        });
    mode.outcomes = [calls](const Scene& scene) -> std::vector<Outcome> {
        // what had come may be lost with the connection, or not
        if (is_whole(scene, calls)) return {done, no_internet};
        return {no_internet};
    };
    return mode;
}

// An answer that is whole is not waited for any longer, whatever the connection does.
Mode stall(bool calls, bool whole) {
    Mode mode =
        at_each_byte("stall", calls, [](Peer& peer, const std::string& bytes, std::size_t k) {
            peer.send(std::string_view(bytes).substr(0, k));
            peer.wait_until_client_leaves();
        });
    const auto points = mode.points;
    if (whole) mode.name += "-after-end";
    mode.timeout = whole ? long_timeout : short_timeout;
    mode.points = [points, calls, whole](const Scene& scene) {
        const std::size_t complete_at = subject(scene, calls).complete_at;
        return whole ? points(scene) - complete_at : complete_at - 1;
    };
    if (whole)
        mode.act = [calls](Peer& peer, const Scene& scene) {
            const Answer broken = subject(scene, calls);
            peer.send(std::string_view(broken.bytes).substr(0, broken.complete_at + scene.at));
            if (broken.complete_at + scene.at < broken.bytes.size())
                return peer.wait_until_client_leaves();
            // nothing was missing: the connection is as good as any
            while (peer.read())
                if (!peer.send(stream(joined(good_events(scene.protocol))))) return;
        };
    mode.outcomes = always({whole ? done : timed_out});
    return mode;
}

Mode pause(bool calls) {
    Mode mode =
        at_each_byte("pause", calls, [](Peer& peer, const std::string& bytes, std::size_t k) {
            peer.send(std::string_view(bytes).substr(0, k));
            sleep_ms(30);
            peer.send(std::string_view(bytes).substr(k));
        });
    mode.outcomes = always({done});
    return mode;
}

Mode drip(bool calls) {
    Mode mode = at_each_byte("drip", calls, [](Peer& peer, const std::string& bytes, std::size_t) {
        for (std::size_t i = 0; i < bytes.size(); ++i)
            if (!peer.send(std::string_view(bytes).substr(i, 1))) return;
    });
    mode.points = nullptr;
    mode.outcomes = always({done});
    return mode;
}

// Fails at first and is asked again, unless there is text that was shown.
Mode retried(std::string name, std::function<void(Peer&, const Scene&)> act) {
    Mode mode = acting(std::move(name), done, std::move(act));
    mode.retries = 1;
    return mode;
}

}  // namespace

std::vector<Mode> broken_modes() {
    std::vector<Mode> all;
    for (const bool calls : {false, true})
        for (Mode mode : {cut(calls), reset(calls), stall(calls, false), stall(calls, true),
                          pause(calls), drip(calls)})
            all.push_back(std::move(mode));

    all.push_back(acting("accept-close", no_internet, [](Peer&, const Scene&) {}));
    all.push_back(acting("accept-reset", no_internet,
                         [](Peer& peer, const Scene&) { peer.reset_on_close(); }));
    all.back().connection = std::move(all.back().act);
    all.push_back(acting("accept-silence", timed_out,
                         [](Peer& peer, const Scene&) { peer.wait_until_client_leaves(); }));
    all.back().connection = std::move(all.back().act);
    all.back().timeout = short_timeout;
    all.push_back(acting("refused", no_internet, [](Peer&, const Scene&) {}));
    all.back().nobody_listens = true;

    all.push_back(
        retried("retried-reset", [](Peer& peer, const Scene&) { peer.reset_on_close(); }));
    all.push_back(retried("retried-500", [](Peer& peer, const Scene&) {
        peer.send(plain("500 Oh", "<html>no</html>"));
    }));
    all.push_back(retried("retried-429", [](Peer& peer, const Scene&) {
        peer.send(plain("429 Slow", "{}", "retry-after-ms: 5\r\n"));
    }));
    return all;
}

}  // namespace hostile
