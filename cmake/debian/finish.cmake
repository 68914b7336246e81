# What a Debian package wants of what was staged for it, before it is built; CPack runs it.
cmake_policy(SET CMP0009 NEW)
file(GLOB_RECURSE documents ${CPACK_TEMPORARY_DIRECTORY}/*/changelog ${CPACK_TEMPORARY_DIRECTORY}/*/changelog.Debian
  ${CPACK_TEMPORARY_DIRECTORY}/*.1 ${CPACK_TEMPORARY_DIRECTORY}/*.3)
foreach(document ${documents})
  execute_process(COMMAND gzip --best --no-name ${document} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
# The wheel's SQLite is none of theirs.
file(GLOB commands ${CPACK_TEMPORARY_DIRECTORY}/*/usr/bin/corm)
foreach(command ${commands})
  file(RPATH_REMOVE FILE ${command})
endforeach()
# No shell runs it: bash reads it.
file(GLOB completions ${CPACK_TEMPORARY_DIRECTORY}/*/usr/share/bash-completion/completions/corm)
foreach(completion ${completions})
  file(READ ${completion} text)
  string(REGEX REPLACE "^#![^\n]*\n" "" text "${text}")
  file(WRITE ${completion} "${text}")
endforeach()
# As policy wants it, whatever the umask was.
file(GLOB_RECURSE staged LIST_DIRECTORIES ON ${CPACK_TEMPORARY_DIRECTORY}/*)
foreach(path ${staged})
  if(IS_DIRECTORY ${path} OR path MATCHES "/usr/bin/")
    file(CHMOD ${path} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  elseif(NOT IS_SYMLINK ${path})
    file(CHMOD ${path} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  endif()
endforeach()
