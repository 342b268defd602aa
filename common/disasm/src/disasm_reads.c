/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "disasm_reads.h"

static const struct {
	x86_reg r64, r32, r16, r8, r8h;
} gprs[OPS_GPRS] = {
	{ X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH },
	{ X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH },
	{ X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH },
	{ X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH },
	{ X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL, X86_REG_INVALID },
	{ X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL, X86_REG_INVALID },
	{ X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL, X86_REG_INVALID },
	{ X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL, X86_REG_INVALID },
	{ X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B, X86_REG_INVALID },
	{ X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B, X86_REG_INVALID },
	{ X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B, X86_REG_INVALID },
	{ X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B, X86_REG_INVALID },
	{ X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B, X86_REG_INVALID },
	{ X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B, X86_REG_INVALID },
	{ X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B, X86_REG_INVALID },
	{ X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B, X86_REG_INVALID },
};

struct ops_register ops_register(x86_reg reg)
{
	for (uint8_t i = 0; i < OPS_GPRS && reg != X86_REG_INVALID; i++) {
		if (gprs[i].r64 == reg)
			return (struct ops_register){ i, 8, 0 };
		if (gprs[i].r32 == reg)
			return (struct ops_register){ i, 4, 0 };
		if (gprs[i].r16 == reg)
			return (struct ops_register){ i, 2, 0 };
		if (gprs[i].r8 == reg)
			return (struct ops_register){ i, 1, 0 };
		if (gprs[i].r8h == reg)
			return (struct ops_register){ i, 1, 1 };
	}
	if (reg >= X86_REG_XMM0 && reg <= X86_REG_XMM31)
		return (struct ops_register){ (uint8_t)(OPS_VECTOR + (reg - X86_REG_XMM0)), 16, 0 };
	if (reg >= X86_REG_YMM0 && reg <= X86_REG_YMM31)
		return (struct ops_register){ (uint8_t)(OPS_VECTOR + (reg - X86_REG_YMM0)), 32, 0 };
	if (reg >= X86_REG_ZMM0 && reg <= X86_REG_ZMM31)
		return (struct ops_register){ (uint8_t)(OPS_VECTOR + (reg - X86_REG_ZMM0)), 64, 0 };
	return (struct ops_register){ OPS_NO_REG, 0, 0 };
}

static void add(struct vtb_ops *o, x86_reg reg)
{
	const struct ops_register r = ops_register(reg);

	if (r.number < OPS_GPRS)
		o->reads |= (uint16_t)(1u << r.number);
	else if (r.number != OPS_NO_REG)
		o->vreads |= 1u << (r.number - OPS_VECTOR);
	else if (reg == X86_REG_EFLAGS)
		o->reads_flags = true;
	else if (reg != X86_REG_INVALID && reg != X86_REG_RIP && reg != X86_REG_EIP && reg != X86_REG_FS &&
	         reg != X86_REG_GS && reg != X86_REG_EIZ && reg != X86_REG_RIZ)
		o->other = true; /* x87, MMX, masks, control */
}

static bool is_same(const struct vtb_ops *o)
{
	return o->n_ops == 2 && o->op[0].type == OPS_REG && o->op[1].type == OPS_REG && o->op[0].reg == o->op[1].reg &&
	       o->op[0].reg != OPS_NO_REG && o->op[0].size >= 4;
}

/* Is nothing left of what operand 0 held before? */
static bool overwrites(const struct vtb_ops *o)
{
	if (o->op[0].type != OPS_REG || o->op[0].size < 4)
		return false;
	switch (o->code) {
	case OPS_MOV:
	case OPS_MOVZX:
	case OPS_MOVSX:
	case OPS_LEA:
	case OPS_POP:
	case OPS_VMOV:
	case OPS_VEXTRACT:
		return true;
	case OPS_FLOAT:
		return o->cc == OPS_FLOAT_TO_INTEGER ||
		       (o->cc == OPS_FLOAT_MOVE && o->n_ops == 2 && o->op[1].type == OPS_MEM);
	case OPS_IMUL:
		return o->n_ops == 3;
	default:
		return o->vex && o->code != OPS_OTHER;
	}
}

static void add_operands(const cs_insn *insn, struct vtb_ops *o)
{
	const cs_x86 *x = &insn->detail->x86;

	for (uint8_t i = 0; i < x->op_count; i++)
		if (x->operands[i].type == X86_OP_MEM) {
			add(o, x->operands[i].mem.base);
			add(o, x->operands[i].mem.index);
		} else if (x->operands[i].type == X86_OP_REG && !(i == 0 && overwrites(o))) {
			add(o, x->operands[i].reg);
		}
}

