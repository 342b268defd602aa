/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recover_operand.h"

#include <string.h>

/* ------------------------------------------------------------------ stack */

static void push(struct recover_cpu *cpu, struct recover_value v)
{
	if (cpu->r[OPS_RSP].known !=
	    RECOVER_ALL) { /* it goes somewhere below the frames that are known: into unused stack */
		return;
	}
	cpu->r[OPS_RSP].v -= 8;
	recover_store(cpu, cpu->r[OPS_RSP].v, 8, v);
}

static struct recover_value pop(struct recover_cpu *cpu)
{
	struct recover_value v;

	if (cpu->r[OPS_RSP].known != RECOVER_ALL)
		return recover_nothing;
	v = recover_load(cpu, cpu->r[OPS_RSP].v, 8);
	cpu->r[OPS_RSP].v += 8;
	return v;
}

static void exec_push(struct recover_cpu *cpu, const struct vtb_ops *o)
{
	struct recover_value v = recover_read_op(cpu, &o->op[0]);

	push(cpu, v);
}

static void exec_pop(struct recover_cpu *cpu, const struct vtb_ops *o)
{
	const struct recover_value v = pop(cpu);

	recover_write_op(cpu, &o->op[0], v);
}

static void exec_leave(struct recover_cpu *cpu)
{
	cpu->r[OPS_RSP] = cpu->r[OPS_RBP];
	cpu->r[OPS_RBP] = pop(cpu);
}

/* ------------------------------------------------------------------ strings */

/* Direction flag: clear, as the ABI demands at every call. */
static void exec_string(struct recover_cpu *cpu, const struct vtb_ops *o)
{
	const bool writes = o->code == OPS_MOVS || o->code == OPS_STOS,
	           reads = o->code != OPS_STOS && o->code != OPS_SCAS;
	const bool early = o->code == OPS_SCAS || o->code == OPS_CMPS;
	const bool counted = !o->rep || cpu->r[OPS_RCX].known == RECOVER_ALL;
	const uint64_t n = o->rep ? cpu->r[OPS_RCX].v : 1;
	const bool dest = cpu->r[OPS_RDI].known == RECOVER_ALL;

	if (writes && (!counted || !dest)) {
		recover_memory_forget_all(cpu->memory);
	} else if (writes) {
		for (uint64_t i = 0; i < n && n <= 1u << 22; i++) {
			struct recover_value v = cpu->r[OPS_RAX];

			if (o->code == OPS_MOVS)
				v = cpu->r[OPS_RSI].known == RECOVER_ALL
				        ? recover_load(cpu, cpu->r[OPS_RSI].v + i * o->width, o->width)
				        : recover_nothing;
			recover_store(cpu, cpu->r[OPS_RDI].v + i * o->width, o->width, v);
		}
		if (n > 1u << 22)
			recover_memory_forget(cpu->memory, cpu->stamp, cpu->r[OPS_RDI].v, n * o->width);
	}
	if (o->code == OPS_LODS)
		cpu->r[OPS_RAX] = recover_nothing;
	if (early)
		cpu->flags_known = 0;
	if (!counted || (early && o->rep)) {
		cpu->r[OPS_RCX] = recover_nothing;
		if (reads)
			cpu->r[OPS_RSI] = recover_nothing;
		if (o->code != OPS_LODS)
			cpu->r[OPS_RDI] = recover_nothing;
		if (!early)
			cpu->r[OPS_RCX] = recover_exactly(0);
		return;
	}
	if (reads)
		cpu->r[OPS_RSI].v += n * o->width;
	if (o->code != OPS_LODS)
		cpu->r[OPS_RDI].v += n * o->width;
	for (unsigned r = OPS_RSI; r <= OPS_RDI; r++)
		if (cpu->r[r].known != RECOVER_ALL)
			cpu->r[r] = recover_nothing;
	if (o->rep)
		cpu->r[OPS_RCX] = recover_exactly(0);
}

/* ------------------------------------------------------------------ what is not modelled */

