/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From an offset in an object down to its smallest named part. */
#include "symbols_private.h"

#include <stdio.h>
#include <string.h>

#define NAME_MAX_BYTES 1024u
#define FIELDS_NAMED 3u /* a longer run of bit-fields is written {first..last} */

/* A descent: the name grows, `base` is where the type at hand begins in the object. */
struct descent {
	struct sym_module *m;
	char name[NAME_MAX_BYTES];
	uint64_t base;
	uint64_t offset; /* wanted, in the object */
	uint32_t size;   /* of the access, 0 unknown */
	bool hole;       /* the last result lies between members */
	struct vtb_leaf *ret;
};

static void add_name(struct descent *d, const char *dot, const char *name)
{
	const size_t len = strlen(d->name);

	snprintf(d->name + len, sizeof(d->name) - len, "%s%s", dot, name);
}

static void finish(struct descent *d, Dwarf_Die *named, uint64_t base, uint64_t size)
{
	d->ret->name = sym_string(d->m->owner, d->name);
	d->ret->type = sym_type_name(d->m, named);
	d->ret->offset = base;
	d->ret->size = size > UINT32_MAX ? 0 : (uint32_t)size;
	d->hole = false;
}

/* Bytes that no member holds. */
static void finish_between(struct descent *d, uint64_t base)
{
	char text[32];

	snprintf(text, sizeof(text), "+%llu", (unsigned long long)(d->offset - base));
	add_name(d, "", text);
	d->ret->name = sym_string(d->m->owner, d->name);
	d->ret->type = "";
	d->ret->offset = d->offset;
	d->ret->size = d->size;
	d->hole = true;
}

static void descend(struct descent *d, Dwarf_Die *type, unsigned depth);

struct member {
	Dwarf_Die die, type;
	uint64_t lo, hi; /* bits in the class, [lo, hi) */
	bool bits;
};

static bool constant(Dwarf_Die *die, unsigned name, uint64_t *ret)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (!dwarf_attr(die, name, &attr) || dwarf_formudata(&attr, &value) != 0)
		return false;
	*ret = value;
	return true;
}

/* Byte offset in the class: a constant, or (old producers) DW_OP_plus_uconst. Virtual bases have none. */
static bool member_offset(Dwarf_Die *die, uint64_t *ret)
{
	Dwarf_Attribute attr;
	Dwarf_Op *op;
	size_t n;

	*ret = 0;
	if (!dwarf_attr(die, DW_AT_data_member_location, &attr))
		return !dwarf_hasattr(die, DW_AT_declaration); /* unions, data_bit_offset */
	if (constant(die, DW_AT_data_member_location, ret))
		return true;
	if (dwarf_getlocation(&attr, &op, &n) != 0 || n != 1 || op[0].atom != DW_OP_plus_uconst)
		return false;
	*ret = op[0].number;
	return true;
}

/* Where a bit-field lies: DWARF 4 counts from the class; before, from the top of its storage unit. */
static uint64_t bit_offset(struct sym_module *m, struct member *x, uint64_t at, uint64_t bits)
{
	uint64_t from, unit;

	if (constant(&x->die, DW_AT_data_bit_offset, &from))
		return at * 8 + from;
	if (!constant(&x->die, DW_AT_bit_offset, &from))
		return at * 8;
	if (!constant(&x->die, DW_AT_byte_size, &unit))
		unit = sym_type_size(m, &x->type);
	return at * 8 + unit * 8 - from - bits;
}

static bool get_member(struct sym_module *m, Dwarf_Die *die, struct member *ret)
{
	const int tag = dwarf_tag(die);
	uint64_t at, bits;

	if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || dwarf_hasattr(die, DW_AT_external))
		return false;
	ret->die = *die;
	if (!sym_type_of(die, &ret->type) || !member_offset(die, &at))
		return false;
	ret->bits = constant(die, DW_AT_bit_size, &bits);
	ret->lo = ret->bits ? bit_offset(m, ret, at, bits) : at * 8;
	ret->hi = ret->lo + (ret->bits ? bits : sym_type_size(m, &ret->type) * 8);
	if (ret->hi == ret->lo && dwarf_tag(&ret->type) == DW_TAG_array_type)
		ret->hi = UINT64_MAX; /* a flexible array member: all that follows */
	return true;
}

/* The run of adjacent bit-fields around one of them is one memory location. */
struct bit_run {
	const char *first[FIELDS_NAMED], *last;
	unsigned n;
	uint64_t lo, hi;
	bool hit;
	Dwarf_Die type;
};

