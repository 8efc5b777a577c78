#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string_view>

#include "paretune/cli/app.hpp"

namespace paretune::cli {
namespace {

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

int terminal_width() {
  if (const char* columns = std::getenv("COLUMNS")) {
    const int width = std::atoi(columns);
    if (width >= 40) return width;
  }
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40) return size.ws_col;
  return 100;
}

}  // namespace

Io standard_io() {
  Io io{std::cout, std::cerr};
  io.out_tty = isatty(STDOUT_FILENO) == 1;
  io.err_tty = isatty(STDERR_FILENO) == 1;
  const char* term = std::getenv("TERM");
  const bool dumb = term != nullptr && std::string_view(term) == "dumb";
  io.color = io.out_tty && !dumb && !is_set("NO_COLOR");
  io.err_tty = io.err_tty && !dumb;
  io.width = terminal_width();
  return io;
}

}  // namespace paretune::cli
