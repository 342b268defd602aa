/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From symbols to functions: each is decoded along its jumps from its first instruction on. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "decoding.h"
#include "flow_blocks.h"
#include "compiled.h"
#include "vtb/array.h"
#include "vtb/error.h"

#define ARGUMENTS_MAX 65536u /* bytes */

/* ---- one instruction */

static const uint8_t *skip_prefixes(const uint8_t *b, const uint8_t *end)
{
	while (b < end && (*b == 0xf2 || *b == 0xf3 || *b == 0x3e || *b == 0x2e || *b == 0x66 || (*b & 0xf0) == 0x40))
		b++;
	return b;
}

static void take_target(struct insn *i, const uint8_t *b, unsigned n)
{
	int8_t near;
	int32_t far;

	memcpy(&near, b + i->size - 1, 1);
	memcpy(&far, b + i->size - 4, 4);
	i->target = i->addr + i->size + (uint64_t)(int64_t)(n == 1 ? near : far);
}

static void find_flow(struct insn *i, const uint8_t *b)
{
	const uint8_t *op = skip_prefixes(b, b + i->size);
	const unsigned reg = op + 1 < b + i->size ? op[1] >> 3 & 7 : 0;

	i->flow = FLOW_NEXT;
	if (*op == 0xe8 || *op == 0xe9) {
		i->flow = *op == 0xe8 ? FLOW_CALL : FLOW_JUMP;
		take_target(i, b, 4);
	} else if (*op == 0xeb || (*op & 0xf0) == 0x70 || (*op & 0xfc) == 0xe0) {
		i->flow = *op == 0xeb ? FLOW_JUMP : FLOW_BRANCH;
		i->cond = (*op & 0xf0) == 0x70 ? *op & 15 : 16;
		take_target(i, b, 1);
	} else if (*op == 0x0f && (op[1] & 0xf0) == 0x80) {
		i->flow = FLOW_BRANCH;
		i->cond = op[1] & 15;
		take_target(i, b, 4);
	} else if (*op == 0xff && (reg == 2 || reg == 4)) {
		i->flow = reg == 2 ? FLOW_CALL : FLOW_WAYS;
		i->indirect = true;
	} else if (*op == 0xc2 || *op == 0xc3) {
		i->flow = FLOW_RET;
	} else if ((*op == 0x0f && op[1] == 0x0b) || *op == 0xf4 || *op == 0xcc) {
		i->flow = FLOW_STOP;
	}
}

static const char *slot_of(const struct program *p, const struct insn *i)
{
	const struct vtb_ops_operand *op = &i->ops.op[0];

	if (!i->indirect || op->type != OPS_MEM || op->base != OPS_NO_REG || op->index != OPS_NO_REG || op->segment)
		return NULL;
	return image_slot(&p->image, (uint64_t)op->value);
}

static bool is_own(const struct decoding *x, uint64_t addr)
{
	uint64_t f;

	return addr == x->start || !vtb_map64_get(&x->p->starts, addr, &f);
}

/* Calls and tail calls: of whom? */
static void find_callee(struct decoding *x, struct insn *i)
{
	const char *import = i->indirect                                    ? slot_of(x->p, i)
	                     : i->flow == FLOW_CALL || i->flow == FLOW_JUMP ? image_plt(&x->p->image, i->target)
	                                                                    : NULL;
	uint64_t f;

	i->callee = NONE;
	if (import) {
		i->external = summary_find(import);
		i->indirect = false;
		i->flow = i->flow == FLOW_CALL ? FLOW_CALL : FLOW_TAIL;
	} else if (i->flow == FLOW_JUMP && !is_own(x, i->target)) {
		i->flow = FLOW_TAIL;
	}
	if (!import && !i->indirect && insn_is_call(i)) {
		if (vtb_map64_get(&x->p->starts, i->target, &f))
			i->callee = (uint32_t)f;
		else
			x->p->doubt = "it calls what is no function";
	}
}

