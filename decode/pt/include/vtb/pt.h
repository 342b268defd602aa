/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file pt.h
 * Intel PT packets to control flow. libipt stands behind this header (pt_flow.c); nothing else of vtb's tools reads
 * packets.
 *
 * Shape:     a *buffer* holds the packets of one CPU or one thread. It is cut at its PSB packets into *segments*, each
 * decoded by itself (so segments decode in parallel and an error costs the rest of one segment). A segment decodes to
 * *items*: blocks of instructions, time, the places where tracing stops and resumes, gaps. Consecutive segments join
 * where the flow of the first reaches the address in the PSB of the second; a join that does not fit is a gap. Loss:
 * what could not be decoded is a gap item: place, address, time and reason. Nothing is repeated or guessed. Ownership:
 * a flow borrows buffer and image; both must outlive it. Items are the caller's. Threads:   an image may be read by
 * several threads once it is complete; a flow may be decoded by several threads through vtb_pt_flow_decode(), which
 * starts and ends them itself.
 */
#ifndef VTB_PT_H
#define VTB_PT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vtb/error.h"

#define VTB_PT_SECTIONS_MAX 65536u
#define VTB_PT_JOBS_MAX 64u

/* ------------------------------------------------------------------ code */

/** What lay where in the traced process: the bytes of its executable mappings. Complete it before the first flow or
 * code is made of it. */
struct vtb_pt_image;

int vtb_pt_image_new(struct vtb_pt_image **ret);
void vtb_pt_image_free(struct vtb_pt_image *image);

/** `size` bytes of the file `path` from `offset` lay at `addr`. What an earlier mapping had there is replaced.
 *  A file that is not at hand is no error here: its addresses stay unmapped and give gaps. -ENOMEM, -VTB_E_LIMIT,
 * -EINVAL. */
int vtb_pt_image_add_file(struct vtb_pt_image *image, const char *path, uint64_t offset, uint64_t size, uint64_t addr,
                          struct vtb_error *err);

/** The same for bytes at hand (copied). */
int vtb_pt_image_add_bytes(struct vtb_pt_image *image, const void *bytes, uint64_t size, uint64_t addr,
                           struct vtb_error *err);

/** All executable segments of an ELF file whose first segment was loaded at `base`. -VTB_E_FORMAT if it is not one. */
int vtb_pt_image_add_elf(struct vtb_pt_image *image, const char *path, uint64_t base, struct vtb_error *err);

/** Copy up to `n` bytes from `addr` on; stops where the mapped bytes end. Returns how many, 0 if `addr` is not mapped.
 * O(log sections). */
size_t vtb_pt_image_read(const struct vtb_pt_image *image, uint64_t addr, void *buf, size_t n);

/** The i-th mapping of a file: its path and place, or NULL if there are fewer. */
const char *vtb_pt_image_map(const struct vtb_pt_image *image, size_t i, uint64_t *ret_lo, uint64_t *ret_hi,
                             uint64_t *ret_offset);

/** Lowest address that an ELF file's segments ask for, page-aligned; 0 if it is not one. */
uint64_t vtb_pt_elf_base(const char *path);

/* ------------------------------------------------------------------ instructions */

enum vtb_pt_class {
	VTB_PT_OTHER,
	VTB_PT_COND, /* conditional jump; target known */
	VTB_PT_JUMP, /* target known */
	VTB_PT_JUMP_INDIRECT,
	VTB_PT_CALL, /* target known */
	VTB_PT_CALL_INDIRECT,
	VTB_PT_RETURN,
	VTB_PT_FAR, /* system call, interrupt, far jump and return */
};

/** One instruction of the program, decoded once. 32 bytes. */
struct vtb_pt_insn {
	uint64_t ip;
	uint64_t target; /* direct jumps and calls; else 0 */
	uint32_t next;   /* index of the instruction after this one in a block (target of a direct jump or call), or
	                    VTB_PT_NO_INSN: not looked up */
	uint8_t size;    /* 1..15 */
	uint8_t class;   /* enum vtb_pt_class */
	uint16_t pad;
	uint32_t user; /* the caller's; 0 at first */
	uint32_t pad2;
};
#define VTB_PT_NO_INSN UINT32_MAX

/** Instructions seen so far, by address. Indices stay valid; pointers do not. Not for several threads at once. */
struct vtb_pt_code;
int vtb_pt_code_new(const struct vtb_pt_image *image, struct vtb_pt_code **ret);
void vtb_pt_code_free(struct vtb_pt_code *code);
/** Index of the instruction at `ip`, or -VTB_E_DESYNC if there is none (not mapped, not an instruction), -ENOMEM. */
int64_t vtb_pt_code_at(struct vtb_pt_code *code, uint64_t ip);
/** Index of the instruction that follows `index` inside a block (fall-through, or target of a direct jump or call);
 * errors as above. */
