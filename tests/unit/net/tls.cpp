// Against the loopback server, which makes itself a certificate that nobody knows.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "net/certificates.hpp"
#include "net/http.hpp"

namespace chorus::net {
namespace {

namespace fs = std::filesystem;

class Loopback {
  public:
    Loopback() {
        std::signal(SIGPIPE, SIG_IGN);  // as harden_process() does
        char name[] = "/tmp/chorus-tls-XXXXXX";
        directory_ = mkdtemp(name);
        child_ = fork();
        if (child_ == 0) {
            execl(CHORUS_LOOPBACK, "loopback", "--fast", "hello", "--port-file",
                  file("port").c_str(), "--tls", certificate().c_str(), file("key.pem").c_str(),
                  nullptr);
            _exit(127);
        }
        for (int i = 0; i < 500 && port_.empty(); ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
            std::ifstream(file("port")) >> port_;
        }
        EXPECT_NE(port_, "");
    }
    ~Loopback() {
        kill(child_, SIGTERM);
        waitpid(child_, nullptr, 0);
        std::filesystem::remove_all(directory_);
    }
    Loopback(const Loopback&) = delete;
    Loopback& operator=(const Loopback&) = delete;

    std::string certificate() const { return file("cert.pem"); }
    std::string file(const std::string& name) const { return directory_ + "/" + name; }
    std::string place(const std::string& host = "127.0.0.1") const { return host + ":" + port_; }

