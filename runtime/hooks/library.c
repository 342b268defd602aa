/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libvtb-cxx.so (cxx/) does what libstdc++.so does, with hooks. What a reader wants to see is the place in the program
 * that called it, not one in a library that no user has the source of; so its accesses are told as made there, as those
 * of memcpy are (instr_string.c). Its functions come here when they begin and end. A function that an exception or
 * longjmp left without its end is noticed by the stack pointer: stacks grow down.
 */
#include "base.h"
#include "library.h"

VTB_EXPORT void vtb_library_enter(uint64_t caller, uint64_t sp)
{
	struct vtb_rt_thread *t = vtb_self;

	if (!t)
		return;
	if (!t->base.library_depth || sp > t->hooks.library_sp) {
		t->base.library_depth = 0;
		t->base.library_pc = caller;
		t->hooks.library_sp = sp;
	}
	t->base.library_depth++;
}

VTB_EXPORT void vtb_library_leave(void)
{
	struct vtb_rt_thread *t = vtb_self;

	if (t && t->base.library_depth)
		t->base.library_depth--;
}
