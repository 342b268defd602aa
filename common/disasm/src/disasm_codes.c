/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which of the operations that address recovery interprets an instruction is. */
#include "disasm_codes.h"

#include <string.h>

static const struct {
	uint16_t id; /* x86_insn */
	uint8_t code;
	uint8_t width; /* of vector moves; 0: the operand's */
} codes[] = {
	{ X86_INS_NOP, OPS_NOTHING, 0 },
	{ X86_INS_ENDBR64, OPS_NOTHING, 0 },
	{ X86_INS_JMP, OPS_NOTHING, 0 },
	{ X86_INS_PAUSE, OPS_NOTHING, 0 },
	{ X86_INS_MFENCE, OPS_NOTHING, 0 },
	{ X86_INS_LFENCE, OPS_NOTHING, 0 },
	{ X86_INS_SFENCE, OPS_NOTHING, 0 },
	{ X86_INS_PREFETCHT0, OPS_NOTHING, 0 },
	{ X86_INS_PREFETCHT1, OPS_NOTHING, 0 },
	{ X86_INS_PREFETCHT2, OPS_NOTHING, 0 },
	{ X86_INS_PREFETCHNTA, OPS_NOTHING, 0 },
	{ X86_INS_PREFETCHW, OPS_NOTHING, 0 },
	{ X86_INS_FNOP, OPS_NOTHING, 0 },
	{ X86_INS_WAIT, OPS_NOTHING, 0 },
	{ X86_INS_MOV, OPS_MOV, 0 },
	{ X86_INS_MOVABS, OPS_MOV, 0 },
	{ X86_INS_MOVNTI, OPS_MOV, 0 },
	{ X86_INS_MOVZX, OPS_MOVZX, 0 },
	{ X86_INS_MOVSX, OPS_MOVSX, 0 },
	{ X86_INS_MOVSXD, OPS_MOVSX, 0 },
	{ X86_INS_LEA, OPS_LEA, 0 },
	{ X86_INS_PUSH, OPS_PUSH, 0 },
	{ X86_INS_POP, OPS_POP, 0 },
	{ X86_INS_CALL, OPS_CALL, 0 },
	{ X86_INS_RET, OPS_RET, 0 },
	{ X86_INS_LEAVE, OPS_LEAVE, 0 },
	{ X86_INS_ADD, OPS_ADD, 0 },
	{ X86_INS_SUB, OPS_SUB, 0 },
	{ X86_INS_AND, OPS_AND, 0 },
	{ X86_INS_OR, OPS_OR, 0 },
	{ X86_INS_XOR, OPS_XOR, 0 },
	{ X86_INS_CMP, OPS_CMP, 0 },
	{ X86_INS_TEST, OPS_TEST, 0 },
	{ X86_INS_ADC, OPS_ADC, 0 },
	{ X86_INS_SBB, OPS_SBB, 0 },
	{ X86_INS_XADD, OPS_XADD, 0 },
	{ X86_INS_XCHG, OPS_XCHG, 0 },
	{ X86_INS_CMPXCHG, OPS_CMPXCHG, 0 },
	{ X86_INS_INC, OPS_INC, 0 },
	{ X86_INS_DEC, OPS_DEC, 0 },
	{ X86_INS_NEG, OPS_NEG, 0 },
	{ X86_INS_NOT, OPS_NOT, 0 },
	{ X86_INS_SHL, OPS_SHL, 0 },
	{ X86_INS_SAL, OPS_SHL, 0 },
	{ X86_INS_SHR, OPS_SHR, 0 },
	{ X86_INS_SAR, OPS_SAR, 0 },
	{ X86_INS_ROL, OPS_ROL, 0 },
	{ X86_INS_ROR, OPS_ROR, 0 },
	{ X86_INS_IMUL, OPS_IMUL, 0 },
	{ X86_INS_MUL, OPS_MUL_WIDE, 0 },
	{ X86_INS_DIV, OPS_DIV, 0 },
	{ X86_INS_IDIV, OPS_IDIV, 0 },
	{ X86_INS_CDQE, OPS_CDQE, 0 },
	{ X86_INS_CDQ, OPS_CDQ, 0 },
	{ X86_INS_CQO, OPS_CQO, 0 },
	{ X86_INS_MOVUPS, OPS_VMOV, 0 },
	{ X86_INS_MOVAPS, OPS_VMOV, 0 },
	{ X86_INS_MOVUPD, OPS_VMOV, 0 },
	{ X86_INS_MOVAPD, OPS_VMOV, 0 },
	{ X86_INS_MOVDQU, OPS_VMOV, 0 },
	{ X86_INS_MOVDQA, OPS_VMOV, 0 },
	{ X86_INS_LDDQU, OPS_VMOV, 0 },
	{ X86_INS_MOVNTDQ, OPS_VMOV, 0 },
	{ X86_INS_VMOVDQU, OPS_VMOV, 0 },
	{ X86_INS_VMOVDQA, OPS_VMOV, 0 },
	{ X86_INS_VMOVUPS, OPS_VMOV, 0 },
	{ X86_INS_VMOVAPS, OPS_VMOV, 0 },
	{ X86_INS_VMOVUPD, OPS_VMOV, 0 },
	{ X86_INS_VMOVAPD, OPS_VMOV, 0 },
	{ X86_INS_MOVQ, OPS_VMOV, 8 },
	{ X86_INS_VMOVQ, OPS_VMOV, 8 },
	{ X86_INS_MOVD, OPS_VMOV, 4 },
	{ X86_INS_VMOVD, OPS_VMOV, 4 },
	{ X86_INS_MOVHPS, OPS_VMOV_HIGH, 8 },
	{ X86_INS_MOVHPD, OPS_VMOV_HIGH, 8 },
	{ X86_INS_PUNPCKLQDQ, OPS_VLOW2, 8 },
	{ X86_INS_MOVLHPS, OPS_VLOW2, 8 },
	{ X86_INS_PUNPCKLDQ, OPS_VLOW4, 8 },
	{ X86_INS_UNPCKLPS, OPS_VLOW4, 8 },
	{ X86_INS_VPUNPCKLQDQ, OPS_VLOW2, 8 },
	{ X86_INS_VMOVLHPS, OPS_VLOW2, 8 },
	{ X86_INS_VUNPCKLPD, OPS_VLOW2, 8 },
	{ X86_INS_UNPCKLPD, OPS_VLOW2, 8 },
	{ X86_INS_VPUNPCKLDQ, OPS_VLOW4, 8 },
	{ X86_INS_VUNPCKLPS, OPS_VLOW4, 8 },
	{ X86_INS_VMOVHPS, OPS_VMOV_HIGH, 8 },
	{ X86_INS_VMOVHPD, OPS_VMOV_HIGH, 8 },
	{ X86_INS_VMOVNTDQ, OPS_VMOV, 0 },
	{ X86_INS_VLDDQU, OPS_VMOV, 0 },
	{ X86_INS_PINSRQ, OPS_VINSERT, 8 },
	{ X86_INS_VPINSRQ, OPS_VINSERT, 8 },
	{ X86_INS_PINSRD, OPS_VINSERT, 4 },
	{ X86_INS_VPINSRD, OPS_VINSERT, 4 },
	{ X86_INS_VINSERTI128, OPS_VINSERT, 16 },
	{ X86_INS_VINSERTF128, OPS_VINSERT, 16 },
	{ X86_INS_PEXTRQ, OPS_VEXTRACT, 8 },
	{ X86_INS_VPEXTRQ, OPS_VEXTRACT, 8 },
	{ X86_INS_PEXTRD, OPS_VEXTRACT, 4 },
	{ X86_INS_VPEXTRD, OPS_VEXTRACT, 4 },
	{ X86_INS_VEXTRACTI128, OPS_VEXTRACT, 16 },
	{ X86_INS_VEXTRACTF128, OPS_VEXTRACT, 16 },
	{ X86_INS_MOVSB, OPS_MOVS, 1 },
	{ X86_INS_MOVSW, OPS_MOVS, 2 },
	{ X86_INS_MOVSQ, OPS_MOVS, 8 },
	{ X86_INS_STOSB, OPS_STOS, 1 },
	{ X86_INS_STOSW, OPS_STOS, 2 },
	{ X86_INS_STOSD, OPS_STOS, 4 },
	{ X86_INS_STOSQ, OPS_STOS, 8 },
	{ X86_INS_LODSB, OPS_LODS, 1 },
	{ X86_INS_LODSW, OPS_LODS, 2 },
	{ X86_INS_LODSD, OPS_LODS, 4 },
	{ X86_INS_LODSQ, OPS_LODS, 8 },
	{ X86_INS_SCASB, OPS_SCAS, 1 },
	{ X86_INS_SCASW, OPS_SCAS, 2 },
	{ X86_INS_SCASD, OPS_SCAS, 4 },
	{ X86_INS_SCASQ, OPS_SCAS, 8 },
	{ X86_INS_CMPSB, OPS_CMPS, 1 },
	{ X86_INS_CMPSW, OPS_CMPS, 2 },
	{ X86_INS_CMPSQ, OPS_CMPS, 8 },
	{ X86_INS_SYSCALL, OPS_SYSCALL, 0 },
	{ X86_INS_WRFSBASE, OPS_SET_FS, 0 },
};

