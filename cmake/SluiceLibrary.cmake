# The library that programs link: libsluice.so and libsluice.a, and how both are installed. Included by src/.
#
#   sluice::sluice   the shared library        find_package(sluice CONFIG REQUIRED), or pkg-config sluice
#   sluice::static   the same as an archive    pkg-config --static sluice
#
# The program is the target `sluice`; these have names of their own, and files called the same.

include(CMakePackageConfigHelpers)

# Object files by name instead of linked modules, so that the exported targets depend on nothing that is not installed.
set(objects)
foreach(module algorithms clock fingerprint memory library)
  list(APPEND objects $<TARGET_OBJECTS:sluice_${module}>)
endforeach()
add_library(sluice_shared SHARED ${objects})
add_library(sluice_static STATIC ${objects})
add_library(sluice::sluice ALIAS sluice_shared)
add_library(sluice::static ALIAS sluice_static)

foreach(library sluice_shared sluice_static)
  set_target_properties(${library} PROPERTIES OUTPUT_NAME sluice LINKER_LANGUAGE CXX)
  target_compile_features(${library} INTERFACE cxx_std_20)
  target_include_directories(${library} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                                  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()

# Until 1.0 every minor version may change what programs were compiled against.
set(soversion ${PROJECT_VERSION_MAJOR})
set(compatibility SameMajorVersion)
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(soversion 0.${PROJECT_VERSION_MINOR})
  set(compatibility SameMinorVersion)
endif()
set(exports ${PROJECT_SOURCE_DIR}/cmake/exports.map)
set_target_properties(sluice_shared PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${soversion} EXPORT_NAME sluice
                                               LINK_DEPENDS ${exports})
set_target_properties(sluice_static PROPERTIES EXPORT_NAME static)
target_link_options(sluice_shared PRIVATE -Wl,--version-script=${exports})

# Where things go. The files below find one another from where they are, so that the prefix may be moved.
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sluice)
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH SLUICE_PC_TO_PREFIX ${CMAKE_INSTALL_PREFIX}/${pkgconfig_dir} ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" SLUICE_PC_TO_PREFIX ${SLUICE_PC_TO_PREFIX})
configure_file(${PROJECT_SOURCE_DIR}/cmake/sluice.pc.in ${PROJECT_BINARY_DIR}/install/sluice.pc @ONLY)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/sluiceConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/install/sluiceConfig.cmake
                              INSTALL_DESTINATION ${config_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/install/sluiceConfigVersion.cmake COMPATIBILITY ${compatibility})

install(TARGETS sluice_shared sluice_static EXPORT sluiceTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h)
install(EXPORT sluiceTargets NAMESPACE sluice:: DESTINATION ${config_dir})
install(FILES ${PROJECT_BINARY_DIR}/install/sluiceConfig.cmake ${PROJECT_BINARY_DIR}/install/sluiceConfigVersion.cmake
        DESTINATION ${config_dir})
install(FILES ${PROJECT_BINARY_DIR}/install/sluice.pc DESTINATION ${pkgconfig_dir})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
              ${PROJECT_SOURCE_DIR}/docs/library.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
