/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions of libraries that do not come behind us in the loader's order (real.h): what a plugin brings along that is
 * loaded late, for itself alone. dlsym() would have to be asked of each library, and keeps, and takes memory for, what
 * it says of those that have no such name.
 */
#include <elf.h>
#include <link.h>

#include "plain_text.h"
#include "real.h"
#include "rt.h"

struct tables {
	const ElfW(Sym) * symbols;
	const char *strings;
	const uint32_t *hashes;
	const uint16_t *versions; /* NULL: it has none */
};

#define HIDDEN_VERSION 0x8000u /* not the one that is meant where none is named */

/* The loader has made addresses of them, but not in what the kernel maps. */
static const void *table_at(const struct link_map *o, const ElfW(Dyn) * d)
{
	return (const void *)(d->d_un.d_ptr < o->l_addr ? o->l_addr + d->d_un.d_ptr : d->d_un.d_ptr);
}

static bool tables_of(const struct link_map *o, struct tables *ret)
{
	*ret = (struct tables){ 0 };
	for (const ElfW(Dyn) *d = o->l_ld; d && d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_SYMTAB)
			ret->symbols = table_at(o, d);
		else if (d->d_tag == DT_STRTAB)
			ret->strings = table_at(o, d);
		else if (d->d_tag == DT_GNU_HASH)
			ret->hashes = table_at(o, d);
		else if (d->d_tag == DT_VERSYM)
			ret->versions = table_at(o, d);
	}
	return ret->symbols && ret->strings && ret->hashes;
}

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 5381;

	while (*name)
		hash = hash * 33 + (uint8_t)*name++;
	return hash;
}

static bool is_meant(const struct tables *t, uint32_t at, const char *name)
{
	const ElfW(Sym) *s = &t->symbols[at];

	return s->st_shndx != SHN_UNDEF && !strcmp(t->strings + s->st_name, name) &&
	       !(t->versions && t->versions[at] & HIDDEN_VERSION);
}

/* 0: it has none. */
static uint32_t number_of(const struct tables *t, const char *name, uint32_t hash)
{
	const uint32_t buckets = t->hashes[0], first = t->hashes[1], words = t->hashes[2];
	const uint32_t *bucket = t->hashes + 4 + (size_t)words * (sizeof(ElfW(Addr)) / 4), *chain = bucket + buckets;
	uint32_t at = buckets ? bucket[hash % buckets] : 0;

	if (at < first || !at)
		return 0;
	for (;; at++) {
		const uint32_t there = chain[at - first];

		if ((there | 1) == (hash | 1) && is_meant(t, at, name))
			return at;
		if (there & 1) /* the last one of its bucket */
			return 0;
	}
}

static void *address_of(const struct link_map *o, const ElfW(Sym) * s)
{
	void *there = (void *)(o->l_addr + s->st_value);

	return ELF64_ST_TYPE(s->st_info) == STT_GNU_IFUNC ? ((void *(*)(void))there)() : there;
}

void *vtb_real_late(const char *name)
{
	const uint32_t hash = hash_of(name);
	struct tables t;

	for (const struct link_map *o = _r_debug.r_map; o; o = o->l_next) {
		const uint32_t at = o->l_ld != _DYNAMIC && tables_of(o, &t) ? number_of(&t, name, hash) : 0;

		if (at && !vtb_rt_is_ours(o->l_addr + t.symbols[at].st_value)) /* libvtb-cxx.so, where it is known */
			return address_of(o, &t.symbols[at]);
	}
	return NULL;
}
