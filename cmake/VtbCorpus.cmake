# SPDX-License-Identifier: GPL-2.0-or-later
# Programs under test: built by the compilers their users would use, without our warning and sanitizer flags, whatever
# compiler and preset the tools themselves are built with.
#
# vtb_corpus(DIR OUTPUT_NAME [VARIANTS tsan-gcc tsan-clang pads-gcc pads-clang plain] [FILES prog.c prog.cc] [ONLY OUTPUT_NAME/<name>/<variant> ...])
#   For every DIR/<name>/<file> with a file name in FILES: <build>/OUTPUT_NAME/<name>/<variant>. A file other than prog.*
#   gets its stem in the path: <build>/OUTPUT_NAME/<name>/<stem>/<variant>. Variants whose compiler is missing are left out.
#   A program's directory may hold `flags` (one line, added to every build of it).
#   Sets <OUTPUT_NAME>_names in the caller: what was found, as "<name>" or "<name>/<stem>".
include_guard(DIRECTORY)
find_program(VTB_GCC NAMES gcc)
find_program(VTB_GXX NAMES g++)
find_program(VTB_CLANG NAMES clang clang-14)
find_program(VTB_CLANGXX NAMES clang++ clang++-14)

set(VTB_CORPUS_FLAGS -g -O1)
set(VTB_CORPUS_FLAGS_tsan-gcc -fsanitize=thread)
# clang gives no hook to a read that a write to the same place follows, unless told to (as `vtb cc --hooks=tsan` does).
set(VTB_CORPUS_FLAGS_tsan-clang -fsanitize=thread -shared-libsan -frecord-command-line -Xclang -mllvm -Xclang -tsan-instrument-read-before-write)
set(VTB_CORPUS_FLAGS_plain)
set(VTB_CORPUS_CC_tsan-gcc ${VTB_GCC})
set(VTB_CORPUS_CC_tsan-clang ${VTB_CLANG})
set(VTB_CORPUS_CC_plain ${VTB_GCC})
set(VTB_CORPUS_CXX_tsan-gcc ${VTB_GXX})
set(VTB_CORPUS_CXX_tsan-clang ${VTB_CLANGXX})
set(VTB_CORPUS_CXX_plain ${VTB_GXX})
# Pads go in by our own wrapper, for all else the same compilers.
set(VTB_CORPUS_FLAGS_pads-gcc)
set(VTB_CORPUS_FLAGS_pads-clang)
set(VTB_CORPUS_CC_pads-gcc ${VTB_GCC})
set(VTB_CORPUS_CC_pads-clang ${VTB_CLANG})
set(VTB_CORPUS_CXX_pads-gcc ${VTB_GXX})
set(VTB_CORPUS_CXX_pads-clang ${VTB_CLANGXX})

# One program in one variant; appends the file to <outputs> of the caller.
function(vtb_corpus_program source output variant outputs)
	if(source MATCHES "\\.cc$")
		set(compiler ${VTB_CORPUS_CXX_${variant}})
		set(standard -std=c++20)
	else()
		set(compiler ${VTB_CORPUS_CC_${variant}})
		set(standard -std=gnu11)
	endif()
	if(NOT compiler)
		return()
	endif()
	set(wrapper)
	set(wrapper_files)
	if(variant MATCHES "^pads-")
		set(wrapper $<TARGET_FILE:vtb-cc>) # built first; built again are programs only when what writes the pads has changed
		file(GLOB wrapper_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/record/src/pads/asm_*.c)
	endif()
	get_filename_component(source_dir ${source} DIRECTORY)
	get_filename_component(output_dir ${output} DIRECTORY)
	set(own_flags)
	if(EXISTS ${source_dir}/flags)
		file(STRINGS ${source_dir}/flags own_flags LIMIT_COUNT 1)
		separate_arguments(own_flags)
		set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source_dir}/flags)
	endif()
	file(MAKE_DIRECTORY ${output_dir})
	file(RELATIVE_PATH shown ${PROJECT_SOURCE_DIR} ${source})
	# An assertion names the file as `prog.c` wherever the tree lies: how a report wraps does not depend on where it was built.
	add_custom_command(OUTPUT ${output}
		COMMAND ${wrapper} ${compiler} ${standard} -fmacro-prefix-map=${source_dir}/= ${VTB_CORPUS_FLAGS} ${VTB_CORPUS_FLAGS_${variant}} -o ${output} ${source} -pthread ${own_flags}
		DEPENDS ${source} ${wrapper_files}
		COMMENT "Building ${shown} (${variant})"
		VERBATIM)
	set(${outputs} ${${outputs}} ${output} PARENT_SCOPE)
endfunction()

function(vtb_corpus dir output_name)
	cmake_parse_arguments(A "" "" "VARIANTS;FILES;ONLY" ${ARGN})
	if(NOT A_VARIANTS)
		set(A_VARIANTS tsan-gcc tsan-clang plain)
	endif()
	if(NOT A_FILES)
		set(A_FILES prog.c prog.cc)
	endif()
	set(names)
	set(built)
	foreach(file IN LISTS A_FILES)
		file(GLOB sources CONFIGURE_DEPENDS ${dir}/*/${file})
		get_filename_component(stem ${file} NAME_WE)
		foreach(source IN LISTS sources)
			get_filename_component(name ${source} DIRECTORY)
			get_filename_component(name ${name} NAME)
			if(NOT stem STREQUAL prog)
				string(APPEND name /${stem})
			endif()
			list(APPEND names ${name})
			foreach(variant IN LISTS A_VARIANTS)
				if(A_ONLY AND NOT ${output_name}/${name}/${variant} IN_LIST A_ONLY)
					continue()
				endif()
				vtb_corpus_program(${source} ${CMAKE_BINARY_DIR}/${output_name}/${name}/${variant} ${variant} built)
			endforeach()
		endforeach()
	endforeach()
	list(SORT names)
	add_custom_target(${output_name} ALL DEPENDS ${built})
	add_dependencies(${output_name} vtb-as)
	set(${output_name}_names ${names} PARENT_SCOPE)
endfunction()
