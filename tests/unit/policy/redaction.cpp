#include "policy/redaction.hpp"

#include <gtest/gtest.h>

namespace chorus::policy {
namespace {

// Made up here, so that no scanner finds a key in the source.
std::string letters(std::size_t count, std::string_view from = "aB3dE5fG7hJ9kL1mN") {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += from[i % from.size()];
    return text;
}

std::string applied(std::string_view text) {
    return Redaction().apply(text);
}

TEST(Redaction, ActiveSecretsGoWhereverTheyStand) {
    const Redaction redaction({"hunter2hunter2"});
    EXPECT_EQ(redaction.apply("xhunter2hunter2y hunter2hunter2"),
              "x[redacted:key]y [redacted:key]");
    EXPECT_TRUE(redaction.changes("xhunter2hunter2"));
    EXPECT_TRUE(redaction.holds_active("xhunter2hunter2"));
    EXPECT_FALSE(redaction.changes("hunter2"));
    EXPECT_EQ(redaction.apply("hunter2"), "hunter2");
    EXPECT_EQ(redaction.apply(""), "");
}

TEST(Redaction, OverlappingSecretsLeaveNothingBehind) {
    const Redaction nested({"abcdefgh", "abcdefghijkl"});
    EXPECT_EQ(nested.apply("-abcdefghijkl-abcdefgh-"), "-[redacted:key]-[redacted:key]-");
    const Redaction chained({"12345678", "56789012"});
    EXPECT_EQ(chained.apply("x123456789012y"), "x[redacted:key]y");
    const Redaction itself({"redacted"});
    EXPECT_EQ(itself.apply("a redacted b"), "a [redacted:key] b");
    EXPECT_EQ(Redaction({"aaaaaaaa"}).apply("aaaaaaaaaa"), "[redacted:key]");
}

TEST(Redaction, PiecesAndBase64OfAnActiveSecretGoToo) {
    const std::string key = "mx-Zq81xVb07Ludw93KfTq2";
    const Redaction redaction({key});
    EXPECT_EQ(redaction.apply("<" + key.substr(5, 12) + ">"), "<[redacted:key]>");
    EXPECT_EQ(redaction.apply("<" + key.substr(5, 11) + ">"), "<" + key.substr(5, 11) + ">");
    // echo "token=$KEY" | base64
    const std::string encoded = "dG9rZW49bXgtWnE4MXhWYjA3THVkdzkzS2ZUcTIK";
    EXPECT_TRUE(redaction.holds_active(encoded));
    EXPECT_EQ(redaction.apply(encoded).find("WnE4MXhW"), std::string::npos);
    EXPECT_EQ(redaction.without_active(key), "[redacted:key]");
    // characters stay whole
    const Redaction cut(
        {"\xc3\xa9"
         "23456789012345"});
    EXPECT_EQ(cut.apply("\xc3\xa8"
                        "23456789012345x"),
              "\xc3\xa8[redacted:key]x");
    const Redaction ends({"12345678901234\xc3\xa9"});
    EXPECT_EQ(ends.apply("12345678901234\xc3\xa8x"), "[redacted:key]x");
}

TEST(Redaction, WhatMayGoOnAsASecretIsNotDecided) {
    const std::string key = "mx-Zq81xVb07Ludw93KfTq2";
    const Redaction redaction({key});
    for (std::size_t cut = 1; cut < key.size(); ++cut) {
        const std::string text = "a b. " + key.substr(0, cut);
        EXPECT_EQ(redaction.decided_bytes(text), 5U) << text;
    }
    EXPECT_EQ(redaction.decided_bytes("a b. " + key + " "), key.size() + 6);
    EXPECT_EQ(Redaction().decided_bytes(key), key.size());
}

TEST(Redaction, ShortSecretsAreNotSearched) {
    Redaction redaction({"", "1234567"});
    EXPECT_FALSE(redaction.changes("1234567"));
    redaction.add("12345678");
    redaction.add("12345678");
    EXPECT_EQ(redaction.apply("12345678"), "[redacted:key]");
}

TEST(Redaction, AnActiveSecretThatHasAShapeIsAKey) {
    const std::string key = "sk-ant-api03-" + letters(40);
    EXPECT_EQ(Redaction({key}).apply("<" + key + ">"), "<[redacted:key]>");
    EXPECT_FALSE(Redaction().holds_active(key));
}

struct Key {
    const char* kind;
    std::string text;
};

std::vector<Key> keys() {
    return {
        {"anthropic-key", "sk-ant-api03-" + letters(40) + "-" + letters(20) + "AA"},
        {"openai-key", "sk-" + letters(48)},
        {"openai-key", "sk-proj-" + letters(60) + "_" + letters(30)},
        {"openai-key", "sk-or-v1-" + letters(64, "0123456789abcdef")},
        {"google-key", "AIza" + letters(35)},
        {"github-token", "ghp_" + letters(36)},
        {"github-token", "gho_" + letters(36)},
        {"github-token", "ghs_" + letters(36)},
        {"github-token", "ghu_" + letters(36)},
        {"github-token", "github_pat_" + letters(22) + "_" + letters(59)},
        {"gitlab-token", "glpat-" + letters(20)},
        {"slack-token", "xoxb-" + letters(11, "0123456789") + "-" + letters(24)},
        {"slack-token", "xoxp-" + letters(30)},
        {"slack-token", "xoxa-2-" + letters(30)},
        {"slack-token", "xoxr-" + letters(30)},
        {"slack-token", "xoxs-" + letters(30)},
        {"aws-key", "AKIA" + letters(16, "A2B3C4D5")},
        {"aws-key", "ASIA" + letters(16, "A2B3C4D5")},
        {"huggingface-token", "hf_" + letters(34)},
        {"groq-key", "gsk_" + letters(52)},
        {"xai-key", "xai-" + letters(80)},
        {"npm-token", "npm_" + letters(36)},
        {"stripe-key", "sk_live_" + letters(24)},
        {"pypi-token", "pypi-AgEIcHlwaS5vcmc" + letters(60)},
        {"jwt", "eyJ" + letters(30) + ".eyJ" + letters(60) + "." + letters(43)},
    };
}

TEST(Redaction, KnownShapesGo) {
    for (const Key& key : keys()) {
        const std::string gone = std::string("[redacted:") + key.kind + "]";
        for (const auto& [before, after] : {std::pair{"", ""},
                                            {" ", "\n"},
                                            {"KEY=", ""},
                                            {"\"", "\","},
                                            {R"(a\n)", R"(\n)"},
                                            {"https://x/?k=", "&y"},
                                            {"\u00fc", "\u00fc"}}) {
            EXPECT_EQ(applied(before + key.text + after), before + gone + after);
            EXPECT_TRUE(Redaction().changes(before + key.text + after));
        }
        EXPECT_EQ(applied(key.text + " " + key.text), gone + " " + gone);
        EXPECT_EQ(applied(gone), gone);
    }
}

std::string pem(std::string_view label, std::string_view newline) {
    std::string text = "-----BEGIN " + std::string(label) + "-----";
    for (int i = 0; i < 12; ++i) text += std::string(newline) + letters(64);
    return text + std::string(newline) + "-----END " + std::string(label) + "-----";
}

TEST(Redaction, PrivateKeyBlocksGo) {
    for (const char* label : {"PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY",
                              "EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "PGP PRIVATE KEY BLOCK"})
        for (const char* newline : {"\n", "\r\n", "\\n"})
            EXPECT_EQ(applied("a " + pem(label, newline) + "\nb"), "a [redacted:private-key]\nb")
                << label;
    const std::string whole = pem("RSA PRIVATE KEY", "\n");
    EXPECT_EQ(applied(whole.substr(0, 300)), "[redacted:private-key]");
    EXPECT_EQ(applied(whole.substr(0, 300) + " \nmore text"), "[redacted:private-key] \nmore text");
}

TEST(Redaction, PublicThingsAndMentionsStay) {
    for (const std::string& text :
         {pem("CERTIFICATE", "\n"), pem("PUBLIC KEY", "\n"),
          std::string("grep -- '-----BEGIN RSA PRIVATE KEY-----' x"),
          std::string("between -----BEGIN PRIVATE KEY----- and -----END PRIVATE KEY----- it says")})
        EXPECT_EQ(applied(text), text);
}

TEST(Redaction, CredentialsOfAuthorizationHeadersGo) {
    const std::string token = letters(20) + "._~+/-==";
    EXPECT_EQ(applied("Authorization: Bearer " + token + "\r\nHost: x"),
              "Authorization: Bearer [redacted:authorization]\r\nHost: x");
    EXPECT_EQ(applied(R"({"authorization": "Bearer )" + token + R"("})"),
              R"({"authorization": "Bearer [redacted:authorization]"})");
    EXPECT_EQ(applied("curl -H 'AUTHORIZATION:bearer " + token + "'"),
              "curl -H 'AUTHORIZATION:bearer [redacted:authorization]'");
    EXPECT_EQ(applied("Authorization: Basic dXNlcjpwYXNzd29yZA=="),
              "Authorization: Basic [redacted:authorization]");
    for (const char* text :
         {"Authorization: Bearer $TOKEN", "Authorization: Bearer <token>",
          "authorization bearer responsibilities", "Authorization: Digest username=x",
          "Authorization", "Authorization: Bearer ", "Authorization:"})
        EXPECT_EQ(applied(text), text);
}

TEST(Redaction, OrdinaryTextStays) {
    for (const std::string& text : std::vector<std::string>{
             "da39a3ee5e6b4b0d3255bfef95601890afd80709",
             letters(64, "0123456789abcdef"),
             letters(500),
             "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
             letters(200, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"),
             "/" + letters(80) + "AKIA" + letters(80),
             "AKIA",
             "AKIA is a prefix",
             "AKIA" + letters(15, "A2"),
             "AKIA" + letters(17, "A2"),
             "AIza",
             "AIza" + letters(34),
             "AIza" + letters(36),
             "sk-",
             "sk-learn",
             "sk-estimator-doc-link-fitted-1-and-more-words",
             "task-" + letters(40),
             "risk-" + letters(40),
             "sk-toggleable__label-arrow-wide-2",
             "ghp_short",
             "xghp_" + letters(36),
             "hf_transformers_cache_directory_name",
             "npm_config_registry_of_the_company_1234",
             "eyJhbGciOiJIUzI1NiJ9",
             "eyJ.eyJ.x",
             "eyJhbGciOiJIUzI1NiJ9.something.else",
             "commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904 (HEAD -> main)",
             "sha512-" + letters(86) + "==",
             "data:image/png;base64,iVBORw0KGgo" + letters(100),
             "xox",
             "xoxb-1",
             "glpat-",
             "----------",
             "-----BEGIN",
             "au",
             "Automatic authorization is off"})
        EXPECT_EQ(applied(text), text);
}

TEST(Redaction, ApplyingTwiceIsApplyingOnce) {
    std::string all;
    for (const Key& key : keys()) all += key.text + "\n";
    all += pem("PRIVATE KEY", "\n") + "\nAuthorization: Bearer " + letters(30);
    const std::string once = applied(all);
    EXPECT_EQ(applied(once), once);
    EXPECT_FALSE(Redaction().changes(once));
}

}  // namespace
}  // namespace chorus::policy
