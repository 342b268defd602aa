/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "blind_step.h"

#include <errno.h>

#include "vtb/array.h"

#define ANY_SIZE 0x100000000 /* of a range whose size is not known */

static struct blind_value made(struct blind_function *f, const struct blind_insn *in, uint32_t reg, bool own)
{
	return blind_atom(&f->values, BLIND_MADE, in->addr, reg, 0, own);
}

/* Of a value: its low `size` bytes, extended. Four bytes are taken for all: indices do not come to where it matters. */
static struct blind_value part(struct blind_function *f, struct blind_value x, unsigned code, unsigned size)
{
	return size >= 4 ? x : blind_atom(&f->values, BLIND_PART, x.form, (uint64_t)x.offset, code << 8 | size, false);
}

/* In a file that is not position independent, a number may be an address in it. */
static struct blind_value number(struct blind_function *f, int64_t n)
{
	const struct blind_range *fixed = &f->values.fixed;

	return (uint64_t)n >= fixed->lo && (uint64_t)n < fixed->hi ? blind_image(&f->values, (uint64_t)n)
	                                                           : blind_number(n);
}

static struct blind_value address_of(struct blind_function *f, const struct vtb_ops_operand *o)
{
	const bool alone = o->base == OPS_NO_REG && o->index == OPS_NO_REG;
	struct blind_value x =
	    alone || o->base == OPS_RIP ? blind_image(&f->values, (uint64_t)o->value) : number(f, o->value);

	if (o->base < OPS_GPRS)
		x = blind_sum(&f->values, x, f->now.regs[o->base], 1);
	if (o->index < OPS_GPRS)
		x = blind_sum(&f->values, x, f->now.regs[o->index], o->scale);
	return x;
}

bool blind_address(struct blind_function *f, const struct vtb_ops *ops, const struct vtb_ops_access *access,
                   struct blind_value *ret)
{
	if (access->operand == OPS_STRING_SOURCE || access->operand == OPS_STRING_DEST) {
		*ret = f->now.regs[access->operand == OPS_STRING_SOURCE ? OPS_RSI : OPS_RDI];
		return true;
	}
	if (access->operand >= 3 || ops->op[access->operand].type != OPS_MEM || ops->op[access->operand].segment)
		return false;
	*ret = address_of(f, &ops->op[access->operand]);
	return true;
}

/* ---- values */

static struct blind_value load(struct blind_function *f, const struct blind_insn *in, const struct vtb_ops_operand *o)
{
	const struct blind_value fresh = made(f, in, in->ops.op[0].reg, false);
	struct blind_value at, held;

	if (o->segment) /* %fs:0 is the address of the thread's own storage */
		return o->base == OPS_NO_REG && !o->value && o->size == 8
		           ? blind_atom(&f->values, BLIND_STORAGE, 0, 0, 0, true)
		           : fresh;
	at = address_of(f, o);
	if (blind_is_table(&f->now, at))
		return made(f, in, OPS_GPRS, true);
	if (!blind_own(&f->values, at))
		return fresh;
	if (blind_is_lent(f, at, o->size))
		return fresh;
	if (blind_slot_get(&f->now, at, o->size, &held))
		return held;
	if (blind_slot_set(&f->now, at, o->size, fresh) < 0)
		f->values.failed = true;
	return fresh;
}

static struct blind_value value_of(struct blind_function *f, const struct blind_insn *in,
                                   const struct vtb_ops_operand *o)
{
	if (o->type == OPS_IMM)
		return number(f, o->value);
	if (o->type == OPS_MEM)
		return load(f, in, o);
	return o->reg < OPS_GPRS && !o->high ? f->now.regs[o->reg] : made(f, in, OPS_GPRS + 1, false);
}

static bool is_same_register(const struct vtb_ops *o)
{
	return o->op[0].type == OPS_REG && o->op[1].type == OPS_REG && o->op[0].reg == o->op[1].reg;
}

/* What operand 0, a register of 4 or 8 bytes, holds behind it, before a register of 4 is extended. */
static struct blind_value result(struct blind_function *f, const struct blind_insn *in)
{
	const struct vtb_ops *o = &in->ops;
	const struct blind_value fresh = made(f, in, o->op[0].reg, false), one = blind_number(1);
	const uint32_t perhaps_own = o->op[0].reg + 2 * OPS_GPRS;
	const struct blind_value to = value_of(f, in, &o->op[0]);
	struct blind_value from = { 0 };