static uint16_t implied(const cs_insn *insn, const struct vtb_ops *o)
{
	enum { A = 1 << OPS_RAX, C = 1 << OPS_RCX, D = 1 << OPS_RDX, S = 1 << OPS_RSI, T = 1 << OPS_RDI };

	switch (o->code) {
	case OPS_MUL_WIDE:
	case OPS_IMUL_WIDE:
	case OPS_DIV:
	case OPS_IDIV:
		return A | D;
	case OPS_CDQ:
	case OPS_CQO:
	case OPS_CDQE:
	case OPS_CMPXCHG:
		return A;
	case OPS_LEAVE:
		return 1 << OPS_RBP;
	case OPS_MOVS:
	case OPS_CMPS:
		return S | T | C;
	case OPS_LODS:
		return S | C | A;
	case OPS_STOS:
	case OPS_SCAS:
		return T | C | A;
	case OPS_SYSCALL:
		return UINT16_MAX;
	case OPS_OTHER:
		break;
	default:
		return 0;
	}
	if (insn->id == X86_INS_CMPXCHG8B || insn->id == X86_INS_CMPXCHG16B)
		return A | C | D | 1 << OPS_RBX;
	return insn->id == X86_INS_CPUID || insn->id == X86_INS_XGETBV || insn->id == X86_INS_MUL ||
	               insn->id == X86_INS_DIV || insn->id == X86_INS_IDIV || insn->id == X86_INS_IMUL ||
	               insn->id == X86_INS_CWDE || insn->id == X86_INS_CWD || insn->id == X86_INS_CBW ||
	               insn->id == X86_INS_SAHF
	           ? A | C | D
	           : 0;
}

/* Flags that are tested, and flags that are left as they were while others change. */
static bool needs_flags(const cs_insn *insn, const struct vtb_ops *o)
{
	const uint8_t *op = insn->detail->x86.opcode;

	if (insn->detail->x86.eflags &
	    (X86_EFLAGS_TEST_OF | X86_EFLAGS_TEST_SF | X86_EFLAGS_TEST_ZF | X86_EFLAGS_TEST_PF | X86_EFLAGS_TEST_CF))
		return true;
	switch (o->code) {
	case OPS_CMOV:
	case OPS_SET:
	case OPS_ADC:
	case OPS_SBB:
	case OPS_INC:
	case OPS_DEC:
	case OPS_ROL:
	case OPS_ROR:
		return true;
	case OPS_SHL:
	case OPS_SHR:
	case OPS_SAR:
		return o->n_ops < 2 || o->op[1].type != OPS_IMM;
	case OPS_NOTHING:
		return (op[0] & 0xf0) == 0x70 || (op[0] == 0x0f && (op[1] & 0xf0) == 0x80);
	case OPS_OTHER:
		return insn->id == X86_INS_LAHF || insn->id == X86_INS_PUSHFQ || o->sets_flags;
	default:
		return false;
	}
}

void ops_find_reads(csh handle, const cs_insn *insn, struct vtb_ops *o)
{
	cs_regs reads, writes;
	uint8_t n_reads = 0, n_writes = 0;

	o->reads_flags = needs_flags(insn, o);
	if (o->code == OPS_VZERO || ((o->code == OPS_XOR || o->code == OPS_SUB) && is_same(o)))
		return;
	if (cs_regs_access(handle, insn, reads, &n_reads, writes, &n_writes) != CS_ERR_OK) {
		o->reads = UINT16_MAX;
		o->vreads = UINT32_MAX;
		o->other = true;
		return;
	}
	for (uint8_t i = 0; i < n_reads; i++)
		if (reads[i] != X86_REG_EFLAGS)
			add(o, (x86_reg)reads[i]);
	for (uint8_t i = 0; i < n_writes; i++)
		if (ops_register((x86_reg)writes[i]).number == OPS_NO_REG && writes[i] != X86_REG_EFLAGS)
			add(o, (x86_reg)writes[i]);
	if (insn->detail->x86.opcode[0] >= 0xd8 && insn->detail->x86.opcode[0] <= 0xdf)
		o->other = true; /* x87: the stack is not always named */
	add_operands(insn, o);
	o->reads |= implied(insn, o);
}
