/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file told_cores.h
 * Cores in words: their operations at the user's lines, and what kind of mistake each is.
 */
#ifndef VTB_TOLD_CORES_H
#define VTB_TOLD_CORES_H

#include "shown_places.h"

struct vtb_cause_teller {
	struct vtb_symtab *tab;
	const struct vtb_stem *stem;    /* operations are those of runs without it; or NULL */
	const struct vtb_exec *passing; /* a whole run that passes, or NULL */
	struct vtb_shown_places places;
};

/** The site to show for an operation, for whoever asks for a callback; `data` is a teller. */
uint32_t vtb_cause_place(const struct vtb_core_op *op, const struct vtb_exec *run, const void *data);

/** All cores, those of the same lines once. 0 or -ENOMEM; then *ret is empty. */
int vtb_cause_words(const struct vtb_cause_teller *t, const struct vtb_cores *cores, struct vtb_causes *ret);

/** What else can be said of the first cause, of this core, if there is no repair. 0 or -ENOMEM. */
int vtb_cause_unrepaired(const struct vtb_cause_teller *t, const struct vtb_core *core, struct vtb_cause *cause);

#endif /* VTB_TOLD_CORES_H */
