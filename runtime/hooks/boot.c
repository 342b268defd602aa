/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Start: find the block, hide ourselves from the program's environment (its children are not ours), take main's place.
 *
 *     ld.so ── constructors ── __libc_start_main ── begin_main ──┬─ off, record: main
 *                (mode off: all calls pass through)              └─ control: vtb_ctl_main (runtime/engines)
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include "models.h"
#include "engines.h"
#include "instr_libc.h"
#include "kernel.h"
#include "pads.h"
#include "base.h"
#include "rewrite.h"
#include "tsan_interface.h"

static enum vtb_wire_mode wanted;

/* ---- the environment */

extern char **environ;

static char *env_value(const char *name)
{
	const size_t n = strlen(name);

	for (char **e = environ; e && *e; e++)
		if (!strncmp(*e, name, n) && (*e)[n] == '=')
			return *e + n + 1;
	return NULL;
}

static void env_remove(const char *name)
{
	const size_t n = strlen(name);
	char **to = environ;

	for (char **e = environ; e && *e; e++)
		if (strncmp(*e, name, n) || (*e)[n] != '=')
			*to++ = *e;
	if (to)
		*to = NULL;
}

/* `path` is ours: so are that library and the stubs in the directory vtb beside it (runtime/stub.c). */
static bool is_ours(const char *item, size_t size, const char *path)
{
	const size_t directory = (size_t)(strrchr(path, '/') + 1 - path);

	if (size == strlen(path) && !strncmp(item, path, size))
		return true;
	return size > directory + 4 && !strncmp(item, path, directory) && !strncmp(item + directory, "vtb/", 4);
}

/* Remove the items of a list that `drop` names; remove the variable if none is left. In place. */
static void env_filter(const char *name, const char *separators, bool (*drop)(const char *, size_t, const char *),
                       const char *what)
{
	char *value = env_value(name), *to = value, *from = value;

	if (!value)
		return;
	while (*from) {
		const size_t size = strcspn(from, separators);
		const bool last = from[size] == 0;

		if (size && !drop(from, size, what)) {
			if (to != value)
				*to++ = separators[0];
			memmove(to, from, size);
			to += size;
		}
		from += size + !last;
	}
	*to = 0;
	if (!*value)
		env_remove(name);
}

static bool is_item(const char *item, size_t size, const char *what)
{
	return size == strlen(what) && !strncmp(item, what, size);
}

/* A model that is taken away must be missed: tests/primitives/without.py. */
static void take_without(void)
{
	static char name[64];
	const char *value = env_value("VTB_TEST_WITHOUT");

	if (!value || strlen(value) >= sizeof(name))
		return;
	strcpy(name, value);
	vtb_rt.without = name;
	env_remove("VTB_TEST_WITHOUT");
}

/* As on a machine without that: tests/e2e/lacks.py. */
static void take_lacks(void)
{
	const char *value = env_value("VTB_TEST_LACKS");

	if (!value)
		return;
	vtb_rt.lacks =
	    (strstr(value, "dispatch") ? VTB_LACKS_DISPATCH : 0) |
	    (strstr(value, "fsgsbase") ? VTB_LACKS_FSGSBASE : 0) | (strstr(value, "jumps") ? VTB_LACKS_JUMPS : 0) |
	    (strstr(value, "ring") ? VTB_LACKS_RING : 0) | (strstr(value, "calm") ? VTB_LACKS_CALM : 0) |
	    (strstr(value, "userfaultfd") ? VTB_LACKS_USERFAULTFD : 0) | (strstr(value, "guard") ? VTB_LACKS_GUARD : 0);
	env_remove("VTB_TEST_LACKS");
}

static void hide(void)
{
	Dl_info info;

	env_remove(VTB_WIRE_ENV);
	take_without();
	take_lacks();
	env_remove("LD_BIND_NOW");
	env_filter("GOMP_SPINCOUNT", "", is_item, "0");
	env_filter("GLIBC_TUNABLES", ":", is_item, "glibc.pthread.rseq=0");
	if (dladdr((void *)hide, &info) && strchr(info.dli_fname, '/'))
		env_filter("LD_PRELOAD", ": ", is_ours, info.dli_fname);
}

/* ---- the block */

static bool block_is_sane(const struct vtb_wire_header *h, uint64_t size)
{
	return size >= sizeof(*h) && !memcmp(h->magic, VTB_WIRE_MAGIC, sizeof(VTB_WIRE_MAGIC)) &&
	       h->version == VTB_WIRE_VERSION && h->header_size >= sizeof(*h) && h->block_size <= size &&
	       h->features == 0;
}

