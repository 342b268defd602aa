/* SPDX-License-Identifier: BSD-2-Clause */
/** @file instr_libc.h What a print reads, what a scan writes. */
#ifndef VTB_RT_INSTR_LIBC_H
#define VTB_RT_INSTR_LIBC_H

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Tell that the texts among the arguments of a print, called from `pc`, are about to be read. `args` stays as it is.
 * O(length of the format). */
void vtb_rt_printed(const char *format, va_list args, uint64_t pc);

/** What the arguments of a scan are about to be given, likewise. */
void vtb_rt_scanned(const char *format, va_list args, uint64_t pc);

/** Make a scan of a stream, by `theirs`. */
typedef int vtb_rt_scan_call(const void *stream, const void *format, va_list args, void *theirs, uint64_t pc);
/** The same by `call`, into room of ours where others come; what it has read is then written place by place. */
int vtb_rt_scan_stream(void *stream, const char *format, va_list args, void *theirs, vtb_rt_scan_call *call,
                       uint64_t pc);

/** A key of threads' own data is about to be made or taken away, or used. */
void vtb_rt_alters_keys(uint64_t pc);
void vtb_rt_asks_keys(uint64_t pc);

/** The handlers that exit() calls are about to be looked at. */
void vtb_rt_asks_exit_handlers(uint64_t pc);

/** What the locale says is about to be asked for: the decimal point, which bytes and numbers are letters. */
void vtb_rt_asks_locale(uint64_t pc);
/** Does it decide what a directive of a print or a scan makes? */
bool vtb_rt_is_of_locale(char conversion, bool is_long);

/** What a call hands over through a pointer is an access: made when it is told, not in the call. */
void vtb_rt_hand_over(void *to, const void *what, size_t size, uint64_t pc);
/** A thread is about to be made, or was, and its handle written there. */
void vtb_rt_gets_handle(const pthread_t *handle, uint64_t pc);
/** Likewise before it is made, with these attributes; NULL: none. */
void vtb_rt_makes_thread(const pthread_t *handle, const pthread_attr_t *attr, uint64_t pc);
/** Attributes are about to be read, of a lock that is made with them, too; NULL: none. */
void vtb_rt_asks_attributes(const void *of, size_t size, uint64_t pc);

/** A semaphore's name is about to be looked up (not `anew`), or given or taken away. */
void vtb_rt_names_semaphore(bool anew, uint64_t pc);

#endif /* VTB_RT_INSTR_LIBC_H */