static int decode_one(struct decoding *x, uint64_t addr, struct insn *i)
{
	size_t n = 0;
	const uint8_t *b = image_bytes(&x->p->image, addr, &n);
	const struct image_section *s = image_at(&x->p->image, addr);

	*i = (struct insn){ .addr = addr, .callee = NONE, .frame = NO_FRAME, .sp = NO_FRAME };
	if (!b || !s->code)
		return -VTB_E_FORMAT;
	vtb_ops_decode(x->d, b, n < 16 ? n : 16, addr, &i->ops);
	i->size = i->ops.size;
	if (!i->size || i->ops.code == OPS_UNKNOWN) {
		i->flow = FLOW_STOP;
		x->p->doubt = "some of its instructions are not known";
		return i->size = 1, 0;
	}
	find_flow(i, b);
	find_callee(x, i);
	return 0;
}

/* ---- a function */

static int push(struct decoding *x, uint64_t addr)
{
	if (vtb_array_room(x, todo) < 0)
		return -ENOMEM;
	x->todo[x->n_todo++] = addr;
	return 0;
}

/* The compiler writes nothing behind a call of what it knows never to return: the function ends there. */
static bool is_last(const struct decoding *x, const struct insn *i)
{
	const struct image_symbol *s = image_symbol(&x->p->image, i->addr);

	return i->flow == FLOW_CALL && s && s->function && i->addr < s->addr + s->size &&
	       i->addr + i->size >= s->addr + s->size;
}

/* Where an exception goes on that comes out of a call. */
static int find_landing(struct decoding *x, struct insn *i)
{
	uint64_t pad, args;
	int r;

	if (!x->p->image.lands || i->flow != FLOW_CALL || !insn_may_unwind(i))
		return 0;
	r = vtb_landing_find(&x->p->image.landings, i->addr + i->size, &pad, &args);
	if (r < 0 || (r > 0 && args > ARGUMENTS_MAX)) {
		x->p->doubt = "its tables of exceptions are not understood";
		return 0;
	}
	if (r == 0)
		return 0;
	i->landing = pad;
	i->landed = (int32_t)args;
	return push(x, pad);
}

static int follow(struct decoding *x, struct insn *i)
{
	int r = 0;

	if (i->flow == FLOW_WAYS) {
		r = decoding_ways(x, i);
		if (r == 0)
			i->flow = FLOW_TAIL; /* through a pointer; solve.c asks where to */
		else
			i->indirect = false;
		if (r <= 0)
			return r;
		return 0;
	}
	i->last = is_last(x, i);
	if (i->flow == FLOW_JUMP || i->flow == FLOW_BRANCH)
		r = push(x, i->target);
	if (r >= 0)
		r = find_landing(x, i);
	if (r >= 0 && !i->last &&
	    (i->flow == FLOW_NEXT || i->flow == FLOW_BRANCH ||
	     (i->flow == FLOW_CALL && !(i->external && i->external->does & DOES_STOP))))
		r = push(x, i->addr + i->size);
	return r;
}

static int decode_next(struct decoding *x, uint64_t addr)
{
	struct program *p = x->p;
	struct insn i;
	uint64_t id;
	int r;

	if (vtb_map64_get(&x->seen, addr, &id))
		return 0;
	if (p->n_insns >= PROGRAM_INSNS_MAX) {
		p->doubt = "it has too many instructions";
		return 0;
	}
	r = decode_one(x, addr, &i);
	if (r < 0) {
		p->doubt = "a jump leads out of its code";
		return 0;
	}
	r = follow(x, &i);
	if (r < 0 || vtb_array_room(p, insns) < 0 || vtb_map64_set(&x->seen, addr, p->n_insns) < 0)
		return -ENOMEM;
	program_effects(&i);
	p->insns[p->n_insns++] = i;
	return 0;
}

