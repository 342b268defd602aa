/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each mnemonic does to a memory operand. A row names the mnemonic without its size suffix, how memory is used,
 * and how wide it is. Vector instructions that only read a whole operand are not listed: see by_shape().
 */
#include "asm_insn.h"

#include <stdlib.h>
#include <string.h>

enum use {
	U_NONE, /* no access: addresses, hints */
	U_SRC,  /* read, whichever operand it is */
	U_MOV,  /* written as the last operand, else read */
	U_ALU,  /* updated as the last operand, else read */
	U_WR,   /* written */
	U_UPD,  /* updated */
	U_XCHG, /* locked without being told */
	U_CAS,  /* compare-exchange */
	U_BIT,  /* read; a bit number in a register moves the address */
	U_BITU, /* likewise, updated */
	U_JUMP, /* memory only behind a star */
	U_FENCE,
	U_NOADDR,
	U_MASKMOV, /* as MOV, but two operands or a mask in front */
};

/* Widths above 200 are rules. */
enum {
	W_SUFFIX = 255,
	W_SUFFIX4 = 254,
	W_VEC = 253,
	W_HALF = 252,
	W_QUARTER = 251,
	W_EIGHTH = 250,
	W_DUP = 249,
	W_512 = 248,
	W_NOSUFFIX = 200
};

struct row {
	const char *name;
	uint8_t use, width;
};

