/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A controlled run on its way to a struct vtb_exec (ingest_exec.c), and who can go on in it (ingest_ready.c). */
#ifndef VTB_INGEST_FOLD_H
#define VTB_INGEST_FOLD_H

#include "ingest_private.h"
#include "vtb/exec_stem.h"

struct fold {
	struct vtb_ingest *in;
	struct vtb_exec *x;
	uint32_t thread;        /* whose records these are */
	uint8_t deviation;      /* of the next event: enum vtb_deviation_kind, 0 none */
	uint16_t place;         /* WAITER: which one */
	uint64_t *now;          /* who is enabled; x->stride words */
	uint64_t *waiting;      /* who has an open entry in x->waits; x->stride words */
	uint32_t again;         /* who tries again although nothing has changed, or VTB_NONE */
	size_t vain_from;       /* events from here on are of such threads; or SIZE_MAX */
	uint32_t records;       /* read so far, to see now and then whether to leave off */
	struct vtb_map64 early; /* slot -> blocked, for threads whose THREAD_CREATE is still to come */
	uint32_t fail_site;
	const struct vtb_stem *stem;  /* the run is in it, and it is to be left out; NULL else */
	uint32_t stem_told, stem_out; /* operations of it so far */
	bool stray;                   /* it is not the stem that it should be */
};

int ingest_set_enabled(struct fold *f, uint32_t thread, bool on);
/* The thread of a slot; VTB_NONE for one that is being created. */
int64_t ingest_thread_or_none(const struct fold *f, uint64_t slot);
/* A BLOCK or UNBLOCK record: of the slot in value and of others behind it, or of the thread whose records these are. */
int ingest_block(struct fold *f, const struct vtb_raw_record *rec);

/* May the compare-exchange, which has succeeded, fail for no reason? */
static inline bool ingest_is_weak(const struct vtb_raw_record *rec)
{
	return rec->kind == VTB_E_ATOMIC_RMW && rec->arg == 1 && rec->size_log2 <= CLASS_SIZE_MAX;
}

/* ---- ingest_stem.c */
/* A record in the stem. 1: it is left out; 0: it is not; or an error. */
int ingest_in_stem(struct fold *f, const struct vtb_raw_record *rec);

#endif /* VTB_INGEST_FOLD_H */
