/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file triage.h
 * From recordings of runs that passed and failed to a verdict: which orders are met only in failing runs; does the
 * failure come again under control, from the failing recording's own order or from the orders next to it; or is it
 * gone?
 *
 * Answer:    hunt.fix.answer. Still fails: a schedule was found that fails. Fixed: none fails within the bound, which
 * was searched completely. Cannot tell: neither, or there is no failing recording. Ownership: options are borrowed; the
 * result owns everything, vtb_triage_fini(). Errors:    those of reading recordings and of vtb_hunt_run().
 */
#ifndef VTB_TRIAGE_H
#define VTB_TRIAGE_H

#include "vtb/hunt.h"
#include "vtb/hunt_report.h"

struct vtb_triage_opts {
	const char *const *dirs; /* recordings; also trace.json files */
	size_t n_dirs;
	struct vtb_hunt_opts hunt; /* argv NULL: the program of the failing recording; its candidates are set here */
	size_t candidates;         /* schedules from the failing recording to try; 0: VTB_TRIAGE_CANDIDATES */
};
#define VTB_TRIAGE_CANDIDATES 20u
#define VTB_TRIAGE_SUSPECTS 5u

struct vtb_triage_recording {
	char *dir;
	bool failing;
	enum vtb_verdict verdict;
	char *signature; /* "" passed */
	uint64_t events;
};

/** Two operations on one variable whose order tells failing from passing runs. */
struct vtb_suspect {
	char *variable, *earlier, *later; /* "0.1 reads balance at account.c:12" */
	uint64_t key;                     /* the same in every run that has this order */
	uint32_t failing, passing;        /* recordings in which they come in this order */
};

struct vtb_triage {
	struct vtb_triage_recording *recordings;
	size_t n_recordings, cap_recordings;
	uint32_t failing, passing;
	bool order_total; /* the recordings know the order of all accesses; else only that of synchronisation */
	struct vtb_suspect suspects[VTB_TRIAGE_SUSPECTS];
	size_t n_suspects;
	size_t n_candidates; /* schedules made from the failing recording */
	size_t n_aimed;      /* of these, schedules in which the operations of a suspect come in its order */
	bool same_order;     /* no order of two operations is in all failing recordings and in no passing one, though
	                        the operations are */
	char **differs;      /* what else than orders differs or matters, a sentence each; owned */
	size_t n_differs, cap_differs;
	bool hunted; /* `hunt` is there */
	struct vtb_hunt_result hunt;
};

int vtb_triage_run(const struct vtb_triage_opts *opts, struct vtb_triage *ret, struct vtb_error *err);
void vtb_triage_fini(struct vtb_triage *t);
/** How many recordings fail like number i, itself included; 0: it passed. */
size_t vtb_triage_alike(const struct vtb_triage *t, size_t i);
/** No schedule was found to be to blame, and something else was, or the orders are the same. */
bool vtb_triage_not_schedule(const struct vtb_triage *t);
/** 0 fixed, 1 still fails by a schedule, 3 cannot tell, or it does not depend on the schedule. */
int vtb_triage_exit_code(const struct vtb_triage *t);

void vtb_triage_report(const struct vtb_triage *t, const struct vtb_report_style *style, FILE *to);
void vtb_triage_report_json(const struct vtb_triage *t, FILE *to);

#endif /* VTB_TRIAGE_H */