/* sorted by name */
static const struct row rows[] = {
	{ "adc", U_ALU, W_SUFFIX },
	{ "adcx", U_SRC, W_SUFFIX },
	{ "add", U_ALU, W_SUFFIX },
	{ "adox", U_SRC, W_SUFFIX },
	{ "and", U_ALU, W_SUFFIX },
	{ "andn", U_SRC, W_SUFFIX },
	{ "bextr", U_SRC, W_SUFFIX },
	{ "blsi", U_SRC, W_SUFFIX },
	{ "blsmsk", U_SRC, W_SUFFIX },
	{ "blsr", U_SRC, W_SUFFIX },
	{ "broadcastf128", U_SRC, 16 },
	{ "broadcastf32x4", U_SRC, 16 },
	{ "broadcastf64x2", U_SRC, 16 },
	{ "broadcastf64x4", U_SRC, 32 },
	{ "broadcasti128", U_SRC, 16 },
	{ "broadcasti32x4", U_SRC, 16 },
	{ "broadcasti64x2", U_SRC, 16 },
	{ "broadcasti64x4", U_SRC, 32 },
	{ "broadcastsd", U_SRC, 8 },
	{ "broadcastss", U_SRC, 4 },
	{ "bsf", U_SRC, W_SUFFIX },
	{ "bsr", U_SRC, W_SUFFIX },
	{ "bt", U_BIT, W_SUFFIX },
	{ "btc", U_BITU, W_SUFFIX },
	{ "btr", U_BITU, W_SUFFIX },
	{ "bts", U_BITU, W_SUFFIX },
	{ "bzhi", U_SRC, W_SUFFIX },
	{ "call", U_JUMP, 8 },
	{ "cldemote", U_NONE, 0 },
	{ "clflush", U_NONE, 0 },
	{ "clflushopt", U_NONE, 0 },
	{ "clwb", U_NONE, 0 },
	{ "cmp", U_SRC, W_SUFFIX },
	{ "cmpxchg", U_CAS, W_SUFFIX },
	{ "cmpxchg16b", U_CAS, 16 },
	{ "cmpxchg8b", U_CAS, 8 },
	{ "comisd", U_SRC, 8 },
	{ "comiss", U_SRC, 4 },
	{ "compresspd", U_NOADDR, 0 },
	{ "compressps", U_NOADDR, 0 },
	{ "crc32", U_SRC, W_SUFFIX },
	{ "cvtdq2pd", U_SRC, W_HALF },
	{ "cvtpd2pi", U_SRC, 16 },
	{ "cvtph2ps", U_SRC, W_HALF },
	{ "cvtpi2pd", U_SRC, 8 },
	{ "cvtpi2ps", U_SRC, 8 },
	{ "cvtps2pd", U_SRC, W_HALF },
	{ "cvtps2ph", U_WR, W_HALF },
	{ "cvtps2pi", U_SRC, 8 },
	{ "cvtsd2si", U_SRC, 8 },
	{ "cvtsd2ss", U_SRC, 8 },
	{ "cvtsd2usi", U_SRC, 8 },
	{ "cvtsi2sd", U_SRC, W_SUFFIX4 },
	{ "cvtsi2ss", U_SRC, W_SUFFIX4 },
	{ "cvtss2sd", U_SRC, 4 },
	{ "cvtss2si", U_SRC, 4 },
	{ "cvtss2usi", U_SRC, 4 },
	{ "cvttpd2pi", U_SRC, 16 },
	{ "cvttps2pi", U_SRC, 8 },
	{ "cvttsd2si", U_SRC, 8 },
	{ "cvttsd2usi", U_SRC, 8 },
	{ "cvttss2si", U_SRC, 4 },
	{ "cvttss2usi", U_SRC, 4 },
	{ "cvtudq2pd", U_SRC, W_HALF },
	{ "cvtusi2sd", U_SRC, W_SUFFIX4 },
	{ "cvtusi2ss", U_SRC, W_SUFFIX4 },
	{ "dec", U_UPD, W_SUFFIX },
	{ "div", U_SRC, W_SUFFIX },
	{ "expandpd", U_NOADDR, 0 },
	{ "expandps", U_NOADDR, 0 },
	{ "extractf128", U_WR, 16 },
	{ "extractf32x4", U_WR, 16 },
	{ "extractf32x8", U_WR, 32 },
	{ "extractf64x2", U_WR, 16 },
	{ "extractf64x4", U_WR, 32 },
	{ "extracti128", U_WR, 16 },
	{ "extracti32x4", U_WR, 16 },
	{ "extracti32x8", U_WR, 32 },
	{ "extracti64x2", U_WR, 16 },
	{ "extracti64x4", U_WR, 32 },
	{ "extractps", U_WR, 4 },
	{ "faddl", U_SRC, 8 },
	{ "fadds", U_SRC, 4 },
	{ "fbld", U_SRC, 10 },
	{ "fbstp", U_WR, 10 },
	{ "fcoml", U_SRC, 8 },
	{ "fcompl", U_SRC, 8 },
	{ "fcomps", U_SRC, 4 },
	{ "fcoms", U_SRC, 4 },
	{ "fdivl", U_SRC, 8 },
	{ "fdivrl", U_SRC, 8 },
	{ "fdivrs", U_SRC, 4 },
	{ "fdivs", U_SRC, 4 },
	{ "fiadd", U_SRC, 2 },
	{ "fiaddl", U_SRC, 4 },
	{ "fiadds", U_SRC, 2 },
	{ "ficoml", U_SRC, 4 },
	{ "ficompl", U_SRC, 4 },
	{ "ficomps", U_SRC, 2 },
	{ "ficoms", U_SRC, 2 },
	{ "fidivl", U_SRC, 4 },
	{ "fidivrl", U_SRC, 4 },
	{ "fidivrs", U_SRC, 2 },
	{ "fidivs", U_SRC, 2 },
	{ "fild", U_SRC, 2 },
	{ "fildl", U_SRC, 4 },
	{ "fildll", U_SRC, 8 },
	{ "fildq", U_SRC, 8 },
	{ "filds", U_SRC, 2 },
	{ "fimull", U_SRC, 4 },
	{ "fimuls", U_SRC, 2 },
	{ "fistl", U_WR, 4 },
	{ "fistp", U_WR, 2 },
	{ "fistpl", U_WR, 4 },
	{ "fistpll", U_WR, 8 },
	{ "fistpq", U_WR, 8 },
	{ "fistps", U_WR, 2 },
	{ "fists", U_WR, 2 },
	{ "fisttpl", U_WR, 4 },
	{ "fisttpll", U_WR, 8 },
	{ "fisttpq", U_WR, 8 },
	{ "fisttps", U_WR, 2 },
	{ "fisubl", U_SRC, 4 },
	{ "fisubrl", U_SRC, 4 },
	{ "fisubrs", U_SRC, 2 },
	{ "fisubs", U_SRC, 2 },
	{ "fldcw", U_SRC, 2 },
	{ "fldenv", U_SRC, 28 },
	{ "fldl", U_SRC, 8 },
	{ "flds", U_SRC, 4 },
	{ "fldt", U_SRC, 10 },
	{ "fmull", U_SRC, 8 },
	{ "fmuls", U_SRC, 4 },
	{ "fnsave", U_WR, 108 },
	{ "fnstcw", U_WR, 2 },
	{ "fnstenv", U_WR, 28 },
	{ "fnstsw", U_WR, 2 },
	{ "frstor", U_SRC, 108 },
	{ "fstcw", U_WR, 2 },
	{ "fstl", U_WR, 8 },
	{ "fstpl", U_WR, 8 },
	{ "fstps", U_WR, 4 },
	{ "fstpt", U_WR, 10 },
	{ "fsts", U_WR, 4 },
	{ "fstsw", U_WR, 2 },
	{ "fsubl", U_SRC, 8 },
	{ "fsubrl", U_SRC, 8 },
	{ "fsubrs", U_SRC, 4 },
	{ "fsubs", U_SRC, 4 },
	{ "fxrstor", U_SRC, W_512 },
	{ "fxrstor64", U_SRC, W_512 },
	{ "fxsave", U_WR, W_512 },
	{ "fxsave64", U_WR, W_512 },
	{ "gatherdpd", U_NOADDR, 0 },
	{ "gatherdps", U_NOADDR, 0 },
	{ "gatherqpd", U_NOADDR, 0 },
	{ "gatherqps", U_NOADDR, 0 },
	{ "idiv", U_SRC, W_SUFFIX },
	{ "imul", U_SRC, W_SUFFIX },
	{ "inc", U_UPD, W_SUFFIX },
	{ "insertf128", U_SRC, 16 },
	{ "insertf32x4", U_SRC, 16 },
	{ "insertf64x2", U_SRC, 16 },
	{ "insertf64x4", U_SRC, 32 },
	{ "inserti128", U_SRC, 16 },
	{ "inserti32x4", U_SRC, 16 },
	{ "inserti64x2", U_SRC, 16 },
	{ "inserti64x4", U_SRC, 32 },
	{ "insertps", U_SRC, 4 },
	{ "invlpg", U_NONE, 0 },
	{ "jmp", U_JUMP, 8 },
	{ "kmovb", U_MOV, 1 },
	{ "kmovd", U_MOV, 4 },
	{ "kmovq", U_MOV, 8 },
	{ "kmovw", U_MOV, 2 },
	{ "lddqu", U_SRC, W_VEC },
	{ "ldmxcsr", U_SRC, 4 },
	{ "lea", U_NONE, 0 },
	{ "lfence", U_NONE, 0 },
	{ "lzcnt", U_SRC, W_SUFFIX },
	{ "maskmovdqu", U_NOADDR, 0 },
	{ "maskmovpd", U_MASKMOV, W_VEC },
	{ "maskmovps", U_MASKMOV, W_VEC },
	{ "maskmovq", U_NOADDR, 0 },
	{ "mfence", U_FENCE, 0 },
	{ "mov", U_MOV, W_SUFFIX },
	{ "movabs", U_MOV, W_SUFFIX },
	{ "movapd", U_MOV, W_VEC },
	{ "movaps", U_MOV, W_VEC },
	{ "movbe", U_MOV, W_SUFFIX },
	{ "movd", U_MOV, 4 },
	{ "movddup", U_SRC, W_DUP },
	{ "movdqa", U_MOV, W_VEC },
	{ "movdqa32", U_MOV, W_VEC },
	{ "movdqa64", U_MOV, W_VEC },
	{ "movdqu", U_MOV, W_VEC },
	{ "movdqu16", U_MOV, W_VEC },
	{ "movdqu32", U_MOV, W_VEC },
	{ "movdqu64", U_MOV, W_VEC },
	{ "movdqu8", U_MOV, W_VEC },
	{ "movhpd", U_MOV, 8 },
	{ "movhps", U_MOV, 8 },
	{ "movlpd", U_MOV, 8 },
	{ "movlps", U_MOV, 8 },
	{ "movntdq", U_WR, W_VEC },
	{ "movntdqa", U_SRC, W_VEC },
	{ "movnti", U_WR, W_SUFFIX },
	{ "movntpd", U_WR, W_VEC },
	{ "movntps", U_WR, W_VEC },
	{ "movntq", U_WR, 8 },
	{ "movsb", U_SRC, 1 },
	{ "movsbl", U_SRC, 1 },
	{ "movsbq", U_SRC, 1 },
	{ "movsbw", U_SRC, 1 },
	{ "movsd", U_MOV, 8 },
	{ "movsl", U_SRC, 4 },
	{ "movslq", U_SRC, 4 },
	{ "movss", U_MOV, 4 },
	{ "movsw", U_SRC, 2 },
	{ "movswl", U_SRC, 2 },
	{ "movswq", U_SRC, 2 },
	{ "movsxd", U_SRC, 4 },
	{ "movupd", U_MOV, W_VEC },
	{ "movups", U_MOV, W_VEC },
	{ "movzb", U_SRC, 1 },
	{ "movzbl", U_SRC, 1 },
	{ "movzbq", U_SRC, 1 },
	{ "movzbw", U_SRC, 1 },
	{ "movzw", U_SRC, 2 },
	{ "movzwl", U_SRC, 2 },
	{ "movzwq", U_SRC, 2 },
	{ "mul", U_SRC, W_SUFFIX },
	{ "mulx", U_SRC, W_SUFFIX },
	{ "neg", U_UPD, W_SUFFIX },
	{ "nop", U_NONE, 0 },
	{ "not", U_UPD, W_SUFFIX },
	{ "or", U_ALU, W_SUFFIX },
	{ "pbroadcastb", U_SRC, 1 },
	{ "pbroadcastd", U_SRC, 4 },
	{ "pbroadcastq", U_SRC, 8 },
	{ "pbroadcastw", U_SRC, 2 },
	{ "pcmpestri", U_SRC, 16 },
	{ "pcmpistri", U_SRC, 16 },
	{ "pcompressd", U_NOADDR, 0 },
	{ "pcompressq", U_NOADDR, 0 },
	{ "pdep", U_SRC, W_SUFFIX },
	{ "pexpandd", U_NOADDR, 0 },
	{ "pexpandq", U_NOADDR, 0 },
	{ "pext", U_SRC, W_SUFFIX },
	{ "pextrb", U_WR, 1 },
	{ "pextrd", U_WR, 4 },
	{ "pextrq", U_WR, 8 },
	{ "pextrw", U_WR, 2 },
	{ "pgatherdd", U_NOADDR, 0 },
	{ "pgatherdq", U_NOADDR, 0 },
	{ "pgatherqd", U_NOADDR, 0 },
	{ "pgatherqq", U_NOADDR, 0 },
	{ "pinsrb", U_SRC, 1 },
	{ "pinsrd", U_SRC, 4 },
	{ "pinsrq", U_SRC, 8 },
	{ "pinsrw", U_SRC, 2 },
	{ "pmaskmovd", U_MASKMOV, W_VEC },
	{ "pmaskmovq", U_MASKMOV, W_VEC },
	{ "pmovdb", U_WR, W_QUARTER },
	{ "pmovdw", U_WR, W_HALF },
	{ "pmovqb", U_WR, W_EIGHTH },
	{ "pmovqd", U_WR, W_HALF },
	{ "pmovqw", U_WR, W_QUARTER },
	{ "pmovsxbd", U_SRC, W_QUARTER },
	{ "pmovsxbq", U_SRC, W_EIGHTH },
	{ "pmovsxbw", U_SRC, W_HALF },
	{ "pmovsxdq", U_SRC, W_HALF },
	{ "pmovsxwd", U_SRC, W_HALF },
	{ "pmovsxwq", U_SRC, W_QUARTER },
	{ "pmovwb", U_WR, W_HALF },
	{ "pmovzxbd", U_SRC, W_QUARTER },
	{ "pmovzxbq", U_SRC, W_EIGHTH },
	{ "pmovzxbw", U_SRC, W_HALF },
	{ "pmovzxdq", U_SRC, W_HALF },
	{ "pmovzxwd", U_SRC, W_HALF },
	{ "pmovzxwq", U_SRC, W_QUARTER },
	{ "pop", U_WR, W_SUFFIX },
	{ "popcnt", U_SRC, W_SUFFIX },
	{ "prefetch", U_NONE, 0 },
	{ "prefetchnta", U_NONE, 0 },
	{ "prefetcht0", U_NONE, 0 },
	{ "prefetcht1", U_NONE, 0 },
	{ "prefetcht2", U_NONE, 0 },
	{ "prefetchw", U_NONE, 0 },
	{ "prefetchwt1", U_NONE, 0 },
	{ "pscatterdd", U_NOADDR, 0 },
	{ "pscatterdq", U_NOADDR, 0 },
	{ "pscatterqd", U_NOADDR, 0 },
	{ "pscatterqq", U_NOADDR, 0 },
	{ "pslld", U_SRC, 16 },
	{ "psllq", U_SRC, 16 },
	{ "psllw", U_SRC, 16 },
	{ "psrad", U_SRC, 16 },
	{ "psraq", U_SRC, 16 },
	{ "psraw", U_SRC, 16 },
	{ "psrld", U_SRC, 16 },
	{ "psrlq", U_SRC, 16 },
	{ "psrlw", U_SRC, 16 },
	{ "punpckldq", U_SRC, W_VEC },
	{ "push", U_SRC, W_SUFFIX },
	{ "rcl", U_UPD, W_SUFFIX },
	{ "rcpss", U_SRC, 4 },
	{ "rcr", U_UPD, W_SUFFIX },
	{ "rol", U_UPD, W_SUFFIX },
	{ "ror", U_UPD, W_SUFFIX },
	{ "rorx", U_SRC, W_SUFFIX },
	{ "rsqrtss", U_SRC, 4 },
	{ "sal", U_UPD, W_SUFFIX },
	{ "sar", U_UPD, W_SUFFIX },
	{ "sarx", U_SRC, W_SUFFIX },
	{ "sbb", U_ALU, W_SUFFIX },
	{ "scatterdpd", U_NOADDR, 0 },
	{ "scatterdps", U_NOADDR, 0 },
	{ "scatterqpd", U_NOADDR, 0 },
	{ "scatterqps", U_NOADDR, 0 },
	{ "sfence", U_NONE, 0 },
	{ "sgdt", U_WR, 10 },
	{ "shl", U_UPD, W_SUFFIX },
	{ "shld", U_UPD, W_SUFFIX },
	{ "shlx", U_SRC, W_SUFFIX },
	{ "shr", U_UPD, W_SUFFIX },
	{ "shrd", U_UPD, W_SUFFIX },
	{ "shrx", U_SRC, W_SUFFIX },
	{ "sidt", U_WR, 10 },
	{ "stmxcsr", U_WR, 4 },
	{ "sub", U_ALU, W_SUFFIX },
	{ "test", U_SRC, W_SUFFIX },
	{ "tzcnt", U_SRC, W_SUFFIX },
	{ "ucomisd", U_SRC, 8 },
	{ "ucomiss", U_SRC, 4 },
	{ "verr", U_SRC, 2 },
	{ "verw", U_SRC, 2 },
	{ "xabort", U_NONE, 0 },
	{ "xadd", U_UPD, W_SUFFIX },
	{ "xbegin", U_JUMP, 8 },
	{ "xchg", U_XCHG, W_SUFFIX },
	{ "xor", U_ALU, W_SUFFIX },
	{ "xrstor", U_NOADDR, 0 },
	{ "xrstor64", U_NOADDR, 0 },
	{ "xsave", U_NOADDR, 0 },
	{ "xsave64", U_NOADDR, 0 },
	{ "xsavec", U_NOADDR, 0 },
	{ "xsavec64", U_NOADDR, 0 },
	{ "xsaveopt", U_NOADDR, 0 },
	{ "xsaveopt64", U_NOADDR, 0 },
};

