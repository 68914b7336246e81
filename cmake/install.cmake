# What goes where, from the folder `built`, in the components of Debian's packages (cmake/debian).

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cormorant)
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH prefix_from_pkgconfig /${pkgconfig_dir} /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/cormorant.pc.in cormorant.pc @ONLY)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/cormorantConfig.cmake.in cormorantConfig.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR
  NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# Before 1.0 a minor version may change the ABI.
write_basic_package_version_file(cormorantConfigVersion.cmake COMPATIBILITY SameMinorVersion)

install(FILES ${library} ${built}/${soname} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
install(FILES ${built}/libcormorant.so DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
# Without cormorant-binding, which is this tree's alone.
install(FILES ${header_dir}/cormorant.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(DIRECTORY ${header_dir}/cormorant DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
# All that the guide's links lead to, in its place beside the guide.
set(guide ${CMAKE_INSTALL_DOCDIR} CACHE STRING "Where the guide and the examples go")
install(DIRECTORY ${header_dir}/../docs DESTINATION ${guide} COMPONENT development FILES_MATCHING PATTERN "*.md"
  PATTERN "*.png" PATTERN site EXCLUDE)
install(FILES ${header_dir}/../CONTRIBUTING.md ${header_dir}/../SECURITY.md DESTINATION ${guide} COMPONENT development)
install(DIRECTORY ${header_dir}/../examples/c ${header_dir}/../examples/swift DESTINATION ${guide}/examples
  COMPONENT development PATTERN build EXCLUDE PATTERN .build EXCLUDE)
file(RELATIVE_PATH headers_from_guide /${guide} /${CMAKE_INSTALL_INCLUDEDIR})
file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/guide)
file(CREATE_LINK ${headers_from_guide} ${CMAKE_CURRENT_BINARY_DIR}/guide/include SYMBOLIC)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/guide/include DESTINATION ${guide} COMPONENT development)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/cormorant.pc DESTINATION ${pkgconfig_dir} COMPONENT development)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/cormorantConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/cormorantConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT development)
if(NOT swift_config STREQUAL debug)
  install(DIRECTORY ${built}/man3 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT development)
  install(PROGRAMS ${built}/corm DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
  install(FILES ${built}/corm.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)
  install(FILES ${built}/corm.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME corm
    COMPONENT tools)
  # Debian's zsh looks for those of packages in vendor-completions.
  set(zsh_completions ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING "Where completions of zsh go")
  install(FILES ${built}/_corm DESTINATION ${zsh_completions} COMPONENT tools)
  install(FILES ${built}/corm.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT tools)
endif()
