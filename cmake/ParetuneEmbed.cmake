# Files as string constants in the program, so that the binary needs no data directory.
#
# paretune_embed(TARGET <target> NAMESPACE <name> NAMES <constants...> FILES <paths...>)
#   Adds one generated source per file to the target; it defines `extern const std::string_view <constant>` in <name>.
# Run as a script (-P), this file writes one such source: INPUT, OUTPUT, NAMESPACE, NAME.

function(paretune_embed)
  cmake_parse_arguments(ARG "" "TARGET;NAMESPACE" "NAMES;FILES" ${ARGN})
  foreach(name file IN ZIP_LISTS ARG_NAMES ARG_FILES)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded_${name}.cpp)
    add_custom_command(OUTPUT ${output}
      COMMAND ${CMAKE_COMMAND} -DINPUT=${file} -DOUTPUT=${output} -DNAMESPACE=${ARG_NAMESPACE} -DNAME=${name}
              -P ${PROJECT_SOURCE_DIR}/cmake/ParetuneEmbed.cmake
      DEPENDS ${file} ${PROJECT_SOURCE_DIR}/cmake/ParetuneEmbed.cmake
      COMMENT "Embedding ${name}" VERBATIM)
    target_sources(${ARG_TARGET} PRIVATE ${output})
  endforeach()
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
  file(READ "${INPUT}" rest)
  string(LENGTH "${rest}" length)
  # Compilers limit the length of one literal; neighbours are joined again.
  set(chunk 8000)
  set(text "// Generated from ${NAME}.\n#include <string_view>\n\nnamespace ${NAMESPACE} {\n\n")
  string(APPEND text "extern const std::string_view ${NAME};\nconst std::string_view ${NAME}{\n")
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${rest}" ${at} ${chunk} part)
    string(APPEND text "R\"~embed~(${part})~embed~\"\n")
    math(EXPR at "${at} + ${chunk}")
  endwhile()
  string(APPEND text "\"\", ${length}};\n\n}  // namespace ${NAMESPACE}\n")
  file(WRITE "${OUTPUT}" "${text}")
endif()
