/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file target.h
 * The program under test before it is started: where it lies, what kind of file it is, and which hooks it offers. Reads
 * ELF files only (libelf, in target_elf.c); starts nothing.
 *
 * Ownership: a target owns its strings; release with vtb_target_fini(). `= {0}` is valid.
 * Errors:    -ENOENT (shell's 127), -EACCES, -ENOEXEC, -EISDIR (126), -ENOMEM. A program that can be started but not
 *            hooked is no error: see `refusal` and `advice`.
 */
#ifndef VTB_TARGET_H
#define VTB_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vtb/error.h"

/** How accesses of a program can reach our runtime. */
enum vtb_target_hooks {
	VTB_HOOKS_NONE,        /* synchronisation only */
	VTB_HOOKS_TSAN_GCC,    /* calls __tsan_*, needs libtsan.so.2: replaced when it is started */
	VTB_HOOKS_TSAN_CLANG,  /* calls __tsan_*, needs libclang_rt.tsan-x86_64.so: likewise */
	VTB_HOOKS_TSAN_STATIC, /* contains the sanitizer's runtime itself: cannot be replaced */
	VTB_HOOKS_TSAN_OTHER,  /* calls __tsan_* and needs neither: linked through our runtime or by hand */
	VTB_HOOKS_PADS,        /* built by `vtb cc` with pads */
};

/** Sanitizer runtimes that the program or one of its libraries needs, or may need: what it loads while it runs may be
 * by another compiler. */
enum { VTB_STUB_GCC = 1, VTB_STUB_CLANG = 2 };

/** Section that marks a program built with pads. */
#define VTB_PADS_SECTION "vtb_pads"

/** Option of clang's back end (12 or newer) without which reads that a write to the same place follows get no hook. */
#define VTB_CLANG_READS_OPTION "-tsan-instrument-read-before-write"

struct vtb_target {
	char *path;            /* the file found, absolute */
	char *image;           /* the ELF file that will run: `path`, or a script's interpreter; absolute */
	char *interpreter_arg; /* a script's one argument for its interpreter, or NULL */
	bool script;           /* `image` interprets `path` */
	bool elf64;            /* an x86-64 ELF file; if not, nothing below is known */
	bool dynamic;          /* has a program interpreter (ld.so) */
	bool pie;
	bool debug_info;
	bool threads;        /* it or a library of its own imports pthread_create or the like */
	bool starts;         /* it imports exec or the like */
	bool library_starts; /* and a library of its own does */
	bool loads;          /* it or a library of its own imports dlopen or the like */
	bool privileged;     /* setuid, setgid or file capabilities that would take effect */
	enum vtb_target_hooks hooks;
	uint32_t pad_sites;    /* accesses with pads, in it and in libraries of its own */
	uint32_t pads_skipped; /* places in it that `vtb cc` could not put pads to */
	uint32_t stubs;        /* VTB_STUB_* */
	bool reads_tsc;        /* its code may read the processor's clock: rdtsc or rdtscp */
	bool libstdcxx;        /* it or a library of its own needs libstdc++.so.6 */
	bool libgomp;          /* it or a library of its own needs libgomp.so.1 */
	bool lacks_openmp; /* one of them calls something of it that libvtb-omp.so has not, or loads libraries, which
	                      may */
	bool blind_reads; /* calls __tsan_*, and reads before writes may have no hook: built by clang, and no file in it
	                   * says that VTB_CLANG_READS_OPTION was given. One file that says so speaks for all: the
	                   * linker merges what they say. */
	bool blind_fields; /* calls __tsan_*, and accesses to parts of a variable on the stack may have no hook, whoever
	                    * holds its address: built by clang, which asks only whether the part's is held */
	char refusal[400]; /* why the runtime cannot work in it and what to do, one sentence; "" it can */
	char advice[400];  /* what it will not show and what to do about it, one sentence; "" nothing */
};

void vtb_target_fini(struct vtb_target *t);

/** Find `name` as a shell would (in PATH unless it has a slash, relative to `cwd` if that is not NULL) and inspect it.
 */
int vtb_target_find(const char *name, const char *cwd, struct vtb_target *ret, struct vtb_error *err);

/** Inspect the file at `path`. O(symbols of the file and of its own libraries). */
int vtb_target_inspect(const char *path, struct vtb_target *ret, struct vtb_error *err);

/** "tsan (gcc)", "none", ... for tables. */
const char *vtb_target_hooks_name(enum vtb_target_hooks hooks);
/** Are they calls that our runtime takes? */
static inline bool vtb_target_hooks_are_calls(enum vtb_target_hooks hooks)
{
	return hooks == VTB_HOOKS_TSAN_GCC || hooks == VTB_HOOKS_TSAN_CLANG || hooks == VTB_HOOKS_TSAN_OTHER;
}

/** Exit code of a command that could not start its program because of `r`: 126, 127 or 125. */
int vtb_target_exit_code(int r);

#endif /* VTB_TARGET_H */
