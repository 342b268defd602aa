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
	static const char *const prefixes[] = {"ld-linux", "libc.so", "libc-", "libpthread", "linux-vdso", "[vdso]", "libvtb-rt", "libtsan.so", "libclang_rt.tsan"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return !*name;
}

/* *skipped: places in it without a pad. */
static bool hooked(const char *path, uint32_t *skipped)
{
	struct vtb_target target;
	bool hooks;

	*skipped = 0;
	if (vtb_target_inspect(path, &target, NULL) < 0)
		return false;
	hooks = target.hooks != VTB_HOOKS_NONE && target.hooks != VTB_HOOKS_TSAN_STATIC;
	*skipped = target.pads_skipped;
	vtb_target_fini(&target);
	return hooks;
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

int vtb_unhooked_modules(const struct vtb_symtab *tab, char ***ret)
{
	char **names = calloc(tab->n_modules + 1, sizeof(*names));
	size_t n = 0;

	if (!names)
		return -ENOMEM;
	for (size_t i = 0; i < tab->n_modules; i++) {
		const char *name = base_name(tab->modules[i].path);
		uint32_t skipped;

		if (modelled(name) || listed(names, n, name) || (hooked(tab->modules[i].path, &skipped) && !skipped))
			continue;
		if (skipped ? asprintf(&names[n], "%u place%s in %s", skipped, skipped == 1 ? "" : "s", name) < 0 : !(names[n] = strdup(name))) {
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