static int compare(const void *key, const void *row)
{
	const struct asm_slice *s = key;
	const char *name = ((const struct row *)row)->name;
	const int r = strncmp(s->at, name, s->len);

	return r ? r : -(name[s->len] != 0);
}

static const struct row *find(struct asm_slice name)
{
	return name.len ? bsearch(&name, rows, sizeof(rows) / sizeof(rows[0]), sizeof(rows[0]), compare) : NULL;
}

static uint32_t suffix_bytes(char c)
{
	return c == 'b' ? 1 : c == 'w' ? 2 : c == 'l' ? 4 : c == 'q' ? 8 : 0;
}

static bool starts(struct asm_slice s, const char *with)
{
	return s.len >= strlen(with) && !memcmp(s.at, with, strlen(with));
}

static bool ends(struct asm_slice s, const char *with)
{
	const size_t n = strlen(with);

	return s.len >= n && !memcmp(s.at + s.len - n, with, n);
}

/* "setne", "cmovle", "jne": the condition is not in the table. */
static bool by_condition(const struct asm_insn *insn, struct row *ret)
{
	if (starts(insn->mnemonic, "cmov"))
		*ret = (struct row){ "cmov", U_SRC, W_SUFFIX };
	else if (starts(insn->mnemonic, "set") && insn->n_operands == 1)
		*ret = (struct row){ "set", U_WR, 1 };
	else if (starts(insn->mnemonic, "j") || starts(insn->mnemonic, "loop") || starts(insn->mnemonic, "prefetch"))
		*ret = (struct row){ "j", insn->mnemonic.at[0] == 'p' ? U_NONE : U_JUMP, 8 };
	else
		return false;
	return true;
}

