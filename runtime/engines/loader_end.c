/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The end of exit(). It calls handlers, the last registered first:
 *
 *     last | of libraries ... | the loader's | the program's ...
 *
 * Constructors of libraries run before the loader's handler is registered. `last` is ours, registered before the first
 * of them, and ends the run.
 *
 * The loader calls the destructors of everything that is loaded. To find out that there is nothing to call it sorts
 * what is loaded, and writes on a page or two for each library that then have to be put back: a fifteenth of a short
 * run. So it is found out once, before memory is remembered: runs end without the loader if
 *
 *   - every object's only destructor is that which the compiler's start files bring along. It has the C library call
 *     handlers that its object has registered, which exit() has done by then.
 *   - each library has registered its handlers in a row, so that exit() itself comes to them in the order in which the
 *     loader would have had them called, library by library.
 *   - nothing has been loaded or unloaded since,
 *   - and no other thread is there: a library's handler may wait for it, and the loader says who of the libraries comes
 *     before our own destructor, which ends the run then (run_server.c).
 *
 * In all other cases the loader does what it does.
 */
#include <elf.h>
#include <link.h>

#include "base.h"
#include "engines.h"
#include "models.h"

#define ANY (-1)

#define MODULES_MAX 32u

static void (*loader_end)(void);
static struct early {
	bool begun; /* `last` is registered */
	bool mixed; /* not each library's in a row, or of none */
	uint32_t n;
	const void *modules[MODULES_MAX]; /* whose handlers were registered before the loader's own, in order */
} early;
static const struct link_map *newest; /* as it was looked at; NULL: destructors are left to the loader */
static uint32_t n_loaded;

/* __do_global_dtors_aux of gcc's crtstuff.c, position-independent:
 *     if (completed) return;  if (__cxa_finalize) __cxa_finalize(__dso_handle);  deregister_tm_clones();
 *     completed = 1; */
static const int16_t of_start_files[] = {
	0x80, 0x3d, ANY,  ANY,  ANY,  ANY,  0,   0x75, ANY, /* cmpb, jne */
	0x55, 0x48, 0x83, 0x3d, ANY,  ANY,  ANY, ANY,  0,   /* push %rbp, cmpq */
	0x48, 0x89, 0xe5, 0x74, 0x0c,                       /* mov, je */
	0x48, ANY,  0x3d, ANY,  ANY,  ANY,  ANY,            /* mov or lea */
	0xe8, ANY,  ANY,  ANY,  ANY,  0xe8, ANY, ANY,  ANY, ANY, 0xc6, 0x05, ANY, ANY, ANY, ANY, 1, 0x5d, 0xc3,
};
#define FINALIZE_AT 13u /* where it says how far the address of __cxa_finalize is */

/* _fini of crti.o and crtn.o: sub $8, %rsp; add $8, %rsp; ret */
static const int16_t nothing[] = { 0x48, 0x83, 0xec, 8, 0x48, 0x83, 0xc4, 8, 0xc3 };

static uint64_t without_landing_pad(uint64_t code)
{
	return vtb_rt_load(code, 2) == 0xfa1e0ff3 /* endbr64 */ ? code + 4 : code;
}

static bool is_like(uint64_t code, const int16_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (bytes[i] != ANY && vtb_rt_load(code + i, 0) != (uint64_t)bytes[i])
			return false;
	return true;
}

static bool is_of_start_files(uint64_t function)
{
	const uint64_t code = without_landing_pad(function),
	               behind = code + FINALIZE_AT + 5; /* the instruction, from where it counts */

	return is_like(code, of_start_files, sizeof(of_start_files) / sizeof(*of_start_files)) &&
	       vtb_rt_load(behind + (uint64_t)(int32_t)vtb_rt_load(code + FINALIZE_AT, 2), 3) ==
	           (uint64_t)vtb_real_symbol("__cxa_finalize");
}

static bool is_nothing(uint64_t function)
{
	return is_like(without_landing_pad(function), nothing, sizeof(nothing) / sizeof(*nothing));
}

static bool has_no_destructor(const struct link_map *object)
{
	uint64_t size = 0, array = 0, last = 0;

	for (const ElfW(Dyn) *d = object->l_ld; d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_FINI_ARRAYSZ)
			size = d->d_un.d_val;
		else if (d->d_tag == DT_FINI_ARRAY)
			array = object->l_addr + d->d_un.d_ptr;
		else if (d->d_tag == DT_FINI)
			last = object->l_addr + d->d_un.d_ptr;
	}
	return (!last || is_nothing(last)) && (!size || (size == 8 && is_of_start_files(vtb_rt_load(array, 3))));
}

/* Of all but ourselves. */
static bool nobody_has_one(void)
{
	for (const struct link_map *o = _r_debug.r_map; o; o = o->l_next)
		if (o->l_ld != _DYNAMIC && !has_no_destructor(o))
			return false;
	return true;
}

/* The last one in the list is the one that was loaded last. */
static const struct link_map *look_at_list(uint32_t *ret_n)
{
	const struct link_map *last = NULL;

	*ret_n = 0;
	for (const struct link_map *o = _r_debug.r_map; o; o = o->l_next, ++*ret_n)
		last = o;
	return last;
}

static bool has_one_list(void)
{
	return _r_debug.r_version <= 1; /* dlmopen() makes others, and says so */
}

void vtb_loader_end_look(void)
{
	newest = NULL;
	if (!early.mixed && has_one_list() && nobody_has_one())
		newest = look_at_list(&n_loaded);
}

static bool is_nothing_left(void)
{
	uint32_t n;

	return newest && has_one_list() && look_at_list(&n) == newest && n == n_loaded;
}

static bool is_left_out(void)
{
	return vtb_rt.mode == VTB_MODE_CONTROL && vtb_engine->call && !vtb_engine_others_live() && is_nothing_left();
}

static void end(void)
{
	if (!is_left_out())
		loader_end();
}

static void last(void *no_argument)
{
	(void)no_argument;
	vtb_engine_run_ends();
}

/* quick_exit() goes on to _exit(), which flushes nothing, by a name of libc's own. */
static void last_of_quick_exit(void *no_argument)
{
	(void)no_argument;
	if (vtb_rt.mode == VTB_MODE_CONTROL && vtb_sched.active)
		vtb_ctl_quit(vtb_sched.status);
}

void vtb_loader_end_begin(void)
{
	if (!early.begun) {
		((int (*)(void (*)(void *), void *, void *))vtb_real_symbol("__cxa_atexit"))(last, NULL, NULL);
		((int (*)(void (*)(void *), void *))vtb_real_symbol("__cxa_at_quick_exit"))(last_of_quick_exit, NULL);
	}
	early.begun = true;
}

void (*vtb_loader_end_take(void (*theirs)(void)))(void)
{
	loader_end = theirs;
	return theirs ? end : NULL;
}

void vtb_loader_end_handler(const void *module)
{
	if (vtb_rt.main)
		return;
	vtb_loader_end_begin();
	if (early.n && early.modules[early.n - 1] == module)
		return;
	early.mixed |= !module || early.n == MODULES_MAX;
	for (uint32_t i = 0; i < early.n; i++)
		early.mixed |= early.modules[i] == module;
	if (!early.mixed)
		early.modules[early.n++] = module;
}
