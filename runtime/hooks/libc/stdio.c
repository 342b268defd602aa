/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Printing and reading as operations on their stream, so that their order is a matter of the schedule although libc
 * buffers them. One operation for each call, before libc does anything, and so with none of its locks held; none while
 * a thread is alone. Recorded, too. What a full buffer makes libc write to the descriptor is an operation of its own
 * (syscall_wait.c), as is write(2).
 *
 * After PRINTS_MAX calls of a thread its prints are no operations any more, and the run says so: programs that print
 * much would be searched for nothing else.
 */
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1 /* what is defined here is not to be defined by libc's headers before */
#endif

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <wchar.h>

#include "instr.h"
#include "instr_libc.h"
#include "models.h"
#include "base.h"
#include "kernel.h"
#include "steps.h"
#include "stream_lock.h"

#include "own_names.h"

#define PRINTS_MAX 64u

/* Or below 0: of no descriptor. */
static int descriptor_of(FILE *stream)
{
	VTB_BEHIND(int, call, (FILE *), "fileno");

	return call(stream);
}

/* What stands for the stream in records. */
static const void *object_of(FILE *stream)
{
	const int fd = descriptor_of(stream);

	return fd < 0 ? (const void *)stream : vtb_io_object(fd);
}

static void record(struct vtb_rt_thread *t, unsigned kind, FILE *stream, uint64_t pc)
{
	const int saved = errno;

	t->base.pc = pc;
	vtb_rec_sync(t, kind, object_of(stream), 0, 0, 0, 0);
	errno = saved;
}

/* Of a stream that is no descriptor's libc makes no system calls, but may call the program. */
static struct vtb_libc_step begin_step(struct vtb_rt_thread *t, FILE *stream)
{
	const int fd = stream ? descriptor_of(stream) : -1;

	return stream && fd < 0 ? (struct vtb_libc_step){ 0 } : (struct vtb_libc_step){ t, vtb_step_begin(t, fd) };
}

/* The thread; NULL: it is no operation. */
static struct vtb_rt_thread *operates(unsigned kind, FILE *stream, uint64_t pc)
{
	struct vtb_rt_thread *t = vtb_rt_enter();

	if (t && !vtb_rt_controls() && !vtb_sched_alone(t))
		record(t, kind, stream, pc);
	t = vtb_libc_operates();
	if (!t)
		return NULL;
	if (t->engines.prints == PRINTS_MAX) {
		vtb_rt_uncontrolled(VTB_UNC_PRINTS);
		return NULL;
	}
	t->engines.prints++;
	t->base.pc = pc;
	vtb_stream_op(t, kind, stream, object_of(stream));
	return t;
}

static struct vtb_libc_step operate(unsigned kind, FILE *stream, uint64_t pc)
{
	struct vtb_rt_thread *t;
	struct vtb_libc_step step = { 0 };
	const int saved = errno;

	if (!stream) /* fflush(NULL): all of them */
		return vtb_libc_step(NULL, pc);
	t = operates(kind, stream, pc);
	if (t)
		step = begin_step(t, stream);
	errno = saved;
	return step;
}

/* It opens another file, while it has the stream's lock, and asks then for the one of all streams. */
static struct vtb_libc_step reopens(FILE *stream, uint64_t pc)
{
	const int saved = errno;
	struct vtb_rt_thread *const t = operates(VTB_E_IO_READ, stream, pc);
	struct vtb_libc_step step = { 0 };

	if (t)
		step = vtb_libc_within(t);
	errno = saved;
	return step;
}

#define STEP(kind, stream) VTB_LIBC_STEP(operate(kind, stream, VTB_CALLER))

/* Text and data that are printed are read, and what is read from a stream is written to the program's memory: of that,
 * as much as may be. */
static void moves(unsigned kind, const void *at, size_t size, uint64_t pc)
{
	const int saved = errno;

	if (at && size && vtb_rt_is_hooked(pc))
		vtb_rt_range(kind, at, size, pc);
	errno = saved;
}

/* Where a line goes, how much room is there, and the room. */
static void moves_line(char **to, const size_t *size, uint64_t pc)
{
	if (!to || !size)
		return;
	moves(VTB_E_WRITE, size, sizeof(*size), pc);
	moves(VTB_E_WRITE, to, sizeof(*to), pc);
	if (*to)
		moves(VTB_E_WRITE, *to, *size, pc);
}

static size_t text_size(const char *text)
{
	return VTB_CALL_REAL(strlen)(text) + 1;
}

static void prints(const char *format, va_list ap, uint64_t pc)
{
	const int saved = errno;

	vtb_rt_printed(format, ap, pc);
	errno = saved;
}

/* ---- the functions: theirs is looked up at the first call, which may come before our constructor */

