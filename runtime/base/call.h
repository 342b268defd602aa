/* SPDX-License-Identifier: BSD-2-Clause */
/** @file call.h One operation of one thread. Plain data. */
#ifndef VTB_RT_CALL_H
#define VTB_RT_CALL_H

#include <stdbool.h>
#include <stdint.h>

struct vtb_primitive;

/** What a signal handler does to the operation that it interrupts. */
enum vtb_interrupt {
	VTB_INTERRUPT_NOT,
	VTB_INTERRUPT_RESTARTS /* if the handler has SA_RESTART */,
	VTB_INTERRUPT_ALWAYS
};

/** One operation of one thread, on its stack while it is pending (control mode, see control.h). */
struct vtb_call {
	const struct vtb_primitive *prim; /* NULL: always ready, no effect of its own (memory) */
	const void *obj;
	uint64_t pc;
	uint64_t value; /* for the record, if has_value */
	uint64_t arg;   /* for the record, if not 0; kind's meaning */
	uint64_t data;  /* the primitive's own: address of its flag, depth of a mutex, ... */
	uint32_t aux;   /* likewise */
	uint8_t kind, order, size_log2;
	bool has_value;
	uint8_t interrupt; /* enum vtb_interrupt */
	bool masked;       /* signals that are not blocked now were until the operation began */
	bool interrupted;  /* a handler has run: the operation does not take effect, its result is EINTR */
	bool idle;         /* it looked for something and found nothing: a loop of these is a spin */
	bool same;         /* an atomic operation that has left memory as it was */
	long result;       /* what the interposed function returns */
};

#endif /* VTB_RT_CALL_H */
