/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "location.h"

#include <errno.h>
#include <stdlib.h>

static const struct vtb_variable *variable_of(const struct vtb_symtab *tab, uint32_t var)
{
	return tab && var < tab->n_variables ? &tab->variables[var] : NULL;
}

void places_fini(struct places *places)
{
	free(places->base);
	*places = (struct places){ 0 };
}

static void learn(struct places *places, const struct vtb_symtab *tab, const struct vtb_event *e)
{
	const struct vtb_variable *v = variable_of(tab, e->var);

	if (!v || v->object >= places->n || !e->addr || e->flags & (VTB_EVF_ADDR_SYMBOLIC | VTB_EVF_ADDR_UNKNOWN))
		return;
	if (v->size && v->size == e->size && e->addr >= v->offset) /* the whole leaf, so its first byte */
		places->base[v->object] = e->addr - v->offset;
}

int places_learn(struct places *places, const struct vtb_trace *trace)
{
	bool symbolic = false;

	*places = (struct places){ 0 };
	for (size_t i = 0; i < trace->n_events && !symbolic; i++)
		symbolic = trace->events[i].flags & VTB_EVF_ADDR_SYMBOLIC;
	if (!symbolic || !trace->tab.n_objects)
		return 0;
	places->base = calloc(trace->tab.n_objects, sizeof(*places->base));
	if (!places->base)
		return -ENOMEM;
	places->n = trace->tab.n_objects;
	for (size_t i = 0; i < trace->n_events; i++)
		learn(places, &trace->tab, &trace->events[i]);
	return 0;
}

static uint64_t symbolic_address(const struct vtb_event *e, const struct vtb_symtab *tab, const struct places *places)
{
	const struct vtb_variable *v = variable_of(tab, e->var);
	const uint64_t object = v ? v->object : e->var;

	if (places && object < places->n && places->base[object])
		return places->base[object] + e->addr;
	return UINT64_C(1) << 63 | (object & 0x7fffffff) << 32 | (e->addr & UINT32_MAX);
}

bool location_of(const struct vtb_event *e, const struct vtb_event_info *info, const struct vtb_symtab *tab,
                 const struct places *places, struct location *ret)
{
	const bool data = is_data(info) || e->kind == VTB_E_FREE || e->kind == VTB_E_ALLOC;

	if (e->flags & VTB_EVF_ADDR_UNKNOWN || e->kind == VTB_E_FENCE || !(data || is_sync_in_memory(info)))
		return false;
	if (e->flags & VTB_EVF_ADDR_SYMBOLIC) {
		if (e->var == VTB_NONE)
			return false;
		ret->addr = symbolic_address(e, tab, places);
	} else {
		ret->addr = e->addr;
	}
	ret->size = e->size ? e->size : 1;
	return ret->addr != 0;
}
