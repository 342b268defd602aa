/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text and operands, for people and breakpoints. */
#include "vtb/disasm.h"

#include <stdio.h>

#include "capstone_x86.h"
#include "vtb/error.h"

int vtb_disasm_new(struct vtb_disasm **ret)
{
	return capstone_x86_new(true, ret);
}

/* DWARF's order of the registers (System V x86-64 psABI, figure 3.36). */
static uint8_t dwarf_register(x86_reg reg)
{
	static const x86_reg order[] = { X86_REG_RAX, X86_REG_RDX, X86_REG_RCX, X86_REG_RBX, X86_REG_RSI, X86_REG_RDI,
		                         X86_REG_RBP, X86_REG_RSP, X86_REG_R8,  X86_REG_R9,  X86_REG_R10, X86_REG_R11,
		                         X86_REG_R12, X86_REG_R13, X86_REG_R14, X86_REG_R15, X86_REG_RIP };

	for (uint8_t i = 0; i < sizeof(order) / sizeof(*order); i++)
		if (order[i] == reg)
			return i;
	return VTB_REG_NONE;
}

static void add_operand(struct vtb_instruction *ret, const cs_x86_op *op)
{
	struct vtb_mem_operand *m = &ret->operands[ret->n_operands++];

	m->base = dwarf_register(op->mem.base);
	m->index = dwarf_register(op->mem.index);
	m->scale = (uint8_t)op->mem.scale;
	m->segment = op->mem.segment == X86_REG_FS ? 1 : op->mem.segment == X86_REG_GS ? 2 : 0;
	m->access =
	    (uint8_t)((op->access & CS_AC_READ ? VTB_MEM_READ : 0) | (op->access & CS_AC_WRITE ? VTB_MEM_WRITE : 0));
	m->size = op->size;
	m->disp = op->mem.disp;
}

/* Capstone 4 leaves the access of some operands open or wrong; the first operand of a store is written. */
static void fix_access(const cs_insn *insn, struct vtb_instruction *ret)
{
	const bool first = insn->detail->x86.operands[0].type == X86_OP_MEM;

	for (uint8_t i = 0; i < ret->n_operands; i++) {
		struct vtb_mem_operand *m = &ret->operands[i];

		if (m->access)
			continue;
		m->access = first && i == 0 ? VTB_MEM_WRITE : VTB_MEM_READ;
	}
	if (!ret->n_operands || !first)
		return;
	switch (insn->id) {
	case X86_INS_CMP:
	case X86_INS_TEST:
	case X86_INS_BT:
	case X86_INS_PUSH:
		ret->operands[0].access = VTB_MEM_READ;
		break;
	case X86_INS_XCHG:
	case X86_INS_XADD:
	case X86_INS_CMPXCHG:
	case X86_INS_CMPXCHG8B:
	case X86_INS_CMPXCHG16B:
	case X86_INS_ADD:
	case X86_INS_SUB:
	case X86_INS_AND:
	case X86_INS_OR:
	case X86_INS_XOR:
	case X86_INS_ADC:
	case X86_INS_SBB:
	case X86_INS_INC:
	case X86_INS_DEC:
	case X86_INS_NEG:
	case X86_INS_NOT:
	case X86_INS_BTS:
	case X86_INS_BTR:
	case X86_INS_BTC:
	case X86_INS_SHL:
	case X86_INS_SHR:
	case X86_INS_SAR:
	case X86_INS_ROL:
	case X86_INS_ROR:
		ret->operands[0].access = VTB_MEM_READ | VTB_MEM_WRITE;
		break;
	default:
		break;
	}
}

static bool touches_no_memory(unsigned id)
{
	return id == X86_INS_LEA || id == X86_INS_NOP || id == X86_INS_PREFETCHT0 || id == X86_INS_PREFETCHT1 ||
	       id == X86_INS_PREFETCHT2 || id == X86_INS_PREFETCHNTA || id == X86_INS_PREFETCHW;
}

static int32_t sp_change(const cs_insn *insn)
{
	const cs_x86 *x = &insn->detail->x86;
	const bool on_sp = x->op_count == 2 && x->operands[0].type == X86_OP_REG && x->operands[0].reg == X86_REG_RSP;

	switch (insn->id) {
	case X86_INS_PUSH:
	case X86_INS_PUSHFQ:
		return -8;
	case X86_INS_POP:
	case X86_INS_POPFQ:
		return 8;
	case X86_INS_SUB:
	case X86_INS_ADD:
		if (on_sp && x->operands[1].type == X86_OP_IMM)
			return (int32_t)(insn->id == X86_INS_SUB ? -x->operands[1].imm : x->operands[1].imm);
		return 0;
	case X86_INS_LEA:
		if (on_sp && x->operands[1].mem.base == X86_REG_RSP && x->operands[1].mem.index == X86_REG_INVALID)
			return (int32_t)x->operands[1].mem.disp;
		return 0;
	default:
		return 0;
	}
}

static void find_flow(csh handle, const cs_insn *insn, struct vtb_instruction *ret)
{
	const cs_x86 *x = &insn->detail->x86;

	ret->is_call = cs_insn_group(handle, insn, CS_GRP_CALL);
	ret->is_jump = cs_insn_group(handle, insn, CS_GRP_JUMP);
	ret->is_return = cs_insn_group(handle, insn, CS_GRP_RET) || cs_insn_group(handle, insn, CS_GRP_IRET);
	ret->is_conditional = ret->is_jump && insn->id != X86_INS_JMP && insn->id != X86_INS_LJMP;
	ret->has_target = (ret->is_call || ret->is_jump) && x->op_count == 1 && x->operands[0].type == X86_OP_IMM;
	if (ret->has_target)
		ret->target = (uint64_t)x->operands[0].imm;
}

int vtb_disasm_one(struct vtb_disasm *d, const void *code, size_t size, uint64_t addr, struct vtb_instruction *ret)
{
	const uint8_t *at = code;
	const cs_insn *insn = d->insn;
	uint64_t ip = addr;
	const cs_x86 *x;

	if (!cs_disasm_iter(d->handle, &at, &size, &ip, d->insn))
		return -VTB_E_FORMAT;
	*ret = (struct vtb_instruction){ .length = (uint8_t)insn->size };
	snprintf(ret->text, sizeof(ret->text), "%.20s%s%.70s", insn->mnemonic, insn->op_str[0] ? " " : "",
	         insn->op_str);
	x = &insn->detail->x86;
	find_flow(d->handle, insn, ret);
	for (uint8_t i = 0; i < x->op_count && ret->n_operands < VTB_OPERANDS_MAX && !touches_no_memory(insn->id); i++)
		if (x->operands[i].type == X86_OP_MEM)
			add_operand(ret, &x->operands[i]);
	fix_access(insn, ret);
	ret->is_repeated = x->prefix[0] == X86_PREFIX_REP || x->prefix[0] == X86_PREFIX_REPNE;
	ret->is_atomic = x->prefix[0] == X86_PREFIX_LOCK || (insn->id == X86_INS_XCHG && ret->n_operands);
	ret->sp_change = sp_change(insn);
	return insn->size;
}