	if (o->n_ops > 1 && o->code != OPS_LEA)
		from = value_of(f, in, &o->op[1]);
	switch (o->code) {
	case OPS_MOV:
		return from;
	case OPS_LEA:
		return address_of(f, &o->op[1]);
	case OPS_MOVZX:
	case OPS_MOVSX:
		return part(f, from, o->code, o->op[1].size);
	case OPS_ADD:
		return blind_sum(&f->values, to, from, 1);
	case OPS_SUB:
		return blind_sum(&f->values, to, from, -1);
	case OPS_INC:
		return blind_sum(&f->values, to, one, 1);
	case OPS_DEC:
		return blind_sum(&f->values, to, one, -1);
	case OPS_SHL:
		return o->op[1].type == OPS_IMM && o->op[1].value < 32
		           ? blind_sum(&f->values, blind_number(0), to, (int64_t)(1ull << o->op[1].value))
		           : fresh;
	case OPS_IMUL:
		return o->n_ops == 3 && o->op[2].type == OPS_IMM
		           ? blind_sum(&f->values, blind_number(0), from, o->op[2].value)
		           : fresh;
	case OPS_NEG:
		return blind_sum(&f->values, blind_number(0), to, -1);
	case OPS_XOR:
		return is_same_register(o) ? blind_number(0) : fresh;
	case OPS_AND: /* a stack that is aligned */
		return made(f, in, perhaps_own, to.form && blind_own(&f->values, to) && o->op[1].type == OPS_IMM);
	case OPS_CMOV:
		return made(f, in, perhaps_own, blind_own(&f->values, to) && blind_own(&f->values, from));
	default:
		return fresh;
	}
}

static bool has_result(const struct vtb_ops *o)
{
	return o->n_ops && o->op[0].type == OPS_REG && o->op[0].reg < OPS_GPRS && o->op[0].size >= 4 &&
	       (o->code == OPS_MOV || o->clobbers >> o->op[0].reg & 1);
}

/* ---- instructions that move the stack pointer */

static int push(struct blind_function *f, const struct blind_insn *in)
{
	const struct blind_value holds = value_of(f, in, &in->ops.op[0]);
	struct blind_value *rsp = &f->now.regs[OPS_RSP];

	rsp->offset -= 8;
	return blind_slot_set(&f->now, *rsp, 8, holds);
}

static void pop_into(struct blind_function *f, const struct blind_insn *in, uint32_t reg)
{
	struct blind_value *rsp = &f->now.regs[OPS_RSP], held = made(f, in, reg, false);

	blind_slot_get(&f->now, *rsp, 8, &held);
	rsp->offset += 8;
	f->now.regs[reg] = held;
}

static void leave_frame(struct blind_function *f, const struct blind_insn *in)
{
	f->now.regs[OPS_RSP] = f->now.regs[OPS_RBP];
	pop_into(f, in, OPS_RBP);
}

/* ---- memory */

static int store(struct blind_function *f, const struct blind_insn *in)
{
	const struct vtb_ops *o = &in->ops;
	struct blind_value at;
	int r = 0;

	for (uint32_t i = 0; r >= 0 && i < o->n_access; i++) {
		const struct vtb_ops_access *a = &o->access[i];

		if (!(a->mode & OPS_WRITES) || !blind_address(f, o, a, &at) || !blind_own(&f->values, at))
			continue;
		if (a->operand == 0 && o->code == OPS_MOV && o->op[1].type != OPS_MEM && !blind_is_lent(f, at, a->size))
			r = blind_slot_set(&f->now, at, a->size, value_of(f, in, &o->op[1]));
		else
			blind_slot_lose(&f->now, at, a->size ? a->size : 64);
	}
	return r;
}

/* ---- calls */

bool blind_is_lent(const struct blind_function *f, struct blind_value at, int64_t size)
{
	for (size_t i = 0; i < f->n_lent; i++)
		if (f->lent[i].form == at.form && at.offset < f->lent[i].hi && at.offset + size > f->lent[i].lo)
			return true;
	return false;
}

