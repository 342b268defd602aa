/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file keeper.h
 * Runs that outlive the process that made them. Programs under control do the same after the same choices, so a run
 * is known by its schedule and the manner in which it was made: whoever asks for one that a file has
 * (docs/format/state.md) gets it from there, and what has to be made is added to the file. A search that begins anew
 * with the same options asks for the same runs, and so comes to where it was without running the program.
 *
 *     search --schedule--> keeper --in the file--> its execution
 *                            '----not there----> runner, and then to the file
 *
 * What is checked: of the answers that can be compared (told whole, every access a choice) the 1st, 2nd, 4th, 8th ...
 * are run again; one that comes out otherwise ends it all.
 *
 * Ownership: the runner and the callbacks' data are borrowed; the runner must outlive its keeper.
 * Errors:    of opening: -EBUSY, -ESTALE, -VTB_E_FORMAT, _VERSION, _LIMIT. Of running: those of the runner; -ESTALE:
 *            the program is not what it was; -VTB_E_FORMAT. That the file cannot be added to is no error: see trouble.
 */
#ifndef VTB_KEEPER_H
#define VTB_KEEPER_H

#include "vtb/runner.h"

/** What was known at some moment of a hunt. */
struct vtb_kept_facts {
	double seconds;         /* that it had taken */
	uint32_t uncontrolled;  /* VTB_UNC_* of all runs so far */
	uint64_t cross_checked; /* runs that were repeated on another engine */
};

struct vtb_kept_opts {
	const char *path;   /* of the file, made if it is not there */
	uint64_t identity;  /* of program and manner: a file of another one is refused */
	uint64_t max_bytes; /* that the file may come to; 0: no limit */
	/** What is known now; written with what is added. */
	void (*now)(void *data, struct vtb_kept_facts *ret);
	/** An answer was given that was made when so much was known. */
	void (*then)(void *data, const struct vtb_kept_facts *facts);
	void *data;
};

struct vtb_kept;

int vtb_kept_open(const struct vtb_kept_opts *opts, struct vtb_kept **ret, struct vtb_error *err);
/** Stand before the runner, which has no keeper. */
void vtb_kept_begin(struct vtb_kept *kept, struct vtb_runner *runner);
/** Write what is not written yet; the runner, which may be gone, is not touched. */
void vtb_kept_end(struct vtb_kept *kept);
/** Also for NULL. */
void vtb_kept_free(struct vtb_kept *kept);

struct vtb_kept_stats {
	uint64_t found;      /* runs in the file when it was opened */
	uint64_t cut;        /* bytes behind the last whole block of it, which are gone */
	uint64_t answered;   /* runs that were not made */
	uint64_t made_again; /* of those, to see whether they come out so */
	uint64_t added;
	uint64_t bytes;             /* of the file */
	bool full;                  /* it is as large as it may be; what came then is not in it */
	const char *trouble;        /* why nothing is added any more; NULL: nothing is wrong */
	struct vtb_kept_facts last; /* of the last block found */
};
void vtb_kept_stats(const struct vtb_kept *kept, struct vtb_kept_stats *ret);

#endif /* VTB_KEEPER_H */
