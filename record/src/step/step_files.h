/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file step_files.h
 * The files of vtb/pt_record.h beside the packets, and the functions whose calls are logged.
 */
#ifndef VTB_STEP_FILES_H
#define VTB_STEP_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "vtb/error.h"
#include "vtb/pt_record.h"

#define STEP_HOOKS_MAX 512u

/** Addresses at which the log is written. */
struct step_hook {
	uint64_t ip;
	uint16_t function; /* enum vtb_pt_function */
	uint8_t args;
};

/** Executable mapping known so far. */
struct step_range {
	uint64_t lo, hi;
	bool own; /* no part of the system */
};

/** A file of code, as it was when it was mapped. */
struct step_build {
	char *path; /* owned */
	uint8_t id[24];
	uint32_t id_size; /* 0: it has none */
};

struct step_files {
	const char *dir;
	pid_t pid;
	int mem; /* /proc/PID/mem */
	FILE *maps, *log;
	bool failed;
	struct step_range *ranges;
	size_t n_ranges, cap_ranges;
	struct step_build *builds;
	size_t n_builds, cap_builds;
	struct step_hook hooks[STEP_HOOKS_MAX];
	size_t n_hooks;
};

int step_files_open(struct step_files *f, const char *dir, pid_t pid, struct vtb_error *err);
int step_files_close(struct step_files *f);

/** Create DIR/name with a header. NULL and errno on failure. */
FILE *step_files_create(const struct step_files *f, const char *name, const char *magic);

/** Append a snapshot of the maps, note the executable ranges and look for functions to log in files not seen yet. Also
 * vdso.bin. */
int step_files_maps(struct step_files *f);
bool step_files_known(const struct step_files *f, uint64_t ip);
/** Code of the program or of a library that lies outside the system's folders. */
bool step_files_own(const struct step_files *f, uint64_t ip);

/** Write data.bin: the data of the mapped files as it is now, and the stack above `rsp` (arguments, environment). */
int step_files_data(struct step_files *f, uint64_t rsp);

/** Note which build the file is, once. -ENOMEM. */
int step_builds_note(struct step_files *f, const char *path);
void step_builds_fini(struct step_files *f);

const struct step_hook *step_files_hook(const struct step_files *f, uint64_t ip);
void step_files_add_hook(struct step_files *f, uint64_t ip, uint16_t function, uint8_t args);

/** Bytes of the traced process; returns how many could be read. */
size_t step_files_read(const struct step_files *f, uint64_t addr, void *buf, size_t n);

#endif /* VTB_STEP_FILES_H */
