# How the whole project is compiled and linked: warnings as errors, sanitizers, and the fast tools where there are any.

set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
option(SLUICE_WERROR "Treat warnings as errors" OFF)
set(SLUICE_SANITIZE "" CACHE STRING "Sanitizers for everything, as -fsanitize= takes them, e.g. address,undefined")

if(SLUICE_WERROR)
  add_compile_options(-Werror)
endif()

# How long a test of a whole program may take, in seconds.
set(SLUICE_PATIENCE 120)
if(SLUICE_SANITIZE)
  set(SLUICE_PATIENCE 480)
  add_compile_options(-fsanitize=${SLUICE_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${SLUICE_SANITIZE})
endif()

find_program(SLUICE_CCACHE ccache)
if(SLUICE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${SLUICE_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${SLUICE_CCACHE})
endif()

find_program(SLUICE_MOLD mold)
if(SLUICE_MOLD)
  include(CheckLinkerFlag)
  check_linker_flag(CXX -fuse-ld=mold SLUICE_MOLD_WORKS)
  if(SLUICE_MOLD_WORKS)
    add_link_options(-fuse-ld=mold)
  endif()
endif()
