/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The exception that a thread has not caught, as libstdc++ keeps it (libsupc++'s unwind-cxx.h, the same since gcc 4.4;
 * the Itanium C++ ABI, Exception Handling, 2.2). The header lies before the object that was thrown:
 *
 *     globals of the thread ──► [ type | destructor | ... | next | ... | unwinder's header (class) ][ object ]
 *                                0                           32          80                          112
 *
 * An exception thrown again by std::rethrow_exception has a header of its own, whose first word leads to the object.
 * Its type is in the header before that.
 */
#include "exception.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base.h"
#include "models.h"

#define HEADER_BYTES 112
#define HANDLERS_AT 40 /* how many are open; negative: it was thrown again from one */
#define CLASS_AT 80
#define CLASS_PRIMARY 0x474e5543432b2b00ull   /* "GNUCC++\0" */
#define CLASS_DEPENDENT 0x474e5543432b2b01ull /* "GNUCC++\1" */

struct type {
	void *const *functions; /* of std::type_info: two destructors, __is_pointer_p, __is_function_p, __do_catch */
	const char *name;
};
#define TYPE_IS_POINTER 2
#define TYPE_CATCHES 4
#define WHAT 2 /* of std::exception: two destructors, what() */

struct globals {
	const char *caught; /* header of the exception being handled; an uncaught one is, when terminate() is called */
	unsigned uncaught;
};

static const struct type *type_of(const char *object)
{
	const struct type *type;

	memcpy(&type, object - HEADER_BYTES, sizeof(type));
	return type;
}

static const struct globals *globals(void)
{
	void *(*get)(void) = (void *(*)(void))vtb_real_symbol("__cxa_get_globals");

	return get ? get() : NULL;
}

/* NULL: none, or one of another language. */
static char *thrown_object(void)
{
	const struct globals *g = globals();
	uint64_t class;
	char *object;

	if (!g || !g->caught)
		return NULL;
	memcpy(&class, g->caught + CLASS_AT, sizeof(class));
	if (class == CLASS_PRIMARY)
		return (char *)g->caught + HEADER_BYTES;
	if (class != CLASS_DEPENDENT)
		return NULL;
	memcpy(&object, g->caught, sizeof(object));
	return object;
}

char *vtb_exception_ends(void)
{
	char *object = thrown_object();
	int handlers = 0;

	if (object && object == globals()->caught + HEADER_BYTES)
		memcpy(&handlers, globals()->caught + HANDLERS_AT, sizeof(handlers));
	return handlers == 1 ? object : NULL;
}

/* Words of an object derived from std::exception, NULL: it is none. */
static const char *words_of(const struct type *type, char *object)
{
	const struct type *base = vtb_real_symbol("_ZTISt9exception");
	void *const *functions;

	if (!base || ((bool (*)(const struct type *))type->functions[TYPE_IS_POINTER])(type))
		return NULL;
	if (!((bool (*)(const struct type *, const struct type *, char **, unsigned))base->functions[TYPE_CATCHES])(
	        base, type, &object, 1))
		return NULL;
	memcpy(&functions, object, sizeof(functions));
	return ((const char *(*)(const char *))functions[WHAT])(object);
}

/* By the library's own handler of std::terminate(), or by somebody else? */
static bool is_terminate(uint64_t pc)
{
	Dl_info caller, library;
	void *get = vtb_real_symbol("__cxa_get_globals");

	return get && dladdr((void *)pc, &caller) && dladdr(get, &library) && caller.dli_fbase == library.dli_fbase;
}

static void compose(uint64_t pc, char *message, size_t size)
{
	char *object = thrown_object();
	const struct type *type = object ? type_of(object) : NULL;
	const char *words = type ? words_of(type, object) : NULL, *name = type ? type->name : NULL;

	if (!type)
		snprintf(message, size, "%s",
		         is_terminate(pc) ? "terminate called without an active exception" : "abort() was called");
	else
		snprintf(message, size, "%s '%s'%s%s",
		         is_terminate(pc) ? "terminate called after throwing an instance of"
		                          : "abort() was called while handling an instance of",
		         name + (*name == '*'), words ? "\n  what():  " : "", words ? words : "");
}

/* ---- the end. A handler of SIGABRT comes first, as in libc, and may leave in another way */

static struct vtb_rt_thread *begins_to_end(uint64_t pc)
{
	struct vtb_rt_thread *t = vtb_rt_enter();

	if (!t)
		return NULL;
	t->base.pc = pc;
	return vtb_rt_controls() ? t : NULL;
}

static _Noreturn void ends(const char *message, uint64_t pc)
{
	if (vtb_ctl_abort_is_handled())
		vtb_ctl_raise_abort(message, pc);
	message = vtb_ctl_aborted(message, &pc);
	vtb_self->base.inside++;
	vtb_ctl_fail(VTB_V_ASSERTION, pc, message);
}

/* The message is the C++ library's, "terminate called after throwing an instance of 'TYPE'\n  what():  WORDS", with the
 * type's name as the ABI writes it; without an exception "abort() was called". */
extern void abort(void);
VTB_EXPORT void abort(void)
{
	const uint64_t pc = VTB_CALLER;
	struct vtb_rt_thread *t = begins_to_end(pc);
	char message[VTB_WIRE_MESSAGE_MAX];

	if (t) {
		t->base.inside++; /* what() is the program's, and its accesses are not the run's */
		compose(pc, message, sizeof(message));
		t->base.inside--;
		ends(message, pc);
	}
	VTB_CALL_REAL(abort)();
	__builtin_unreachable();
}

/* Whoever handles it finds the message printed. */
static void print(const char *message)
{
	char line[VTB_WIRE_MESSAGE_MAX + 256];
	const int n = snprintf(line, sizeof(line), "%.200s: %s\n", program_invocation_short_name, message);

	if (write(STDERR_FILENO, line, (size_t)n) < 0)
		return; /* nobody reads it */
}

/* libc's assert() ends here; it would call its own abort, which we do not see. */
extern void __assert_fail(const char *text, const char *file, unsigned line, const char *function);
VTB_EXPORT void __assert_fail(const char *text, const char *file, unsigned line, const char *function)
{
	const uint64_t pc = VTB_CALLER;
	struct vtb_rt_thread *t = begins_to_end(pc);
	char message[VTB_WIRE_MESSAGE_MAX];

	if (t) {
		t->base.inside++;
		snprintf(message, sizeof(message), "%s:%u: %s: Assertion `%s' failed.", file, line,
		         function ? function : "?", text);
		t->base.inside--;
		if (vtb_ctl_abort_is_handled())
			print(message);
		ends(message, pc);
	}
	VTB_CALL_REAL(__assert_fail)(text, file, line, function);
	__builtin_unreachable();
}
