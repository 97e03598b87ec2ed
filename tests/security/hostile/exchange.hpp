// One exchange: chorus-run against one hostile server, and then against an honest one, in a home
// that is looked into afterwards.
#pragma once

#include <openssl/ssl.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "modes.hpp"
#include "starter.hpp"

namespace hostile {

struct Programs {
    std::string directory;  // of chorus-init and chorus-run
};

// The servers' certificates, made once.
class Certificates {
  public:
    explicit Certificates(const std::string& directory);
    ~Certificates();
    Certificates(const Certificates&) = delete;
    Certificates& operator=(const Certificates&) = delete;

    SSL_CTX* context(Tls tls) const;
    // What the client is told to trust.
    std::string trusted(Tls tls) const;

  private:
    std::string path(Tls tls, const char* kind) const;

    std::string directory_;
    std::map<Tls, SSL_CTX*> contexts_;
};

class Stage {
  public:
    // All but the first must outlive it.
    Stage(Programs programs, const Certificates& certificates, const Starter& starter,
          std::string directory);

    // What is wrong, a line each; nothing where all is well. `number` tells its message from
    // others.
    std::vector<std::string> play(const Mode& mode, const Scene& scene, std::size_t number);

  private:
    struct Served;

    void renew_home();
    void write_configuration(int retries) const;
    Finished start(std::vector<std::string> arguments, std::vector<std::string> variables) const;
    Finished run(const std::vector<std::string>& arguments, const Protocol& protocol,
                 const std::string& base_url, const std::string& ca_file) const;
    Finished run_mode(const Mode& mode, const Scene& scene, const std::string& prompt,
                      Served& served) const;
    void check_turn(const Mode& mode, const Scene& scene, const Finished& finished);
    void check_result(const Mode& mode, const Finished& finished,
                      const std::vector<Outcome>& outcomes);
    void check_record(const Mode& mode, const std::string& prompt, bool ended_well);
    void check_next_turn(const Mode& mode, const Scene& scene, const std::string& prompt);
    void check_home(const Mode& mode);
    void expect(bool good, const std::string& what);
    std::string query(const std::string& sql);

    Programs programs_;
    const Certificates& certificates_;
    const Starter& starter_;
    std::string directory_;
    std::string agent_;
    int agents_ = 0;
    std::set<std::size_t> told_;  // the numbers of the messages of this home
    std::string format_;
    std::vector<std::string> wrong_;
};

}  // namespace hostile
