# How every folder of src/ is built: an object library from SOURCES, and one test program from TESTS.
#
#   sluice_module(algorithms SOURCES limit.cc rate.cc DEPENDS ... TESTS limit_test.cc TEST_DEPENDS ...)
#
# Include paths start at src/ and include/, so that an #include says which folder it reaches into.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# What libsluice.so shows is annotated: see include/sluice/export.h.
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

add_library(sluice_options INTERFACE)
target_include_directories(sluice_options INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_compile_options(sluice_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)

# Small structures are written in parts and then copied. Joined into vectors, the copies wait for the parts to reach
# memory: a fifth of the time of a decision, measured with g++ 12.
target_compile_options(sluice_options INTERFACE -fno-tree-slp-vectorize)

function(sluice_module name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS;TESTS;TEST_DEPENDS" ${ARGN})
  set(target sluice_${name})
  if(arg_SOURCES)
    add_library(${target} OBJECT ${arg_SOURCES})
    target_link_libraries(${target} PUBLIC sluice_options ${arg_DEPENDS})
    # Object libraries hand their objects only to direct dependents; this hands them on.
    target_sources(${target} INTERFACE $<TARGET_OBJECTS:${target}>)
  else()
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE sluice_options ${arg_DEPENDS})
  endif()
  if(SLUICE_TESTS AND arg_TESTS)
    add_executable(${name}_tests ${arg_TESTS})
    # What tests do themselves is little; what they test is optimized.
    target_compile_options(${name}_tests PRIVATE -O1)
    target_link_libraries(${name}_tests PRIVATE ${target} GTest::gmock GTest::gtest_main ${arg_TEST_DEPENDS})
    include(GoogleTest)
    gtest_discover_tests(${name}_tests DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300)
  endif()
endfunction()
