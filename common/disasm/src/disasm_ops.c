/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The operations that address recovery interprets. */
#include "vtb/disasm_ops.h"

#include <string.h>

#include "capstone_x86.h"
#include "disasm_codes.h"
#include "disasm_evex.h"
#include "disasm_reads.h"
#include "length.h"

/* ------------------------------------------------------------------ operands */

static void take_mem(const cs_insn *insn, const cs_x86_op *op, struct vtb_ops_operand *ret)
{
	const struct ops_register base = ops_register(op->mem.base), index = ops_register(op->mem.index);

	ret->base = base.number;
	ret->index = index.number;
	ret->scale = (uint8_t)op->mem.scale;
	ret->segment = op->mem.segment == X86_REG_FS ? 1 : op->mem.segment == X86_REG_GS ? 2 : 0;
	ret->value = op->mem.disp;
	ret->addr32 = base.size == 4 || index.size == 4;
	if (op->mem.base == X86_REG_RIP)
		ret->value += (int64_t)(insn->address + insn->size);
}

static void take_operands(const cs_insn *insn, struct vtb_ops *ret)
{
	const cs_x86 *x = &insn->detail->x86;

	for (uint8_t i = 0; i < x->op_count && i < 3; i++) {
		const cs_x86_op *op = &x->operands[i];
		struct vtb_ops_operand *to = &ret->op[i];

		to->size = op->size;
		to->base = to->index = to->reg = OPS_NO_REG;
		if (op->type == X86_OP_REG) {
			const struct ops_register reg = ops_register(op->reg);

			to->type = OPS_REG;
			to->reg = reg.number;
			to->high = reg.high;
			if (reg.size)
				to->size = reg.size;
		} else if (op->type == X86_OP_IMM) {
			to->type = OPS_IMM;
			to->value = op->imm;
		} else if (op->type == X86_OP_MEM) {
			to->type = OPS_MEM;
			take_mem(insn, op, to);
		}
		ret->n_ops = (uint8_t)(i + 1);
	}
}

static bool is_vector_or_memory(const struct vtb_ops_operand *op)
{
	return op->type == OPS_MEM || is_vector(op);
}

/* Is it a form with the operands that the model expects? */
static bool is_float_form(const struct vtb_ops *o)
{
	const struct vtb_ops_operand *to = &o->op[0], *last = &o->op[o->n_ops ? o->n_ops - 1 : 0];

	if (o->n_ops < 2 || o->n_ops > 3 || (o->n_ops == 3 && !is_vector(&o->op[1])))
		return false;
	if (o->code == OPS_BITS)
		return is_vector(to) && is_vector_or_memory(last) && to->size <= 64;
	switch (o->cc) {
	case OPS_FLOAT_FROM_INTEGER:
		return is_vector(to) && (is_gpr(last) || last->type == OPS_MEM) && (last->size == 4 || last->size == 8);
	case OPS_FLOAT_TO_INTEGER:
		return is_gpr(to) && is_vector_or_memory(last) && to->size >= 4;
	case OPS_FLOAT_COMPARE:
		return o->n_ops == 2 && is_vector(to) && is_vector_or_memory(last);
	case OPS_FLOAT_MOVE:
		return is_vector_or_memory(to) && is_vector_or_memory(last);
	default:
		return is_vector(to) && is_vector_or_memory(last);
	}
}

