#include <clocale>

#include "cli/command.h"

int main(int argc, char** argv) {
  // Only for how characters are written; numbers keep their point in every locale.
  std::setlocale(LC_CTYPE, "");
  return sluice::cli::run(argc, argv);
}
