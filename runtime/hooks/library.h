/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file library.h
 * What libvtb-cxx.so and libvtb-omp.so call in the runtime, apart from the hooks.
 */
#ifndef VTB_RT_LIBRARY_H
#define VTB_RT_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>

/** A function of the library begins: called from `caller`, where the stack pointer is `sp`. */
void vtb_library_enter(uint64_t caller, uint64_t sp);
/** It ends. */
void vtb_library_leave(void);

/** Where a thread is within the library. */
struct vtb_library_place {
	uint64_t pc, sp;
	uint32_t depth;
};
/** The library calls a function of the program's, which may call the library; *was is for vtb_library_back(). */
void vtb_library_lend(struct vtb_library_place *was);
void vtb_library_back(const struct vtb_library_place *was);
/** Where the program called the library; 0: nobody knows. */
uint64_t vtb_library_caller(void);
/** What the library does from here on, this thread does for who called it at `pc`. */
void vtb_library_for(uint64_t pc);
/** The interposed function that is called next is called from there, too. */
void vtb_library_here(void);

/** Memory of the library's own, of which the program knows nothing. NULL: there is none. */
void *vtb_library_alloc(uint64_t size);
void vtb_library_free(void *block);

/** The library is about to read or write memory of the program's. */
void vtb_library_reads(const void *at, uint64_t size);
void vtb_library_writes(void *at, uint64_t size);

/** Locks of one word: 0 free, else taken. Zeroed memory is a free one, and whoever unlocks it makes it free, as with
 * libgomp's. Told as a mutex at its address. */
void vtb_library_lock(uint32_t *word);
bool vtb_library_trylock(uint32_t *word);
void vtb_library_unlock(uint32_t *word);
/** It is made, or ends: told, and nothing more. */
void vtb_library_lock_made(uint32_t *word);
void vtb_library_lock_ends(uint32_t *word);

/** Atomic operations of the library, told where the program called it. The value before. */
uint64_t vtb_library_add(uint64_t *at, uint64_t n);
uint64_t vtb_library_load(const uint64_t *at);
void vtb_library_store(uint64_t *at, uint64_t value);
/** *at becomes `value` if it is `expected`. */
bool vtb_library_swap(uint64_t *at, uint64_t expected, uint64_t value);

#endif /* VTB_RT_LIBRARY_H */
