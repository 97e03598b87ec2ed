// Reads an HTTP error's body and headers, or an error event of a stream.
#pragma once

#include <string>
#include <string_view>

#include "model/failure.hpp"
#include "net/http.hpp"

namespace chorus::model {

// Reads every shape in use: {"error":{…}}, {"error":"…"}, {"type":"error","error":{…}},
// {"detail":…}, {"message":…}, a failed response, any of these in an array of one, or plain text.
Complaint read_complaint(std::string_view body);
// Adds the status and the headers. `key` is removed wherever the server repeats it.
Failure http_failure(std::string_view provider, const net::Response& response,
                     std::string_view key);
// Returns the failure of a 2xx answer that does not follow the protocol, usually a web page. `what`
// describes it; if "", the text of its body does.
Failure foreign_failure(std::string_view provider, const net::Response& response,
                        std::string_view key, std::string_view what);
Failure transport_failure(std::string_view provider, const net::Response& response);

std::string without_key(std::string text, std::string_view key);
// Removes the key. Call it before anything is truncated: a part of the key would not be found.
void strike_key(Complaint& complaint, std::string_view key);
// Returns "" if the headers have none.
std::string request_id_of(const net::Response& response);

}  // namespace chorus::model