int64_t vtb_pt_code_next(struct vtb_pt_code *code, uint32_t index);
/** Borrowed until the next call with this code. */
struct vtb_pt_insn *vtb_pt_code_insn(struct vtb_pt_code *code, uint32_t index);

/* ------------------------------------------------------------------ flow */

/** The processor that wrote the packets. All zero: unknown; then errata are not worked around and clock packets other
 * than TSC are not used. */
struct vtb_pt_cpu {
	uint16_t family;
	uint8_t model, stepping;
	uint8_t mtc_freq;                    /* IA32_RTIT_CTL.MTCFreq */
	uint8_t nom_freq;                    /* maximum non-turbo ratio */
	uint32_t cpuid_15_eax, cpuid_15_ebx; /* TSC : crystal clock = ebx : eax */
};

enum vtb_pt_kind {
	VTB_PT_BLOCK,    /* value: address of the first of n instructions */
	VTB_PT_TIME,     /* value: time-stamp counter; holds for what follows */
	VTB_PT_ENABLED,  /* value: address where tracing resumes; n 1: where it had stopped */
	VTB_PT_DISABLED, /* tracing stopped after the instruction before (system call, filter); value: time-stamp
	                    counter there, 0 unknown */
	VTB_PT_ASYNC,    /* tracing stops before the instruction at `value` (interrupt, fault); DISABLED follows */
	VTB_PT_BRANCH,   /* asynchronous branch from `value` while tracing goes on */
	VTB_PT_GAP,      /* something is lost; value: index in gaps */
};

/** 16 bytes. */
struct vtb_pt_item {
	uint64_t value;
	uint32_t n;    /* BLOCK: instructions */
	uint32_t kind; /* enum vtb_pt_kind */
};

enum vtb_pt_gap_kind {
	VTB_PT_GAP_DECODE,   /* packets and code do not fit, or a packet is damaged: lost up to the next PSB */
	VTB_PT_GAP_UNMAPPED, /* no code is known at `ip`: lost up to the next PSB */
	VTB_PT_GAP_OVERFLOW, /* the processor's buffer overflowed; tracing resumes at `ip` */
	VTB_PT_GAP_JOIN,     /* the flow did not reach the address of the PSB that follows */
	VTB_PT_GAP_BUFFER,   /* the buffer was full while recording, or a part of it is missing */
	VTB_PT_GAP_OWNER,    /* decoded, but it is not certain which thread this was */
};

struct vtb_pt_gap {
	uint32_t kind;   /* enum vtb_pt_gap_kind */
	int32_t code;    /* libipt's error number (positive), 0 if it is none */
	uint64_t offset; /* in the buffer, where it was noticed */
	uint64_t resume; /* offset of the PSB (or packet) at which decoding goes on; the buffer's size if at none */
	uint64_t ip;     /* address of the first instruction that is missing; 0 unknown */
	uint64_t tsc;    /* time known before; 0 unknown */
};

/** Decoded items; `= {0}` is empty. */
struct vtb_pt_items {
	struct vtb_pt_item *items;
	size_t n_items, cap_items;
	struct vtb_pt_gap *gaps;
	size_t n_gaps, cap_gaps;
	uint64_t instructions; /* in the blocks */
	bool joins;            /* the segment after this one goes on where this one ends */
};
void vtb_pt_items_fini(struct vtb_pt_items *items);
/** Empty again, with the room kept for what comes next: new room for every segment costs as much as a quarter of the
 * decoding. */
void vtb_pt_items_clear(struct vtb_pt_items *items);

struct vtb_pt_flow;
/** Find the segments of a buffer. `size` 0 and buffers without PSB are allowed and give no segments. O(size). */
int vtb_pt_flow_new(const void *buffer, size_t size, const struct vtb_pt_cpu *cpu, const struct vtb_pt_image *image,
                    struct vtb_pt_flow **ret);
void vtb_pt_flow_free(struct vtb_pt_flow *flow);
size_t vtb_pt_flow_segments(const struct vtb_pt_flow *flow);
/** Offset of the segment's PSB in the buffer. */
uint64_t vtb_pt_flow_offset(const struct vtb_pt_flow *flow, size_t segment);

/** Decode segments [first, first + n) with up to `jobs` threads; ret[i] (empty) receives segment first + i. The result
 * does not depend on `jobs` nor on how segments are grouped into calls, except for the places where a run of
 * instructions is cut into blocks (libipt cuts by what its cache holds); instructions and all other items are the same
 * every time where no packets are damaged. -ENOMEM, -EINVAL; what is wrong with the packets is in the gaps. */
int vtb_pt_flow_decode(struct vtb_pt_flow *flow, size_t first, size_t n, unsigned jobs, struct vtb_pt_items *ret);

#endif /* VTB_PT_H */