/* Any other vector instruction: addss reads 4, addsd 8, all others a whole register; one that ends in memory stores it.
 */
static bool by_shape(const struct asm_insn *insn, struct row *ret)
{
	const struct asm_slice m = insn->mnemonic;
	const bool packed = starts(m, "p") || starts(m, "vp");

	if (!asm_vector_bytes(insn) && !insn->operands[insn->operand].broadcast)
		return false;
	*ret = (struct row){ "", U_MOV, W_VEC };
	if (!packed && ends(m, "ss"))
		ret->width = 4;
	else if (!packed && ends(m, "sd"))
		ret->width = 8;
	else if (ends(m, "2psy") || ends(m, "2dqy") || ends(m, "2udqy")) /* the register is half of what is read */
		ret->width = 32;
	return true;
}

/* The row for an instruction; the suffix of cvttsd2sil speaks of the register. *suffix gets the bytes that the size
 * suffix says, 0 if there is none. */
static bool find_row(const struct asm_insn *insn, struct row *ret, uint32_t *suffix)
{
	struct asm_slice m = insn->mnemonic;
	const struct row *row = find(m);

	*suffix = 0;
	if (!row && m.len > 1 && m.at[0] == 'v') {
		m = (struct asm_slice){ m.at + 1, m.len - 1 };
		row = find(m);
	}
	if (!row && m.len > 1 && suffix_bytes(m.at[m.len - 1])) {
		*suffix = suffix_bytes(m.at[m.len - 1]);
		row = find((struct asm_slice){ m.at, m.len - 1 });
		if (row && row->use != U_JUMP && row->width != W_SUFFIX && row->width != W_SUFFIX4 &&
		    row->use != U_NONE && !starts(m, "cvt"))
			row = NULL;
	}
	if (row) {
		*ret = *row;
		return true;
	}
	*suffix = m.len > 1 && starts(m, "cmov") && m.len > 5 ? suffix_bytes(m.at[m.len - 1]) : 0;
	return by_condition(insn, ret) || by_shape(insn, ret);
}

