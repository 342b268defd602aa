/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tier watch: from what is known of a program's accesses to the instructions that are to be controlled. */
#include "vtb/watch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep.h"
#include "vtb/array.h"
#include "vtb/name_list.h"

#define WORD 4u
#define OBJECT_WORDS 16u /* of an object whose address is taken or that is indexed */
#define SAMPLED_MAX 48u  /* words: twelve runs */

/* A word of a global that the code names. */
struct candidate {
	uint64_t addr;
	uint32_t uses;
	bool written;
	const char *name; /* of the leaf; the symbols keep it */
};

struct chooser {
	const struct vtb_watch_opts *opts;
	struct vtb_symbols *symbols;
	struct vtb_disasm *disasm;
	struct sweep_range data;
	struct candidate *candidates;
	size_t n_candidates, cap_candidates;
	uint64_t *words; /* of what was chosen */
	size_t n_words, cap_words;
	uint64_t *pcs;
	size_t n_pcs, cap_pcs;
};

/* ---- globals that the code names */

static int add_word(struct chooser *c, uint64_t addr, bool written)
{
	struct vtb_leaf leaf;

	for (size_t i = 0; i < c->n_candidates; i++)
		if (c->candidates[i].addr == addr) {
			c->candidates[i].uses++;
			c->candidates[i].written |= written;
			return 0;
		}
	if (!vtb_symbols_global(c->symbols, c->opts->program, addr, WORD, &leaf) ||
	    (c->opts->focus && !vtb_name_list_covers(c->opts->focus, leaf.name)))
		return 0;
	if (vtb_array_room(c, candidates) < 0)
		return -ENOMEM;
	c->candidates[c->n_candidates++] =
	    (struct candidate){ .addr = addr, .uses = 1, .written = written, .name = leaf.name };
	return 0;
}

static int add_words(struct chooser *c, uint64_t addr, uint64_t size, bool written)
{
	int r = 0;

	for (uint64_t at = addr & ~(uint64_t)(WORD - 1); r >= 0 && at < addr + size; at += WORD)
		r = add_word(c, at, written);
	return r;
}

/* Its address is taken, or it is indexed: any part of it may be meant, and written. */
static int add_object(struct chooser *c, uint64_t addr)
{
	struct vtb_leaf leaf;
	uint64_t size;

	if (!vtb_symbols_global(c->symbols, c->opts->program, addr, 1, &leaf))
		return 0;
	size = leaf.object_size && leaf.object_size < OBJECT_WORDS * WORD ? leaf.object_size : OBJECT_WORDS * WORD;
	return add_words(c, leaf.object_addr, size, true);
}

static int take_instruction(void *arg, uint64_t at, const struct vtb_instruction *insn)
{
	struct chooser *c = arg;
	uint64_t addr;
	int r = 0;

	for (unsigned i = 0; r >= 0 && i < insn->n_operands; i++) {
		const struct vtb_mem_operand *op = &insn->operands[i];

		if (insn->is_call || insn->is_jump || !vtb_sweep_names(op, at + insn->length, &addr) ||
		    addr < c->data.lo || addr >= c->data.hi)
			continue;
		r = op->access ? add_words(c, addr, op->size, op->access & VTB_MEM_WRITE) : add_object(c, addr);
	}
	return r;
}

