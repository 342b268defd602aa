/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Owners of an exception are counted in libstdc++.so, which calls no hooks; who is the last destroys it. So are those
 * of the words in it, which copies share (std::runtime_error, std::logic_error). These functions stand before the
 * library's: they make the change to the counter as an operation of the program's, take it back, and let the library
 * make it. Nothing comes in between, for the next schedule point is behind that. Where the counters lie (libsupc++'s
 * unwind-cxx.h, the string of the old ABI; the same since gcc 4.5):
 *
 *     [ owners |    ][ header, 112 bytes ][ object ]            [ length | capacity | others |  ][ words ]
 *      -128                                0                     -24                  -8          0
 */
#include "base.h"
#include "exception.h"
#include "instr.h"

#define EMPTY_WORDS "_ZNSs4_Rep20_S_empty_rep_storageE" /* nobody counts who shares them */

static void foretell(int *counter, int change, uint64_t pc)
{
	const bool whole = vtb_rt_controls(); /* else other threads run, and would see it */

	vtb_rt_atomic_begin(VTB_E_ATOMIC_RMW, counter, 2, pc);
	*counter += whole ? change : 0;
	vtb_rt_atomic_end(false);
	*counter -= whole ? change : 0;
}

/* ---- owners */

static void foretell_owner(char *object, int change, uint64_t pc)
{
	if (object && vtb_self)
		foretell((int *)(void *)(object - 128), change, pc);
}

#define POINTER(name, mangled, change)                                    \
	VTB_EXPORT void name(char **self) __asm__(mangled);               \
	VTB_EXPORT void name(char **self)                                 \
	{                                                                 \
		static void *real;                                        \
                                                                          \
		foretell_owner(*self, change, VTB_CALLER);                \
		((void (*)(char **))vtb_real_kept(&real, mangled))(self); \
	}
POINTER(vtb_exception_shared, "_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv", 1)
POINTER(vtb_exception_left, "_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv", -1)
POINTER(vtb_exception_thrown_again, "_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE", 1)

/* The handler ends: of what it has caught the thread is an owner no more, if no other handler of it is open. */
VTB_EXPORT void __cxa_end_catch(void);
VTB_EXPORT void __cxa_end_catch(void)
{
	static void *real;

	foretell_owner(vtb_self ? vtb_exception_ends() : NULL, -1, VTB_CALLER);
	((void (*)(void))vtb_real_kept(&real, "__cxa_end_catch"))();
}

/* The header of one that was thrown again. Behind this the library counts. */
VTB_EXPORT void __cxa_free_dependent_exception(char **header);
VTB_EXPORT void __cxa_free_dependent_exception(char **header)
{
	static void *real;
	char *object = *header;

	((void (*)(char **))vtb_real_kept(&real, "__cxa_free_dependent_exception"))(header);
	foretell_owner(object, -1, VTB_CALLER);
}

/* ---- words */

static void foretell_words(const void *exception, int change, uint64_t pc)
{
	static void *empty;
	char *words = ((char *const *)exception)[1];
	int *others = (int *)(void *)(words - 8);

	if (vtb_self && words - 24 != vtb_real_kept(&empty, EMPTY_WORDS) && *others >= 0)
		foretell(others, change, pc);
}

/* Which words they are. */
static void told_words(unsigned kind, const void *exception, uint64_t pc)
{
	if (vtb_rt_is_hooked(pc))
		vtb_rt_access(kind, (char *const *)exception + 1, 3, pc);
}

#define COPY(name, mangled)                                                                   \
	VTB_EXPORT void name(void *self, const void *other) __asm__(mangled);                 \
	VTB_EXPORT void name(void *self, const void *other)                                   \
	{                                                                                     \
		static void *real;                                                            \
                                                                                              \
		foretell_words(other, 1, VTB_CALLER);                                         \
		((void (*)(void *, const void *))vtb_real_kept(&real, mangled))(self, other); \
	}
#define DESTROY(name, mangled)                                           \
	VTB_EXPORT void name(void *self) __asm__(mangled);               \
	VTB_EXPORT void name(void *self)                                 \
	{                                                                \
		static void *real;                                       \
                                                                         \
		foretell_words(self, -1, VTB_CALLER);                    \
		((void (*)(void *))vtb_real_kept(&real, mangled))(self); \
	}
/* The words are another's from now on. Nothing is told of an exception that gets its own. */
#define ASSIGN(name, mangled)                                                                         \
	VTB_EXPORT void *name(void *self, const void *other) __asm__(mangled);                        \
	VTB_EXPORT void *name(void *self, const void *other)                                          \
	{                                                                                             \
		static void *real;                                                                    \
                                                                                                      \
		told_words(VTB_E_READ, other, VTB_CALLER);                                            \
		foretell_words(other, 1, VTB_CALLER);                                                 \
		foretell_words(self, -1, VTB_CALLER);                                                 \
		told_words(VTB_E_WRITE, self, VTB_CALLER);                                            \
		return ((void *(*)(void *, const void *))vtb_real_kept(&real, mangled))(self, other); \
	}
#define WHAT(name, mangled)                                                                  \
	VTB_EXPORT const char *name(const void *self) __asm__(mangled);                      \
	VTB_EXPORT const char *name(const void *self)                                        \
	{                                                                                    \
		static void *real;                                                           \
                                                                                             \
		told_words(VTB_E_READ, self, VTB_CALLER);                                    \
		return ((const char *(*)(const void *))vtb_real_kept(&real, mangled))(self); \
	}
COPY(vtb_runtime_error_copy, "_ZNSt13runtime_errorC1ERKS_")
COPY(vtb_runtime_error_copy_base, "_ZNSt13runtime_errorC2ERKS_")
COPY(vtb_logic_error_copy, "_ZNSt11logic_errorC1ERKS_")
COPY(vtb_logic_error_copy_base, "_ZNSt11logic_errorC2ERKS_")
DESTROY(vtb_runtime_error_destroy, "_ZNSt13runtime_errorD1Ev")
DESTROY(vtb_runtime_error_destroy_base, "_ZNSt13runtime_errorD2Ev")
DESTROY(vtb_logic_error_destroy, "_ZNSt11logic_errorD1Ev")
DESTROY(vtb_logic_error_destroy_base, "_ZNSt11logic_errorD2Ev")
ASSIGN(vtb_runtime_error_assign, "_ZNSt13runtime_erroraSERKS_")
ASSIGN(vtb_logic_error_assign, "_ZNSt11logic_erroraSERKS_")
WHAT(vtb_runtime_error_what, "_ZNKSt13runtime_error4whatEv")
WHAT(vtb_logic_error_what, "_ZNKSt11logic_error4whatEv")
