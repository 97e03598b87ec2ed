#include "agent/variables.hpp"

namespace chorus::agent {

const std::vector<Variable>& variables() {
    static const std::vector<Variable> rows{
        {"ALL_PROXY", "", "same as all_proxy"},
        {"CHORUS_ACTOR", "", "name of the acting user, for the audit log"},
        {"CHORUS_AGENT", "", "the agent's name; set for its commands"},
        {"CHORUS_CHANNEL_TIMEOUT_MS", "30000",
         "how long posting to a channel may take; 0 posts nothing"},
        {"CHORUS_DRAIN_TIMEOUT_MS", "20000", "time for a running tool to end after a signal"},
        {"CHORUS_GROOM", "auto", "what a first run does without asking: auto, manual or pristine"},
        {"CHORUS_HOME", "~/.chorus-agents", "the home"},
        {"CHORUS_IDLE_TIMEOUT_MS", "1800000", "idle time after which a session is saved"},
        {"CHORUS_MODEL", "", "the model"},
        {"CHORUS_NETWORK_FS", "", "1 allows a home on a network file system"},
        {"CHORUS_NOW_MS", "", "a fixed current time, for tests"},
        {"CHORUS_SHUTDOWN_TIMEOUT_MS", "10000", "time for a command between SIGTERM and SIGKILL"},
        {"CHORUS_STDIN", "append", "how stdin is used beside a prompt"},
        {"CHORUS_STDIN_TIMEOUT_MS", "600000", "how long stdin may stay silent"},
        {"CURL_CA_BUNDLE", "", "certificates to trust, a file"},
        {"HTTPS_PROXY", "", "same as https_proxy"},
        {"NO_COLOR", "", "no colours on a terminal"},
        {"NO_PROXY", "", "same as no_proxy"},
        {"SSL_CERT_DIR", "/etc/ssl/certs", "certificates to trust, a directory"},
        {"SSL_CERT_FILE", "", "certificates to trust, a file"},
        {"all_proxy", "", "the proxy for https if https_proxy is not set"},
        {"http_proxy", "", "the proxy for http"},
        {"https_proxy", "", "the proxy for https"},
        {"no_proxy", "", "hosts that are reached without a proxy"},
    };
    return rows;
}

}  // namespace chorus::agent
