// Every bound of chorus(7), section LIMITS, in one place. Units are in the names.
#pragma once

#include <cstddef>
#include <cstdint>

namespace chorus::base::limits {

constexpr std::size_t prompt_bytes = 10U << 20;
constexpr std::size_t stdin_inline_bytes = 64U << 10;
constexpr std::size_t attachment_bytes = 32U << 20;
constexpr std::int64_t request_bytes = 32 << 20;
constexpr std::size_t answer_bytes = 32U << 20;
constexpr int answer_repairs = 2;
constexpr std::size_t recording_bytes = 256U << 20;
constexpr std::size_t sse_event_bytes = 32U << 20;
constexpr std::size_t http_head_bytes = 64U << 10;
constexpr std::size_t error_body_bytes = 64U << 10;
constexpr std::size_t json_bytes = 10U << 20;
constexpr std::size_t json_depth = 64;
constexpr std::size_t tool_result_characters = 50'000;
constexpr std::size_t edited_file_bytes = 16U << 20;
constexpr std::size_t searched_file_bytes = 16U << 20;
constexpr std::size_t task_log_bytes = 64U << 20;
constexpr std::size_t docs_bytes = 256U << 10;
constexpr std::size_t docs_tokens = 32U << 10;
constexpr std::size_t project_text_bytes = 64U << 10;
constexpr std::size_t action_bytes = 64U << 10;
constexpr std::int64_t checkpoint_bytes = 256 << 20;
constexpr int checkpoint_stores = 4;
constexpr std::size_t checkpoints = 20;
constexpr std::int64_t checkpoint_age_ms = 30LL * 86'400'000;
constexpr std::size_t pattern_bytes = 512;
constexpr std::size_t config_bytes = 1U << 20;
// Each limits one scan for plants (sys/plants.hpp): all git files except indexes, all indexes, the
// names in these files, and the paths of all directories.
constexpr std::size_t scanned_bytes = 8U << 20;
constexpr std::size_t scanned_index_bytes = 256U << 20;
constexpr std::size_t scanned_names = 20'000;
constexpr std::size_t scanned_path_bytes = 64U << 20;
constexpr std::size_t session_bytes = 100U << 20;
constexpr std::size_t summary_characters = 1'000;
constexpr int subagent_depth = 3;
constexpr int message_depth = 8;
constexpr std::size_t agent_message_bytes = 64U << 10;
constexpr std::size_t metadata_pairs = 16;
constexpr std::size_t metadata_key_bytes = 64;
constexpr std::size_t metadata_value_bytes = 512;
constexpr std::int64_t plan_steps = 50;
constexpr std::size_t plan_step_bytes = 500;
constexpr int tasks = 16;
constexpr int task_depth = 3;
constexpr int failures_in_a_row = 5;
constexpr std::size_t status_lines = 20;
constexpr std::int64_t connect_ms = 15'000;
constexpr std::int64_t first_byte_ms = 600'000;
constexpr std::int64_t stall_ms = 120'000;
constexpr std::int64_t summary_ms = 60'000;
constexpr std::int64_t file_lock_ms = 30'000;
constexpr std::int64_t bash_default_ms = 120'000;
constexpr std::int64_t bash_most_ms = 600'000;
constexpr std::int64_t bash_grace_ms = 5'000;
constexpr std::size_t webhook_characters = 2'000;
constexpr std::int64_t webhook_answer_ms = 10'000;
constexpr std::int64_t channel_ms = 30'000;
constexpr std::int64_t timeout_grace_ms = 1'000;
constexpr std::int64_t pipe_grace_ms = 200;

}  // namespace chorus::base::limits
