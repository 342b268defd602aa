# SPDX-License-Identifier: GPL-2.0-or-later
# Every third-party library, each as one imported target pkg::NAME. script/bootstrap installs them.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

# The distribution's, for which script/bootstrap installs modules. What is first in PATH may be a version manager's script, which takes
# a fifth of a second to start; a thousand tests begin with it.
if(NOT Python3_EXECUTABLE AND EXISTS /usr/bin/python3)
	set(Python3_EXECUTABLE /usr/bin/python3 CACHE FILEPATH "Runs the tests, and writes completions")
endif()

function(vtb_package name)
	pkg_check_modules(${name} REQUIRED IMPORTED_TARGET ${ARGN})
	add_library(pkg::${name} ALIAS PkgConfig::${name})
endfunction()

vtb_package(jansson jansson>=2.13)
vtb_package(zstd libzstd)
vtb_package(xxhash libxxhash)
vtb_package(dw libdw)
vtb_package(elf libelf)
vtb_package(capstone capstone)
vtb_package(igraph igraph)
vtb_package(cmocka cmocka)

# No pkg-config file in Debian.
function(vtb_plain_library name header library)
	find_path(${name}_INCLUDE ${header} REQUIRED)
	find_library(${name}_LIBRARY ${library} REQUIRED)
	add_library(pkg::${name} UNKNOWN IMPORTED)
	set_target_properties(pkg::${name} PROPERTIES IMPORTED_LOCATION ${${name}_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${${name}_INCLUDE})
endfunction()

vtb_plain_library(cadical ccadical.h cadical)
set_property(TARGET pkg::cadical PROPERTY INTERFACE_LINK_LIBRARIES stdc++ m) # a static library of C++

if(VTB_PT)
	vtb_plain_library(ipt intel-pt.h ipt)
endif()
