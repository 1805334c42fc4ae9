// What the program can do. A command is one file that defines its Setup, and one row in commands.cc.
#pragma once

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace sluice::cli {

inline constexpr int kSuccess = 0;
inline constexpr int kFailed = 1;
inline constexpr int kBadUsage = 2;

// What to do once the options are read. Answers with the exit code.
using Action = std::function<int()>;

// Declares a command's options on `app`, which outlives the action.
using Setup = Action(CLI::App& app);

Setup check_command;
Setup rules_command;
Setup serve_command;
Setup simulate_command;
Setup version_command;
Setup violations_command;

int print_version();

// The program as it was called, e.g. build/release/bin/sluice. Set by run().
const std::string& program();

// Reads the command line and runs the command it names.
int run(int argc, const char* const* argv);

}  // namespace sluice::cli
