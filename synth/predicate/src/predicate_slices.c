/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/predicate_slices.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/bounded_text.h"
#include "vtb/name_list.h"
#include "vtb/slice.h"

struct sliced {
	struct vtb_slice *slice; /* NULL: everything in it matters */
	bool tried;
};

struct vtb_predicate_slices {
	const struct vtb_symtab *tab;
	struct vtb_predicate_slices_opts opts;
	uint32_t kinds;
	struct sliced *files; /* by module */
	size_t n_files, cap_files;
};

int vtb_predicate_slices_new(const struct vtb_symtab *tab, const struct vtb_predicate_slices_opts *opts,
                             struct vtb_predicate_slices **ret)
{
	struct vtb_predicate_slices *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->tab = tab;
	s->opts = *opts;
	s->kinds = VTB_SLICE_FAILS | VTB_SLICE_NAMED;
	if (!opts->only_assertions)
		s->kinds |= VTB_SLICE_FAULTS | VTB_SLICE_LOCKS;
	if (opts->output)
		s->kinds |= VTB_SLICE_OUTPUT;
	*ret = s;
	return 0;
}

void vtb_predicate_slices_free(struct vtb_predicate_slices *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n_files; i++)
		vtb_slice_free(s->files[i].slice);
	free(s->files);
	free(s);
}

/* Taking a mutex and giving it back only keeps others back: for assertions it is enough to know of those that runs
 * show. Whether any other operation takes place decides what others can do. */
static bool only_keeps_back(const char *what)
{
	return strstr(what, "pthread_mutex_lock") || strstr(what, "pthread_mutex_unlock");
}

static int add_operations(struct vtb_slice *slice)
{
	struct vtb_slice_essential e;
	int r = 0;

	for (size_t i = 0; r >= 0 && vtb_slice_essential(slice, i, &e); i++)
		if (e.kinds & VTB_SLICE_LOCKS && !only_keeps_back(e.what))
			r = vtb_slice_add(slice, e.addr, VTB_SLICE_FAILS, NULL);
	return r;
}

static struct vtb_slice *open_slice(const struct vtb_predicate_slices *s, const char *path)
{
	const struct vtb_slice_opts opts = { .check_functions = s->opts.check_functions };
	struct vtb_slice *slice;

	if (vtb_slice_open(path, &opts, &slice, NULL) < 0)
		return NULL;
	if (s->opts.only_assertions && !vtb_slice_doubt(slice) && add_operations(slice) < 0) {
		vtb_slice_free(slice);
		return NULL;
	}
	return slice;
}

/* The slice of the site's file; NULL: none. */
static struct vtb_slice *slice_of(struct vtb_predicate_slices *s, uint32_t site)
{
	const uint32_t module = site < s->tab->n_sites ? s->tab->sites[site].module : VTB_NONE;

	if (module >= s->tab->n_modules)
		return NULL;
	while (s->n_files <= module) {
		if (vtb_array_room(s, files) < 0)
			return NULL;
		s->files[s->n_files++] = (struct sliced){ 0 };
	}
	if (!s->files[module].tried) {
		s->files[module].tried = true;
		s->files[module].slice = open_slice(s, s->tab->modules[module].path);
	}
	return s->files[module].slice;
}

static uint32_t matters(void *data, uint32_t site)
{
	struct vtb_predicate_slices *s = data;
	struct vtb_slice *slice = slice_of(s, site);
	const uint32_t kinds =
	    slice ? vtb_slice_matters(slice, s->tab->sites[site].offset) : UINT32_MAX & ~(uint32_t)VTB_SLICE_ALONE;

	return (kinds & s->kinds ? VTB_PREDICATE_MATTERS : 0u) |
	       (kinds & VTB_SLICE_UNTOLD ? VTB_PREDICATE_UNTOLD : 0u) |
	       (kinds & VTB_SLICE_BLIND ? VTB_PREDICATE_BLIND : 0u) |
	       (kinds & VTB_SLICE_ALONE ? VTB_PREDICATE_ALONE : 0u);
}

/* Where everything matters there is nothing to add. */
static int add(void *data, uint32_t site)
{
	struct vtb_predicate_slices *s = data;
	struct vtb_slice *slice = slice_of(s, site);

	return slice && !vtb_slice_doubt(slice)
	           ? vtb_slice_add(slice, s->tab->sites[site].offset, VTB_SLICE_FAILS, NULL)
	           : 0;
}

const char *vtb_predicate_slices_doubt(const struct vtb_predicate_slices *s, char *buf, size_t size)
{
	struct vtb_bounded_text t = { .buf = buf, .size = size };
	bool any = false;

	*buf = '\0';
	for (size_t i = 0; i < s->n_files; i++) {
		const char *doubt = s->files[i].slice ? vtb_slice_doubt(s->files[i].slice) : "it cannot be read";
		const char *path = s->tab->modules[i].path, *slash = strrchr(path, '/');

		if (!s->files[i].tried || !doubt)
			continue;
		vtb_bounded_text_add(&t, "%s%s: %s", any ? "; " : "", slash ? slash + 1 : path, doubt);
		any = true;
	}
	return any ? buf : NULL;
}

static const char *doubt(void *data, char *buf, size_t size)
{
	return vtb_predicate_slices_doubt(data, buf, size);
}

static bool has_sites(const struct vtb_symtab *tab, uint32_t module)
{
	for (size_t i = 0; i < tab->n_sites; i++)
		if (tab->sites[i].module == module)
			return true;
	return false;
}

uint64_t vtb_predicate_slices_code(const struct vtb_predicate_slices *s)
{
	uint64_t sum = 0;

	for (uint32_t m = 0; m < s->tab->n_modules; m++)
		sum += has_sites(s->tab, m) ? vtb_slice_code(s->tab->modules[m].path) : 0;
	return sum;
}

static uint64_t bytes(void *data)
{
	return vtb_predicate_slices_code(data);
}

struct vtb_predicate_source vtb_predicate_slices_source(struct vtb_predicate_slices *s)
{
	return (struct vtb_predicate_source){ matters, add, s, doubt, bytes };
}

static bool is_known(const struct vtb_symtab *tab, const char *item, size_t length)
{
	for (size_t i = 0; i < tab->n_modules; i++)
		if (vtb_slice_has_function(tab->modules[i].path, item, length))
			return true;
	return false;
}

bool vtb_predicate_slices_unknown(const struct vtb_symtab *tab, const char *names, char *buf, size_t size)
{
	const char *item;
	size_t length;

	while (names && (item = vtb_name_list_next(&names, &length)) != NULL)
		if (!is_known(tab, item, length)) {
			snprintf(buf, size, "%.*s", (int)length, item);
			return true;
		}
	return false;
}

int vtb_pruning_begin(const struct vtb_symtab *tab, const struct vtb_predicate_slices_opts *opts,
                      struct vtb_pruning *ret)
{
	const struct vtb_predicate_opts how = { .faults = !opts->only_assertions, .peek = true, .later = opts->later };
	struct vtb_predicate_source source;
	int r;

	*ret = (struct vtb_pruning){ 0 };
	r = vtb_predicate_slices_new(tab, opts, &ret->slices);
	if (r < 0)
		return r;
	source = vtb_predicate_slices_source(ret->slices);
	return vtb_predicate_new(&source, &how, &ret->predicate);
}

void vtb_pruning_end(struct vtb_pruning *p)
{
	vtb_predicate_free(p->predicate);
	vtb_predicate_slices_free(p->slices);
	*p = (struct vtb_pruning){ 0 };
}
