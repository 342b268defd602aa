/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "blind_pointers.h"

#include <string.h>

#define STEP 0x10000000u /* from one pointer to the next: further than code adds to one */

uint64_t vtb_blind_pointer(struct vtb_blind_pointers *p)
{
	return VTB_BLIND_POINTERS + ++p->n * STEP;
}

static bool is_slot(const struct vtb_ops_operand *o)
{
	return o->type == OPS_MEM && (o->base == OPS_RSP || o->base == OPS_RBP) && o->index == OPS_NO_REG &&
	       !o->segment;
}

uint64_t vtb_blind_load(struct vtb_blind_pointers *p, const struct vtb_ops_operand *from)
{
	const uint64_t pointer = vtb_blind_pointer(p);

	if (!is_slot(from))
		return pointer;
	for (uint32_t i = 0; i < VTB_BLIND_SLOTS; i++)
		if (p->slots[i].pointer && p->slots[i].base == from->base && p->slots[i].at == from->value)
			return p->slots[i].pointer;
	p->slots[p->next].base = from->base;
	p->slots[p->next].at = from->value;
	p->slots[p->next].pointer = pointer;
	p->next = (p->next + 1) % VTB_BLIND_SLOTS;
	return pointer;
}

static void lose(struct vtb_blind_pointers *p, uint8_t base, int64_t at, int64_t size)
{
	for (uint32_t i = 0; i < VTB_BLIND_SLOTS; i++)
		if (p->slots[i].base == base && p->slots[i].at < at + size && at < p->slots[i].at + 8)
			p->slots[i].pointer = 0;
}

void vtb_blind_change(struct vtb_blind_pointers *p, const struct vtb_ops *ops)
{
	const bool moves = ops->code == OPS_PUSH || ops->code == OPS_POP || ops->clobbers >> OPS_RSP & 1;

	for (uint32_t i = 0; i < VTB_BLIND_SLOTS; i++)
		if ((moves && p->slots[i].base == OPS_RSP) ||
		    (p->slots[i].base == OPS_RBP && ops->clobbers >> OPS_RBP & 1))
			p->slots[i].pointer = 0;
	for (uint32_t i = 0; i < ops->n_access; i++) {
		const struct vtb_ops_operand *o = ops->access[i].operand < 3 ? &ops->op[ops->access[i].operand] : NULL;

		if (o && is_slot(o) && ops->access[i].mode & OPS_WRITES)
			lose(p, o->base, o->value, o->size ? o->size : 64);
	}
}

void vtb_blind_forget(struct vtb_blind_pointers *p)
{
	memset(p->slots, 0, sizeof(p->slots));
}