static void run_name(struct descent *d, const struct bit_run *run)
{
	add_name(d, ".", run->n > 1 ? "{" : "");
	if (run->n <= FIELDS_NAMED) {
		for (unsigned i = 0; i < run->n; i++)
			add_name(d, i ? "," : "", run->first[i]);
	} else {
		add_name(d, "", run->first[0]);
		add_name(d, "..", run->last);
	}
	add_name(d, "", run->n > 1 ? "}" : "");
}

/* The run that holds the wanted byte, if the class has bit-fields there. */
static bool find_run(struct descent *d, Dwarf_Die *type, struct bit_run *run)
{
	const uint64_t want = (d->offset - d->base) * 8;
	struct member x;
	Dwarf_Die die;

	*run = (struct bit_run){ .n = 0 };
	if (dwarf_child(type, &die) != 0)
		return false;
	do {
		const bool field = get_member(d->m, &die, &x) && x.bits;

		if (!field || (run->n && x.lo != run->hi)) {
			if (run->hit)
				return true;
			if (dwarf_tag(&die) == DW_TAG_member)
				*run = (struct bit_run){ .n = 0 };
			if (!field || dwarf_tag(&die) != DW_TAG_member)
				continue;
		}
		if (!run->n)
			run->lo = x.lo;
		run->last = dwarf_diename(&die) ? dwarf_diename(&die) : "";
		if (run->n < FIELDS_NAMED)
			run->first[run->n] = run->last;
		run->n++;
		run->hi = x.hi;
		run->type = x.type;
		run->hit |= x.lo < want + 8 && x.hi > want;
	} while (dwarf_siblingof(&die, &die) == 0);
	return run->hit;
}

static void into_member(struct descent *d, struct member *x, unsigned depth)
{
	const char *name = dwarf_tag(&x->die) == DW_TAG_member ? dwarf_diename(&x->die) : NULL;
	Dwarf_Die value;

	d->base += x->lo / 8;
	if (sym_buffer_of(d->m, &x->type, &value)) {
		descend(d, &value, depth + 1);
		return;
	}
	if (name) /* bases and anonymous members have no name of their own */
		add_name(d, ".", name);
	descend(d, &x->type, depth + 1);
}

/* Typedefs and qualifiers down to something with a layout; true if it is to be shown whole. */
static bool peel(struct descent *d, Dwarf_Die *type)
{
	for (unsigned i = 0; i < SYM_CHAIN_MAX; i++) {
		if (sym_is_opaque(d->m, type))
			return true;
		switch (dwarf_tag(type)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
			if (!sym_type_of(type, type))
				return true;
			break;
		default:
			sym_complete(d->m, type);
			return false;
		}
	}
	return true;
}

/* The member that begins last before the byte, if its type is only declared here: a stream, of which the standard
 * library alone has the members. It ends where the next one begins. */
static bool find_declared(struct descent *d, Dwarf_Die *type, struct member *ret)
{
	const uint64_t want = (d->offset - d->base) * 8;
	bool found = false;
	struct member x;
	Dwarf_Die die;

	*ret = (struct member){ .lo = 0 };
	if (dwarf_child(type, &die) != 0)
		return false;
	do {
		if (!get_member(d->m, &die, &x) || x.lo > want || x.lo < ret->lo)
			continue;
		*ret = x;
		found = x.lo == x.hi && dwarf_tag(&die) == DW_TAG_member && dwarf_diename(&die) && !peel(d, &x.type) &&
		        dwarf_hasattr(&x.type, DW_AT_declaration);
	} while (dwarf_siblingof(&die, &die) == 0);
	return found;
}

/* Members that hold the byte: in a union the first whose leaf has the size of the access; in a class the first, unless
 * it is an empty base, which shares its byte with a member. */
static void into_class(struct descent *d, Dwarf_Die *type, unsigned depth)
{
	const uint64_t want = (d->offset - d->base) * 8;
	const bool is_union = dwarf_tag(type) == DW_TAG_union_type;
	const struct descent start = *d;
	struct vtb_leaf first = { .name = NULL }, *const ret = d->ret;
	bool first_hole = true;
	struct bit_run run;
	struct member x;
	Dwarf_Die die;

	if (dwarf_child(type, &die) != 0) {
		finish_between(d, d->base);
		return;
	}
	do {
		if (!get_member(d->m, &die, &x) || x.bits || want < x.lo || want >= x.hi)
			continue;
		*d = start;
		into_member(d, &x, depth);
		if (!d->hole && (!is_union || !d->size || ret->size == d->size))
			return;
		if (!first.name || (first_hole && !d->hole)) {
			first = *ret;
			first_hole = d->hole;
		}
	} while (dwarf_siblingof(&die, &die) == 0);
	*d = start;
	if (first.name) {
		ret->name = first.name;
		ret->type = first.type;
		ret->offset = first.offset;
		ret->size = first.size;
		d->hole = first_hole;
	} else if (find_run(d, type, &run)) {
		run_name(d, &run);
		finish(d, &run.type, d->base + run.lo / 8, (run.hi + 7) / 8 - run.lo / 8);
	} else if (find_declared(d, type, &x)) {
		add_name(d, ".", dwarf_diename(&x.die));
		finish_between(d, d->base + x.lo / 8);
	} else {
		finish_between(d, d->base);
	}
}

