/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an instruction reads and writes, as variables. */
#include "compiled.h"

static uint64_t defined(const struct vtb_ops *o)
{
	uint64_t defs = o->clobbers | (uint64_t)o->vclobbers << VAR_VECTOR;

	if (o->sets_flags)
		defs |= VAR_BIT(VAR_FLAGS);
	if (o->other)
		defs |= VAR_BIT(VAR_OTHER);
	for (unsigned i = 0; i < o->n_ops; i++) {
		const struct vtb_ops_operand *op = &o->op[i];
		const bool both = o->code == OPS_XCHG || o->code == OPS_XADD;

		if (op->type != OPS_REG || op->reg == OPS_NO_REG || (i > 0 && !both) || o->code == OPS_CMP ||
		    o->code == OPS_TEST || o->code == OPS_PUSH || o->code == OPS_CALL || o->code == OPS_NOTHING)
			continue;
		defs |= op->reg < OPS_GPRS ? VAR_BIT(op->reg) : VAR_BIT(VAR_VECTOR + op->reg - OPS_VECTOR);
	}
	return defs;
}

/* Registers that it may write besides its operands: what they held may be there afterwards, too. */
static uint64_t perhaps_defined(const struct vtb_ops *o)
{
	uint64_t regs = o->clobbers;

	for (unsigned i = 0; i < o->n_ops; i++)
		if (o->op[i].type == OPS_REG && o->op[i].reg < OPS_GPRS)
			regs &= ~VAR_BIT(o->op[i].reg);
	return regs;
}

/* Each instruction that writes a vector or an unnumbered register may leave a part of it as it was. */
void program_effects(struct insn *i)
{
	const struct vtb_ops *o = &i->ops;

	i->uses = o->reads | (uint64_t)o->vreads << VAR_VECTOR | perhaps_defined(o);
	if (o->reads_flags)
		i->uses |= VAR_BIT(VAR_FLAGS);
	if (o->other)
		i->uses |= VAR_BIT(VAR_OTHER);
	i->defs = defined(o);
	switch (o->code) { /* what they do to these is exact: nothing is clobbered besides */
	case OPS_CDQE:
		i->defs |= VAR_BIT(OPS_RAX);
		break;
	case OPS_CDQ:
	case OPS_CQO:
	case OPS_MUL_WIDE:
	case OPS_IMUL_WIDE:
	case OPS_DIV:
	case OPS_IDIV:
		i->defs |= VAR_BIT(OPS_RAX) | VAR_BIT(OPS_RDX);
		break;
	case OPS_CMPXCHG:
		i->defs |= VAR_BIT(OPS_RAX);
		break;
	case OPS_SYSCALL:
		i->defs |= VAR_BIT(OPS_RAX) | VAR_BIT(OPS_RCX) | VAR_BIT(11) | VAR_BIT(VAR_FLAGS);
		break;
	default:
		break;
	}
	if (o->code == OPS_CDQ || o->code == OPS_CQO)
		i->defs &= ~VAR_BIT(OPS_RAX);
	if (o->rep || (o->code >= OPS_MOVS && o->code <= OPS_CMPS))
		i->defs |= VAR_BIT(OPS_RCX) | VAR_BIT(OPS_RSI) | VAR_BIT(OPS_RDI) |
		           (o->code == OPS_LODS ? VAR_BIT(OPS_RAX) : 0);
	i->uses &= ~VAR_BIT(OPS_RSP);
	i->defs &= ~VAR_BIT(OPS_RSP);
	if (insn_is_call(i)) {
		i->defs = CALL_DEFS;
		i->uses = i->indirect ? i->uses : 0;
	} else if (i->flow == FLOW_JUMP || i->flow == FLOW_RET) {
		i->uses = i->defs = 0;
	}
}