  private:
    std::string directory_;
    std::string port_;
    pid_t child_ = -1;
};

Got post(Client& client, const std::string& place) {
    HttpRequest request;
    request.url = "https://" + place + "/v1/chat/completions";
    request.body = "{}";
    Got got;
    got.response = client.send(request, [&](std::string_view bytes) {
        got.body += bytes;
        return Received::answer;
    });
    return got;
}

TEST(Tls, RefusesACertificateThatNobodySigned) {
    const Loopback server;
    Client client({});
    const Got got = post(client, server.place());
    EXPECT_EQ(got.response.fault, TransportFault::tls);
    EXPECT_EQ(got.response.fault_message,
              "certificate not accepted: " + server.place() + ": self-signed certificate");
    EXPECT_TRUE(got.response.fault_lasts);
    EXPECT_EQ(got.body, "");
}

TEST(Tls, TakesTheCaFileAlone) {
    const Loopback server;
    Transport transport;
    transport.ca_file = server.certificate();
    Client client(transport);
    for (const char* host : {"127.0.0.1", "localhost"}) {
        const Got got = post(client, server.place(host));
        EXPECT_EQ(got.response.fault, TransportFault::none) << got.response.fault_message;
        EXPECT_NE(got.body.find("hello"), std::string::npos);
        EXPECT_TRUE(got.body.ends_with("data: [DONE]\n\n"));
    }
}

TEST(Tls, RefusesACertificateForAnotherName) {
    const Loopback server;
    Transport transport;
    transport.ca_file = server.certificate();
    Client client(transport);
    const Got got = post(client, server.place("127.0.0.2"));
    EXPECT_EQ(got.response.fault, TransportFault::connect);  // it listens on 127.0.0.1 alone
    const Got named = post(client, server.place("a.localhost"));
    EXPECT_EQ(named.response.fault, TransportFault::tls) << named.response.fault_message;
    EXPECT_TRUE(named.response.fault_message.starts_with("certificate not accepted: a.localhost:"))
        << named.response.fault_message;
}

TEST(Tls, SaysWhichCaFileIsUseless) {
    const Loopback server;
    Transport transport;
    transport.ca_file = "/nowhere/ca.pem";
    Client client(transport);
    const Got got = post(client, server.place());
    EXPECT_EQ(got.response.fault, TransportFault::tls);
    EXPECT_NE(got.response.fault_message.find("/nowhere/ca.pem"), std::string::npos)
        << got.response.fault_message;
    EXPECT_TRUE(got.response.fault_lasts);
}

std::string read_text(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<fs::path> entries(const fs::path& directory) {
    if (!fs::exists(directory)) return {};
    return {fs::directory_iterator(directory), {}};
}

class CopyTest : public testing::Test {
  protected:
    CopyTest() {
        transport.ca_file = server.file("bundle.pem");
        transport.hashed_copies = server.file("copies");
    }
    void write_bundle(const std::string& text) const { std::ofstream(transport.ca_file) << text; }
    TransportFault fault() const {
        Client client(transport);
        return post(client, server.place()).response.fault;
    }

    const Loopback server;
    const Loopback other;
    Transport transport;
};

TEST_F(CopyTest, OfABundleIsMadeOnceAndHoldsItsCertificatesAlone) {
    const std::string own = read_text(server.certificate());
    write_bundle("# one\n" + read_text(other.certificate()) + "\ntext\n" + own +
                 read_text(server.file("key.pem")) + own);
    EXPECT_EQ(fault(), TransportFault::none);
    const auto copies = entries(transport.hashed_copies);
    ASSERT_EQ(copies.size(), 1U);
    EXPECT_EQ(trust_of(transport).directory, copies[0]);
    EXPECT_EQ(entries(copies[0]).size(), 3U);
    for (const fs::path& file : entries(copies[0]))
        EXPECT_TRUE(read_text(file) == own || read_text(file) == read_text(other.certificate()));
    const auto made = fs::last_write_time(copies[0]);
    EXPECT_EQ(fault(), TransportFault::none);
    EXPECT_EQ(fs::last_write_time(copies[0]), made);
}

TEST_F(CopyTest, OfAChangedBundleIsMadeAgainAndOldOnesGo) {
    write_bundle(read_text(other.certificate()));
    EXPECT_EQ(fault(), TransportFault::tls);
    const auto first = entries(transport.hashed_copies);
    ASSERT_EQ(first.size(), 1U);
    write_bundle(read_text(server.certificate()) + "\n");
    EXPECT_EQ(fault(), TransportFault::none);
    EXPECT_EQ(entries(transport.hashed_copies).size(), 2U) << "somebody may still use the first";
    fs::create_directory(fs::path(transport.hashed_copies) / ".new-killed");
    for (const fs::path& old : entries(transport.hashed_copies))
        fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(25));
    write_bundle(read_text(server.certificate()) + "\n\n");
    EXPECT_EQ(fault(), TransportFault::none);
    EXPECT_EQ(entries(transport.hashed_copies).size(), 1U);
}

TEST_F(CopyTest, ThatCannotBeMadeChangesNothing) {
    const std::string good = read_text(server.certificate());
    for (const std::string& bad :
         {good.substr(0, good.size() / 2), good.substr(0, 60) + "?" + good.substr(60),
          std::string("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
          std::string()}) {
        for (const std::string& text : {bad, good + bad}) {
            write_bundle(text);
            const TransportFault with = fault();
            EXPECT_EQ(entries(transport.hashed_copies).empty(), text != good) << text;
            fs::remove_all(transport.hashed_copies);
            Transport without = transport;
            without.hashed_copies.clear();
            Client client(without);
            EXPECT_EQ(with, post(client, server.place()).response.fault) << text;
        }
    }
    fs::remove(transport.ca_file);
    mkfifo(transport.ca_file.c_str(), 0600);
    std::thread writer([&] { write_bundle(good); });
    EXPECT_EQ(fault(), TransportFault::none);
    writer.join();
    fs::remove(transport.ca_file);
    write_bundle(good);
    transport.hashed_copies = transport.ca_file + "/copies";
    EXPECT_EQ(fault(), TransportFault::none);
}

TEST_F(CopyTest, IsMadeByManyAtOnce) {
    write_bundle(read_text(server.certificate()));
    std::vector<std::thread> all;
    for (int i = 0; i < 8; ++i)
        all.emplace_back([&] { EXPECT_NE(trust_of(transport).directory, ""); });
    for (std::thread& one : all) one.join();
    EXPECT_EQ(entries(transport.hashed_copies).size(), 1U);
}

}  // namespace
}  // namespace chorus::net