#define CALL(kind, ret, name, params, args, stream)   \
	VTB_EXPORT ret name params;                   \
	VTB_EXPORT ret name params                    \
	{                                             \
		VTB_BEHIND(ret, call, params, #name); \
                                                      \
		STEP(kind, stream);                   \
		return call args;                     \
	}
/* The same, and the call touches memory of the program's choosing. libc may have to wait before it does so: told before
 * and after, as in instr_libc.c. */
#define CALL_WITH(kind, ret, name, params, args, stream, before, after) \
	VTB_EXPORT ret name params;                                     \
	VTB_EXPORT ret name params                                      \
	{                                                               \
		VTB_BEHIND(ret, call, params, #name);                   \
		ret result;                                             \
                                                                        \
		before;                                                 \
		{                                                       \
			STEP(kind, stream);                             \
			result = call args;                             \
		}                                                       \
		after;                                                  \
		return result;                                          \
	}
#define PRINT(ret, name, params, args, stream) CALL(VTB_E_IO_WRITE, ret, name, params, args, stream)
#define PRINT_FROM(ret, name, params, args, stream, from, bytes)                                               \
	CALL_WITH(VTB_E_IO_WRITE, ret, name, params, args, stream, moves(VTB_E_READ, from, bytes, VTB_CALLER), \
	          moves(VTB_E_READ, from, bytes, VTB_CALLER))
#define PRINT_TEXTS(ret, name, params, args, stream) \
	CALL_WITH(VTB_E_IO_WRITE, ret, name, params, args, stream, prints(format, ap, VTB_CALLER), (void)0)
#define READ(ret, name, params, args, stream) CALL(VTB_E_IO_READ, ret, name, params, args, stream)
#define READ_TO(ret, name, params, args, stream, to, bytes)                                                  \
	CALL_WITH(VTB_E_IO_READ, ret, name, params, args, stream, moves(VTB_E_WRITE, to, bytes, VTB_CALLER), \
	          moves(VTB_E_WRITE, to, bytes, VTB_CALLER))

#define REOPEN(name)                                                                   \
	VTB_EXPORT FILE *name(const char *path, const char *mode, FILE *f);            \
	VTB_EXPORT FILE *name(const char *path, const char *mode, FILE *f)             \
	{                                                                              \
		VTB_BEHIND(FILE *, call, (const char *, const char *, FILE *), #name); \
		VTB_LIBC_STEP(reopens(f, VTB_CALLER));                                 \
                                                                                       \
		return call(path, mode, f);                                            \
	}
#define READ_LINE(name, params, args)                                                              \
	CALL_WITH(VTB_E_IO_READ, ssize_t, name, params, args, f, moves_line(to, size, VTB_CALLER), \
	          moves_line(to, size, VTB_CALLER))

#undef putc
#undef putchar
#undef putc_unlocked
#undef putchar_unlocked
#undef fputc_unlocked
#undef getc
#undef getchar
#undef getc_unlocked
#undef getchar_unlocked
#undef fgetc_unlocked
#undef fread_unlocked
#undef fwrite_unlocked
#undef feof
#undef ferror
#undef fsetpos
#undef fgetpos
PRINT_FROM(int, fputs, (const char *text, FILE *f), (text, f), f, text, text_size(text))
PRINT_FROM(int, puts, (const char *text), (text), stdout, text, text_size(text))
PRINT(int, fputc, (int c, FILE *f), (c, f), f)
PRINT(int, putc, (int c, FILE *f), (c, f), f)
PRINT(int, putchar, (int c), (c), stdout)
PRINT_FROM(size_t, fwrite, (const void *data, size_t size, size_t n, FILE *f), (data, size, n, f), f, data, size *n)
PRINT(int, fflush, (FILE * f), (f), f)
PRINT_FROM(int, fputs_unlocked, (const char *text, FILE *f), (text, f), f, text, text_size(text))
PRINT(int, fputc_unlocked, (int c, FILE *f), (c, f), f)
PRINT(int, putc_unlocked, (int c, FILE *f), (c, f), f)
PRINT(int, putchar_unlocked, (int c), (c), stdout)
PRINT_FROM(size_t, fwrite_unlocked, (const void *data, size_t size, size_t n, FILE *f), (data, size, n, f), f, data,
           size *n)
PRINT(int, fflush_unlocked, (FILE * f), (f), f)
READ_TO(char *, fgets, (char *to, int size, FILE *f), (to, size, f), f, to, size > 0 ? (size_t)size : 0)
READ_TO(char *, fgets_unlocked, (char *to, int size, FILE *f), (to, size, f), f, to, size > 0 ? (size_t)size : 0)
READ(int, fgetc, (FILE * f), (f), f)
READ(int, fgetc_unlocked, (FILE * f), (f), f)
READ(int, getc, (FILE * f), (f), f)
READ(int, getc_unlocked, (FILE * f), (f), f)
READ(int, getchar, (void), (), stdin)
READ(int, getchar_unlocked, (void), (), stdin)
READ_TO(size_t, fread, (void *to, size_t size, size_t n, FILE *f), (to, size, n, f), f, to, size *n)
READ_TO(size_t, fread_unlocked, (void *to, size_t size, size_t n, FILE *f), (to, size, n, f), f, to, size *n)
READ_LINE(getline, (char **to, size_t *size, FILE *f), (to, size, f))
READ_LINE(__getdelim, (char **to, size_t *size, int end, FILE *f),
          (to, size, end, f)) /* what headers make of getline */
READ_LINE(getdelim, (char **to, size_t *size, int end, FILE *f), (to, size, end, f))
PRINT_TEXTS(int, vfprintf, (FILE * f, const char *format, va_list ap), (f, format, ap), f)
PRINT_TEXTS(int, vprintf, (const char *format, va_list ap), (format, ap), stdout)
PRINT_TEXTS(int, __vfprintf_chk, (FILE * f, int flag, const char *format, va_list ap), (f, flag, format, ap), f)
PRINT_TEXTS(int, __vprintf_chk, (int flag, const char *format, va_list ap), (flag, format, ap), stdout)

/* Wide characters. */
PRINT(wint_t, fputwc, (wchar_t c, FILE *f), (c, f), f)
PRINT(wint_t, putwc, (wchar_t c, FILE *f), (c, f), f)
PRINT(wint_t, putwchar, (wchar_t c), (c), stdout)
PRINT(wint_t, fputwc_unlocked, (wchar_t c, FILE *f), (c, f), f)
PRINT(wint_t, putwc_unlocked, (wchar_t c, FILE *f), (c, f), f)
PRINT(wint_t, putwchar_unlocked, (wchar_t c), (c), stdout)
PRINT(int, fputws, (const wchar_t *text, FILE *f), (text, f), f)
PRINT(int, fputws_unlocked, (const wchar_t *text, FILE *f), (text, f), f)
PRINT(wint_t, ungetwc, (wint_t c, FILE *f), (c, f), f)
PRINT(int, vfwprintf, (FILE * f, const wchar_t *format, va_list ap), (f, format, ap), f)
PRINT(int, vwprintf, (const wchar_t *format, va_list ap), (format, ap), stdout)
READ(wint_t, fgetwc, (FILE * f), (f), f)
READ(wint_t, getwc, (FILE * f), (f), f)
READ(wint_t, getwchar, (void), (), stdin)
READ(wint_t, fgetwc_unlocked, (FILE * f), (f), f)
READ(wint_t, getwc_unlocked, (FILE * f), (f), f)
READ(wint_t, getwchar_unlocked, (void), (), stdin)
READ_TO(wchar_t *, fgetws, (wchar_t * to, int size, FILE *f), (to, size, f), f, to, size > 0 ? 4u * (size_t)size : 0)

/* Where a stream is, what has happened to it, and how it is buffered. What is printed or read depends on it. */
PRINT(int, ungetc, (int c, FILE *f), (c, f), f)
PRINT(int, fseek, (FILE * f, long by, int from), (f, by, from), f)
PRINT(int, fseeko, (FILE * f, off_t by, int from), (f, by, from), f)
PRINT(int, fseeko64, (FILE * f, off64_t by, int from), (f, by, from), f)
PRINT_FROM(int, fsetpos, (FILE * f, const fpos_t *at), (f, at), f, at, sizeof(*at))
PRINT_FROM(int, fsetpos64, (FILE * f, const fpos64_t *at), (f, at), f, at, sizeof(*at))
PRINT(void, rewind, (FILE * f), (f), f)
PRINT(void, clearerr, (FILE * f), (f), f)
PRINT(int, setvbuf, (FILE * f, char *buffer, int mode, size_t size), (f, buffer, mode, size), f)
PRINT(void, setbuf, (FILE * f, char *buffer), (f, buffer), f)
PRINT(void, setlinebuf, (FILE * f), (f), f)
PRINT(int, fwide, (FILE * f, int mode), (f, mode), f)
PRINT(int, fclose, (FILE * f), (f), f)
REOPEN(freopen)
REOPEN(freopen64)
PRINT(int, fileno, (FILE * f), (f), f) /* which is what a close or another opening makes of it */
PRINT(int, fileno_unlocked, (FILE * f), (f), f)
READ(long, ftell, (FILE * f), (f), f)
READ(off_t, ftello, (FILE * f), (f), f)
READ(off64_t, ftello64, (FILE * f), (f), f)
READ_TO(int, fgetpos, (FILE * f, fpos_t *to), (f, to), f, to, sizeof(*to))
READ_TO(int, fgetpos64, (FILE * f, fpos64_t *to), (f, to), f, to, sizeof(*to))
READ(int, feof, (FILE * f), (f), f)
READ(int, ferror, (FILE * f), (f), f)

VTB_EXPORT void perror(const char *text);
VTB_EXPORT void perror(const char *text)
{
	VTB_BEHIND(void, call, (const char *), "perror");

	STEP(VTB_E_IO_READ, NULL); /* of a stream of its own, at another descriptor */
	call(text);
}

/* With `...`: theirs is the one that takes a list. */
#define PRINT_LIST(name, params, last, list, list_params, list_args, stream) \
	VTB_EXPORT int name params;                                          \
	VTB_EXPORT int name params                                           \
	{                                                                    \
		VTB_BEHIND(int, call, list_params, #list);                   \
		va_list ap;                                                  \
		int n;                                                       \
                                                                             \
		va_start(ap, last);                                          \
		prints(format, ap, VTB_CALLER);                              \
		va_end(ap);                                                  \
		STEP(VTB_E_IO_WRITE, stream);                                \
		va_start(ap, last);                                          \
		n = call list_args;                                          \
		va_end(ap);                                                  \
		return n;                                                    \
	}

PRINT_LIST(printf, (const char *format, ...), format, vprintf, (const char *, va_list), (format, ap), stdout)
PRINT_LIST(fprintf, (FILE * f, const char *format, ...), format, vfprintf, (FILE *, const char *, va_list),
           (f, format, ap), f)
PRINT_LIST(__printf_chk, (int flag, const char *format, ...), format, __vprintf_chk, (int, const char *, va_list),
           (flag, format, ap), stdout)
PRINT_LIST(__fprintf_chk, (FILE * f, int flag, const char *format, ...), format, __vfprintf_chk,
           (FILE *, int, const char *, va_list), (f, flag, format, ap), f)

static int scan_step(const void *f, const void *format, va_list args, void *theirs, uint64_t pc)
{
	VTB_LIBC_STEP(operate(VTB_E_IO_READ, (FILE *)f, pc));

	return ((int (*)(FILE *, const char *, va_list))theirs)((FILE *)f, format, args);
}

static int scans(FILE *f, const char *format, va_list args, void *theirs, uint64_t pc)
{
	return vtb_rt_scan_stream(f, format, args, theirs, scan_step, pc);
}

/* By the names that headers make of them, too. */
#define SCAN(symbol, list, name)                                                            \
	VTB_EXPORT int name##_list(FILE *f, const char *format, va_list ap) __asm__(#list); \
	VTB_EXPORT int name##_list(FILE *f, const char *format, va_list ap)                 \
	{                                                                                   \
		static void *theirs;                                                        \
                                                                                            \
		return scans(f, format, ap, vtb_real_kept(&theirs, #list), VTB_CALLER);     \
	}                                                                                   \
	VTB_EXPORT int name(FILE *f, const char *format, ...) __asm__(#symbol);             \
	VTB_EXPORT int name(FILE *f, const char *format, ...)                               \
	{                                                                                   \
		static void *theirs;                                                        \
		va_list ap;                                                                 \
		int n;                                                                      \
                                                                                            \
		va_start(ap, format);                                                       \
		n = scans(f, format, ap, vtb_real_kept(&theirs, #list), VTB_CALLER);        \
		va_end(ap);                                                                 \
		return n;                                                                   \
	}
#define SCAN_INPUT(symbol, list, name, of_stream)                                                \
	VTB_EXPORT int name##_list(const char *format, va_list ap) __asm__(#list);               \
	VTB_EXPORT int name##_list(const char *format, va_list ap)                               \
	{                                                                                        \
		static void *theirs;                                                             \
                                                                                                 \
		return scans(stdin, format, ap, vtb_real_kept(&theirs, #of_stream), VTB_CALLER); \
	}                                                                                        \
	VTB_EXPORT int name(const char *format, ...) __asm__(#symbol);                           \
	VTB_EXPORT int name(const char *format, ...)                                             \
	{                                                                                        \
		static void *theirs;                                                             \
		va_list ap;                                                                      \
		int n;                                                                           \
                                                                                                 \
		va_start(ap, format);                                                            \
		n = scans(stdin, format, ap, vtb_real_kept(&theirs, #of_stream), VTB_CALLER);    \
		va_end(ap);                                                                      \
		return n;                                                                        \
	}
SCAN(fscanf, vfscanf, scan_stream)
SCAN(__isoc99_fscanf, __isoc99_vfscanf, scan_stream_c99)
SCAN(__isoc23_fscanf, __isoc23_vfscanf, scan_stream_c23)
SCAN_INPUT(scanf, vscanf, scan_input, vfscanf)
SCAN_INPUT(__isoc99_scanf, __isoc99_vscanf, scan_input_c99, __isoc99_vfscanf)
SCAN_INPUT(__isoc23_scanf, __isoc23_vscanf, scan_input_c23, __isoc23_vfscanf)