static void exec_other(struct recover_cpu *cpu, const struct vtb_ops *o)
{
	uint64_t addr;

	for (unsigned i = 0; i < OPS_GPRS; i++)
		if (o->clobbers >> i & 1)
			cpu->r[i] = recover_nothing;
	for (unsigned i = 0; i < OPS_VECTORS; i++)
		if (o->vclobbers >> i & 1)
			cpu->x[i].known = 0;
	if (o->sets_flags)
		cpu->flags_known = 0;
	if (o->code == OPS_UNKNOWN)
		recover_memory_forget_all(cpu->memory);
	for (unsigned i = 0; i < o->n_access; i++) {
		if (!(o->access[i].mode & OPS_WRITES))
			continue;
		if (!recover_address(cpu, o, i, &addr)) {
			if (o->access[i].operand != OPS_STACK_PUSH)
				recover_memory_forget_all(cpu->memory);
		} else {
			recover_memory_forget(cpu->memory, cpu->stamp, addr, o->access[i].size);
		}
	}
}

static void exec_conditional(struct recover_cpu *cpu, const struct vtb_ops *o)
{
	struct recover_value a, b, r = recover_nothing;
	bool yes;

	if (o->code == OPS_SET) {
		recover_write_op(cpu, &o->op[0],
		                 recover_condition(cpu, o->cc, &yes) ? recover_exactly(yes) : recover_nothing);
		return;
	}
	a = recover_read_op(cpu, &o->op[0]);
	b = recover_read_op(cpu, &o->op[1]);
	if (recover_condition(cpu, o->cc, &yes)) {
		r = yes ? b : a;
	} else { /* bytes that are the same either way */
		for (unsigned i = 0; i < 8; i++)
			if ((a.known & b.known) >> i & 1 && (uint8_t)(a.v >> 8 * i) == (uint8_t)(b.v >> 8 * i)) {
				r.known |= (uint8_t)(1u << i);
				r.v |= a.v & 0xffull << 8 * i;
			}
	}
	recover_write_op(cpu, &o->op[0], r);
}

static void exec_call(struct recover_cpu *cpu, const struct vtb_ops *o, uint64_t ip, uint64_t next)
{
	struct recover_value target = recover_exactly(next);

	push(cpu, recover_exactly(ip + o->size));
	if (next && o->op[0].type == OPS_REG)
		recover_write_reg(cpu, &o->op[0], target); /* the packets say where it pointed */
}

static bool writes_reg(const struct vtb_ops *o, unsigned reg)
{
	const bool first = o->op[0].type == OPS_REG && o->op[0].reg == reg && o->code != OPS_CMP &&
	                   o->code != OPS_TEST && o->code != OPS_PUSH;

	return first || o->clobbers >> reg & 1 ||
	       ((o->code == OPS_XCHG || o->code == OPS_XADD) && o->op[1].type == OPS_REG && o->op[1].reg == reg);
}

void recover_exec_stack(struct recover_cpu *cpu, const struct vtb_ops *o)
{
	struct recover_value *sp = &cpu->r[OPS_RSP], *bp = &cpu->r[OPS_RBP];
	const struct recover_value frame = *bp;
	const bool on_sp = o->op[0].type == OPS_REG && o->op[0].reg == OPS_RSP && o->op[0].size == 8;
	uint64_t addr;

	if (writes_reg(o, OPS_RBP))
		*bp = o->code == OPS_MOV && o->op[1].type == OPS_REG && o->op[1].reg == OPS_RSP ? *sp : recover_nothing;
	switch (o->code) {
	case OPS_PUSH:
	case OPS_CALL:
		sp->v -= 8;
		break;
	case OPS_POP:
	case OPS_RET:
		sp->v += 8;
		if (writes_reg(o, OPS_RSP) && o->code == OPS_POP && on_sp)
			*sp = recover_nothing;
		break;
	case OPS_LEAVE:
		*sp = (struct recover_value){ frame.v + 8, frame.known };
		*bp = recover_nothing;
		break;
	default:
		if (!on_sp) {
			if (writes_reg(o, OPS_RSP))
				*sp = recover_nothing;
		} else if ((o->code == OPS_ADD || o->code == OPS_SUB) && o->op[1].type == OPS_IMM) {
			sp->v += (uint64_t)(o->code == OPS_ADD ? o->op[1].value : -o->op[1].value);
		} else if (o->code == OPS_AND && o->op[1].type == OPS_IMM) {
			sp->v &= (uint64_t)o->op[1].value;
		} else if (o->code == OPS_LEA && (o->op[1].base == OPS_RSP || o->op[1].base == OPS_RBP) &&
		           recover_operand_address(cpu, &o->op[1], false, &addr)) {
			*sp = recover_exactly(addr);
		} else if (o->code == OPS_MOV && o->op[1].type == OPS_REG && o->op[1].reg == OPS_RBP) {
			*sp = frame;
		} else if (o->code != OPS_CMP && o->code != OPS_TEST) {
			*sp = recover_nothing;
		}
		break;
	}
	if (sp->known != RECOVER_ALL)
		*sp = recover_nothing;
}

