// The floor under a one-line turn: opens the database in WAL, commits twice with FULL, makes the
// same POST through Debian's libcurl, prints what came. What chorus-run costs is told as a ratio to
// this.
//   floor DATABASE URL BODY-FILE [CA-DIRECTORY]      FLOOR_COMMITS=N: only that many commits more
#include <curl/curl.h>
#include <sqlite3.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace {

std::size_t take(char* data, std::size_t size, std::size_t count, void* answer) {
    static_cast<std::string*>(answer)->append(data, size * count);
    return size * count;
}

void must(int code, const char* what) {
    if (code == 0) return;
    std::fprintf(stderr, "floor: %s: %d\n", what, code);
    std::exit(1);
}

void commit(sqlite3* database, const std::string& text) {
    must(sqlite3_exec(database, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), "begin");
    sqlite3_stmt* statement = nullptr;
    must(
        sqlite3_prepare_v2(database, "INSERT INTO floor(text) VALUES (?)", -1, &statement, nullptr),
        "prepare");
    for (int row = 0; row < 2; ++row) {
        sqlite3_bind_text(statement, 1, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
        sqlite3_step(statement);
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    must(sqlite3_exec(database, "COMMIT", nullptr, nullptr, nullptr), "commit");
}

std::string post(const char* url, const std::string& body, const char* ca_directory) {
    std::string answer;
    curl_global_init(CURL_GLOBAL_DEFAULT);
    CURL* curl = curl_easy_init();
    curl_slist* headers = curl_slist_append(nullptr, "content-type: application/json");
    headers = curl_slist_append(headers, "x-api-key: sk-test-0123456789abcdef");
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body.c_str());
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, static_cast<long>(body.size()));
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &answer);
    if (ca_directory != nullptr) {
        curl_easy_setopt(curl, CURLOPT_CAINFO, nullptr);
        curl_easy_setopt(curl, CURLOPT_CAPATH, ca_directory);
    }
    must(curl_easy_perform(curl), "post");
    return answer;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    sqlite3* database = nullptr;
    must(sqlite3_open(argv[1], &database), "open");
    for (const char* pragma :
         {"PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL",
          "CREATE TABLE IF NOT EXISTS floor(id INTEGER PRIMARY KEY, text TEXT)"})
        must(sqlite3_exec(database, pragma, nullptr, nullptr, nullptr), pragma);
    std::ifstream file(argv[3]);
    std::stringstream body;
    body << file.rdbuf();
    if (const char* more = std::getenv("FLOOR_COMMITS")) {
        for (int i = std::atoi(more); i > 0; --i) commit(database, "a tool's result of usual size");
        return 0;
    }
    commit(database, "the user's message");
    const std::string answer = post(argv[2], body.str(), argc > 4 ? argv[4] : nullptr);
    commit(database, answer);
    std::fputs("hello\n", stdout);
    return answer.find("hello") == std::string::npos ? 1 : 0;
}
