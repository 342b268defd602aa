/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/accesses.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/map64.h"
#include "vtb/array.h"
#include "vtb/disasm.h"
#include "vtb/name_list.h"
#include "vtb/symbols.h"

#define WORD 4u
#define WORDS_MAX 16u /* of one access */
#define REG_BP 6u
#define REG_SP 7u

struct word {
	uint64_t key;              /* address / WORD */
	uint64_t readers, writers; /* bit of thread modulo 64 */
};

struct pc {
	uint64_t pc;
	uint32_t parent; /* union-find */
	bool local;      /* it reaches its own frame only: stacks are used again by later threads */
};

struct touch {
	uint32_t word, pc;
};

struct vtb_accesses {
	char *program;
	uint64_t bias;
	struct vtb_map64 word_ids, pc_ids, touch_ids;
	struct word *words;
	size_t n_words, cap_words;
	struct pc *pcs;
	size_t n_pcs, cap_pcs;
	struct touch *touches;
	size_t n_touches, cap_touches;
	struct vtb_accessed *variables; /* of the last choice */
	size_t n_variables, cap_variables;
	uint64_t *chosen_pcs;
	char **names;
	size_t n_names, cap_names;
};

int vtb_accesses_new(const char *program, uint64_t bias, struct vtb_accesses **ret)
{
	struct vtb_accesses *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->bias = bias;
	p->program = strdup(program);
	if (!p->program) {
		free(p);
		return -ENOMEM;
	}
	*ret = p;
	return 0;
}

static void forget_choice(struct vtb_accesses *p)
{
	for (size_t i = 0; i < p->n_names; i++)
		free(p->names[i]);
	free(p->chosen_pcs);
	p->chosen_pcs = NULL;
	p->n_names = 0;
	p->n_variables = 0;
}

void vtb_accesses_free(struct vtb_accesses *p)
{
	if (!p)
		return;
	forget_choice(p);
	vtb_map64_fini(&p->word_ids);
	vtb_map64_fini(&p->pc_ids);
	vtb_map64_fini(&p->touch_ids);
	free(p->words);
	free(p->pcs);
	free(p->touches);
	free(p->variables);
	free(p->names);
	free(p->program);
	free(p);
}

/* ---- collecting */

static int64_t word_id(struct vtb_accesses *p, uint64_t key)
{
	uint64_t id;
	int r;

	if (vtb_map64_get(&p->word_ids, key, &id))
		return (int64_t)id;
	r = vtb_array_room(p, words);
	if (r >= 0)
		r = vtb_map64_set(&p->word_ids, key, p->n_words);
	if (r < 0)
		return r;
	p->words[p->n_words] = (struct word){ .key = key };
	return (int64_t)p->n_words++;
}

static int64_t pc_id(struct vtb_accesses *p, uint64_t pc)
{
	uint64_t id;
	int r;

	if (vtb_map64_get(&p->pc_ids, pc, &id))
		return (int64_t)id;
	r = vtb_array_room(p, pcs);
	if (r >= 0)
		r = vtb_map64_set(&p->pc_ids, pc, p->n_pcs);
	if (r < 0)
		return r;
	p->pcs[p->n_pcs] = (struct pc){ .pc = pc, .parent = (uint32_t)p->n_pcs };
	return (int64_t)p->n_pcs++;
}

static int add_touch(struct vtb_accesses *p, uint32_t word, uint32_t pc)
{
	const uint64_t key = (uint64_t)word << 32 | pc;
	uint64_t known;
	int r;

	if (vtb_map64_get(&p->touch_ids, key, &known))
		return 0;
	r = vtb_array_room(p, touches);
	if (r >= 0)
		r = vtb_map64_set(&p->touch_ids, key, 1);
	if (r >= 0)
		p->touches[p->n_touches++] = (struct touch){ word, pc };
	return r;
}

int vtb_accesses_add(struct vtb_accesses *p, const struct vtb_one_access *a)
{
	const uint64_t first = a->addr / WORD, last = (a->addr + (a->size ? a->size : 1) - 1) / WORD,
	               bit = 1ull << (a->thread % 64);
	const int64_t pc = pc_id(p, a->pc);
	int r = pc < 0 ? (int)pc : 0;

	for (uint64_t key = first; r >= 0 && key <= last && key - first < WORDS_MAX; key++) {
		const int64_t id = word_id(p, key);

		if (id < 0)
			return (int)id;
		*(a->writes ? &p->words[id].writers : &p->words[id].readers) |= bit;
		r = add_touch(p, (uint32_t)id, (uint32_t)pc);
	}
	return r;
}

