/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Printing as an operation on its stream, so that the order of prints is a matter of the schedule although libc buffers them. One
 * operation for each call, before libc does anything, and so with none of its locks held; none while a thread is alone. What a full
 * buffer makes libc write to the descriptor is an operation of its own (syscall_wait.c), as is write(2).
 *
 * After PRINTS_MAX calls of a thread its prints are no operations any more, and the run says so: programs that print much would
 * be searched for nothing else.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "models.h"
#include "real.h"
#include "syscalls.h"

#define PRINTS_MAX 64u

static void prints(FILE *stream, uint64_t pc)
{
	struct vtb_rt_thread *t = vtb_rt_enter();
	const int saved = errno;
	int fd;

	if (!t || !stream || !vtb_rt_controls() || !vtb_sched.active || vtb_sched.exiting || vtb_sched_alone(t))
		return;
	if (t->prints == PRINTS_MAX) {
		vtb_rt_uncontrolled(VTB_UNC_PRINTS);
		return;
	}
	t->prints++;
	t->pc = pc;
	fd = fileno(stream);
	vtb_op(t, &vtb_primitive_always, VTB_E_IO_WRITE, fd < 0 ? (const void *)stream : vtb_io_object(fd));
	errno = saved;
}

/* ---- the functions: theirs is looked up at the first call, which may come before our constructor */

#define PRINT(ret, name, params, args, stream) \
	VTB_EXPORT ret name params; \
	VTB_EXPORT ret name params \
	{ \
		static ret(*theirs) params; \
		ret(*call) params = __atomic_load_n(&theirs, __ATOMIC_RELAXED); \
\
		if (!call) { \
			call = (ret(*) params)vtb_real_symbol(#name); \
			__atomic_store_n(&theirs, call, __ATOMIC_RELAXED); \
		} \
		prints(stream, VTB_CALLER); \
		return call args; \
	}

#undef putc
#undef putchar
PRINT(int, fputs, (const char *text, FILE *f), (text, f), f)
PRINT(int, puts, (const char *text), (text), stdout)
PRINT(int, fputc, (int c, FILE *f), (c, f), f)
PRINT(int, putc, (int c, FILE *f), (c, f), f)
PRINT(int, putchar, (int c), (c), stdout)
PRINT(size_t, fwrite, (const void *data, size_t size, size_t n, FILE *f), (data, size, n, f), f)
PRINT(int, fflush, (FILE *f), (f), f)
PRINT(int, vfprintf, (FILE *f, const char *format, va_list ap), (f, format, ap), f)
PRINT(int, vprintf, (const char *format, va_list ap), (format, ap), stdout)
PRINT(int, __vfprintf_chk, (FILE *f, int flag, const char *format, va_list ap), (f, flag, format, ap), f)
PRINT(int, __vprintf_chk, (int flag, const char *format, va_list ap), (flag, format, ap), stdout)

/* With `...`: theirs is the one that takes a list. */
#define PRINT_LIST(name, params, last, list, list_params, list_args, stream) \
	VTB_EXPORT int name params; \
	VTB_EXPORT int name params \
	{ \
		static int(*theirs) list_params; \
		int(*call) list_params = __atomic_load_n(&theirs, __ATOMIC_RELAXED); \
		va_list ap; \
		int n; \
\
		if (!call) { \
			call = (int(*) list_params)vtb_real_symbol(#list); \
			__atomic_store_n(&theirs, call, __ATOMIC_RELAXED); \
		} \
		prints(stream, VTB_CALLER); \
		va_start(ap, last); \
		n = call list_args; \
		va_end(ap); \
		return n; \
	}

PRINT_LIST(printf, (const char *format, ...), format, vprintf, (const char *, va_list), (format, ap), stdout)
PRINT_LIST(fprintf, (FILE *f, const char *format, ...), format, vfprintf, (FILE *, const char *, va_list), (f, format, ap), f)
PRINT_LIST(__printf_chk, (int flag, const char *format, ...), format, __vprintf_chk, (int, const char *, va_list), (flag, format, ap), stdout)
PRINT_LIST(__fprintf_chk, (FILE *f, int flag, const char *format, ...), format, __vfprintf_chk, (FILE *, int, const char *, va_list), (f, flag, format, ap), f)
