/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "target_libs.h"

#include "vtb/array.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where ld.so of an x86-64 system looks last. */
static const char system_dirs[] = "/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:/lib64:/usr/lib64:/lib:/usr/lib";

#define LIBGOMP "libgomp.so.1"

struct walk {
	struct vtb_target *target;
	char **seen; /* names met so far, each looked up once */
	size_t n_seen, cap_seen;
};

/* "libtsan.so.2" of gcc 12, ".0" of older ones: the number is the interface's, ours speaks 2. */
static uint32_t stub_of(const char *name)
{
	if (!strcmp(name, "libtsan.so.2"))
		return VTB_STUB_GCC;
	if (!strcmp(name, "libclang_rt.tsan-x86_64.so"))
		return VTB_STUB_CLANG;
	return 0;
}

/* The C and C++ libraries import pthread_create on behalf of whoever asks: that says nothing about the program. */
static bool is_system_library(const char *name)
{
	static const char *const prefixes[] = { "libc.so",       "libm.so",    "libstdc++.so", "libgcc_s.so",
		                                "libpthread.so", "libdl.so",   "librt.so",     "ld-linux",
		                                "libc++",        "linux-vdso", "libvtb-rt.so" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

/* One directory of a search path, with $ORIGIN replaced by the directory of `user`. False if it does not fit. */
static bool expand_dir(const char *dir, size_t len, const char *user, char *out, size_t size)
{
	static const char *const names[] = { "$ORIGIN", "${ORIGIN}" };
	const char *slash = strrchr(user, '/');
	const int origin = slash ? (int)(slash - user) : 1;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const size_t n = strlen(names[i]);

		if (len >= n && !strncmp(dir, names[i], n))
			return (size_t)snprintf(out, size, "%.*s%.*s", origin, slash ? user : ".", (int)(len - n),
			                        dir + n) < size;
	}
	return (size_t)snprintf(out, size, "%.*s", (int)len, dir) < size;
}

static bool find_in(const char *dirs, const char *name, const char *user, char *out, size_t size)
{
	while (dirs && *dirs) {
		const size_t len = strcspn(dirs, ":;");
		char dir[PATH_MAX];

		if (len && expand_dir(dirs, len, user, dir, sizeof(dir)) &&
		    (size_t)snprintf(out, size, "%s/%s", dir, name) < size && !access(out, R_OK))
			return true;
		dirs += len;
		dirs += *dirs != 0;
	}
	return false;
}

static bool find_library(const char *name, const char *user, const char *rpath, char *out, size_t size)
{
	if (strchr(name, '/'))
		return (size_t)snprintf(out, size, "%s", name) < size && !access(out, R_OK);
	return find_in(rpath, name, user, out, size) || find_in(getenv("LD_LIBRARY_PATH"), name, user, out, size) ||
	       find_in(system_dirs, name, user, out, size);
}

/* 1 if it is new, 0 if it was met before. */
static int remember(struct walk *w, const char *name)
{
	int r;

	for (size_t i = 0; i < w->n_seen; i++)
		if (!strcmp(w->seen[i], name))
			return 0;
	if (w->n_seen >= VTB_NEEDED_LIMIT)
		return 0;
	r = vtb_array_room(w, seen);
	if (r < 0)
		return r;
	w->seen[w->n_seen] = strdup(name);
	return w->seen[w->n_seen] ? (w->n_seen++, 1) : -ENOMEM;
}

static int walk(struct walk *w, const char *path, const struct elf_facts *facts, unsigned depth);

static int visit(struct walk *w, const char *name, const char *user, const char *rpath, unsigned depth)
{
	struct elf_facts facts = { 0 };
	char path[PATH_MAX];
	int r = remember(w, name);

	if (r <= 0)
		return r;
	w->target->stubs |= stub_of(name);
	w->target->libstdcxx |= !strcmp(name, "libstdc++.so.6");
	w->target->libgomp |= !strcmp(name, LIBGOMP);
	if (stub_of(name) || is_system_library(name) || !find_library(name, user, rpath, path, sizeof(path)) ||
	    vtb_elf_facts_read(path, &facts) < 0)
		return 0;
	w->target->threads |= facts.imports_threads;
	w->target->library_starts |= facts.imports_starts;
	w->target->loads |= facts.imports_loads;
	w->target->lacks_openmp |= facts.lacks_openmp || (facts.imports_loads && strcmp(name, LIBGOMP));
	w->target->pad_sites += facts.pad_sites;
	r = walk(w, path, &facts, depth + 1);
	vtb_elf_facts_fini(&facts);
	return r;
}

/* Depth is bounded by the number of distinct names; the limit only guards the stack. */
static int walk(struct walk *w, const char *path, const struct elf_facts *facts, unsigned depth)
{
	int r = 0;

	for (size_t i = 0; i < facts->n_needed && r >= 0 && depth < 32; i++)
		r = visit(w, facts->needed[i], path, facts->rpath, depth);
	return r;
}

int vtb_target_follow_libraries(struct vtb_target *t, const char *path, const struct elf_facts *facts)
{
	struct walk w = { .target = t };
	const int r = walk(&w, path, facts, 0);

	for (size_t i = 0; i < w.n_seen; i++)
		free(w.seen[i]);
	free(w.seen);
	return r < 0 ? r : 0;
}
