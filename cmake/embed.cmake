# chorus_embed(target symbol file): the file's text as `extern const std::string_view chorus::embedded::<symbol>`.
function(chorus_embed target symbol file)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded/${symbol}.cpp)
  get_filename_component(input ${file} ABSOLUTE)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DSYMBOL=${symbol} -DINPUT=${input} -DOUTPUT=${output}
            -P ${CMAKE_SOURCE_DIR}/cmake/embed_file.cmake
    DEPENDS ${input} ${CMAKE_SOURCE_DIR}/cmake/embed_file.cmake VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
