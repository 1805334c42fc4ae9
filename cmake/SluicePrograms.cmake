# Programs beside the product: benchmarks and fuzz targets.
#
#   sluice_bench(store SOURCES store_bench.cc DEPENDS sluice_stores)    store_bench, and a short run of it as a test
#   sluice_fuzz(limit SOURCES limit_fuzz.cc DEPENDS sluice_algorithms)  limit_fuzz, for `make fuzz`

function(sluice_bench name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  find_package(benchmark REQUIRED)
  add_executable(${name}_bench ${arg_SOURCES})
  target_link_libraries(${name}_bench PRIVATE ${arg_DEPENDS} benchmark::benchmark benchmark::benchmark_main)
  if(SLUICE_TESTS)
    add_test(NAME bench.${name}_runs COMMAND ${name}_bench --benchmark_min_time=0.001)
  endif()
endfunction()

function(sluice_fuzz name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name}_fuzz ${arg_SOURCES})
  target_link_libraries(${name}_fuzz PRIVATE ${arg_DEPENDS})
  target_link_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
endfunction()
