/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file raw_record.h  One record of an event stream (vtb/wire.h), taken apart. */
#ifndef VTB_RAW_RECORD_H
#define VTB_RAW_RECORD_H

#include "vtb/wire.h"

struct vtb_raw_record {
	uint64_t addr, pc;
	uint64_t value, arg, stamp; /* 0 unless flagged */
	const uint64_t *stack;      /* innermost first, borrowed from the stream */
	uint8_t n_stack;
	uint8_t kind, flags, order, size_log2, result;
};

/* Words of value, arg and stamp. */
static inline size_t vtb_raw_record_words(uint32_t flags)
{
	return (flags & VTB_REC_VALUE) + (flags / VTB_REC_ARG & 1) + (flags / VTB_REC_STAMP & 1);
}

/** Read the record at `words` of which `n` are there. Returns its words, or 0 if it runs past the end or its extra
 * words do not fit its flags. The kind is not checked. */
static inline size_t vtb_raw_record_read(const uint64_t *words, size_t n, struct vtb_raw_record *ret)
{
	size_t at = 2, words_all;

	if (n < 2)
		return 0;
	words_all = 2 + (words[0] >> 4 & 15);
	ret->flags = words[0] & 15;
	if (words_all > n || words_all < at + vtb_raw_record_words(ret->flags))
		return 0;
	ret->addr = words[0] >> 16;
	ret->kind = (uint8_t)(words[0] >> 8);
	ret->pc = words[1] >> 16;
	ret->order = words[1] >> 12 & 15;
	ret->size_log2 = words[1] >> 8 & 15;
	ret->result = (uint8_t)words[1];
	if (ret->flags <= VTB_REC_VALUE) { /* most */
		ret->value = ret->flags ? words[2] : 0;
		ret->arg = ret->stamp = 0;
		ret->n_stack = 0;
		ret->stack = words + words_all;
		return words_all == at + ret->flags ? words_all : 0;
	}
	ret->value = ret->flags & VTB_REC_VALUE ? words[at++] : 0;
	ret->arg = ret->flags & VTB_REC_ARG ? words[at++] : 0;
	ret->stamp = ret->flags & VTB_REC_STAMP ? words[at++] : 0;
	ret->stack = words + at;
	ret->n_stack = ret->flags & VTB_REC_STACK ? (uint8_t)(words_all - at) : 0;
	if (!(ret->flags & VTB_REC_STACK) && at != words_all)
		return 0;
	return words_all;
}

#endif /* VTB_RAW_RECORD_H */
