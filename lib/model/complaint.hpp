// Reads an HTTP error's body and headers, or an error event of a stream.
#pragma once

#include <string>
#include <string_view>

#include "model/failure.hpp"
#include "net/http.hpp"

namespace chorus::model {

// Every shape in use: {"error":{…}}, {"error":"…"}, {"type":"error","error":{…}}, {"detail":…},
// {"message":…}, a response that failed, each perhaps in an array of one, or plain text.
Complaint read_complaint(std::string_view body);
// Adds the status and the headers. `key` is struck out wherever the server repeats it.
Failure http_failure(std::string_view provider, const net::Response& response,
                     std::string_view key);
// Returns the failure of a 2xx answer that is none of the protocol: a web page as a rule. `what`
// describes it; "" for the text of its body.
Failure foreign_failure(std::string_view provider, const net::Response& response,
                        std::string_view key, std::string_view what);
Failure transport_failure(std::string_view provider, const net::Response& response);

std::string without_key(std::string text, std::string_view key);
// Before anything is cut to a length: a part of the key would not be found again.
void strike_key(Complaint& complaint, std::string_view key);
// "" where the headers have none.
std::string request_id_of(const net::Response& response);

}  // namespace chorus::model
