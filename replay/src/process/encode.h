/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A schedule in the runtime's form (struct vtb_wire_schedule). */
#ifndef VTB_ENCODE_H
#define VTB_ENCODE_H

#include "vtb/schedule.h"
#include "vtb/exec_stem.h"
#include "vtb/wire.h"

#define VTB_ENCODED_MAX (256u << 20)

struct vtb_encode_opts {
	uint32_t flags; /* VTB_SCHED_* */
	uint64_t max_points, max_cpu_msec;
	const struct vtb_stem *stem; /* operations of the schedule are those of runs without it; NULL: of whole ones */
};

/**
 * Encode `s`, whose ids are those of `tab`, into a fresh buffer of *ret_size bytes. Threads become creation paths,
 * parents first. Operations go by index, or, with index VTB_OP_BY_SITE, by the runtime addresses of all sites of `tab`
 * at the function and line of name.site. -EINVAL: an id that is not in the table; -VTB_E_LIMIT; -ENOMEM. O(schedule +
 * sites).
 */
int vtb_encode_schedule(const struct vtb_schedule *s, const struct vtb_symtab *tab, const struct vtb_encode_opts *opts,
                        void **ret, size_t *ret_size);

/** The addresses that an encoded schedule names operations by, and how many they are. O(1). */
uint64_t *vtb_encoded_pcs(void *encoded, size_t *ret_n);

/** A schedule as vtb_encode_schedule() has it, as `*ret_size` bytes at `to`, where there is room for a header, if the
 * schedule is no more than a policy and a seed. False: it is more. O(1). */
bool vtb_encode_plain(const struct vtb_schedule *s, const struct vtb_encode_opts *opts, void *to, size_t *ret_size);

#endif /* VTB_ENCODE_H */
