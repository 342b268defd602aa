/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file recover_memory.h
 * The emulated memory of the recovery: 4-byte words with a mask of known bytes, and for each word who wrote and read it
 * last, to notice accesses that no log entry orders (the happens-before test of [FASTTRACK09], with log entries for
 * synchronisation).
 */
#ifndef DECODE_RECOVER_MEMORY_H
#define DECODE_RECOVER_MEMORY_H

#include "vtb/map64.h"
#include "vtb/pt_recording.h"

/** A place in the order: the thread, and how many of its log entries it had passed. */
struct recover_stamp {
	uint32_t slot;
	uint32_t passed;
};

/** Log entries of each thread, by their index in the log. */
struct recover_order {
	uint32_t **entries; /* entries[slot][i] */
	uint32_t *n;        /* by slot */
	uint32_t n_slots;
	bool total; /* the merge is the order in which everything happened */
};

struct recover_word;
struct recover_memory {
	const struct vtb_pt_recording *rec;
	const struct recover_order *order;
	struct recover_word *words;
	size_t n_words, cap_words;
	struct vtb_map64 by_key; /* address / 4 -> index in words */
	uint32_t epoch;          /* words of an older one know nothing, unless they are read-only */
	struct vtb_map64 racy;   /* addresses of words; kept over passes */
	uint32_t *readers;       /* rows of n_slots: entries passed + 1 at the last read of each thread */
	size_t n_readers, cap_readers;
	struct recover_range {
		uint64_t lo, hi;
	} * forgotten; /* long ranges: what the recording began with is not there any more */
	size_t n_forgotten, cap_forgotten;
	bool new_racy;
	bool failed; /* without memory; results are void */
};

int recover_memory_init(struct recover_memory *m, const struct vtb_pt_recording *rec,
                        const struct recover_order *order);
/** Back to the start for another pass; racy words stay. */
void recover_memory_reset(struct recover_memory *m);
void recover_memory_fini(struct recover_memory *m);

/** Read n <= 32 bytes; bit i of the result: byte i is known. */
uint32_t recover_memory_read(struct recover_memory *m, struct recover_stamp by, uint64_t addr, unsigned n,
                             uint8_t *ret);
/** Write n <= 32 bytes, of which those in `known` are known. */
void recover_memory_write(struct recover_memory *m, struct recover_stamp by, uint64_t addr, unsigned n,
                          const uint8_t *bytes, uint32_t known);
/** The range has unknown contents now. */
void recover_memory_forget(struct recover_memory *m, struct recover_stamp by, uint64_t addr, uint64_t size);
void recover_memory_fill(struct recover_memory *m, struct recover_stamp by, uint64_t addr, uint64_t size, uint8_t byte);
/** All writable memory is unknown. */
void recover_memory_forget_all(struct recover_memory *m);

#endif /* DECODE_RECOVER_MEMORY_H */