/* ---- widths */

static uint32_t general_register(const struct asm_insn *insn)
{
	for (uint32_t i = insn->n_operands; i-- > 0;)
		if (insn->operands[i].kind == ASM_REGISTER && asm_register_bytes(insn->operands[i].text))
			return asm_register_bytes(insn->operands[i].text);
	return 0;
}

/* cmovl: the l may be the condition "less"; the register knows. Shifts by %cl and crc32: the suffix, not the register.
 */
static uint32_t suffix_width(const struct asm_insn *insn, uint32_t suffix)
{
	if (starts(insn->mnemonic, "cmov") && general_register(insn))
		return general_register(insn);
	if (suffix)
		return suffix;
	if (starts(insn->mnemonic, "push") || starts(insn->mnemonic, "pop"))
		return 8;
	return general_register(insn);
}

static uint32_t broadcast_width(const struct asm_insn *insn)
{
	const char last = insn->mnemonic.at[insn->mnemonic.len - 1];

	return last == 'd' && !starts(insn->mnemonic, "vp") ? 8 : last == 'q' ? 8 : 4;
}

static uint32_t width(const struct asm_insn *insn, const struct row *row, uint32_t suffix)
{
	const uint32_t vector = asm_vector_bytes(insn);

	if (insn->operands[insn->operand].broadcast)
		return broadcast_width(insn);
	switch (row->width) {
	case W_SUFFIX:
		return suffix_width(insn, suffix);
	case W_SUFFIX4:
		return suffix ? suffix : 4;
	case W_VEC:
		return vector;
	case W_HALF:
		return vector / 2;
	case W_QUARTER:
		return vector / 4;
	case W_EIGHTH:
		return vector / 8;
	case W_DUP:
		return vector == 16 ? 8 : vector;
	case W_512:
		return 512;
	default:
		return row->width;
	}
}