static int number(const char *text)
{
	int n = 0;

	while (*text >= '0' && *text <= '9' && n < 1000000)
		n = n * 10 + (*text++ - '0');
	return n;
}

static int open_block(const char *where)
{
	if (!strncmp(where, "fd:", 3))
		return number(where + 3);
	if (strncmp(where, "file:", 5))
		return -1;
	where += 5;
	if (strlen(where) < sizeof(vtb_rt.directory)) {
		char *slash;

		strcpy(vtb_rt.directory, where);
		slash = strrchr(vtb_rt.directory, '/');
		if (slash)
			*slash = 0;
		else
			strcpy(vtb_rt.directory, ".");
	}
	return open(where, O_RDWR | O_CLOEXEC);
}

static void map_block(const char *where)
{
	const int fd = open_block(where);
	struct vtb_wire_header *h;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return;
	h = vtb_own_pages((size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
	close(fd);
	if (!h)
		return;
	if (!block_is_sane(h, (uint64_t)st.st_size)) {
		munmap(h, (size_t)st.st_size);
		return;
	}
	if (!__sync_bool_compare_and_swap(&h->pid, 0,
	                                  (uint32_t)getpid())) { /* a child that inherited the environment */
		__atomic_fetch_or(&h->uncontrolled, VTB_UNC_REENTRY, __ATOMIC_RELAXED);
		munmap(h, (size_t)st.st_size);
		return;
	}
	vtb_rt.block = h;
	vtb_rt.block_size = h->block_size;
	vtb_rt.options = h->options;
	wanted = h->mode;
}

static void note_hooks(void)
{
	const void *ours = dlsym(RTLD_DEFAULT, "pthread_create");
	struct timespec now;

	if (vtb_pads_present())
		vtb_rt.hooks |= VTB_HOOK_PADS;
	vtb_rt.block->hooks |= vtb_rt.hooks | (ours == (void *)pthread_create ? VTB_HOOK_SYNC : 0u);
	if (vtb_tsan_real())
		vtb_rt.block->hooks |= VTB_HOOK_REAL_TSAN;
	clock_gettime(CLOCK_REALTIME, &now);
	vtb_rt.block->clock_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The program's stdin, stdout, environment are untouched; our calls before main come from here only. */
__attribute__((constructor)) static void start(void)
{
	const char *where = env_value(VTB_WIRE_ENV);

	vtb_real_init();
	if (!where || vtb_rt.block)
		return;
	map_block(where);
	hide();
	if (vtb_rt.block)
		note_hooks();
}

/* ---- main */

static const struct vtb_hooks hooks = { vtb_rt_rewrite_again, vtb_breaks_install, vtb_rt_tell_early_blocks };

static int begin_main(int argc, char **argv, char **envp)
{
	if (!vtb_rt.block || wanted == VTB_MODE_OFF)
		return vtb_rt.main(argc, argv, envp);
	vtb_rt_modules();
	if (vtb_rt.options & VTB_OPT_ACCESSES) {
		vtb_pads_on(wanted);
		vtb_mapped_protected = vtb_pads_late;
	}
	vtb_rt_rewrite(wanted);
	if (wanted == VTB_MODE_CONTROL)
		vtb_blind_hook();
	vtb_ctl_exit_begins = vtb_rt_asks_exit_handlers;
	vtb_rt.begun = true;
	if (wanted == VTB_MODE_CONTROL)
		return vtb_ctl_main(&hooks, argc, argv, envp);
	vtb_rt_announce();
	vtb_rt.mode = wanted;
	vtb_rec_begin();
	return vtb_rt.main(argc, argv, envp);
}

typedef int start_main(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void),
                       void *);
VTB_EXPORT start_main __libc_start_main;

VTB_EXPORT int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                                 void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
	start_main *real = (start_main *)dlsym(RTLD_NEXT, "__libc_start_main");

	vtb_loader_end_begin();
	vtb_rt.main = main;
	return real(begin_main, argc, argv, init, fini, vtb_loader_end_take(rtld_fini), stack_end);
}

/* Record mode: the end is announced so that a reader can tell a finished run from a killed one. */
__attribute__((destructor)) static void end(void)
{
	if (vtb_rt.mode != VTB_MODE_RECORD || vtb_rt.block->pid != (uint32_t)getpid())
		return;
	if (vtb_self)
		vtb_rec_sync(vtb_self, VTB_E_PROCESS_EXIT, NULL, 0, 0, 0, 0);
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++)
		if (vtb_rt.threads[i])
			vtb_rt_count_accesses(vtb_rt.threads[i]);
	vtb_rt.mode = VTB_MODE_OFF;
	vtb_rt_modules();
	vtb_rt.block->state = VTB_STATE_ENDED;
}