/* Jumps through a table of which the address is loaded in code that was decoded later. */
static int retry_ways(struct decoding *x, uint32_t first)
{
	int r = 0;

	for (size_t k = first; r >= 0 && k < x->p->n_insns; k++) {
		struct insn i = x->p->insns[k];

		if (i.flow != FLOW_TAIL || !i.indirect)
			continue;
		r = decoding_ways(x, &i);
		if (r <= 0)
			continue;
		i.flow = FLOW_WAYS;
		i.indirect = false;
		program_effects(&i);
		x->p->insns[k] = i;
	}
	return r < 0 ? r : 0;
}

static int by_address(const void *a, const void *b)
{
	const struct insn *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

static int decode_function(struct decoding *x, uint32_t f)
{
	struct function *fn = &x->p->functions[f];
	const struct image_symbol *s = image_symbol(&x->p->image, fn->addr);
	int r;

	x->start = x->begin = fn->addr;
	x->end = s && s->addr + s->size > fn->addr ? s->addr + s->size : fn->addr + 1;
	x->n_todo = x->n_ways = 0;
	vtb_map64_clear(&x->seen);
	vtb_map64_clear(&x->whole);
	fn->first = (uint32_t)x->p->n_insns;
	r = push(x, fn->addr);
	while (r >= 0 && x->n_todo) {
		r = decode_next(x, x->todo[--x->n_todo]);
		if (r >= 0 && !x->n_todo)
			r = retry_ways(x, fn->first);
	}
	if (r < 0)
		return r;
	fn = &x->p->functions[f];
	fn->n = (uint32_t)x->p->n_insns - fn->first;
	qsort(x->p->insns + fn->first, fn->n, sizeof(*x->p->insns), by_address);
	return program_blocks(x->p, f, x->ways, x->n_ways);
}

/* What the compiler's start files add to every program: it touches nothing of the program's. */
static bool is_startup(const char *name)
{
	static const char *const names[] = { "_start",
		                             "_init",
		                             "_fini",
		                             "deregister_tm_clones",
		                             "register_tm_clones",
		                             "__do_global_dtors_aux",
		                             "frame_dummy",
		                             "_dl_relocate_static_pie",
		                             "__libc_csu_init",
		                             "__libc_csu_fini" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static int add_functions(struct program *p)
{
	for (size_t i = 0; i < p->image.n_symbols; i++) {
		const struct image_symbol *s = &p->image.symbols[i];
		const struct image_section *at = image_at(&p->image, s->addr);
		uint64_t known;

		if (!s->function || !at || !at->code || strstr(s->name, ".cold") || is_startup(s->name))
			continue;
		if (vtb_map64_get(&p->starts, s->addr, &known)) {
			p->functions[known].taken |= s->shared;
			continue;
		}
		if (vtb_array_room(p, functions) < 0 || vtb_map64_set(&p->starts, s->addr, p->n_functions) < 0)
			return -ENOMEM;
		p->functions[p->n_functions++] =
		    (struct function){ .addr = s->addr, .name = s->name, .taken = s->shared };
	}
	return 0;
}

int program_discover(struct program *p)
{
	struct decoding x = { .p = p };
	int r = add_functions(p);

	if (r >= 0)
		r = vtb_disasm_new(&x.d);
	for (uint32_t f = 0; r >= 0 && f < p->n_functions && !p->doubt; f++)
		r = decode_function(&x, f);
	vtb_disasm_free(x.d);
	vtb_map64_fini(&x.seen);
	vtb_map64_fini(&x.whole);
	free(x.todo);
	free(x.ways);
	return r;
}

void program_fini(struct program *p)
{
	image_fini(&p->image);
	free(p->insns);
	free(p->blocks);
	free(p->functions);
	free(p->edges);
	free(p->deciders);
	free(p->words);
	free(p->reads_word);
	free(p->writes_word);
	vtb_map64_fini(&p->starts);
}
