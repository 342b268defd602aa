/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/slice.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "cache.h"

struct vtb_slice {
	char *path, *named;
	struct kept kept;          /* what is asked about, from the cache or computed */
	struct analysis *analysis; /* NULL until something asks for more */
	bool stale;                /* more is known than is kept */
};

static int analyse(struct vtb_slice *s, struct vtb_error *err)
{
	int r = 0;

	if (!s->analysis)
		r = analysis_new(s->path, s->named, &s->analysis, err);
	return r;
}

static int open_at(struct vtb_slice *s, const struct vtb_slice_opts *opts, struct vtb_error *err)
{
	char *file = cache_file(s->path, opts ? opts->cache : NULL, s->named);
	int r = file && cache_read(file, &s->kept) ? 1 : analyse(s, err);

	if (r == 0)
		r = analysis_keep(s->analysis, &s->kept);
	if (r == 0 && file)
		cache_write(file, &s->kept);
	free(file);
	return r < 0 ? r : 0;
}

int vtb_slice_open(const char *path, const struct vtb_slice_opts *opts, struct vtb_slice **ret, struct vtb_error *err)
{
	struct vtb_slice *s = calloc(1, sizeof(*s));
	int r = -ENOMEM;

	if (s) {
		s->path = strdup(path);
		s->named = strdup(opts && opts->check_functions ? opts->check_functions : "");
	}
	if (s && s->path && s->named)
		r = open_at(s, opts, err);
	else
		vtb_error_set(err, r, path, 0, "not enough memory");
	if (r < 0) {
		vtb_slice_free(s);
		return r;
	}
	*ret = s;
	return 0;
}

void vtb_slice_free(struct vtb_slice *s)
{
	if (!s)
		return;
	analysis_free(s->analysis);
	kept_fini(&s->kept);
	free(s->path);
	free(s->named);
	free(s);
}

/* After something was added, what is kept is made anew when somebody asks. */
static void refresh(const struct vtb_slice *s)
{
	struct vtb_slice *own = (struct vtb_slice *)s;

	if (!s->stale)
		return;
	own->stale = false;
	if (analysis_keep(s->analysis, &own->kept) < 0) {
		kept_fini(&own->kept);
		strcpy(own->kept.doubt, "there was not enough memory");
	}
}

static const struct kept_site *site_at(const struct vtb_slice *s, uint64_t addr)
{
	size_t lo = 0, hi = s->kept.n_sites;

	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;

		if (s->kept.sites[mid].addr < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < s->kept.n_sites && s->kept.sites[lo].addr == addr ? &s->kept.sites[lo] : NULL;
}

uint32_t vtb_slice_matters(const struct vtb_slice *s, uint64_t addr)
{
	const struct kept_site *site;

	refresh(s);
	site = s->kept.doubt[0] ? NULL : site_at(s, addr);
	if (s->kept.doubt[0])
		return VTB_SLICE_ALL | VTB_SLICE_UNTOLD | VTB_SLICE_BLIND;
	return (site ? site->kinds : VTB_SLICE_ALL | VTB_SLICE_UNTOLD) | s->kept.blind;
}

int vtb_slice_add(struct vtb_slice *s, uint64_t addr, uint32_t kinds, size_t *ret_added)
{
	size_t before = 0, after = 0, all;
	int r = s->kept.doubt[0] ? 0 : analyse(s, NULL);

	if (ret_added)
		vtb_slice_count(s, kinds, &all, &before);
	if (r >= 0 && !s->kept.doubt[0]) {
		r = analysis_add(s->analysis, addr, kinds);
		s->stale = true;
	}
	if (ret_added) {
		vtb_slice_count(s, kinds, &all, &after);
		*ret_added = after - before;
	}
	return r < 0 ? r : 0;
}

const char *vtb_slice_doubt(const struct vtb_slice *s)
{
	return s->kept.doubt[0] ? s->kept.doubt : NULL;
}

size_t vtb_slice_path(struct vtb_slice *s, uint64_t addr, uint32_t kinds, struct vtb_slice_step *steps, size_t max)
{
	if (s->kept.doubt[0] || !site_at(s, addr) || analyse(s, NULL) < 0)
		return 0;
	return analysis_path(s->analysis, addr, kinds, steps, max);
}

bool vtb_slice_access(const struct vtb_slice *s, size_t i, uint64_t *ret_addr, uint32_t *ret_kinds)
{
	refresh(s);
	for (size_t k = 0; k < s->kept.n_sites; k++)
		if (s->kept.sites[k].access && i-- == 0) {
			*ret_addr = s->kept.sites[k].addr;
			*ret_kinds = vtb_slice_matters(s, *ret_addr) & (VTB_SLICE_ALL | VTB_SLICE_ALONE);
			return true;
		}
	return false;
}

void vtb_slice_count(const struct vtb_slice *s, uint32_t kinds, size_t *ret_accesses, size_t *ret_matter)
{
	refresh(s);
	*ret_accesses = *ret_matter = 0;
	for (size_t k = 0; k < s->kept.n_sites; k++)
		if (s->kept.sites[k].access) {
			++*ret_accesses;
			*ret_matter += s->kept.doubt[0] || s->kept.sites[k].kinds & kinds;
		}
}

size_t vtb_slice_count_shared(const struct vtb_slice *s, uint32_t kinds)
{
	size_t n = 0;

	refresh(s);
	for (size_t k = 0; k < s->kept.n_sites; k++) {
		const struct kept_site *site = &s->kept.sites[k];

		n += site->access && (s->kept.doubt[0] || (site->kinds & kinds && !(site->kinds & VTB_SLICE_ALONE)));
	}
	return n;
}

bool vtb_slice_essential(const struct vtb_slice *s, size_t i, struct vtb_slice_essential *ret)
{
	const struct kept_essential *e = i < s->kept.n_essentials ? &s->kept.essentials[i] : NULL;

	if (e)
		*ret = (struct vtb_slice_essential){ .addr = e->addr, .kinds = e->kinds, .what = e->what };
	return e;
}
