// Against the loopback server, which makes itself a certificate that nobody knows.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "net/http.hpp"

namespace chorus::net {
namespace {

class Loopback {
  public:
    Loopback() {
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
    std::string place(const std::string& host = "127.0.0.1") const { return host + ":" + port_; }

  private:
    std::string file(const std::string& name) const { return directory_ + "/" + name; }

    std::string directory_;
    std::string port_;
    pid_t child_ = -1;
};

struct Got {
    Response response;
    std::string body;
};

Got post(Client& client, const std::string& place) {
    Request request;
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

}  // namespace
}  // namespace chorus::net
