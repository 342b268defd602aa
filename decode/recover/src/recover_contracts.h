/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file recover_contracts.h
 * Functions that the recovery does not interpret because their specification says what they do, and where they are.
 *
 * A function is found by its address (dynamic symbols of the mapped files) or, if it is chosen at load time (IFUNC: the
 * string functions of glibc), by the slots through which it is called: a slot's relocation names it. What a slot holds
 * is known if the recording holds it, else once control has gone through it, or once the dynamic linker, called through
 * it, has jumped to the function.
 */
#ifndef DECODE_RECOVER_CONTRACTS_H
#define DECODE_RECOVER_CONTRACTS_H

#include "recover_exec.h"

enum recover_contract_kind {
	CONTRACT_READS,    /* writes nothing that the program sees; result unknown */
	CONTRACT_DEST,     /* memcpy, memmove: [rdi, rdx) = [rsi, rdx); result rdi */
	CONTRACT_DEST_END, /* mempcpy: result rdi + rdx */
	CONTRACT_SET,      /* memset */
	CONTRACT_STRCPY,   /* copies up to the NUL; result rdi */
	CONTRACT_STPCPY,   /* result: the NUL's place */
	CONTRACT_STRLEN,
	CONTRACT_FIND,     /* strchr and the like: result a place in the string, if its bytes are known */
	CONTRACT_COMPARE,  /* strcmp and the like: result 0 if the bytes are known and equal, else its sign */
	CONTRACT_PRINTS,   /* sprintf: interpreted if the C library's data are known, else like WRITES */
	CONTRACT_PRINTS_N, /* snprintf: likewise, else like BUFFER */
	CONTRACT_STRCAT,  /* appends the string at rsi, at most `bytes` & RECOVER_TO_COUNT ? rdx bytes of it; result rdi
	                   */
	CONTRACT_STRNCPY, /* writes rdx bytes: the string at rsi, then zeros; result rdi, or with RECOVER_DISTANCE the
	                     end of what was copied */
	CONTRACT_BUFFER,  /* writes at most rsi bytes at rdi: snprintf, fgets */
	CONTRACT_OBJECT,  /* a pthread or semaphore object at rdi, or a result there: its bytes change */
	CONTRACT_RESULT,  /* a result at rsi, unless that is NULL: pthread_join */
	CONTRACT_HEAP,    /* allocator: what its log entries say */
	CONTRACT_AT_EXIT, /* __cxa_atexit: calls rdi with rsi when the program ends */
	CONTRACT_AT_THREAD_EXIT, /* __cxa_thread_atexit_impl: likewise, when the thread ends */
	CONTRACT_LOADER,         /* anything in the dynamic linker */
	CONTRACT_UNWINDER,       /* anything in libgcc_s */
	CONTRACT_DELETES,        /* the unwinder with an exception in rdi: calls its destructor with it in rsi */
	CONTRACT_PRIVATE, /* result: a place that is this thread's and only reached by this function (__cxa_get_globals)
	                   */
	CONTRACT_SETJMP,  /* returns 0; what it saves at rdi is remembered for LONGJMP, which returns there */
	CONTRACT_LONGJMP,
	CONTRACT_RAISES, /* the unwinder with an exception in rdi: asks personality routines about it, ends at a landing
	                    pad with it in rax */
};

/** CONTRACT_PRIVATE's place: not canonical, so that no real address is there. */
#define RECOVER_PRIVATE(slot) (0x0200000000000000ull + ((uint64_t)(slot) << 40))
#define RECOVER_IS_PRIVATE(addr) ((addr) >> 56 == 2)

struct recover_contract {
	uint8_t kind;  /* enum recover_contract_kind */
	uint8_t bytes; /* OBJECT: its size in glibc. FIND, COMPARE: RECOVER_LAST ... */
};

/* What FIND and COMPARE mean: up to the NUL, up to rdx bytes; the last one, the end if there is none; the distance
 * instead of the place; the result says only whether they are equal. */
enum {
	RECOVER_TO_NUL = 1,
	RECOVER_TO_COUNT = 2,
	RECOVER_LAST = 4,
	RECOVER_OR_END = 8,
	RECOVER_DISTANCE = 16,
	RECOVER_EQUALITY = 32
};

struct recover_contracts;
int recover_contracts_new(const struct vtb_pt_recording *rec, struct recover_contracts **ret);
void recover_contracts_free(struct recover_contracts *c);

/** Contract of the code at `ip`, which control has just reached; NULL: none. */
const struct recover_contract *recover_contract_at(const struct recover_contracts *c, uint64_t ip);

/** Control goes from an indirect jump or call through the memory at `slot` to `target`: learn what `target` is. */
void recover_contract_learn(struct recover_contracts *c, uint64_t slot, uint64_t target);

/** Is this address in the dynamic linker? */
bool recover_contract_is_loader(const struct recover_contracts *c, uint64_t ip);

/** Is this address in the C library, the dynamic linker or the unwinder: code that contracts are made of? */
bool recover_contract_is_system(const struct recover_contracts *c, uint64_t ip);
/** Is it in the C++ library? */
bool recover_contract_is_cxx(const struct recover_contracts *c, uint64_t ip);

/** Where an exception goes that comes out of the call before `ret` (landing.h). */
bool recover_contract_landing(const struct recover_contracts *c, uint64_t ret, uint64_t *ret_pad, uint64_t *ret_args);

/** At the function's first instruction: do what it will do to memory. Returns the result for rax. (recover_effects.c)
 */
struct recover_value recover_contract_enter(const struct recover_contract *contract, struct recover_cpu *cpu);

#endif /* DECODE_RECOVER_CONTRACTS_H */
