/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file pt_session.h
 * A PT recording as threads: which instructions each thread executed, in its order, and where something is missing.
 *
 * Shape:     a session has *sources* (buffers of one thread, or of one CPU) and *threads*. A source of a CPU is dealt
 * out to the threads by the context switches: a stretch of flow between two breaks of tracing belongs to the thread
 * that ran on the CPU at a time known to lie inside it; if only bounds are known, to the only thread that ran between
 * them; else to none, and every thread it could have been gets a gap. Loss in a source of a CPU is a gap in every
 * thread that ran there meanwhile. Memory:    spans (32 bytes a stretch) stay; items are decoded again where they are
 * read, a few segments at a time. Ownership: the session owns sources' bookkeeping, images and flows; buffers are
 * borrowed from what was imported, which it keeps.
 */
#ifndef VTB_PT_SESSION_H
#define VTB_PT_SESSION_H

#include "vtb/pt.h"

#define VTB_PT_NONE UINT32_MAX

/** A trace buffer. */
struct vtb_pt_source {
	const uint8_t *data; /* borrowed */
	uint64_t size;
	uint32_t cpu, tid; /* VTB_PT_NONE: any; one of them is known */
	uint32_t idx;      /* number in the recording */
	bool starts_lost;  /* what comes before is missing: ring buffer, truncation */
	uint8_t *owned;    /* joined from several parts, or NULL */
	struct vtb_pt_flow *flow;
};

/** Position of an item in its segment that does not depend on how blocks are cut: items other than BLOCK and TIME are
 * marks; the mark with m marks before it is at 2m + 1, what lies between it and the mark before at 2m. */
static inline uint32_t vtb_pt_position(uint32_t kind, uint32_t marks)
{
	return 2 * marks + (kind != VTB_PT_BLOCK && kind != VTB_PT_TIME);
}

/** The items at the positions [first, end) of a segment belong to a thread. */
struct vtb_pt_span {
	uint64_t tsc; /* time at its beginning, for the order of spans; a lower bound */
	uint32_t source, segment;
	uint32_t first, end;
	bool lost; /* the thread may have run here, but it is not certain: yields one gap VTB_PT_GAP_OWNER */
};

struct vtb_pt_thread {
	uint32_t tid;
	struct vtb_pt_span *spans; /* in the thread's order */
	size_t n_spans, cap_spans;
	uint64_t instructions;
	uint64_t gaps;
};

/** When a thread ran on a CPU: [in, out). */
struct vtb_pt_run {
	uint64_t in, out; /* time-stamp counter; UINT64_MAX: not known to have ended */
	uint32_t cpu, tid;
};

/** A place where decoding started anew. */
struct vtb_pt_sync {
	uint32_t source;
	uint64_t offset;
	uint64_t instructions; /* up to the next sync of this source */
};

struct vtb_pt_session {
	struct vtb_pt_cpu cpu;
	struct vtb_pt_image *image;
	uint32_t pid;
	struct vtb_pt_source *sources;
	size_t n_sources, cap_sources;
	struct vtb_pt_run *runs; /* by cpu, then by time */
	size_t n_runs, cap_runs;
	struct vtb_pt_thread *threads; /* by tid */
	size_t n_threads, cap_threads;
	struct vtb_pt_sync *syncs;
	size_t n_syncs, cap_syncs;
	struct vtb_pt_absent { /* files with code that are not there, or not what was recorded */
		char *path;
		uint64_t lo, hi;  /* where the file's begin would lie, and the mapping's end */
		uint8_t id[20];   /* the build that was recorded */
		uint32_t id_size; /* 0: not known */
	} * absents;
	size_t n_absents, cap_absents;
	uint64_t instructions; /* decoded in all */
	uint64_t unowned;      /* of these, given to no thread */
	uint64_t errors;       /* gaps of all sources */
	void *import;          /* what the buffers are borrowed from */
	void (*import_free)(void *);
};

struct vtb_pt_session_opts {
	unsigned jobs;     /* decoding threads; 0: 1 */
	uint32_t pid;      /* process of interest; 0: the one that was recorded first */
	const char *symfs; /* where else to look for the mapped files: symfs/path, then symfs/name; may be NULL */
	const char *vdso;  /* perf.data: file with the code of [vdso]; NULL: not at hand */
};

/** Read a perf.data file and deal its trace out to threads. Compressed files, other traces: -VTB_E_UNSUPPORTED by name;
 * no trace in it: -ENODATA. */
int vtb_pt_session_perf(const char *path, const struct vtb_pt_session_opts *opts, struct vtb_pt_session *ret,
                        struct vtb_error *err);

/** For importers: sources, runs, image and cpu are filled in; decode everything once and fill threads. */
int vtb_pt_session_deal(struct vtb_pt_session *session, unsigned jobs, struct vtb_error *err);

/** Also after an error, and for {0}. */
void vtb_pt_session_fini(struct vtb_pt_session *session);

/** The thread `tid`, made if it is new; NULL without memory. */
struct vtb_pt_thread *vtb_pt_session_thread(struct vtb_pt_session *session, uint32_t tid);

/* ------------------------------------------------------------------ reading a thread */

struct vtb_pt_reader;
int vtb_pt_reader_new(struct vtb_pt_session *session, size_t thread, unsigned jobs, struct vtb_pt_reader **ret);
void vtb_pt_reader_free(struct vtb_pt_reader *reader);
/** Next item of the thread. 1 and *ret; 0 at the end; -ENOMEM. For GAP items *ret_gap is set (borrowed until the next
 * call). */
int vtb_pt_reader_next(struct vtb_pt_reader *reader, struct vtb_pt_item *ret, const struct vtb_pt_gap **ret_gap);

#endif /* VTB_PT_SESSION_H */
