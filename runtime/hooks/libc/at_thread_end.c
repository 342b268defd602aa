/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A promise that is to be kept at the end of its thread (set_value_at_thread_exit, packaged_task's
 * make_ready_at_thread_exit): libstdc++.so, which calls no hooks, makes the shared state ready then. That is told as
 * the atomic operation that it is: done, taken back, and left to the library, with no schedule point in between. What
 * lies where is its ABI:
 *
 *     [ next | called at the end | state | owners ]      state: [ class | result | status (1: ready) ]
 *       0      8                   16      24                     0       8        16
 *
 * notify_all_at_thread_exit() unlocks and notifies by functions that are operations by themselves.
 */
#include <string.h>

#include "base.h"
#include "hidden.h"

#define AT_THE_END 8
#define STATE 16
#define OWNERS 24
#define USED 8 /* of the owners: how many keep the state; 0: it is gone */
#define STATUS 16
#define READY 1

typedef void (*called)(void *element);

static called make_ready; /* the library's own */

static void *pointer_at(const char *at)
{
	void *pointer;

	memcpy(&pointer, at, sizeof(pointer));
	return pointer;
}

static void foretell_ready(int *status, const struct vtb_rt_thread *t)
{
	const bool whole = vtb_rt_controls(); /* else other threads run, and would see it */
	int before;

	vtb_rt_atomic_begin(VTB_E_ATOMIC_RMW, status, 2, (uint64_t)t->base.start + 1);
	before = *status; /* until now others might have begun to wait, which it says */
	*status = whole ? READY : before;
	vtb_rt_atomic_end(false);
	if (whole)
		*status = before;
}

static void ends(void *element)
{
	const char *owners = pointer_at((char *)element + OWNERS);
	char *state = pointer_at((char *)element + STATE);

	if (vtb_self && owners && __atomic_load_n((const int *)(const void *)(owners + USED), __ATOMIC_RELAXED))
		foretell_ready((int *)(void *)(state + STATUS), vtb_self);
	make_ready(element);
}

#define SET "_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv"
VTB_EXPORT void vtb_at_thread_end(char *element) __asm__(SET);
VTB_EXPORT void vtb_at_thread_end(char *element)
{
	const called ours = ends;
	static void *real;

	((void (*)(char *))vtb_real_kept(&real, SET))(element);
	make_ready = (called)pointer_at(element + AT_THE_END);
	memcpy(element + AT_THE_END, &ours, sizeof(ours));
}
