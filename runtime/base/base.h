/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file base.h
 * The contract of this room, the one header of it that others include: the process, its threads and its records
 * (rt.h), what is asked of an engine (engine.h), and the means of a guest, which replace those of libc.
 *
 *     hooks ... sched ──► the thread, by slot ──► its stream of records ──► file (record) or slot of a run (control)
 *
 * Nothing here calls another room: what is needed of one is a table that it sets, `struct vtb_engine` or
 * `struct vtb_rt_sink`.
 */
#ifndef VTB_RT_BASE_H
#define VTB_RT_BASE_H

#include "real.h" /* first: guest.h gives other meanings to names in it */

#include "call.h"
#include "engine.h"
#include "fast.h"
#include "guest.h"
#include "plain_text.h"
#include "rt.h"
#include "stance.h"
#include "state_hash.h"
#include "sys.h"

#endif /* VTB_RT_BASE_H */
