// A server for one exchange: every connection is a thread that does what the mode says, over TCP or
// TLS, down to the single byte.
#pragma once

#include <openssl/ssl.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace hostile {

struct Asking {
    std::string head;
    std::string body;
};

class Peer {
  public:
    // Owns both; `tls` is null for plain TCP, and without its handshake until greet().
    Peer(int socket, SSL* tls);
    ~Peer();
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;

    bool greet();
    // Nothing once the client has gone.
    std::optional<Asking> read();
    // False once the client has gone.
    bool send(std::string_view bytes);
    // Past TLS, on the socket itself.
    bool send_raw(std::string_view bytes) const;
    // Until what was sent has reached the client's side.
    void flush() const;
    void wait_until_client_leaves();
    // The connection then ends with RST.
    void reset_on_close() const;

  private:
    bool fill();

    int socket_;
    SSL* tls_;
    std::string buffer_;
};

class Server {
  public:
    using Serve = std::function<void(Peer&)>;

    explicit Server(Serve serve, SSL_CTX* tls = nullptr);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    int port() const { return port_; }
    int connections() const { return connections_; }

  private:
    void accept_all();
    void run(int socket);

    Serve serve_;
    SSL_CTX* tls_;
    int listener_ = -1;
    int port_ = 0;
    std::atomic<int> connections_ = 0;
    std::mutex mutex_;
    std::vector<int> sockets_;
    std::vector<std::thread> threads_;
    std::thread acceptor_;
};

void sleep_ms(long ms);

}  // namespace hostile
