/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file kept.h  What is kept of an analysis: enough for most questions, and small enough for a file. */
#ifndef SLICE_KEPT_H
#define SLICE_KEPT_H

#include <stddef.h>
#include <stdint.h>

struct kept_site {
	uint64_t addr; /* as events tell it */
	uint32_t kinds;
	uint32_t access; /* 1: a hook or pad, 0: another call */
};

struct kept_essential {
	uint64_t addr;
	uint32_t kinds;
	char what[52];
};

struct kept {
	char doubt[64];          /* "": none */
	uint32_t blind;          /* VTB_SLICE_BLIND: memory that matters is written where nothing tells */
	struct kept_site *sites; /* by address */
	size_t n_sites, cap_sites;
	struct kept_essential *essentials; /* by address */
	size_t n_essentials, cap_essentials;
};

void kept_fini(struct kept *k);

#endif /* SLICE_KEPT_H */
