// The Lua script that decides in Redis: the .lua files of this folder, joined when the project is configured.
#pragma once

#include <string_view>

namespace sluice::redis_store {

// For SCRIPT LOAD and EVAL.
std::string_view script_text();
// For EVALSHA: 40 hexadecimal digits. NOSCRIPT is Redis's answer if it does not have the script.
std::string_view script_sha1();

}  // namespace sluice::redis_store
