// Prints docs/settings.md.
#include <cstdio>

#include "config/help.h"

int main() { return std::fputs(sluice::config::settings_page().c_str(), stdout) < 0 ? 1 : 0; }
