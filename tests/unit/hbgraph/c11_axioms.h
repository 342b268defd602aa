/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * c11_axioms.h: what C11 allows small programs of atomic operations to show. All is enumerated: each read reads from
 * each write, writes of a variable come in each order, and what the axioms of RC11 [REPAIRSC17] forbid is left out; not
 * by its rule against values out of thin air, which C11 lacks.
 */
#ifndef VTB_TEST_C11_AXIOMS_H
#define VTB_TEST_C11_AXIOMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { THREADS = 4, OPS = 8, VARIABLES = 3, EVENTS = OPS + VARIABLES };

struct op {
	uint32_t thread, variable;
	bool reads, writes;
	bool lock, unlock; /* of the only lock: neither reads nor writes */
	uint8_t order;
};

/* Events 0 to n - 1 are the operations, by thread; n to n + VARIABLES - 1 what main has stored before. */
struct program {
	struct op ops[OPS];
	uint32_t n, threads;
	uint32_t begin[THREADS + 1]; /* of each thread the first operation */
};

/* How much can be seen of it (what each read reads, what each variable is left at) that no interleaving shows. */
size_t beyond_interleavings(const struct program *p);
void end_axioms(void);

#endif /* VTB_TEST_C11_AXIOMS_H */