/* Element size and the number of elements of each dimension (0 unknown), outermost first. */
static unsigned dimensions(Dwarf_Die *type, uint64_t *counts, unsigned max)
{
	unsigned n = 0;
	Dwarf_Die dim;

	if (dwarf_child(type, &dim) != 0)
		return 0;
	do {
		uint64_t count = 0;

		if (dwarf_tag(&dim) != DW_TAG_subrange_type)
			continue;
		if (!constant(&dim, DW_AT_count, &count) && constant(&dim, DW_AT_upper_bound, &count))
			count++;
		counts[n++] = count;
	} while (n < max && dwarf_siblingof(&dim, &dim) == 0);
	return n;
}

static void into_array(struct descent *d, Dwarf_Die *type, unsigned depth)
{
	uint64_t counts[8], index, element, below = 1;
	const unsigned n = dimensions(type, counts, 8);
	Dwarf_Die inner;

	if (!n || !sym_type_of(type, &inner) || !(element = sym_type_size(d->m, &inner))) {
		finish_between(d, d->base);
		return;
	}
	index = (d->offset - d->base) / element;
	d->base += index * element;
	for (unsigned i = 1; i < n; i++)
		below *= counts[i] ? counts[i] : 1;
	for (unsigned i = 0; i < n; i++) {
		char text[32];

		snprintf(text, sizeof(text), "[%llu]", (unsigned long long)(index / below));
		add_name(d, "", text);
		index %= below;
		if (i + 1 < n)
			below /= counts[i + 1] ? counts[i + 1] : 1;
	}
	descend(d, &inner, depth + 1);
}

static void descend(struct descent *d, Dwarf_Die *type, unsigned depth)
{
	Dwarf_Die named = *type, die = *type;
	Dwarf_Attribute attr;

	if (depth < SYM_CHAIN_MAX && !peel(d, &die)) {
		switch (dwarf_tag(&die)) {
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
		case DW_TAG_union_type:
			into_class(d, &die, depth);
			return;
		case DW_TAG_array_type:
			if (dwarf_attr(&die, DW_AT_GNU_vector, &attr))
				break; /* __m128i: one value */
			into_array(d, &die, depth);
			return;
		default:
			break;
		}
	}
	finish(d, &named, d->base, sym_type_size(d->m, &named));
}

void sym_leaf(struct sym_module *m, Dwarf_Die *type, const char *prefix, uint64_t offset, uint32_t size,
              struct vtb_leaf *ret)
{
	struct descent d = { .m = m, .offset = offset, .size = size, .ret = ret };

	snprintf(d.name, sizeof(d.name), "%s", prefix);
	(void)sym_index_names(m); /* scopes tell std::mutex from another mutex */
	descend(&d, type, 0);
}

bool vtb_symbols_typed(struct vtb_symbols *s, const char *path, const char *type_name, uint64_t object_size,
                       uint64_t offset, uint32_t size, struct vtb_leaf *ret)
{
	struct sym_module *m = sym_module(s, path);
	char prefix[32] = "";
	uint64_t element;
	Dwarf_Die type;
	bool pointer;

	if (!m || !sym_type_by_name(m, type_name, &type, &pointer))
		return false;
	element = pointer ? sizeof(void *) : sym_type_size(m, &type);
	if (!element)
		return false;
	*ret = (struct vtb_leaf){ .object = sym_string(s, type_name),
		                  .object_type = sym_string(s, type_name),
		                  .object_size = element };
	if (object_size >= 2 * element)
		snprintf(prefix, sizeof(prefix), "[%llu]", (unsigned long long)(offset / element));
	if (pointer) {
		ret->name = sym_string(s, prefix);
		ret->type = ret->object_type;
		ret->size = sizeof(void *);
	} else {
		sym_leaf(m, &type, prefix, object_size >= 2 * element ? offset % element : offset, size, ret);
	}
	if (object_size >= 2 * element)
		ret->offset += offset / element * element;
	return true;
}
