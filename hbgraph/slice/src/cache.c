/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "image.h"
#include "vtb/hash.h"
#include "vtb/input.h"
#include "vtb/output.h"

#define MAGIC "vtbslice"
#define VERSION 24u
#define SITES_MAX (1u << 24)
#define ESSENTIALS_MAX (1u << 24)

struct header {
	char magic[8];
	uint32_t version, n_sites, n_essentials, blind;
	char doubt[64];
	uint64_t check; /* of all that follows, and of the header with 0 here */
};

/* ---- where */

/* Users of services have a home directory that is not there and shall not be (/nonexistent): it is not made. */
static const char *home_directory(void)
{
	const char *home = getenv("HOME");
	struct stat st;

	return home && *home == '/' && !stat(home, &st) && S_ISDIR(st.st_mode) ? home : NULL;
}

static char *directory(const char *dir)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = home_directory();
	char *path = NULL;

	if (dir)
		return *dir ? strdup(dir) : NULL;
	if (xdg && *xdg == '/')
		return asprintf(&path, "%s/vtb", xdg) < 0 ? NULL : path;
	if (home)
		return asprintf(&path, "%s/.cache/vtb", home) < 0 ? NULL : path;
	return NULL;
}

char *cache_file(const char *path, const char *dir, const char *named)
{
	struct image im = { .n_sections = 0 };
	char *where = directory(dir), *file = NULL;
	char id[2 * sizeof(im.build_id) + 1] = "";

	if (where && image_open(&im, path, NULL) >= 0 && im.build_id_size >= 8) {
		for (uint32_t i = 0; i < im.build_id_size; i++)
			snprintf(id + 2 * i, 3, "%02x", im.build_id[i]);
		if (asprintf(&file, "%s/%s-%016llx.slice", where, id, (unsigned long long)vtb_hash_text(named)) < 0)
			file = NULL;
	}
	image_fini(&im);
	free(where);
	return file;
}

/* ---- reading */

static uint64_t check_of(const struct header *h, const void *rest, size_t size)
{
	struct header plain = *h;

	plain.check = 0;
	return vtb_hash_seed(rest, size, vtb_hash(&plain, sizeof(plain)));
}

static bool is_whole(const struct vtb_input *in)
{
	const struct header *h = in->data;
	size_t rest;

	if (!in->data || in->size < sizeof(*h) || memcmp(h->magic, MAGIC, 8) || h->version != VERSION ||
	    h->n_sites > SITES_MAX || h->n_essentials > ESSENTIALS_MAX || h->doubt[sizeof(h->doubt) - 1])
		return false;
	rest = h->n_sites * sizeof(struct kept_site) + h->n_essentials * sizeof(struct kept_essential);
	return in->size == sizeof(*h) + rest && check_of(h, h + 1, rest) == h->check;
}

static bool take(const struct vtb_input *in, struct kept *k)
{
	const struct header *h = in->data;
	const char *at = (const char *)(h + 1);

	k->sites = malloc(h->n_sites * sizeof(*k->sites) + 1);
	k->essentials = malloc(h->n_essentials * sizeof(*k->essentials) + 1);
	if (!k->sites || !k->essentials) {
		kept_fini(k);
		return false;
	}
	k->n_sites = k->cap_sites = h->n_sites;
	k->n_essentials = k->cap_essentials = h->n_essentials;
	k->blind = h->blind;
	memcpy(k->doubt, h->doubt, sizeof(k->doubt));
	memcpy(k->sites, at, k->n_sites * sizeof(*k->sites));
	memcpy(k->essentials, at + k->n_sites * sizeof(*k->sites), k->n_essentials * sizeof(*k->essentials));
	for (size_t i = 0; i < k->n_essentials; i++)
		k->essentials[i].what[sizeof(k->essentials->what) - 1] = '\0';
	return true;
}

bool cache_read(const char *file, struct kept *k)
{
	struct vtb_input in = { .size = 0 };
	bool ok;

	if (vtb_input_map(file, &in, NULL) < 0)
		return false;
	ok = is_whole(&in) && take(&in, k);
	vtb_input_unmap(&in);
	return ok;
}

/* ---- writing */

static void make_directories(const char *file)
{
	char *path = strdup(file);

	for (char *at = path ? strchr(path + 1, '/') : NULL; at; at = strchr(at + 1, '/')) {
		*at = '\0';
		mkdir(path, 0700);
		*at = '/';
	}
	free(path);
}

static bool put(FILE *f, const void *data, size_t size)
{
	return !size || fwrite(data, size, 1, f) == 1;
}

void cache_write(const char *file, const struct kept *k)
{
	const size_t sites = k->n_sites * sizeof(*k->sites), essentials = k->n_essentials * sizeof(*k->essentials);
	struct header h = { .magic = MAGIC, .version = VERSION };
	struct vtb_output out = { .dir = -1, .row = -1 };
	char *rest = malloc(sites + essentials + 1);

	if (!rest || k->n_sites > SITES_MAX || k->n_essentials > ESSENTIALS_MAX) {
		free(rest);
		return;
	}
	if (sites)
		memcpy(rest, k->sites, sites);
	if (essentials)
		memcpy(rest + sites, k->essentials, essentials);
	h.n_sites = (uint32_t)k->n_sites;
	h.n_essentials = (uint32_t)k->n_essentials;
	h.blind = k->blind;
	memcpy(h.doubt, k->doubt, sizeof(h.doubt));
	h.check = check_of(&h, rest, sites + essentials);
	make_directories(file);
	if (vtb_output_open(&out, file, NULL) >= 0) {
		if (put(out.file, &h, sizeof(h)) && put(out.file, rest, sites + essentials))
			vtb_output_commit(&out, NULL);
		vtb_output_abort(&out);
	}
	free(rest);
}