void recover_exec(struct recover_cpu *cpu, const struct vtb_ops *o, uint64_t ip, uint64_t next)
{
	const struct vtb_ops_operand *a = &o->op[0], *b = &o->op[1];
	uint64_t addr;

	if (recover_alu(cpu, o))
		return;
	switch (o->code) {
	case OPS_NOTHING:
		break;
	case OPS_MOV:
		recover_write_op(cpu, a, recover_read_op(cpu, b));
		break;
	case OPS_MOVZX:
		recover_write_op(cpu, a, recover_extend(recover_read_op(cpu, b), b->size, false));
		break;
	case OPS_MOVSX:
		recover_write_op(cpu, a, recover_extend(recover_read_op(cpu, b), b->size, true));
		break;
	case OPS_LEA:
		recover_write_op(
		    cpu, a, recover_operand_address(cpu, b, false, &addr) ? recover_exactly(addr) : recover_nothing);
		break;
	case OPS_PUSH:
		exec_push(cpu, o);
		break;
	case OPS_POP:
		exec_pop(cpu, o);
		break;
	case OPS_CALL:
		exec_call(cpu, o, ip, next);
		break;
	case OPS_RET:
		pop(cpu);
		if (o->n_ops && cpu->r[OPS_RSP].known == RECOVER_ALL)
			cpu->r[OPS_RSP].v += (uint64_t)a->value;
		break;
	case OPS_LEAVE:
		exec_leave(cpu);
		break;
	case OPS_CMOV:
	case OPS_SET:
		exec_conditional(cpu, o);
		break;
	case OPS_CDQE:
		cpu->r[OPS_RAX] = recover_extend(cpu->r[OPS_RAX], 4, true);
		break;
	case OPS_CDQ:
		cpu->r[OPS_RDX] = cpu->r[OPS_RAX].known >> 3 & 1
		                      ? recover_exactly(cpu->r[OPS_RAX].v >> 31 & 1 ? UINT32_MAX : 0)
		                      : (struct recover_value){ 0, 0xf0 };
		break;
	case OPS_CQO:
		cpu->r[OPS_RDX] = cpu->r[OPS_RAX].known >> 7 ? recover_exactly(cpu->r[OPS_RAX].v >> 63 ? UINT64_MAX : 0)
		                                             : recover_nothing;
		break;
	case OPS_VMOV:
	case OPS_VMOV_HIGH:
	case OPS_VLOW2:
	case OPS_VLOW4:
	case OPS_VZERO:
	case OPS_VINSERT:
	case OPS_VEXTRACT:
	case OPS_BITS:
		recover_vector(cpu, o);
		break;
	case OPS_FLOAT:
		recover_float(cpu, o);
		break;
	case OPS_MOVS:
	case OPS_STOS:
	case OPS_LODS:
	case OPS_SCAS:
	case OPS_CMPS:
		exec_string(cpu, o);
		break;
	case OPS_SYSCALL:
		recover_syscall(cpu, next);
		break;
	case OPS_SET_FS:
		cpu->fs = a->size == 8 ? recover_read_op(cpu, a) : recover_nothing;
		break;
	default:
		exec_other(cpu, o);
		break;
	}
}
