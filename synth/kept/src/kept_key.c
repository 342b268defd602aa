/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kept_key.h"

uint64_t kept_key_site(const struct vtb_symtab *tab, uint32_t site)
{
	const struct vtb_site *s = site < tab->n_sites ? &tab->sites[site] : NULL;

	if (!s)
		return site == VTB_NONE ? 0 : 1;
	return vtb_hash_seed(&s->offset, sizeof(s->offset),
	                     s->module < tab->n_modules ? vtb_hash_text(tab->modules[s->module].path)
	                                                : vtb_hash_text(s->function));
}

static void put_thread(struct kept_out *out, const struct vtb_symtab *tab, uint32_t thread)
{
	kept_put_text(out, vtb_thread_path(tab, thread));
}

/* Names of operations are for people, but for one that is found by its site. */
static void put_op(struct kept_out *out, const struct vtb_symtab *tab, const struct vtb_op *op)
{
	put_thread(out, tab, op->thread);
	kept_put_id(out, op->index);
	if (op->index != VTB_OP_BY_SITE)
		return;
	kept_put(out, op->name.kind);
	kept_put(out, op->name.occurrence);
	kept_put(out, op->this_site);
	kept_put(out, kept_key_site(tab, op->name.site));
}

static void put_deviations(struct kept_out *out, const struct vtb_schedule *s, const struct vtb_symtab *tab)
{
	kept_put(out, s->n_deviations);
	for (size_t i = 0; i < s->n_deviations; i++) {
		const struct vtb_deviation *d = &s->deviations[i];

		put_op(out, tab, &d->after);
		kept_put(out, d->kind);
		if (vtb_deviation_names_thread(d->kind))
			put_thread(out, tab, d->target);
		else
			kept_put(out, d->target);
	}
}

static void put_ranks(struct kept_out *out, const struct vtb_schedule *s, const struct vtb_symtab *tab)
{
	kept_put(out, s->n_ranks);
	for (size_t i = 0; i < s->n_ranks; i++)
		if (s->ranks[i] & VTB_RANK_FRAGMENT_BIT)
			kept_put(out, s->ranks[i]);
		else
			put_thread(out, tab, s->ranks[i]);
}

bool kept_key(const struct vtb_schedule *s, const struct vtb_symtab *tab, uint64_t manner, struct kept_out *scratch,
              struct vtb_hash128 *ret)
{
	scratch->n_bytes = 0;
	kept_put(scratch, s->policy);
	kept_put(scratch, s->seed);
	kept_put(scratch, s->wakes_all);
	put_ranks(scratch, s, tab);
	put_deviations(scratch, s, tab);
	kept_put(scratch, s->n_constraints);
	for (size_t i = 0; i < s->n_constraints; i++) {
		put_op(scratch, tab, &s->constraints[i].before);
		put_op(scratch, tab, &s->constraints[i].after);
		kept_put(scratch, s->constraints[i].lapses);
	}
	kept_put(scratch, s->n_weights);
	for (size_t i = 0; i < s->n_weights; i++) {
		put_thread(scratch, tab, s->weights[i].thread);
		kept_put(scratch, s->weights[i].operations);
	}
	kept_put(scratch, s->n_interesting);
	for (size_t i = 0; i < s->n_interesting; i++)
		kept_put(scratch, kept_key_site(tab, s->interesting[i]));
	*ret = vtb_hash128(scratch->bytes, scratch->n_bytes, manner);
	return !scratch->failed;
}
