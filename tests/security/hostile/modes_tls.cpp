// Bad certificates, old versions, and connections that are no TLS at all.
#include "modes.hpp"

namespace hostile {
namespace {

Mode over(std::string name, Outcome outcome, Tls tls) {
    Mode mode = acting(std::move(name), outcome, [](Peer& peer, const Scene& scene) {
        peer.send(stream(joined(good_events(scene.protocol))));
        peer.wait_until_client_leaves();
    });
    mode.tls = tls;
    return mode;
}

Mode instead_of_tls(std::string name, Outcome outcome,
                    std::function<void(Peer&, const Scene&)> connection) {
    Mode mode;
    mode.name = std::move(name);
    mode.outcomes = always({outcome});
    mode.connection = std::move(connection);
    mode.tls = Tls::good;
    return mode;
}

}  // namespace

std::vector<Mode> tls_modes() {
    std::vector<Mode> all;
    all.push_back(over("tls-good", done, Tls::good));
    all.push_back(over("tls-expired", no_internet, Tls::expired));
    all.push_back(over("tls-not-yet-valid", no_internet, Tls::early));
    all.push_back(over("tls-other-name", no_internet, Tls::other_name));
    all.push_back(over("tls-nobody-vouches", no_internet, Tls::unknown));
    all.push_back(over("tls-1.1", no_internet, Tls::old));
    all.push_back(over("tls-h2-speaks-http1", no_internet, Tls::h2));
    all.back().connection = [act = all.back().act](Peer& peer, const Scene& scene) {
        if (peer.greet()) act(peer, scene);
    };
    all.push_back(instead_of_tls("plain-on-tls-port", no_internet, [](Peer& peer, const Scene& s) {
        peer.send_raw(stream(joined(good_events(s.protocol))));
        peer.wait_until_client_leaves();
    }));
    all.push_back(instead_of_tls("tls-garbage", no_internet, [](Peer& peer, const Scene&) {
        peer.send_raw(std::string("\x16\x03\x03\x40\x00", 5) + std::string(16384, '\xa5'));
        peer.flush();
    }));
    all.push_back(instead_of_tls("tls-alert", no_internet, [](Peer& peer, const Scene&) {
        peer.send_raw(std::string("\x15\x03\x03\x00\x02\x02\x28", 7));
        peer.flush();
    }));
    all.push_back(instead_of_tls("tls-closed-at-once", no_internet, [](Peer&, const Scene&) {}));
    all.push_back(instead_of_tls("tls-reset", no_internet,
                                 [](Peer& peer, const Scene&) { peer.reset_on_close(); }));
    all.push_back(instead_of_tls("tls-silent-handshake", timed_out, [](Peer& peer, const Scene&) {
        peer.wait_until_client_leaves();
    }));
    all.back().timeout = "400ms";
    all.push_back(instead_of_tls("tls-dripping-handshake", timed_out, [](Peer& peer, const Scene&) {
        // a server's hello that takes for ever
        const std::string hello =
            std::string("\x16\x03\x03\x40\x00\x02\x00\x3f\xfc", 9) + std::string(16384, '\x03');
        for (std::size_t i = 0; i < hello.size(); ++i) {
            if (!peer.send_raw(std::string_view(hello).substr(i, 1))) return;
            sleep_ms(50);
        }
    }));
    all.back().timeout = "400ms";
    return all;
}

}  // namespace hostile
