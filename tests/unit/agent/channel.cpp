#include "agent/channel.hpp"

#include <array>
#include <string>

#include "agent/configuration.hpp"
#include "base/error.hpp"
#include "support/scratch.hpp"

namespace chorus::agent {
namespace {

TEST(Channel, is_a_webhook_a_command_or_none) {
    EXPECT_EQ(parse_channel("").kind, Channel::Kind::none);
    const Channel webhook = parse_channel("webhook:https://hooks.example/a?b=c");
    EXPECT_EQ(webhook.kind, Channel::Kind::webhook);
    EXPECT_EQ(webhook.target, "https://hooks.example/a?b=c");
    const Channel command = parse_channel("command: mail -s 'x' me");
    EXPECT_EQ(command.kind, Channel::Kind::command);
    EXPECT_EQ(command.target, " mail -s 'x' me");
}

TEST(Channel, takes_https_and_http_to_loopback) {
    for (const char* text :
         {"", "webhook:https://h", "webhook:HTTPS://h/p", "webhook:https://u:p@h:8443/p?q#f",
          "webhook:https://[2001:db8::1]/x", "webhook:http://127.0.0.1:8080/x",
          "webhook:http://127.9.9.9", "webhook:http://localhost/x", "webhook:http://LOCALHOST:1",
          "webhook:http://[::1]:80/x", "webhook:http://u@127.0.0.1/", "command:x", "command: x "})
        EXPECT_EQ(channel_problem(text), "") << text;
}

TEST(Channel, says_what_is_wrong) {
    constexpr std::array<std::array<std::string_view, 2>, 19> wrong{{
        {"C0123456", "neither webhook:URL nor command:SHELL"},
        {"https://h/x", "neither webhook:URL nor command:SHELL"},
        {"Webhook:https://h", "neither webhook:URL nor command:SHELL"},
        {" webhook:https://h", "neither webhook:URL nor command:SHELL"},
        {"discord:1", "neither webhook:URL nor command:SHELL"},
        {"webhook:", "the URL does not begin with https://"},
        {"webhook:hooks.example/x", "the URL does not begin with https://"},
        {"webhook:ftp://h/x", "the URL does not begin with https://"},
        {"webhook:file:///etc/passwd", "the URL does not begin with https://"},
        {"webhook:https:///x", "the URL has no host"},
        {"webhook:https://:443/x", "the URL has no host"},
        {"webhook:http://hooks.example/x", "plain http is for loopback addresses only; use https"},
        {"webhook:http://127.0.0.1@evil.example/",
         "plain http is for loopback addresses only; use https"},
        {"webhook:http://localhost.example/",
         "plain http is for loopback addresses only; use https"},
        {"webhook: https://h/x", "the URL contains a blank or a control character"},
        {"webhook:https://h/x\n", "the URL contains a blank or a control character"},
        {"command:", "the command is empty"},
        {"command: \t\n", "the command is empty"},
        {std::string_view("command:a\0b", 11), "it contains a NUL byte"},
    }};
    for (const auto& [text, problem] : wrong) EXPECT_EQ(channel_problem(text), problem) << text;
}

TEST(Channel, of_agent_json_is_checked_and_its_url_not_told) {
    try {
        (void)parse_configuration(R"({"channel_id":"webhook:http://h.example/secret"})",
                                  "agent.json");
        FAIL() << "it was taken";
    } catch (const base::Error& error) {
        EXPECT_EQ(error.code(), base::ErrorCode::config_invalid);
        EXPECT_EQ(error.message(),
                  "agent.json: channel_id: plain http is for loopback addresses only; use https");
        EXPECT_EQ(error.hint(), channel_hint);
    }
    EXPECT_EQ(parse_configuration(R"({"channel_id":""})", "agent.json").channel_id, "");
    EXPECT_TRUE(parse_home_configuration(R"({"limits":{"private_webhooks":true}})", "config.json")
                    .limits.private_webhooks);
}

}  // namespace
}  // namespace chorus::agent
