/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unhooked.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/target.h"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool modelled(const char *name)
{
	static const char *const prefixes[] = {"ld-linux", "libc.so", "libc-", "libpthread", "linux-vdso", "[vdso]", "libvtb-rt", "libvtb-cxx", "libtsan.so", "libclang_rt.tsan"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return !*name;
}

struct module {
	bool hooked;
	uint32_t skipped; /* places in it without a pad */
	bool blind_reads;
};

static struct module look_at(const char *path)
{
	struct vtb_target target;
	struct module m = {0};

	if (vtb_target_inspect(path, &target, NULL) < 0)
		return m;
	m.hooked = target.hooks != VTB_HOOKS_NONE && target.hooks != VTB_HOOKS_TSAN_STATIC;
	m.skipped = target.pads_skipped;
	m.blind_reads = m.hooked && target.blind_reads;
	vtb_target_fini(&target);
	return m;
}

/* What is missing of it, as words; NULL: no memory. */
static char *missing(const char *name, const struct module *m)
{
	char *words = NULL;
	int r;

	if (m->blind_reads)
		r = asprintf(&words, "reads just before writes in %s", name);
	else if (m->skipped)
		r = asprintf(&words, "%u place%s in %s", m->skipped, m->skipped == 1 ? "" : "s", name);
	else
		r = asprintf(&words, "%s", name);
	return r < 0 ? NULL : words;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool listed(char *const *names, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

int vtb_unhooked_modules(const struct vtb_symtab *tab, char ***ret, bool *ret_blind)
{
	char **names = calloc(tab->n_modules + 1, sizeof(*names));
	size_t n = 0;

	*ret_blind = false;
	if (!names)
		return -ENOMEM;
	for (size_t i = 0; i < tab->n_modules; i++) {
		const char *name = base_name(tab->modules[i].path);
		struct module m;

		if (modelled(name) || listed(names, n, name))
			continue;
		m = look_at(tab->modules[i].path);
		if (m.hooked && !m.skipped && !m.blind_reads)
			continue;
		*ret_blind |= m.blind_reads;
		names[n] = missing(name, &m);
		if (!names[n]) {
			while (n-- > 0)
				free(names[n]);
			free(names);
			return -ENOMEM;
		}
		n++;
	}
	qsort(names, n, sizeof(*names), by_name);
	*ret = names;
	return 0;
}