static int lend(struct blind_function *f, struct blind_value at, uint64_t size)
{
	int r;

	if (!at.form || !blind_own(&f->values, at) || size > INT32_MAX || blind_is_lent(f, at, (int64_t)size))
		return 0;
	r = vtb_array_room(f, lent);
	if (r >= 0)
		f->lent[f->n_lent++] = (struct blind_lent){ at.form, at.offset, at.offset + (int64_t)size };
	return r;
}

static int hook(struct blind_function *f, const struct vtb_call_tell *t)
{
	const struct blind_value *size = &f->now.regs[OPS_RSI];
	const uint8_t mode = (uint8_t)((t->reads ? OPS_READS : 0u) | (t->writes ? OPS_WRITES : 0u));

	const uint64_t n = t->size ? t->size : size->form ? ANY_SIZE : (uint64_t)size->offset;

	if (!mode)
		return 0;
	if (lend(f, f->now.regs[OPS_RDI], n) < 0)
		return -ENOMEM;
	if (mode == OPS_WRITES && t->size) /* what is left of a unit when a bit field is written is read behind it */
		blind_forget_reads(&f->now, f->now.regs[OPS_RDI], n);
	return blind_tell(&f->now, f->now.regs[OPS_RDI], n, mode, t->table);
}

static int call(struct blind_function *f, const struct blind_insn *in)
{
	static const uint8_t lost[] = { OPS_RAX, OPS_RDX, OPS_RCX, OPS_RSI, OPS_RDI, 8, 9, 10, 11 };
	const struct vtb_call_tell *t = in->tell;
	int r = 0;

	if (!t || t->is_done)
		f->now.n_told = 0; /* what comes behind it comes later */
	if (t)
		r = hook(f, t);
	for (size_t i = 0; i < sizeof(lost); i++)
		f->now.regs[lost[i]] = made(f, in, lost[i], false);
	return r;
}

/* ---- all */

static void use(struct blind_function *f, const struct blind_insn *in)
{
	struct blind_value at;

	for (uint32_t i = 0; f->now.n_told && i < in->ops.n_access; i++) {
		const struct vtb_ops_access *a = &in->ops.access[i];

		if (a->mode && blind_address(f, &in->ops, a, &at) && !blind_own(&f->values, at))
			blind_use(&f->now, at, a->size ? a->size : 1, a->mode);
	}
}

static void lose_registers(struct blind_function *f, const struct blind_insn *in)
{
	for (uint32_t i = 0; i < OPS_GPRS; i++)
		if (in->ops.clobbers >> i & 1 && i != OPS_RSP)
			f->now.regs[i] = made(f, in, i, false);
}

static int compute(struct blind_function *f, const struct blind_insn *in)
{
	const struct vtb_ops *o = &in->ops;
	const bool exchanges =
	    o->code == OPS_XCHG && o->op[0].type == OPS_REG && o->op[1].type == OPS_REG && o->op[0].size == 8;
	struct blind_value to = { 0 }, other = { 0 };
	int r;

	if (exchanges)
		other = value_of(f, in, &o->op[0]);
	if (has_result(o))
		to = exchanges ? value_of(f, in, &o->op[1]) : result(f, in);
	r = store(f, in);
	if (o->code == OPS_CDQE)
		to = part(f, f->now.regs[OPS_RAX], OPS_MOVSX, 4);
	lose_registers(f, in);
	if (has_result(o))
		f->now.regs[o->op[0].reg] = o->op[0].size == 8 ? to : part(f, to, OPS_MOVZX, 4);
	if (exchanges)
		f->now.regs[o->op[1].reg] = other;
	if (o->code == OPS_CDQE)
		f->now.regs[OPS_RAX] = to;
	return r;
}

int blind_step(struct blind_function *f, const struct blind_insn *in)
{
	int r = 0;

	use(f, in);
	if (in->flow == BLIND_CALL || in->tell)
		r = call(f, in);
	else if (in->ops.code == OPS_PUSH)
		r = push(f, in);
	else if (in->ops.code == OPS_POP && in->ops.op[0].type == OPS_REG && in->ops.op[0].reg < OPS_GPRS)
		pop_into(f, in, in->ops.op[0].reg);
	else if (in->ops.code == OPS_LEAVE)
		leave_frame(f, in);
	else
		r = compute(f, in);
	return f->values.failed ? -ENOMEM : r;
}