/* Forms of a modelled instruction that the model does not cover become OPS_OTHER. */
static void refine(struct vtb_ops *o)
{
	const struct vtb_ops_operand *a = &o->op[0], *b = &o->op[1];

	switch (o->code) {
	case OPS_MOV: /* segment, control and debug registers */
		if ((a->type == OPS_REG && !is_gpr(a)) || (b->type == OPS_REG && !is_gpr(b)))
			o->code = OPS_OTHER;
		break;
	case OPS_PUSH:
	case OPS_POP:
		if (a->size != 8 && a->type != OPS_IMM)
			o->code = OPS_OTHER;
		break;
	case OPS_IMUL:
		if (o->n_ops < 2)
			o->code = OPS_IMUL_WIDE;
		/* fall through */
	case OPS_MUL_WIDE:
	case OPS_DIV:
	case OPS_IDIV:
		if (a->size < 4) /* byte forms use ah */
			o->code = OPS_OTHER;
		break;
	case OPS_VMOV:
		if (!o->width)
			o->width = a->type == OPS_MEM ? a->size : b->type == OPS_MEM ? b->size : a->size;
		if (o->width > 64 || o->n_ops != 2 || (a->type == OPS_REG && a->reg == OPS_NO_REG) ||
		    (b->type == OPS_REG && b->reg == OPS_NO_REG))
			o->code = OPS_OTHER; /* MMX and what else has no number */
		break;
	case OPS_FLOAT:
	case OPS_BITS:
		if (!is_float_form(o))
			o->code = OPS_OTHER;
		break;
	case OPS_VLOW2:
	case OPS_VLOW4:
	case OPS_VMOV_HIGH:
		if (o->n_ops < 2 || o->op[0].size > 16 || (o->n_ops == 3 && !is_vector(a)) ||
		    (o->code != OPS_VMOV_HIGH && !is_vector(a)))
			o->code = OPS_OTHER;
		break;
	case OPS_VINSERT:
		if (o->n_ops < 2 || !is_vector(a) || !is_vector(&o->op[o->n_ops - 2]) || a->size > 32)
			o->code = OPS_OTHER;
		break;
	case OPS_VEXTRACT:
		if (o->n_ops != 2 || !is_vector(b) || b->size > 32 || (o->width == 16 && is_gpr(a)))
			o->code = OPS_OTHER;
		break;
	case OPS_XCHG:
		if (is_gpr(a) && is_gpr(b) && (a->high || b->high))
			o->code = OPS_OTHER;
		break;
	default:
		break;
	}
}

/* ------------------------------------------------------------------ accesses */

static void add_access(struct vtb_ops *o, unsigned operand, unsigned mode, unsigned size)
{
	if (o->n_access < 3)
		o->access[o->n_access++] = (struct vtb_ops_access){ .operand = (uint8_t)operand,
			                                            .mode = (uint8_t)mode,
			                                            .size = (uint8_t)size };
}

/* Capstone 4's access flags are incomplete; the codes that it gets wrong are listed. */
static unsigned access_mode(const cs_insn *insn, const struct vtb_ops *o, unsigned i)
{
	const cs_x86_op *op = &insn->detail->x86.operands[i];
	unsigned mode = (op->access & CS_AC_READ ? OPS_READS : 0u) | (op->access & CS_AC_WRITE ? OPS_WRITES : 0u);

	switch (o->code) {
	case OPS_CMP:
	case OPS_TEST:
	case OPS_PUSH:
	case OPS_CALL:
	case OPS_NOTHING:
	case OPS_CMOV:
	case OPS_MOVZX:
	case OPS_MOVSX:
	case OPS_IMUL:
	case OPS_MUL_WIDE:
	case OPS_IMUL_WIDE:
	case OPS_DIV:
	case OPS_IDIV:
		return OPS_READS;
	case OPS_FLOAT:
	case OPS_BITS:
		return i == 0 && o->code == OPS_FLOAT && o->cc == OPS_FLOAT_MOVE ? OPS_WRITES : OPS_READS;
	case OPS_VINSERT:
	case OPS_VLOW2:
	case OPS_VLOW4:
		return OPS_READS;
	case OPS_MOV:
	case OPS_VMOV:
	case OPS_VMOV_HIGH:
	case OPS_VEXTRACT:
	case OPS_SET:
	case OPS_POP:
		return i == 0 ? OPS_WRITES : OPS_READS;
	case OPS_ADD:
	case OPS_SUB:
	case OPS_AND:
	case OPS_OR:
	case OPS_XOR:
	case OPS_ADC:
	case OPS_SBB:
	case OPS_XADD:
	case OPS_XCHG:
	case OPS_CMPXCHG:
	case OPS_INC:
	case OPS_DEC:
	case OPS_NEG:
	case OPS_NOT:
	case OPS_SHL:
	case OPS_SHR:
	case OPS_SAR:
	case OPS_ROL:
	case OPS_ROR:
		return i == 0 || o->code == OPS_XCHG ? OPS_READS | OPS_WRITES : OPS_READS;
	default:
		break;
	}
	if (insn->id == X86_INS_BT)
		return OPS_READS;
	if (insn->id == X86_INS_BTS || insn->id == X86_INS_BTR || insn->id == X86_INS_BTC)
		return OPS_READS | OPS_WRITES;
	if (mode)
		return mode;
	return i == 0 && o->n_ops > 1 ? OPS_WRITES | OPS_READS : OPS_READS;
}

