# SPDX-License-Identifier: GPL-2.0-or-later
# docs/man as manual pages, where pandoc is: build/<preset>/man/man*, installed with the commands. The first line of a page is its licence.
find_program(VTB_PANDOC pandoc)
if(NOT VTB_PANDOC)
	return()
endif()
include(GNUInstallDirs)
file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/man/*.md)
set(rendered)
foreach(page IN LISTS pages)
	get_filename_component(name ${page} NAME_WLE) # vtb-hunt.1
	string(REGEX REPLACE ".*\\." "" section ${name})
	set(folder ${CMAKE_BINARY_DIR}/man/man${section})
	set(out ${folder}/${name})
	add_custom_command(OUTPUT ${out} DEPENDS ${page}
		COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
		COMMAND sed 1d ${page} | ${VTB_PANDOC} -s -f markdown-smart -t man -o ${out}
		COMMENT "Rendering ${name}" VERBATIM)
	list(APPEND rendered ${out})
	install(FILES ${out} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()
add_custom_target(manual ALL DEPENDS ${rendered})
add_dependencies(tools manual)
# One program under two names.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/man/man1)
file(CREATE_LINK vtb-cc.1 ${CMAKE_BINARY_DIR}/man/man1/vtb-c++.1 SYMBOLIC)
install(FILES ${CMAKE_BINARY_DIR}/man/man1/vtb-c++.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
