/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recover_operand.h"

#include <string.h>

void recover_cpu_forget(struct recover_cpu *cpu)
{
	memset(cpu->r, 0, sizeof(cpu->r));
	memset(cpu->x, 0, sizeof(cpu->x));
	cpu->flags_known = 0;
}

void recover_cpu_set(struct recover_cpu *cpu, unsigned reg, uint64_t value)
{
	cpu->r[reg] = recover_exactly(value);
}

/* ------------------------------------------------------------------ addresses */

static bool add_reg(const struct recover_cpu *cpu, unsigned reg, uint64_t scale, uint64_t *sum)
{
	if (reg == OPS_NO_REG)
		return true;
	if (reg >= OPS_GPRS || cpu->r[reg].known != RECOVER_ALL)
		return false;
	*sum += cpu->r[reg].v * scale;
	return true;
}

bool recover_operand_address(const struct recover_cpu *cpu, const struct vtb_ops_operand *op, bool with_segment,
                             uint64_t *ret)
{
	uint64_t sum = (uint64_t)op->value;

	if (!add_reg(cpu, op->base, 1, &sum) || !add_reg(cpu, op->index, op->scale, &sum))
		return false;
	if (op->addr32)
		sum &= UINT32_MAX;
	if (with_segment && op->segment) {
		if (op->segment != 1 || cpu->fs.known != RECOVER_ALL)
			return false;
		sum += cpu->fs.v;
	}
	*ret = sum;
	return true;
}

static bool reg_address(const struct recover_cpu *cpu, unsigned reg, int64_t plus, uint64_t *ret)
{
	*ret = (uint64_t)plus;
	return add_reg(cpu, reg, 1, ret);
}

bool recover_address(const struct recover_cpu *cpu, const struct vtb_ops *ops, unsigned i, uint64_t *ret)
{
	switch (ops->access[i].operand) {
	case OPS_STACK_PUSH:
		return reg_address(cpu, OPS_RSP, -8, ret);
	case OPS_STACK_POP:
		return reg_address(cpu, OPS_RSP, 0, ret);
	case OPS_STACK_FRAME:
		return reg_address(cpu, OPS_RBP, 0, ret);
	case OPS_STRING_SOURCE:
		return reg_address(cpu, OPS_RSI, 0, ret);
	case OPS_STRING_DEST:
		return reg_address(cpu, OPS_RDI, 0, ret);
	default:
		if (ops->code == OPS_POP && ops->op[0].base == OPS_RSP) /* computed after rsp has moved */
			return recover_operand_address(cpu, &ops->op[0], true, ret) && (*ret += 8, true);
		return recover_operand_address(cpu, &ops->op[ops->access[i].operand], true, ret);
	}
}

uint64_t recover_size(const struct recover_cpu *cpu, const struct vtb_ops *ops, unsigned i)
{
	if (!ops->rep)
		return ops->access[i].partial ? 0 : ops->access[i].size;
	/* scas and cmps end early: how far is not known */
	if ((ops->code != OPS_MOVS && ops->code != OPS_STOS && ops->code != OPS_LODS) ||
	    cpu->r[OPS_RCX].known != RECOVER_ALL)
		return 0;
	return cpu->r[OPS_RCX].v * ops->width;
}

/* ------------------------------------------------------------------ operands */

struct recover_value recover_read_reg(const struct recover_cpu *cpu, const struct vtb_ops_operand *op)
{
	struct recover_value v;

	if (op->reg >= OPS_GPRS)
		return recover_nothing;
	v = cpu->r[op->reg];
	if (op->high)
		v = (struct recover_value){ v.v >> 8, v.known >> 1 };
	v.v &= recover_mask(op->size);
	v.known &= recover_bytes_mask(op->size);
	return v;
}

void recover_write_reg(struct recover_cpu *cpu, const struct vtb_ops_operand *op, struct recover_value v)
{
	struct recover_value *r;
	const unsigned shift = op->high ? 1 : 0;

	if (op->reg >= OPS_GPRS)
		return;
	r = &cpu->r[op->reg];
	v.v &= recover_mask(op->size) & recover_known_bits(v.known);
	v.known &= recover_bytes_mask(op->size);
	if (op->size == 8) {
		*r = v;
	} else if (op->size == 4) { /* the upper half becomes 0 */
		*r = (struct recover_value){ v.v, v.known | 0xf0 };
	} else {
		r->v = (r->v & ~(recover_mask(op->size) << 8 * shift)) | v.v << 8 * shift;
		r->known = (uint8_t)((r->known & ~(recover_bytes_mask(op->size) << shift)) | v.known << shift);
	}
}

struct recover_value recover_load(struct recover_cpu *cpu, uint64_t addr, unsigned size)
{
	struct recover_value v = recover_nothing;
	uint8_t bytes[8] = { 0 };

	v.known = (uint8_t)recover_memory_read(cpu->memory, cpu->stamp, addr, size, bytes);
	memcpy(&v.v, bytes, 8);
	return v;
}

void recover_store(struct recover_cpu *cpu, uint64_t addr, unsigned size, struct recover_value v)
{
	uint8_t bytes[8];

	memcpy(bytes, &v.v, 8);
	recover_memory_write(cpu->memory, cpu->stamp, addr, size, bytes, v.known);
}

struct recover_value recover_read_op(struct recover_cpu *cpu, const struct vtb_ops_operand *op)
{
	uint64_t addr;

	if (op->type == OPS_IMM)
		return recover_exactly((uint64_t)op->value);
	if (op->type == OPS_REG)
		return recover_read_reg(cpu, op);
	if (op->type == OPS_MEM && op->size <= 8 && recover_operand_address(cpu, op, true, &addr))
		return recover_load(cpu, addr, op->size);
	return recover_nothing;
}

void recover_write_op(struct recover_cpu *cpu, const struct vtb_ops_operand *op, struct recover_value v)
{
	uint64_t addr;

	if (op->type == OPS_REG)
		recover_write_reg(cpu, op, v);
	else if (op->type == OPS_MEM && !recover_operand_address(cpu, op, true, &addr))
		recover_memory_forget_all(cpu->memory);
	else if (op->type == OPS_MEM && op->size <= 8)
		recover_store(cpu, addr, op->size, v);
	else if (op->type == OPS_MEM)
		recover_memory_forget(cpu->memory, cpu->stamp, addr, op->size);
}
