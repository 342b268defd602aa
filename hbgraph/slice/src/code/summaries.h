/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file summaries.h
 * What functions of other modules do, a row each (summaries.def). A function without a row may do anything.
 */
#ifndef SLICE_SUMMARIES_H
#define SLICE_SUMMARIES_H

#include <stdint.h>

enum {
	DOES_STOP = 1 << 0,    /* does not return */
	DOES_FAIL = 1 << 1,    /* reports a failure, or ends the process */
	DOES_LOCK = 1 << 2,    /* takes, gives or waits for a synchronisation object */
	DOES_OUTPUT = 1 << 3,  /* writes output */
	DOES_COPY = 1 << 4,    /* what is written comes from the other arguments' memory */
	DOES_CREATE = 1 << 5,  /* starts a thread: argument 2 with argument 3 */
	DOES_JOIN = 1 << 6,    /* what a thread has returned goes to the memory of argument 1 */
	DOES_END = 1 << 7,     /* argument 0 is what the thread returns */
	DOES_STATE = 1 << 8,   /* reads and changes what is not in the program's memory: files, settings */
	DOES_FREE = 1 << 9,    /* may fail, depending on what was done to the block */
	DOES_HOOK = 1 << 10,   /* tells an access of the next instructions, and does nothing itself */
	DOES_ACCESS = 1 << 11, /* is an access that vtb is told of */
	DOES_REST = 1 << 12,   /* more arguments: numbers, and memory that is read */
	DOES_SCAN = 1 << 13,   /* more arguments: memory that is written */
	DOES_ANYTHING = 1 << 14,
	DOES_START = 1 << 15,  /* __libc_start_main */
	DOES_RANDOM = 1 << 17, /* reads and changes the state of rand() */
	DOES_TIME = 1 << 18,   /* reads and moves the clock */
	DOES_FLOAT = 1 << 19,  /* arguments in vectors */
	DOES_STATUS = 1 << 16, /* argument 0 tells whether it is a failure: data that matters */
	DOES_RANGE = 1 << 20,  /* with DOES_HOOK: of more than one instruction's access */
	DOES_THROW = 1 << 21,  /* an exception may come out of it */
	DOES_CATCH = 1 << 22,  /* counts who holds what was thrown; the last destroys it */
	DOES_UNWIND = 1 << 24, /* reads and changes what is being thrown and caught */
	DOES_AGAIN = 1 << 25,  /* returns again when something jumps back to it */
	DOES_RUN = 1 << 23,    /* with DOES_CREATE: the thread runs a virtual function of what argument 1 points to */
};

/**
 * args, a letter an argument: - a number; r, w, b memory from there on that is read, written, both; s an object of
 * `size` bytes, both; l, t the same, only read, only written; f a function that may be called; k anything may be done
 * with it, now or later; o that later, and nothing now; v a va_list: what it leads to is read. ret: - a number; 0 to 3
 * that argument; i an address in the object of argument 0; a new memory; ? anything; e where errno stands; c a table of
 * libc's that nobody writes.
 */
struct summary {
	const char *name;
	uint32_t does;
	uint8_t size;
	char ret;
	const char *args;
};

/** Never NULL. */
const struct summary *summary_find(const char *name);
extern const struct summary summary_anything;

#endif /* SLICE_SUMMARIES_H */
