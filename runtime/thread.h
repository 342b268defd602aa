/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file thread.h
 * A thread of the program: what each room keeps of it, put together.
 *
 * This is above the rooms, and base/rt.h includes it: an entry is one block of memory, made before any room but base is
 * asked. A ROOM_thread.h is plain data and includes at most plain data of base. A room reads and writes its own member
 * and those of rooms that it uses; script/structure checks both.
 */
#ifndef VTB_RT_THREAD_H
#define VTB_RT_THREAD_H

#include "base/base_thread.h"
#include "sched/sched_thread.h"
#include "models/models_thread.h"
#include "kernel/kernel_thread.h"
#include "carriers/carriers_thread.h"
#include "engines/engines_thread.h"
#include "hooks/hooks_thread.h"

/** Lives until the process ends: ended threads keep their entry, since names refer to it. From the lowest room up, so
 * that what every access and every point touches stands together. */
struct vtb_rt_thread {
	struct vtb_base_thread base;
	struct vtb_sched_thread sched;
	struct vtb_models_thread models;
	struct vtb_kernel_thread kernel;
	struct vtb_carriers_thread carriers;
	struct vtb_engines_thread engines;
	struct vtb_hooks_thread hooks;
};

#endif /* VTB_RT_THREAD_H */