/* ---- use */

static enum asm_use use_of(const struct asm_insn *insn, const struct row *row)
{
	const bool last = insn->operand + 1 == insn->n_operands;

	switch (row->use) {
	case U_SRC:
		return ASM_READS;
	case U_MOV:
	case U_MASKMOV:
		return last ? ASM_WRITES : ASM_READS;
	case U_ALU:
		return !last ? ASM_READS : insn->lock ? ASM_LOCKED : ASM_UPDATES;
	case U_WR:
		return ASM_WRITES;
	case U_UPD:
		return insn->lock ? ASM_LOCKED : ASM_UPDATES;
	case U_XCHG:
		return ASM_LOCKED;
	case U_CAS:
		return insn->lock ? ASM_CAS : ASM_UPDATES;
	case U_BIT:
	case U_BITU:
		if (insn->operands[0].kind != ASM_IMMEDIATE)
			return ASM_NO_ADDRESS;
		return row->use == U_BIT ? ASM_READS : insn->lock ? ASM_LOCKED : ASM_UPDATES;
	case U_JUMP:
		return insn->operands[insn->operand].indirect ? ASM_READS : ASM_NONE;
	case U_NOADDR:
		return ASM_NO_ADDRESS;
	default:
		return ASM_NONE;
	}
}

/* ---- string instructions */

