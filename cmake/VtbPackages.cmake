# SPDX-License-Identifier: GPL-2.0-or-later
# Every third-party library, each as one imported target pkg::NAME. script/bootstrap installs them.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

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