/* Both encodings of each: with two operands, and as AVX with three. */
#define BOTH(name, code, kind, width)              \
	{ X86_INS_##name, code, kind, width },     \
	{                                          \
		X86_INS_V##name, code, kind, width \
	}

static const struct {
	uint16_t id;
	uint8_t code, kind, width;
} floats[] = {
	BOTH(ADDSS, OPS_FLOAT, OPS_FLOAT_ADD, 4),
	BOTH(ADDSD, OPS_FLOAT, OPS_FLOAT_ADD, 8),
	BOTH(SUBSS, OPS_FLOAT, OPS_FLOAT_SUB, 4),
	BOTH(SUBSD, OPS_FLOAT, OPS_FLOAT_SUB, 8),
	BOTH(MULSS, OPS_FLOAT, OPS_FLOAT_MUL, 4),
	BOTH(MULSD, OPS_FLOAT, OPS_FLOAT_MUL, 8),
	BOTH(DIVSS, OPS_FLOAT, OPS_FLOAT_DIV, 4),
	BOTH(DIVSD, OPS_FLOAT, OPS_FLOAT_DIV, 8),
	BOTH(CVTSI2SS, OPS_FLOAT, OPS_FLOAT_FROM_INTEGER, 4),
	BOTH(CVTSI2SD, OPS_FLOAT, OPS_FLOAT_FROM_INTEGER, 8),
	BOTH(CVTTSS2SI, OPS_FLOAT, OPS_FLOAT_TO_INTEGER, 4),
	BOTH(CVTTSD2SI, OPS_FLOAT, OPS_FLOAT_TO_INTEGER, 8),
	BOTH(CVTSS2SD, OPS_FLOAT, OPS_FLOAT_CONVERT, 4),
	BOTH(CVTSD2SS, OPS_FLOAT, OPS_FLOAT_CONVERT, 8),
	BOTH(COMISS, OPS_FLOAT, OPS_FLOAT_COMPARE, 4),
	BOTH(COMISD, OPS_FLOAT, OPS_FLOAT_COMPARE, 8),
	BOTH(UCOMISS, OPS_FLOAT, OPS_FLOAT_COMPARE, 4),
	BOTH(UCOMISD, OPS_FLOAT, OPS_FLOAT_COMPARE, 8),
	BOTH(MOVSS, OPS_FLOAT, OPS_FLOAT_MOVE, 4),
	BOTH(MOVSD, OPS_FLOAT, OPS_FLOAT_MOVE, 8),
	BOTH(ANDPS, OPS_BITS, OPS_BITS_AND, 0),
	BOTH(ANDPD, OPS_BITS, OPS_BITS_AND, 0),
	BOTH(PAND, OPS_BITS, OPS_BITS_AND, 0),
	BOTH(ANDNPS, OPS_BITS, OPS_BITS_AND_NOT, 0),
	BOTH(ANDNPD, OPS_BITS, OPS_BITS_AND_NOT, 0),
	BOTH(PANDN, OPS_BITS, OPS_BITS_AND_NOT, 0),
	BOTH(ORPS, OPS_BITS, OPS_BITS_OR, 0),
	BOTH(ORPD, OPS_BITS, OPS_BITS_OR, 0),
	BOTH(POR, OPS_BITS, OPS_BITS_OR, 0),
	BOTH(XORPS, OPS_BITS, OPS_BITS_XOR, 0),
	BOTH(XORPD, OPS_BITS, OPS_BITS_XOR, 0),
	BOTH(PXOR, OPS_BITS, OPS_BITS_XOR, 0),
};

/* cmpltss, vcmpnlesd: Capstone has a number for each predicate, which is the immediate's. */
static bool find_mask(const cs_insn *insn, struct vtb_ops *ret)
{
	const uint8_t predicate = insn->bytes[insn->size - 1];
	const char *name = insn->mnemonic + (insn->mnemonic[0] == 'v');
	const size_t n = strlen(name);

	if (strncmp(name, "cmp", 3) != 0 || n < 7 || name[n - 2] != 's' || (name[n - 1] != 's' && name[n - 1] != 'd') ||
	    predicate > 7)
		return false; /* AVX has more of them */
	ret->code = OPS_FLOAT;
	ret->cc = (uint8_t)(OPS_FLOAT_MASK + predicate);
	ret->width = name[n - 1] == 's' ? 4 : 8;
	if (ret->n_ops && ret->op[ret->n_ops - 1].type == OPS_IMM)
		ret->n_ops--;
	return true;
}

static bool find_float(const cs_insn *insn, struct vtb_ops *ret)
{
	for (size_t i = 0; i < sizeof(floats) / sizeof(*floats); i++)
		if (floats[i].id == insn->id) {
			ret->code = floats[i].code;
			ret->cc = floats[i].kind;
			ret->width = floats[i].width;
			return true;
		}
	return false;
}

/* Capstone names movsd and cmpsd alike whether string or SSE: the opcode decides. */
static bool is_string_dword(const cs_insn *insn)
{
	return insn->detail->x86.opcode[0] == 0xa5 || insn->detail->x86.opcode[0] == 0xa7;
}

static bool is_zeroing(const cs_insn *insn, const struct vtb_ops *o)
{
	const unsigned id = insn->id;
	const struct vtb_ops_operand *a, *b;

	if (o->n_ops < 2)
		return false;
	a = &o->op[o->n_ops - 1];
	b = &o->op[o->n_ops - 2];
	return (id == X86_INS_PXOR || id == X86_INS_XORPS || id == X86_INS_XORPD || id == X86_INS_VPXOR ||
	        id == X86_INS_VXORPS || id == X86_INS_VXORPD) &&
	       is_vector(a) && is_vector(b) && a->reg == b->reg;
}

/* 0F 4x cmov, 0F 9x set, 7x and 0F 8x jumps: the condition is the opcode's low half. */
static bool take_condition(const cs_insn *insn, struct vtb_ops *ret)
{
	const uint8_t *op = insn->detail->x86.opcode;

	if (op[0] == 0x0f && (op[1] & 0xf0) == 0x40)
		ret->code = OPS_CMOV;
	else if (op[0] == 0x0f && (op[1] & 0xf0) == 0x90)
		ret->code = OPS_SET;
	else if ((op[0] & 0xf0) == 0x70 || (op[0] == 0x0f && (op[1] & 0xf0) == 0x80))
		ret->code = OPS_NOTHING;
	else
		return false;
	ret->cc = (op[0] == 0x0f ? op[1] : op[0]) & 15;
	return true;
}

void ops_find_code(const cs_insn *insn, struct vtb_ops *ret)
{
	ret->code = OPS_OTHER;
	if ((insn->id == X86_INS_MOVSD || insn->id == X86_INS_CMPSD) && is_string_dword(insn)) {
		ret->code = insn->id == X86_INS_MOVSD ? OPS_MOVS : OPS_CMPS;
		ret->width = 4;
		return;
	}
	if (is_zeroing(insn, ret)) {
		ret->code = OPS_VZERO;
		return;
	}
	if (take_condition(insn, ret) || find_float(insn, ret) || find_mask(insn, ret))
		return;
	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		if (codes[i].id == insn->id) {
			ret->code = codes[i].code;
			ret->width = codes[i].width;
			return;
		}
}