static bool is_string_form(const struct asm_insn *insn)
{
	if (insn->n_operands == 0)
		return true;
	if (insn->n_operands != 2)
		return false;
	for (uint32_t i = 0; i < 2; i++) {
		const struct asm_operand *o = &insn->operands[i];

		if (o->kind == ASM_MEMORY
		        ? o->disp.len || o->index.len || !(asm_is(o->base, "%rsi") || asm_is(o->base, "%rdi"))
		        : !(asm_is(o->text, "%al") || asm_is(o->text, "%ax") || asm_is(o->text, "%eax") ||
		            asm_is(o->text, "%rax")))
			return false;
	}
	return true;
}

static bool string_instruction(struct asm_insn *insn)
{
	static const struct {
		const char *name;
		enum asm_use use;
	} strings[] = { { "movs", ASM_MOVS },
		        { "stos", ASM_STOS },
		        { "lods", ASM_LODS },
		        { "cmps", ASM_CMPS },
		        { "scas", ASM_SCAS } };
	const struct asm_slice m = insn->mnemonic;

	if (m.len != 5 || !is_string_form(insn))
		return false;
	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
		const bool both = strings[i].use == ASM_MOVS || strings[i].use == ASM_CMPS;

		if (!starts(m, strings[i].name) || !(suffix_bytes(m.at[4]) || m.at[4] == 'd'))
			continue;
		if (both && insn->n_operands && insn->operands[0].kind == insn->operands[1].kind &&
		    insn->operands[0].kind != ASM_MEMORY)
			return false;
		if (both && insn->n_operands && insn->operands[0].kind != insn->operands[1].kind)
			return false; /* movsl (%rsi), %rax extends a sign */
		insn->use = strings[i].use;
		insn->bytes = m.at[4] == 'd' ? 4 : suffix_bytes(m.at[4]);
		return true;
	}
	return false;
}

void asm_insn_classify(struct asm_insn *insn)
{
	struct row row;
	uint32_t suffix;

	insn->use = ASM_NONE;
	if (string_instruction(insn))
		return;
	for (insn->operand = 0; insn->operand < insn->n_operands; insn->operand++)
		if (insn->operands[insn->operand].kind == ASM_MEMORY)
			break;
	if (insn->operand == insn->n_operands) {
		insn->use = asm_is(insn->mnemonic, "mfence") ? ASM_FENCE
		            : asm_is(insn->mnemonic, "maskmovdqu") || asm_is(insn->mnemonic, "vmaskmovdqu") ||
		                    asm_is(insn->mnemonic, "maskmovq")
		                ? ASM_NO_ADDRESS
		                : ASM_NONE;
		return;
	}
	if (!find_row(insn, &row, &suffix)) {
		insn->use = ASM_UNKNOWN;
		return;
	}
	insn->use = use_of(insn, &row);
	insn->bytes = insn->use >= ASM_READS && insn->use <= ASM_CAS ? width(insn, &row, suffix) : 0;
	if (insn->use >= ASM_READS && insn->use <= ASM_CAS && !insn->bytes)
		insn->use = ASM_UNKNOWN;
}
