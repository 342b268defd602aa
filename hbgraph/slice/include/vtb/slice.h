/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file slice.h
 * Which places of a compiled program can matter to a failure: the static backward slice of its essential statements.
 *
 *     ELF file ──► instructions, flow, values ──► dependences ──► backward closure ──► does this place matter?
 *
 * Shape:     a place is asked about by its address as events tell it (struct vtb_site.offset: the address in the
 *            module's symbol table): the return address of the hook's call, the address behind a pad, or an
 *            instruction. The answer is a set of VTB_SLICE_*: the kinds of essential statement that the place can
 *            influence. A place that matters to no kind that is asked about may be executed at any other moment, and
 *            no such statement is reached, or decides, in another way.
 * Errs:      on the side of mattering. What is not understood (no symbols, other contexts, a shared library, code
 *            that cannot be decoded, too large) makes all places of the file matter; vtb_slice_doubt() says why.
 * Assumes:   an address computed from that of an object stays within it; calls keep the registers that the psABI says
 * they keep; loops end (termination-insensitive). Ownership: the slice owns all texts. Errors:    what is no x86-64 ELF
 * file is -ENOEXEC; -ENOMEM. Lack of knowledge is no error. Threads:   no locking. Source:    docs/algorithms.md,
 * "Static slices" [AGA14, PDG87].
 */
#ifndef VTB_SLICE_H
#define VTB_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vtb/error.h"

/** Kinds of essential statement; a place has the set of those that it can influence. */
enum {
	VTB_SLICE_FAILS = 1 << 0,  /* reports a failure, or ends the process: __assert_fail, abort, exit, main's return;
	                              and what may do either, as nothing is known of it */
	VTB_SLICE_FAULTS = 1 << 1, /* an access whose address is not known to be mapped; free() */
	VTB_SLICE_LOCKS = 1 << 2,  /* takes or waits for a synchronisation object, for deadlocks */
	VTB_SLICE_OUTPUT = 1 << 3, /* writes output, for --expect-output */
	VTB_SLICE_NAMED = 1 << 4,  /* a call of a function of --check-function, and what it is given */
	VTB_SLICE_UNTOLD = 1 << 5, /* no kind, but said of places that matter: what it writes is read, or what it reads
	                              is written, by code without hooks, so that runs do not show by whom */
	VTB_SLICE_BLIND = 1 << 6,  /* likewise: code without hooks writes memory that matters, here or elsewhere */
	VTB_SLICE_ALONE = 1 << 7,  /* nor this: no access of another thread can be in conflict with the place's, so that
	                              the  order of it and others is none */
	VTB_SLICE_ALL = VTB_SLICE_FAILS | VTB_SLICE_FAULTS | VTB_SLICE_LOCKS | VTB_SLICE_OUTPUT | VTB_SLICE_NAMED,
};

struct vtb_slice_opts {
	const char *check_functions; /* vtb/name_list.h; NULL: none */
	const char *cache;           /* directory; NULL: $XDG_CACHE_HOME/vtb, ~/.cache/vtb; "": no cache */
};

struct vtb_slice;

/** Analyse the file at `path`, or take what an earlier call left in the cache (by build-id, options and version; what
 * is damaged there is computed again). Seconds for a file of megabytes; milliseconds from the cache. opts may be NULL.
 */
int vtb_slice_open(const char *path, const struct vtb_slice_opts *opts, struct vtb_slice **ret, struct vtb_error *err);
void vtb_slice_free(struct vtb_slice *s); /* accepts NULL */

/** Which kinds the place at `addr` can influence; VTB_SLICE_ALL for an address that is not known. O(log places). */
uint32_t vtb_slice_matters(const struct vtb_slice *s, uint64_t addr);

/** Let the place at `addr`, or the essential statement there, and all that it depends on, matter to `kinds` from now
 * on: what a run has shown (an access to an object that a place of the slice reads, a loop that did not end).
 * *ret_added, which may be NULL: accesses that matter to `kinds` now and did not before. 0, or -ENOENT: there is no
 * such place. The cache is left as it is. */
int vtb_slice_add(struct vtb_slice *s, uint64_t addr, uint32_t kinds, size_t *ret_added);

/** Bytes of code that vtb_slice_open() would analyse. 0: it is no program, or cannot be read. O(sections). */
uint64_t vtb_slice_code(const char *path);

/** Has the file a function of that name, its own or another module's? One that was inlined everywhere is none.
 * O(symbols).
 */
bool vtb_slice_has_function(const char *path, const char *item, size_t length);

/** Why all places of the file matter: "it uses vfork"; NULL: they do not. */
const char *vtb_slice_doubt(const struct vtb_slice *s);

enum vtb_slice_relation {
	VTB_SLICE_IS,      /* the step is an essential statement: the last */
	VTB_SLICE_VALUE,   /* the next step uses its value */
	VTB_SLICE_MEMORY,  /* the next step may read the memory that it writes */
	VTB_SLICE_DECIDES, /* it decides whether the next step takes place */
	VTB_SLICE_CALLS,   /* it calls the function in which the next step is */
};

/** One step of the way from a place to an essential statement. */
struct vtb_slice_step {
	uint64_t addr; /* of the instruction */
	enum vtb_slice_relation relation;
	const char *what; /* of an essential statement: "calls abort"; else "" */
};

/** Why the place at `addr` matters to one of `kinds`: the shortest way that was found to an essential statement. At
 * most `max` steps are stored; returns how many there are, 0 if it does not matter or vtb_slice_doubt() says why. */
size_t vtb_slice_path(struct vtb_slice *s, uint64_t addr, uint32_t kinds, struct vtb_slice_step *steps, size_t max);

/** The i-th access with a hook or pad, by address: where, and what it can influence, and VTB_SLICE_ALONE. False: there
 * is none. */
bool vtb_slice_access(const struct vtb_slice *s, size_t i, uint64_t *ret_addr, uint32_t *ret_kinds);
/** Accesses with hooks or pads, and how many of them matter to one of `kinds`. */
void vtb_slice_count(const struct vtb_slice *s, uint32_t kinds, size_t *ret_accesses, size_t *ret_matter);
/** How many of those that matter are not VTB_SLICE_ALONE: their order with others can matter. */
size_t vtb_slice_count_shared(const struct vtb_slice *s, uint32_t kinds);

struct vtb_slice_essential {
	uint64_t addr; /* of the instruction */
	uint32_t kinds;
	const char *what; /* "calls abort" */
};
/** The i-th essential statement, by address. False: there is none. */
bool vtb_slice_essential(const struct vtb_slice *s, size_t i, struct vtb_slice_essential *ret);

#endif /* VTB_SLICE_H */