static bool touches_memory(const cs_insn *insn, const struct vtb_ops *o)
{
	if (o->code == OPS_LEA)
		return false;
	return o->code != OPS_NOTHING || insn->id == X86_INS_JMP;
}

static void find_accesses(const cs_insn *insn, struct vtb_ops *o)
{
	const bool string = o->code >= OPS_MOVS && o->code <= OPS_CMPS;

	for (unsigned i = 0; i < o->n_ops && !string && touches_memory(insn, o); i++)
		if (o->op[i].type == OPS_MEM)
			add_access(o, i, access_mode(insn, o, i), o->op[i].size);
	switch (o->code) {
	case OPS_PUSH:
	case OPS_CALL:
		add_access(o, OPS_STACK_PUSH, OPS_WRITES, 8);
		break;
	case OPS_POP:
	case OPS_RET:
		add_access(o, OPS_STACK_POP, OPS_READS, 8);
		break;
	case OPS_LEAVE:
		add_access(o, OPS_STACK_FRAME, OPS_READS, 8);
		break;
	case OPS_MOVS:
	case OPS_CMPS:
		add_access(o, OPS_STRING_SOURCE, OPS_READS, o->width);
		add_access(o, OPS_STRING_DEST, o->code == OPS_MOVS ? OPS_WRITES : OPS_READS, o->width);
		break;
	case OPS_LODS:
		add_access(o, OPS_STRING_SOURCE, OPS_READS, o->width);
		break;
	case OPS_STOS:
	case OPS_SCAS:
		add_access(o, OPS_STRING_DEST, o->code == OPS_STOS ? OPS_WRITES : OPS_READS, o->width);
		break;
	default:
		break;
	}
	if (insn->id == X86_INS_MASKMOVQ || insn->id == X86_INS_MASKMOVDQU || insn->id == X86_INS_VMASKMOVDQU) {
		add_access(o, OPS_STRING_DEST, OPS_READS | OPS_WRITES, o->op[0].size);
		o->access[o->n_access - 1].partial = 1;
	}
	if (insn->id == X86_INS_PUSHFQ)
		add_access(o, OPS_STACK_PUSH, OPS_WRITES, 8);
	else if (insn->id == X86_INS_POPFQ)
		add_access(o, OPS_STACK_POP, OPS_READS, 8);
}

/* ------------------------------------------------------------------ side effects */

/* Instructions whose register effects Capstone 4 leaves out (measured against the stepper: see the recovery's test). */
static void add_known_effects(const cs_insn *insn, struct vtb_ops *o)
{
	switch (insn->id) {
	case X86_INS_CPUID:
		o->clobbers |= 1 << OPS_RAX | 1 << OPS_RBX | 1 << OPS_RCX | 1 << OPS_RDX;
		break;
	case X86_INS_RDTSC:
	case X86_INS_RDTSCP:
	case X86_INS_XGETBV:
	case X86_INS_MUL:
	case X86_INS_DIV:
	case X86_INS_IDIV:
	case X86_INS_IMUL:
	case X86_INS_CMPXCHG8B:
	case X86_INS_CMPXCHG16B:
		if (o->code != OPS_IMUL) /* of two or three operands: it writes the first */
			o->clobbers |= 1 << OPS_RAX | 1 << OPS_RDX | (insn->id == X86_INS_RDTSCP) << OPS_RCX;
		break;
	default:
		break;
	}
}