/* ---- choosing */

static uint32_t root(struct vtb_accesses *p, uint32_t i)
{
	while (p->pcs[i].parent != i)
		i = p->pcs[i].parent = p->pcs[p->pcs[i].parent].parent;
	return i;
}

static bool is_shared(const struct word *w)
{
	return w->writers && __builtin_popcountll(w->readers | w->writers) >= 2;
}

/* The global that the word is part of; false: it is none. */
static bool global_at(const struct vtb_accesses *p, struct vtb_symbols *symbols, uint64_t word, struct vtb_leaf *ret)
{
	return vtb_symbols_global(symbols, p->program, p->words[word].key * WORD - p->bias, WORD, ret);
}

static bool reaches_out(struct vtb_disasm *d, const struct vtb_accesses *p, struct vtb_symbols *symbols, uint64_t pc)
{
	uint8_t code[15];
	struct vtb_instruction insn;
	const size_t n = vtb_symbols_bytes(symbols, p->program, pc, code, sizeof(code));

	if (vtb_disasm_one(d, code, n, pc, &insn) <= 0)
		return false;
	for (unsigned i = 0; i < insn.n_operands; i++)
		if (insn.operands[i].access && insn.operands[i].base != REG_SP && insn.operands[i].base != REG_BP)
			return true;
	return false;
}

static int mark_local(struct vtb_accesses *p, struct vtb_symbols *symbols)
{
	struct vtb_disasm *d;
	const int r = vtb_disasm_new(&d);

	for (size_t i = 0; r >= 0 && i < p->n_pcs; i++)
		p->pcs[i].local = !reaches_out(d, p, symbols, p->pcs[i].pc);
	if (r >= 0)
		vtb_disasm_free(d);
	return r;
}

/* Which words count: shared ones, or those that the focus names. */
static int mark_words(const struct vtb_accesses *p, struct vtb_symbols *symbols, const char *focus, bool *marked)
{
	for (size_t i = 0; i < p->n_words; i++) {
		struct vtb_leaf leaf;

		marked[i] = focus ? global_at(p, symbols, i, &leaf) && vtb_name_list_covers(focus, leaf.name)
		                  : is_shared(&p->words[i]);
	}
	return 0;
}

static bool counts(const struct vtb_accesses *p, const bool *marked, const struct touch *t)
{
	return marked[t->word] && !p->pcs[t->pc].local;
}

/* Instructions that touch one word belong to one variable. */
static int unite(struct vtb_accesses *p, const bool *marked)
{
	uint32_t *first = malloc((p->n_words + 1) * sizeof(*first));

	if (!first)
		return -ENOMEM;
	memset(first, 0xff, (p->n_words + 1) * sizeof(*first));
	for (size_t i = 0; i < p->n_pcs; i++)
		p->pcs[i].parent = (uint32_t)i;
	for (size_t i = 0; i < p->n_touches; i++) {
		const struct touch *t = &p->touches[i];

		if (!counts(p, marked, t))
			continue;
		if (first[t->word] == UINT32_MAX)
			first[t->word] = t->pc;
		else
			p->pcs[root(p, t->pc)].parent = root(p, first[t->word]);
	}
	free(first);
	return 0;
}

/* What is gathered of one variable. */
struct group {
	uint32_t root, n_pcs;
	uint64_t readers, writers, lowest;
	uint32_t word; /* of the lowest address */
};

static uint32_t count_threads(uint64_t mask)
{
	return (uint32_t)__builtin_popcountll(mask);
}

static int compare_groups(const void *x, const void *y)
{
	const struct group *a = x, *b = y;
	const uint32_t as[] = { count_threads(a->writers) < 2, 64 - count_threads(a->writers | a->readers), a->n_pcs },
	               bs[] = { count_threads(b->writers) < 2, 64 - count_threads(b->writers | b->readers), b->n_pcs };

	for (size_t i = 0; i < sizeof(as) / sizeof(*as); i++)
		if (as[i] != bs[i])
			return as[i] < bs[i] ? -1 : 1;
	return a->lowest < b->lowest ? -1 : a->lowest > b->lowest;
}

