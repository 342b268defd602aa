/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file doctor.h
 * What this machine and a program allow, and which tier, carrier and engine a hunt would use, and why.
 *
 * Shape:     one row per fact, in groups; every fact was tried out, not read off a version number.
 * Side effects: with a program, it is started up to its main function, not into it. Everything tried on the machine is
 * undone. Ownership: the result owns its strings; vtb_doctor_fini().
 */
#ifndef VTB_DOCTOR_H
#define VTB_DOCTOR_H

#include <stdbool.h>
#include <stdio.h>

#include "vtb/error.h"
#include "vtb/hunt_report.h"

enum vtb_doctor_group { VTB_DOCTOR_MACHINE, VTB_DOCTOR_VTB, VTB_DOCTOR_PROGRAM, VTB_DOCTOR_GROUPS };
enum vtb_doctor_state { VTB_DOCTOR_YES, VTB_DOCTOR_NO, VTB_DOCTOR_INFO };

struct vtb_doctor_row {
	enum vtb_doctor_group group;
	enum vtb_doctor_state state;
	const char *key;  /* JSON name, static: "syscall_user_dispatch" */
	const char *name; /* for people, static */
	const char *use;  /* what it is good for, static; "" */
	char detail[400]; /* what was found: "4", "perf_event_paranoid is 3", ...; "" nothing to add */
};
#define VTB_DOCTOR_ROWS_MAX 40u

/** What a hunt would choose. */
struct vtb_doctor_choice {
	const char *what; /* "tier", "carrier", "engine" */
	char name[24];    /* "tsan" */
	char why[400];
};

struct vtb_doctor {
	struct vtb_doctor_row rows[VTB_DOCTOR_ROWS_MAX];
	size_t n_rows;
	struct vtb_doctor_choice choices[8];
	size_t n_choices;
	char *program;    /* path found; owned, NULL: no program was given */
	bool ready;       /* a hunt would control something */
	char advice[600]; /* what to do, "" nothing */
};

/** `program` as a shell finds it, or NULL. -ENOENT, -EACCES ...: there is no such program. */
int vtb_doctor_run(const char *program, struct vtb_doctor *ret, struct vtb_error *err);
void vtb_doctor_fini(struct vtb_doctor *d);
/** 0 a hunt would work, 3 it would not. */
int vtb_doctor_exit_code(const struct vtb_doctor *d);

void vtb_doctor_report(const struct vtb_doctor *d, const struct vtb_report_style *style, FILE *to);
void vtb_doctor_report_json(const struct vtb_doctor *d, FILE *to);

/** The table of primitives and how each is modelled, generated with the runtime; 0 rows: this build has none. */
size_t vtb_doctor_primitive_count(void);
void vtb_doctor_primitives(const struct vtb_report_style *style, FILE *to);
void vtb_doctor_primitives_json(FILE *to);

#endif /* VTB_DOCTOR_H */
