# SPDX-License-Identifier: BSD-2-Clause
# The runtime is built without sanitizers: it is the same in every build, and takes a quarter of the time of a sanitized one. Each time that
# this build is built, that one is asked to bring its runtime up to date first.
set(files ${libraries})
list(TRANSFORM files PREPEND ${CMAKE_BINARY_DIR}/)
set(copies)
foreach(library IN LISTS libraries)
	list(APPEND copies COMMAND ${CMAKE_COMMAND} -E copy_if_different ${VTB_RUNTIME_BUILD}/${library} ${CMAKE_BINARY_DIR}/${library})
endforeach()
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/lib/vtb)
add_custom_target(runtime_taken COMMAND ${CMAKE_COMMAND} --build ${VTB_RUNTIME_BUILD} --target runtime ${copies}
	BYPRODUCTS ${files} COMMENT "Taking the runtime of ${VTB_RUNTIME_BUILD}" VERBATIM USES_TERMINAL)
foreach(target file IN ZIP_LISTS targets files)
	add_library(${target} SHARED IMPORTED GLOBAL)
	set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${file})
	add_dependencies(${target} runtime_taken)
endforeach()