static int compare_pcs(const void *x, const void *y)
{
	const uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

	return a < b ? -1 : a > b;
}

static const char *keep_name(struct vtb_accesses *p, char *name)
{
	if (!name || vtb_array_room(p, names) < 0) {
		free(name);
		return NULL;
	}
	p->names[p->n_names++] = name;
	return name;
}

static const char *name_of(struct vtb_accesses *p, struct vtb_symbols *symbols, const struct group *g, uint64_t pc)
{
	struct vtb_leaf leaf;
	struct vtb_place place;
	char *name = NULL;

	if (global_at(p, symbols, g->word, &leaf))
		return keep_name(p, strdup(leaf.name));
	vtb_symbols_place(symbols, p->program, pc, &place);
	if (asprintf(&name, "%s, line %" PRIu32, *place.function ? place.function : "?", place.line) < 0)
		name = NULL;
	return keep_name(p, name);
}

/* Put the pcs of g behind those chosen so far. */
static int take_group(struct vtb_accesses *p, struct vtb_symbols *symbols, const struct group *g, uint64_t *pcs)
{
	struct vtb_accessed v = { .pcs = pcs,
		                  .readers = count_threads(g->readers),
		                  .writers = count_threads(g->writers) };

	for (size_t i = 0; i < p->n_pcs; i++)
		if (root(p, (uint32_t)i) == g->root)
			pcs[v.n_pcs++] = p->pcs[i].pc;
	qsort(pcs, v.n_pcs, sizeof(*pcs), compare_pcs);
	v.name = name_of(p, symbols, g, pcs[0]);
	v.first = g->lowest - p->bias;
	if (!v.name || vtb_array_room(p, variables) < 0)
		return -ENOMEM;
	p->variables[p->n_variables++] = v;
	return (int)v.n_pcs;
}

static size_t gather(struct vtb_accesses *p, const bool *marked, struct group *groups, uint32_t *group_of)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_touches; i++) {
		const struct touch *t = &p->touches[i];
		const struct word *w = &p->words[t->word];
		const uint32_t at = root(p, t->pc);
		struct group *g;

		if (!counts(p, marked, t))
			continue;
		if (group_of[at] == UINT32_MAX) {
			group_of[at] = (uint32_t)n;
			groups[n++] = (struct group){ .root = at, .lowest = UINT64_MAX };
		}
		g = &groups[group_of[at]];
		g->readers |= w->readers;
		g->writers |= w->writers;
		if (w->key * WORD < g->lowest) {
			g->lowest = w->key * WORD;
			g->word = t->word;
		}
	}
	for (size_t i = 0; i < p->n_pcs; i++)
		if (group_of[root(p, (uint32_t)i)] != UINT32_MAX)
			groups[group_of[root(p, (uint32_t)i)]].n_pcs++;
	return n;
}

int64_t vtb_accesses_choose(struct vtb_accesses *p, struct vtb_symbols *symbols, const char *focus, size_t max,
                            const struct vtb_accessed **ret)
{
	bool *marked = calloc(p->n_words + 1, sizeof(*marked));
	struct group *groups = calloc(p->n_pcs + 1, sizeof(*groups));
	uint32_t *group_of = malloc((p->n_pcs + 1) * sizeof(*group_of));
	size_t n = 0, at = 0;
	int r;

	forget_choice(p);
	p->chosen_pcs = calloc(p->n_pcs + 1, sizeof(*p->chosen_pcs));
	r = marked && groups && group_of && p->chosen_pcs ? mark_words(p, symbols, focus, marked) : -ENOMEM;
	if (r >= 0)
		r = mark_local(p, symbols);
	if (r >= 0)
		r = unite(p, marked);
	if (r >= 0) {
		memset(group_of, 0xff, (p->n_pcs + 1) * sizeof(*group_of));
		n = gather(p, marked, groups, group_of);
		if (n)
			qsort(groups, n, sizeof(*groups), compare_groups);
	}
	for (size_t i = 0; r >= 0 && i < n && i < max; i++) {
		r = take_group(p, symbols, &groups[i], p->chosen_pcs + at);
		at += r > 0 ? (size_t)r : 0;
	}
	free(marked);
	free(groups);
	free(group_of);
	*ret = p->variables;
	return r < 0 ? r : (int64_t)p->n_variables;
}
