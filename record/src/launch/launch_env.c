/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The environment of a program that is started with our runtime in it. */
#include "vtb/launch.h"

#include "vtb/wire.h"
#include "vtb/self.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SPINCOUNT "GOMP_SPINCOUNT=0"
#define TUNABLE "glibc.pthread.rseq=0"

struct builder {
	char **env;
	size_t n;
	bool failed;
};

static const char *lookup(char *const *env, const char *name)
{
	const size_t len = strlen(name);

	for (; *env; env++)
		if (!strncmp(*env, name, len) && (*env)[len] == '=')
			return *env + len + 1;
	return NULL;
}

__attribute__((format(printf, 2, 3))) static void add(struct builder *b, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	if (!b->failed && vasprintf(&b->env[b->n], fmt, args) < 0) {
		b->env[b->n] = NULL;
		b->failed = true;
	}
	b->n += !b->failed;
	va_end(args);
}

/* Ours, or about to be replaced by ours. */
static bool is_ours(const char *entry)
{
	static const char *const names[] = { VTB_WIRE_ENV "=", "LD_PRELOAD=", "LD_BIND_NOW=", "GLIBC_TUNABLES=" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(entry, names[i], strlen(names[i])))
			return true;
	return false;
}

/* What libstdc++.so does to the program's memory is worth seeing where the program's own accesses are; only there can
 * the library with hooks find the libstdc++ that it is made for. */
static bool wants_cxx(const struct vtb_target *t)
{
	return t->libstdcxx && t->hooks != VTB_HOOKS_NONE && t->hooks != VTB_HOOKS_TSAN_STATIC;
}

/* Whoever sets one of these wants what only libgomp does: threads bound to places, words about that, a limit over all
 * regions in each other. */
static bool asks_for_more(char *const *env)
{
	return lookup(env, "OMP_PROC_BIND") || lookup(env, "OMP_PLACES") || lookup(env, "GOMP_CPU_AFFINITY") ||
	       lookup(env, "OMP_DISPLAY_AFFINITY") || lookup(env, "OMP_THREAD_LIMIT");
}

/* Likewise libgomp.so.1, if all that is called of it is there: half of a thread's matters in one library and half in
 * the other would be neither's. */
static bool wants_omp(const struct vtb_target *t, char *const *env)
{
	return t->libgomp && !t->lacks_openmp && t->hooks != VTB_HOOKS_TSAN_STATIC && !asks_for_more(env);
}

/* The runtime first: its names must win over everybody's; then the sanitizers' SONAMEs; the user's own list last. */
static void add_preload(struct builder *b, const struct vtb_launch *l, char *const *base)
{
	const char *users = lookup(base, "LD_PRELOAD");
	const struct vtb_runtime_paths *p = l->runtime;
	const uint32_t stubs = l->target->stubs;
	const char *const list[] = { p->runtime,
		                     stubs & VTB_STUB_GCC ? p->stub_gcc : NULL,
		                     stubs & VTB_STUB_CLANG ? p->stub_clang : NULL,
		                     wants_cxx(l->target) ? p->cxx : NULL,
		                     wants_omp(l->target, base) ? p->omp : NULL,
		                     users && *users ? users : NULL };
	const size_t n = sizeof(list) / sizeof(*list);
	size_t size = 1;
	char *all;

	for (size_t i = 0; i < n; i++)
		size += list[i] ? strlen(list[i]) + 1 : 0;
	all = calloc(1, size);
	b->failed |= !all;
	for (size_t i = 0; all && i < n; i++)
		if (list[i])
			strcat(strcat(all, *all ? ":" : ""), list[i]);
	if (all)
		add(b, "LD_PRELOAD=%s", all);
	free(all);
}

static void add_runtime(struct builder *b, const struct vtb_launch *l, char *const *base)
{
	const char *tunables = lookup(base, "GLIBC_TUNABLES");

	add_preload(b, l, base);
	add(b, "LD_BIND_NOW=1");
	if (!lookup(base, "GOMP_SPINCOUNT") && !lookup(base, "OMP_WAIT_POLICY"))
		add(b, SPINCOUNT); /* OpenMP threads spin before they sleep: with one processor for all that is time
		                      lost */
	if (tunables && *tunables) /* the last one wins in glibc */
		add(b, "GLIBC_TUNABLES=%s:" TUNABLE, tunables);
	else
		add(b, "GLIBC_TUNABLES=" TUNABLE);
	if (l->block_fd >= 0)
		add(b, VTB_WIRE_ENV "=fd:%03d", l->block_fd); /* as long in each process: arguments lie below it */
	else
		add(b, VTB_WIRE_ENV "=file:%s", l->block_path);
}

