# Compiler settings shared by every target of the project.
include(GNUInstallDirs)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})

find_program(PARETUNE_CCACHE ccache)
if(PARETUNE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${PARETUNE_CCACHE})
endif()

add_library(paretune_warnings INTERFACE)
target_compile_options(paretune_warnings INTERFACE
  -Wall -Wextra -Wno-missing-field-initializers -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Wold-style-cast
  # GCC 12 sees overlapping copies in std::string that are not there (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  # What GCC 12 reports after inlining depends on the optimiser and is often wrong for std::string and std::optional:
  # shown, but no reason to stop a build.
  $<$<AND:$<BOOL:${PARETUNE_WARNINGS_AS_ERRORS}>,$<CXX_COMPILER_ID:GNU>>:-Wno-error=array-bounds
    -Wno-error=maybe-uninitialized -Wno-error=stringop-overflow -Wno-error=stringop-overread -Wno-error=free-nonheap-object>
  $<$<BOOL:${PARETUNE_WARNINGS_AS_ERRORS}>:-Werror>)

if(PARETUNE_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(PARETUNE_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
elseif(PARETUNE_SANITIZE)
  message(FATAL_ERROR "PARETUNE_SANITIZE is '${PARETUNE_SANITIZE}': use address, thread or leave it empty")
endif()
