/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What one ELF file says about itself. */
#ifndef VTB_TARGET_ELF_H
#define VTB_TARGET_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VTB_NEEDED_LIMIT 256u /* libraries followed for one program */

struct elf_facts {
	bool elf;         /* an ELF file at all */
	bool elf64;       /* 64 bit, x86-64, little-endian, executable or shared object */
	int bits;         /* 32, 64 */
	bool interpreter; /* PT_INTERP */
	bool dynamic;     /* PT_DYNAMIC */
	bool pie;         /* ET_DYN */
	bool debug_info;
	bool reads_tsc; /* rdtsc or rdtscp in its code (clock_bytes.h) */
	bool pads;      /* has a table of sites */
	uint32_t pad_sites, pads_skipped;
	bool imports_tsan; /* __tsan_init is undefined in the dynamic symbols */
	bool defines_tsan; /* __tsan_init is defined here, in either symbol table */
	bool imports_threads;
	bool other_sanitizer; /* for addresses or uninitialised memory: it looks after all of memory itself */
	bool imports_starts;  /* exec and the like */
	bool imports_loads;   /* dlopen and dlmopen */
	bool lacks_openmp;    /* it calls something of libgomp's that libvtb-omp.so has not */
	bool by_clang;        /* some of it */
	bool hooks_reads;     /* its command line was recorded, and has VTB_CLANG_READS_OPTION */
	char *soname;         /* or NULL */
	char *rpath;          /* DT_RPATH, or DT_RUNPATH if there is one; or NULL */
	char **needed;        /* n_needed strings */
	size_t n_needed, cap_needed;
};

void vtb_elf_facts_fini(struct elf_facts *f);
/** 0, also for a file that is no ELF file (then .elf is false); negative errno if it cannot be read. */
int vtb_elf_facts_read(const char *path, struct elf_facts *ret);

#endif /* VTB_TARGET_ELF_H */
