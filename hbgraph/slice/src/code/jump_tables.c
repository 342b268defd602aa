/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jumps through tables: what compilers make of switch statements. */
#include <errno.h>
#include <string.h>

#include "decoding.h"
#include "vtb/array.h"

#define WAYS_MAX 4096u
#define LOOK_BACK 24u

static int add_way(struct decoding *x, uint64_t jump, uint64_t to)
{
	if (vtb_array_reserve((void **)&x->ways, &x->cap_ways, x->n_ways + 2, sizeof(*x->ways)) < 0)
		return -ENOMEM;
	x->ways[x->n_ways++] = jump;
	x->ways[x->n_ways++] = to;
	if (vtb_array_room(x, todo) < 0)
		return -ENOMEM;
	x->todo[x->n_todo++] = to;
	return 0;
}

/* All instructions of a symbol, once. */
static int sweep(struct decoding *x, uint64_t begin, uint64_t end)
{
	struct vtb_ops o;
	uint64_t is;
	size_t n = 0;

	if (vtb_map64_get(&x->whole, begin, &is))
		return 0;
	for (uint64_t at = begin; at < end; at += o.size) {
		const uint8_t *b = image_bytes(&x->p->image, at, &n);

		if (!b)
			break;
		vtb_ops_decode(x->d, b, n < 16 ? n : 16, at, &o);
		if (!o.size)
			o.size = 1;
		if (vtb_map64_set(&x->whole, at, 1) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* Code that is hardly ever executed stands apart, under a name of its own. What leads between two instructions is no
 * entry of this table, but of what comes behind it: 0. */
static int is_inside(struct decoding *x, uint64_t addr)
{
	const struct image_symbol *s = image_symbol(&x->p->image, addr);
	const bool own = addr >= x->begin && addr < x->end;
	const bool apart = s && s->function && addr - s->addr < s->size && strstr(s->name, ".cold");
	uint64_t is;
	int r = 0;

	if (own)
		r = sweep(x, x->begin, x->end);
	else if (apart)
		r = sweep(x, s->addr, s->addr + s->size);
	return r < 0 ? r : (own || apart) && vtb_map64_get(&x->whole, addr, &is);
}

/* Entries from `table` on, as long as they lead into the function: distances of 4 bytes, or addresses of 8. */
static int read_table(struct decoding *x, uint64_t jump, uint64_t table, bool distances)
{
	int found = 0;

	for (unsigned k = 0; k < WAYS_MAX; k++) {
		const uint64_t at = table + (distances ? 4u : 8u) * k;
		size_t n = 0;
		const uint8_t *b = image_bytes(&x->p->image, at, &n);
		uint64_t to = 0;
		int32_t distance;
		int r;

		if (!b || n < (distances ? 4u : 8u))
			break;
		memcpy(&distance, b, 4);
		if (distances)
			to = table + (uint64_t)(int64_t)distance;
		else if (!vtb_map64_get(&x->p->image.pointers, at, &to))
			memcpy(&to, b, 8);
		r = is_inside(x, to);
		if (r > 0)
			r = add_way(x, jump, to) < 0 ? -ENOMEM : 1;
		if (r < 0)
			return r;
		if (r == 0)
			break;
		found++;
	}
	return found;
}

static bool is_table(const struct program *p, uint64_t addr)
{
	const struct image_section *s = image_at(&p->image, addr);

	return s && s->bytes && !s->code;
}

static const struct insn *decoded_before(const struct decoding *x, uint64_t addr)
{
	uint64_t id;

	for (uint64_t at = addr - 1; at + 16 > addr; at--)
		if (vtb_map64_get(&x->seen, at, &id) && x->p->insns[id].addr + x->p->insns[id].size == addr)
			return &x->p->insns[id];
	return NULL;
}

/* The register that holds the table's address in the load before the jump; OPS_NO_REG. */
static uint8_t table_register(const struct decoding *x, const struct insn *jump)
{
	const struct insn *i = decoded_before(x, jump->addr);

	for (unsigned k = 0; i && k < 4; k++, i = decoded_before(x, i->addr))
		if (i->ops.code == OPS_MOVSX && i->ops.op[1].type == OPS_MEM && i->ops.op[1].scale == 4)
			return i->ops.op[1].base;
	return OPS_NO_REG;
}

/* Its address was loaded long before, and kept: any table of which the function has loaded the address there. */
static int kept_tables(struct decoding *x, const struct insn *jump)
{
	const uint8_t reg = table_register(x, jump);
	int found = 0, r = 0;
	uint64_t id;

	for (size_t k = x->p->n_insns; reg != OPS_NO_REG && r >= 0 && k-- > 0;) {
		const struct insn *i = &x->p->insns[k];
		const struct vtb_ops_operand *op = &i->ops.op[1];

		if (!vtb_map64_get(&x->seen, i->addr, &id) || id != k)
			break;
		if (i->ops.code != OPS_LEA || i->ops.op[0].reg != reg || op->base != OPS_NO_REG ||
		    op->index != OPS_NO_REG || !is_table(x->p, (uint64_t)op->value))
			continue;
		r = read_table(x, jump->addr, (uint64_t)op->value, true);
		found += r > 0 ? r : 0;
	}
	return r < 0 ? r : found;
}

/* The table's address is loaded shortly before the jump, or stands in it or in the load before it. */
int decoding_ways(struct decoding *x, const struct insn *jump)
{
	const uint64_t at = jump->addr;
	struct insn i = *jump;
	bool distances = jump->ops.op[0].type == OPS_REG;

	for (unsigned k = 0; k < LOOK_BACK; k++) {
		const struct insn *before;
		int r = 0;

		for (unsigned o = 0; o < i.ops.n_ops && !r; o++) {
			const struct vtb_ops_operand *op = &i.ops.op[o];
			const bool lea = i.ops.code == OPS_LEA && op->base == OPS_NO_REG && op->index == OPS_NO_REG;
			const bool scaled = op->index != OPS_NO_REG && op->base == OPS_NO_REG && op->scale == 8;

			if (op->type == OPS_MEM && op->value && (lea || scaled) && is_table(x->p, (uint64_t)op->value))
				r = read_table(x, at, (uint64_t)op->value, lea && distances);
		}
		if (r)
			return r;
		before = decoded_before(x, i.addr);
		if (!before || insn_is_call(before))
			break;
		i = *before;
	}
	return distances ? kept_tables(x, jump) : 0;
}