/* Shells set "_" to what they have started, which is us, or what has started us: of another length, main's stack would
 * lie elsewhere. The program gets what it would get without us. */
static void add_users(struct builder *b, const struct vtb_launch *l, const char *entry)
{
	if (l->runtime && !strncmp(entry, "_=", 2))
		add(b, "_=%s", l->target->path);
	else
		add(b, "%s", entry);
}

char **vtb_launch_environment(const struct vtb_launch *l, char *const *base)
{
	struct builder b = { 0 };
	size_t n = 0;

	while (base[n])
		n++;
	b.env = calloc(n + 6, sizeof(*b.env)); /* 5 variables of ours, NULL */
	if (!b.env)
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (!l->runtime || !is_ours(base[i]))
			add_users(&b, l, base[i]);
	if (l->runtime)
		add_runtime(&b, l, base);
	if (b.failed) {
		vtb_launch_environment_free(b.env);
		return NULL;
	}
	return b.env;
}

void vtb_launch_environment_free(char **env)
{
	for (char **e = env; e && *e; e++)
		free(*e);
	free(env);
}

/* ---- where the runtime lies */

void vtb_runtime_paths_fini(struct vtb_runtime_paths *p)
{
	free(p->runtime);
	free(p->stub_gcc);
	free(p->stub_clang);
	free(p->cxx);
	free(p->omp);
	*p = (struct vtb_runtime_paths){ 0 };
}

static bool readable(const char *path)
{
	return access(path, R_OK) == 0;
}

/* "dir of our executable/../lib/libvtb-rt.so" */
static char *beside_us(void)
{
	char path[PATH_MAX];

	return vtb_self_beside("../lib/libvtb-rt.so", path) ? realpath(path, NULL) : NULL;
}

static char *find_runtime(void)
{
	const char *env = getenv("VTB_RT");
	char *path = env && *env ? realpath(env, NULL) : beside_us();

	if (!path && !(env && *env))
		path = realpath(VTB_LIBDIR "/libvtb-rt.so", NULL);
	return path && readable(path) ? path : (free(path), NULL);
}

static char *beside_runtime(const char *runtime, const char *name)
{
	const int dir = (int)(strrchr(runtime, '/') - runtime);
	char *whole;

	return asprintf(&whole, "%.*s/vtb/%s", dir, runtime, name) < 0 ? NULL : whole;
}

/* There may be a runtime alone, without the libraries beside it. */
static void forget_unless_there(char **path)
{
	if (readable(*path))
		return;
	free(*path);
	*path = NULL;
}

int vtb_runtime_find(struct vtb_runtime_paths *ret, struct vtb_error *err)
{
	struct vtb_runtime_paths p = { .runtime = find_runtime() };

	if (!p.runtime)
		return vtb_error_set(
		    err, -VTB_E_TARGET, getenv("VTB_RT"), 0,
		    "the runtime libvtb-rt.so was not found: expected in ../lib beside this program, in " VTB_LIBDIR
		    ", or where VTB_RT says");
	if (strpbrk(p.runtime, " \t:;")) {
		vtb_error_set(err, -VTB_E_TARGET, p.runtime, 0,
		              "a library at a path with blanks or colons cannot be preloaded; install vtb elsewhere or "
		              "set VTB_RT");
		vtb_runtime_paths_fini(&p);
		return -VTB_E_TARGET;
	}
	p.stub_gcc = beside_runtime(p.runtime, "libtsan.so.2");
	p.stub_clang = beside_runtime(p.runtime, "libclang_rt.tsan-x86_64.so");
	p.cxx = beside_runtime(p.runtime, "libvtb-cxx.so");
	p.omp = beside_runtime(p.runtime, "libvtb-omp.so");
	if (!p.stub_gcc || !p.stub_clang || !p.cxx || !p.omp) {
		vtb_runtime_paths_fini(&p);
		return vtb_error_set(err, -ENOMEM, NULL, 0, "%s", vtb_strerror(-ENOMEM));
	}
	forget_unless_there(&p.cxx);
	forget_unless_there(&p.omp);
	*ret = p;
	return 0;
}