static void find_effects(csh handle, const cs_insn *insn, struct vtb_ops *o)
{
	cs_regs reads, writes;
	uint8_t n_reads = 0, n_writes = 0;

	o->sets_flags = (insn->detail->x86.eflags &
	                 ~(uint64_t)(X86_EFLAGS_TEST_OF | X86_EFLAGS_TEST_SF | X86_EFLAGS_TEST_ZF | X86_EFLAGS_TEST_PF |
	                             X86_EFLAGS_TEST_CF | X86_EFLAGS_TEST_NT | X86_EFLAGS_TEST_DF)) != 0;
	if (cs_regs_access(handle, insn, reads, &n_reads, writes, &n_writes) != CS_ERR_OK) {
		o->clobbers = UINT16_MAX;
		o->vclobbers = UINT32_MAX;
		return;
	}
	for (uint8_t i = 0; i < n_writes; i++) {
		const struct ops_register reg = ops_register((x86_reg)writes[i]);

		if (reg.number < OPS_GPRS)
			o->clobbers |= (uint16_t)(1u << reg.number);
		else if (reg.number != OPS_NO_REG)
			o->vclobbers |= 1u << (reg.number - OPS_VECTOR);
		else if (writes[i] == X86_REG_EFLAGS)
			o->sets_flags = true;
	}
	if (o->code == OPS_OTHER && o->op[0].type == OPS_REG) { /* a destination that Capstone forgot */
		if (is_gpr(&o->op[0]))
			o->clobbers |= (uint16_t)(1u << o->op[0].reg);
		else if (is_vector(&o->op[0]))
			o->vclobbers |= 1u << (o->op[0].reg - OPS_VECTOR);
	}
	add_known_effects(insn, o);
}

/* Which element the immediate names. With AVX it is the fourth operand, for which there is no room. */
static void take_element(const cs_insn *insn, struct vtb_ops *o)
{
	o->cc = insn->bytes[insn->size - 1];
	if (o->n_ops && o->op[o->n_ops - 1].type == OPS_IMM)
		o->n_ops--;
}

static void unknown(struct vtb_ops *ret)
{
	*ret = (struct vtb_ops){ .code = OPS_UNKNOWN,
		                 .clobbers = UINT16_MAX,
		                 .vclobbers = UINT32_MAX,
		                 .sets_flags = true,
		                 .reads = UINT16_MAX,
		                 .vreads = UINT32_MAX,
		                 .reads_flags = true,
		                 .other = true };
}

void vtb_ops_decode(struct vtb_disasm *d, const uint8_t *bytes, size_t n, uint64_t ip, struct vtb_ops *ret)
{
	const uint8_t *at = bytes;
	const cs_insn *insn = d->insn;
	uint64_t addr = ip;
	const cs_x86 *x;

	if (evex_decode(bytes, n, ip, ret)) { /* Capstone 4 knows them in part */
		ret->size = (uint8_t)vtb_instruction_length(bytes, n);
		ret->reads = UINT16_MAX;
		ret->vreads = UINT32_MAX;
		ret->other = true;
		return;
	}
	if (!cs_disasm_iter(d->handle, &at, &n, &addr, d->insn)) {
		unknown(ret);
		return;
	}
	*ret = (struct vtb_ops){ .size = (uint8_t)insn->size };
	x = &insn->detail->x86;
	take_operands(insn, ret);
	ret->vex = insn->mnemonic[0] == 'v'; /* verr and verw have no vector */
	ops_find_code(insn, ret);
	if (ret->code == OPS_VINSERT || ret->code == OPS_VEXTRACT)
		take_element(insn, ret);
	refine(ret);
	ret->rep = (x->prefix[0] == X86_PREFIX_REP || x->prefix[0] == X86_PREFIX_REPNE) && ret->code >= OPS_MOVS &&
	           ret->code <= OPS_CMPS;
	ret->atomic = x->prefix[0] == X86_PREFIX_LOCK ||
	              (ret->code == OPS_XCHG && (ret->op[0].type == OPS_MEM || ret->op[1].type == OPS_MEM));
	find_accesses(insn, ret);
	find_effects(d->handle, insn, ret);
	ops_find_reads(d->handle, insn, ret);
}
