# Programs beside the product: benchmarks and fuzz targets.
#
#   sluice_bench(store SOURCES store_bench.cc DEPENDS sluice_stores)    store_bench, and a short run of it as a test
#   sluice_fuzz(limit DEPENDS sluice_algorithms CORPUS folder)          limit_fuzz from limit_fuzz.cc, for `make fuzz`,
#                                                                        and a test that replays the corpus

function(sluice_bench name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  find_package(benchmark REQUIRED)
  add_executable(${name}_bench ${arg_SOURCES})
  target_include_directories(${name}_bench PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name}_bench PRIVATE ${arg_DEPENDS} benchmark::benchmark benchmark::benchmark_main)
  if(SLUICE_TESTS)
    add_test(NAME bench.${name}_runs COMMAND ${name}_bench --benchmark_min_time=0.001)
  endif()
endfunction()

function(sluice_fuzz name)
  cmake_parse_arguments(arg "" "" "DEPENDS;CORPUS" ${ARGN})
  cmake_path(ABSOLUTE_PATH arg_CORPUS)
  if(SLUICE_TESTS)
    add_executable(${name}_replay ${name}_fuzz.cc replay_main.cc)
    target_link_libraries(${name}_replay PRIVATE ${arg_DEPENDS})
    add_test(NAME fuzz.${name}_replays_its_corpus COMMAND ${name}_replay ${arg_CORPUS})
  endif()
  if(NOT SLUICE_FUZZ)
    return()
  endif()
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "SLUICE_FUZZ needs clang: use the preset fuzz, or -DCMAKE_CXX_COMPILER=clang++-14")
  endif()
  add_executable(${name}_fuzz ${name}_fuzz.cc)
  target_link_libraries(${name}_fuzz PRIVATE ${arg_DEPENDS})
  target_link_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
  # Where `make fuzz` finds the folder to start from.
  file(WRITE ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${name}_fuzz.corpus "${arg_CORPUS}\n")
  if(NOT TARGET fuzz_programs)
    add_custom_target(fuzz_programs)
  endif()
  add_dependencies(fuzz_programs ${name}_fuzz)
endfunction()
