/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory of tasks. A team has a piece from its beginning on, so that where a task's data lie does not depend on who
 * asks the heap first; a larger one only if that is not enough.
 */
#include "omp.h"

#define CLASS_BYTES 64u
#define CLASSES 16u
#define PIECE (64u << 10)

struct free_block {
	struct free_block *next;
};

struct omp_memory {
	char *at, *end;
	struct free_block *free[CLASSES]; /* of (i + 1) * CLASS_BYTES */
};

static size_t rounded(size_t size)
{
	return (size + CLASS_BYTES - 1) / CLASS_BYTES * CLASS_BYTES;
}

static struct free_block **list_of(struct omp_memory *m, size_t size)
{
	return size <= CLASSES * CLASS_BYTES ? &m->free[size / CLASS_BYTES - 1] : NULL;
}

static void *cut(struct omp_memory *m, size_t size)
{
	void *block;

	if (size > (size_t)(m->end - m->at)) {
		m->at = omp_block(PIECE);
		m->end = m->at + PIECE;
	}
	block = m->at;
	m->at += size;
	return block;
}

void omp_memory_make(struct omp_team *team)
{
	struct omp_memory *m = omp_block(PIECE);

	team->memory = m;
	m->at = (char *)m + rounded(sizeof(*m));
	m->end = (char *)m + PIECE;
}

void *omp_memory_take(struct omp_team *team, size_t size)
{
	const size_t room = rounded(size);
	struct free_block **list, *block;

	if (!team->memory)
		omp_memory_make(team);
	list = list_of(team->memory, room);
	if (!list)
		return omp_block(room);
	block = *list;
	if (!block)
		return cut(team->memory, room);
	*list = block->next;
	return block;
}

void omp_memory_give(struct omp_team *team, void *at, size_t size)
{
	const size_t room = rounded(size);
	struct free_block **list, *block = at;

	if (!size)
		return;
	list = list_of(team->memory, room);
	if (!list) {
		vtb_library_free(at);
		return;
	}
	block->next = *list;
	*list = block;
}
