// HTTP/1.1 from the server's side, over TCP or TLS, with the ways a server can misbehave.
#pragma once

#include <openssl/ssl.h>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "loopback_script.hpp"

namespace loopback {

struct Asking {
    std::string method;
    std::string path;
    std::map<std::string, std::string> headers;  // names in lower case
    std::string head;                            // as it came
    std::string body;
};

class Connection {
  public:
    // Owns both; `tls` is null for plain HTTP.
    Connection(int socket, SSL* tls);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    // Nothing once the client has gone.
    std::optional<Asking> read();
    // False where the connection is not to be used again.
    bool send(const Answer& answer);
    bool write(std::string_view bytes);

  private:
    bool fill();
    bool send_body(const Answer& answer, std::string head);
    void give_up(const Answer& answer);
    void wait_for_client_to_leave();

    int socket_;
    SSL* tls_;
    std::string buffer_;
};

// The whole answer as bytes, for sending it again and again.
std::string rendered(const Answer& answer);

}  // namespace loopback