static int compare(const void *x, const void *y)
{
	const struct candidate *a = x, *b = y;

	if (a->written != b->written)
		return a->written ? -1 : 1;
	if (a->uses != b->uses)
		return a->uses > b->uses ? -1 : 1;
	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

/* Written ones first, the more often named the sooner; what nothing writes is not worth watching. */
static int find_candidates(struct chooser *c)
{
	struct sweep_range code;
	int r = vtb_sweep_code(c->opts->program, &code);

	if (r >= 0)
		r = vtb_sweep_data(c->opts->program, &c->data);
	if (r >= 0)
		r = vtb_sweep(c->symbols, c->disasm, c->opts->program, &code, take_instruction, c);
	if (c->n_candidates)
		qsort(c->candidates, c->n_candidates, sizeof(*c->candidates), compare);
	while (c->n_candidates && !c->candidates[c->n_candidates - 1].written && !c->opts->focus)
		c->n_candidates--;
	return r;
}

static int sample(struct chooser *c, struct vtb_accesses **ret, struct vtb_error *err)
{
	uint64_t addrs[SAMPLED_MAX];
	size_t n = 0;
	int64_t r;

	while (n < SAMPLED_MAX && n < c->n_candidates) {
		addrs[n] = c->candidates[n].addr;
		n++;
	}
	r = n ? vtb_watch_sample(c->opts, addrs, n, ret, err) : 0;
	return r < 0 ? (int)r : 0;
}

/* ---- the choice */

static void note_name(struct vtb_watch *w, const char *name)
{
	const size_t used = strlen(w->names);

	snprintf(w->names + used, sizeof(w->names) - used, "%s%s", used ? ", " : "", name);
	w->n_variables++;
}

static int take_words(struct chooser *c, const char *name)
{
	for (size_t i = 0; i < c->n_candidates; i++)
		if (!strcmp(c->candidates[i].name, name)) {
			if (vtb_array_room(c, words) < 0)
				return -ENOMEM;
			c->words[c->n_words++] = c->candidates[i].addr;
		}
	return 0;
}

static int take_variable(struct chooser *c, const struct vtb_accessed *v, struct vtb_watch *ret)
{
	for (size_t i = 0; i < v->n_pcs; i++) {
		if (vtb_array_room(c, pcs) < 0)
			return -ENOMEM;
		c->pcs[c->n_pcs++] = v->pcs[i];
	}
	note_name(ret, v->name);
	return take_words(c, v->name);
}

/* Nothing was seen to be shared: in the runs so far nobody came by. The code alone decides. */
static int take_candidates(struct chooser *c, struct vtb_watch *ret)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < c->n_candidates && ret->n_variables < VTB_WATCH_MAX; i++) {
		const char *name = c->candidates[i].name;
		bool known = false;

		for (size_t k = 0; k < i; k++)
			known |= !strcmp(c->candidates[k].name, name);
		if (known)
			continue;
		note_name(ret, name);
		r = take_words(c, name);
	}
	ret->source = "code";
	return r;
}

static int choose(struct chooser *c, struct vtb_accesses *profile, struct vtb_watch *ret)
{
	const struct vtb_accessed *variables = NULL;
	const int64_t n =
	    profile ? vtb_accesses_choose(profile, c->symbols, c->opts->focus, VTB_WATCH_MAX, &variables) : 0;
	int r = n < 0 ? (int)n : 0;

	for (int64_t i = 0; r >= 0 && i < n; i++)
		r = take_variable(c, &variables[i], ret);
	return r < 0 || n > 0 ? r : take_candidates(c, ret);
}

static int make(struct chooser *c, struct vtb_watch *ret, struct vtb_error *err)
{
	struct vtb_accesses *profile = NULL;
	int r = vtb_symbols_new(&c->symbols);

	if (r >= 0)
		r = vtb_disasm_new(&c->disasm);
	if (r >= 0)
		r = find_candidates(c);
	ret->source = c->opts->profile ? "profile" : "watchpoints";
	if (r >= 0)
		r = c->opts->profile ? vtb_accesses_read(c->opts->profile, c->opts->program, &profile, err)
		                     : sample(c, &profile, err);
	if (r == -VTB_E_UNSUPPORTED && !c->opts->profile) {
		ret->source = "code";
		r = 0;
	}
	if (r >= 0)
		r = choose(c, profile, ret);
	if (r >= 0)
		r = vtb_break_plan_at(c->opts->program, c->pcs, c->n_pcs, c->words, c->n_words, &ret->plan, err);
	vtb_accesses_free(profile);
	return r;
}

int vtb_watch_make(const struct vtb_watch_opts *opts, struct vtb_watch *ret, struct vtb_error *err)
{
	struct chooser c = { .opts = opts };
	struct vtb_watch w = { .source = "" };
	struct vtb_error why = { 0 };
	int r = make(&c, &w, &why);

	vtb_disasm_free(c.disasm);
	vtb_symbols_free(c.symbols);
	free(c.candidates);
	free(c.words);
	free(c.pcs);
	if (r < 0) {
		vtb_watch_fini(&w);
		return why.text[0] ? vtb_error_set(err, r, why.path, 0, "%s", why.text)
		                   : vtb_error_set(err, r, opts->program, 0, "cannot choose what to watch: %s",
		                                   vtb_strerror(r));
	}
	if (!w.plan.n_breaks) {
		vtb_watch_fini(&w);
		return opts->focus
		           ? vtb_error_set(
		                 err, -VTB_E_UNSUPPORTED, opts->program, 0,
		                 "no instruction accesses a global variable \"%s\" (is the program built with -g?)",
		                 opts->focus)
		           : vtb_error_set(err, -VTB_E_UNSUPPORTED, opts->program, 0,
		                           "no global variable is written by the code (is the program built with -g?)");
	}
	*ret = w;
	return 0;
}

void vtb_watch_fini(struct vtb_watch *w)
{
	vtb_break_plan_fini(&w->plan);
	*w = (struct vtb_watch){ 0 };
}
