/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The call sites of the file that was looked at last are kept: a hunt asks twice, and hunts of the tests of one program
 * ask as often as there are tests. */
#include <stdbool.h>
#include <sys/stat.h>

#include "call_sites_look.h"
#include "vtb/array.h"

static struct {
	struct stat file;
	struct vtb_call_sites sites;
	bool known;
} last;

static bool same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static bool is_last(const struct stat *st)
{
	const struct stat *l = &last.file;

	return last.known && l->st_dev == st->st_dev && l->st_ino == st->st_ino && l->st_size == st->st_size &&
	       same_time(&l->st_mtim, &st->st_mtim) && same_time(&l->st_ctim, &st->st_ctim);
}

static int copy(const struct vtb_call_sites *from, struct vtb_call_sites *ret)
{
	struct vtb_call_sites out = { .n_sites = from->n_sites,
		                      .cap_sites = from->n_sites,
		                      .n_tells = from->n_tells,
		                      .cap_tells = from->n_tells,
		                      .skipped = from->skipped,
		                      .atomics = from->atomics };
	int r = vtb_array_copy(from->sites, from->n_sites, sizeof(*from->sites), &out.sites);

	if (r == 0)
		r = vtb_array_copy(from->tells, from->n_tells, sizeof(*from->tells), &out.tells);
	if (r == 0)
		*ret = out;
	else
		vtb_call_sites_fini(&out);
	return r;
}

int vtb_call_sites_find(const char *path, struct vtb_call_sites *ret, struct vtb_error *err)
{
	return vtb_call_sites_find_until(path, NULL, ret, err);
}

int vtb_call_sites_find_until(const char *path, struct vtb_stop *stop, struct vtb_call_sites *ret,
                              struct vtb_error *err)
{
	struct stat st;
	const bool there = stat(path, &st) == 0;
	int r;

	if (there && is_last(&st))
		return copy(&last.sites, ret);
	r = vtb_call_sites_look(path, stop, ret, err);
	if (r < 0 || !there)
		return r;
	vtb_call_sites_fini(&last.sites);
	last.known = copy(ret, &last.sites) == 0;
	last.file = st;
	return r;
}
