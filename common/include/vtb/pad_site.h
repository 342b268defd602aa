/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file pad_site.h
 * Pads: what `vtb cc` leaves in a natively compiled program for the runtime to find.
 *
 *     .text                      section vtb_stubs                       section vtb_pads (VTB_PADS_SECTION)
 *     pad:   5-byte nop  ── on ──►  stub: save, address of the operand   { pad, stub, info, does } ...
 *            the access   ◄──────        to rax, call *table[..],        one entry a site
 *                                        restore, jmp behind the pad
 *
 * A pad that is off costs a 5-byte nop; it is switched on by writing `jmp stub` over it. A note (owner "VTB", type
 * VTB_PAD_NOTE) in a PT_NOTE segment of each module says where its sites and its table of entry points lie, so that a
 * program that runs without us does nothing at all at start.
 *
 * Registers at the call: rax the address of the operand (without the segment's base), ecx the info word, rdx the
 * address behind the pad; the program's rax, rcx, rdx lie on the stack, 128 bytes of red zone below its stack pointer
 * are left alone.
 */
#ifndef VTB_PAD_SITE_H
#define VTB_PAD_SITE_H

#include <stdint.h>

#define VTB_PAD_VERSION 1u
#define VTB_PAD_NOTE 1u /* n_type; n_name "VTB" */
#define VTB_PAD_SIZE 5u

/** Contents of the note; offsets are from the field's own address. */
struct vtb_pad_note {
	uint32_t version;
	int32_t sites_begin, sites_end; /* struct vtb_pad_site[] */
	int32_t table;                  /* void *[VTB_PAD_ENTRIES], zero until the runtime fills it in */
};

/** Entry points in the table. */
enum { VTB_PAD_ENTER, VTB_PAD_BEGIN, VTB_PAD_END, VTB_PAD_ENTRIES };

enum vtb_pad_kind {
	VTB_PAD_ANCHOR, /* no site: there so that a module without accesses has a section */
	VTB_PAD_READ,
	VTB_PAD_WRITE,
	VTB_PAD_UPDATE, /* reads and then writes, without a lock: addl $1, x */
	VTB_PAD_ATOMIC, /* locked read-modify-write, xchg. The stub carries the instruction out itself, between BEGIN
	                   and END */
	VTB_PAD_CAS,    /* locked compare-exchange: likewise; the zero flag tells how it went */
	VTB_PAD_LOAD,   /* plain move that the compiler has marked as atomic: likewise */
	VTB_PAD_STORE,
	VTB_PAD_FENCE,
	VTB_PAD_MOVS, /* string instructions: operands in rsi and rdi, count in rcx if REP */
	VTB_PAD_STOS,
	VTB_PAD_LODS,
	VTB_PAD_CMPS,
	VTB_PAD_SCAS,
	VTB_PAD_SKIPPED, /* an access that is not hooked; bytes: enum vtb_pad_skip */
};

/** Why a place has no pad. */
enum vtb_pad_skip {
	VTB_PAD_SKIP_OPERAND = 1, /* no one address: gather, scatter, bit offset in a register */
	VTB_PAD_SKIP_UNKNOWN,     /* an instruction we do not know */
	VTB_PAD_SKIP_INLINE_ASM,  /* an asm statement with data, sections or Intel syntax in it */
	VTB_PAD_SKIP_FILE,        /* a whole file: hand-written assembler */
};

struct vtb_pad_site {
	int32_t pad;   /* from this field to the pad (SKIPPED: to the instruction) */
	int32_t stub;  /* from this field to the stub; 0 none */
	uint32_t info; /* below */
	uint32_t does; /* below */
};

/* info: kind 0..3, log2 of the bytes 4..7 (15: no power of two up to 16), flags 8..11, what the place does not need
 * 12..14, 0 15, bytes 16..31 */
enum { VTB_PAD_FS = 1u << 8, VTB_PAD_GS = 1u << 9, VTB_PAD_REP = 1u << 10 };
enum {
	VTB_PAD_FLAGS_DEAD = 1u << 12,  /* whatever the flags are, nothing reads them before they are written */
	VTB_PAD_NO_RED_ZONE = 1u << 13, /* the function keeps nothing below its stack pointer */
	VTB_PAD_NO_VECTORS = 1u << 14,  /* nothing that counts is in vector, mask or x87 registers */
	VTB_PAD_LOOSE = 7u << 12,       /* all of these: they change nothing of what the access is */
};
#define VTB_PAD_LOG2_NONE 15u

static inline uint32_t vtb_pad_kind(uint32_t info)
{
	return info & 15u;
}

static inline uint32_t vtb_pad_log2(uint32_t info)
{
	return info >> 4 & 15u;
}

static inline uint32_t vtb_pad_bytes(uint32_t info)
{
	return info >> 16;
}

/* does: what becomes of the operand of an atomic operation: enum vtb_pad_does 0..3; by what: the register whose number
 * in x86 is 8..11, if VTB_PAD_BY_REGISTER, else the signed number 16..31 */
enum vtb_pad_does {
	VTB_PAD_DOES_UNKNOWN,
	VTB_PAD_DOES_SET,
	VTB_PAD_DOES_ADD,
	VTB_PAD_DOES_SUB,
	VTB_PAD_DOES_AND,
	VTB_PAD_DOES_OR,
	VTB_PAD_DOES_XOR,
	VTB_PAD_DOES_CAS, /* set if it is what rax has */
};
#define VTB_PAD_BY_REGISTER 16u

/** The info word of one plain access of 2^log2 bytes (0..4) at an address that needs no more work; for other log2 no
 * info word at all. */
static inline uint32_t vtb_pad_plain(uint32_t kind, uint32_t log2)
{
	return log2 <= 4 ? kind | log2 << 4 | 1u << log2 << 16 : UINT32_MAX;
}

#endif /* VTB_PAD_SITE_H */
