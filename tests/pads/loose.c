/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a pad says that it need not keep, against Capstone's reading of the machine code behind it. */
#include "oracle.h"

#include "vtb/pad_site.h"

#include <string.h>

#define ALL 5u /* carry, parity, zero, sign, overflow */

static unsigned found[3];

static const uint64_t tests[] = { X86_EFLAGS_TEST_CF, X86_EFLAGS_TEST_PF, X86_EFLAGS_TEST_AF,
	                          X86_EFLAGS_TEST_ZF, X86_EFLAGS_TEST_SF, X86_EFLAGS_TEST_OF };
static const uint64_t writes[ALL] = {
	X86_EFLAGS_MODIFY_CF | X86_EFLAGS_RESET_CF | X86_EFLAGS_SET_CF,
	X86_EFLAGS_MODIFY_PF | X86_EFLAGS_RESET_PF | X86_EFLAGS_SET_PF,
	X86_EFLAGS_MODIFY_ZF | X86_EFLAGS_RESET_ZF | X86_EFLAGS_SET_ZF,
	X86_EFLAGS_MODIFY_SF | X86_EFLAGS_RESET_SF | X86_EFLAGS_SET_SF,
	X86_EFLAGS_MODIFY_OF | X86_EFLAGS_RESET_OF | X86_EFLAGS_SET_OF,
};

/* Shifts by nothing, and by a register, may write none of those that Capstone says they do. */
static bool is_shift(const cs_insn *i)
{
	return i->id == X86_INS_SHL || i->id == X86_INS_SHR || i->id == X86_INS_SAR || i->id == X86_INS_SAL ||
	       i->id == X86_INS_SHLD || i->id == X86_INS_SHRD;
}

/* Capstone knows no flags of these. */
static bool is_comparison(const cs_insn *i)
{
	return i->id == X86_INS_VUCOMISD || i->id == X86_INS_VUCOMISS || i->id == X86_INS_VCOMISD ||
	       i->id == X86_INS_VCOMISS;
}

static const char *look(csh cs, const cs_insn *i, bool written[ALL])
{
	const uint64_t flags = i->detail->x86.eflags;

	for (unsigned k = 0; k < sizeof(tests) / sizeof(*tests); k++)
		if (flags & tests[k])
			return "it reads flags";
	for (unsigned k = 0; k < ALL && !is_shift(i); k++)
		written[k] |= (flags & writes[k]) != 0 || is_comparison(i);
	return cs_insn_group(cs, i, CS_GRP_JUMP) ? "it jumps, maybe to where flags are read" : NULL;
}

static bool is_enough(csh cs, const cs_insn *i, const bool written[ALL])
{
	bool all = true;

	for (unsigned k = 0; k < ALL; k++)
		all &= written[k];
	return all || cs_insn_group(cs, i, CS_GRP_CALL) || cs_insn_group(cs, i, CS_GRP_RET);
}

/* NULL if no flag is read behind `at` before all are written; else what is in the way. */
static const char *flags_in_the_way(csh cs, const uint8_t *code, size_t left, uint64_t at)
{
	cs_insn *i = cs_malloc(cs);
	bool written[ALL] = { false }, enough = false;
	const char *wrong = NULL;

	while (!wrong && !enough) {
		if (!cs_disasm_iter(cs, &code, &left, &at, i)) {
			wrong = "the code ends";
			break;
		}
		wrong = look(cs, i, written);
		enough = is_enough(cs, i, written);
	}
	cs_free(i, 1);
	return wrong;
}

static bool is_vector(x86_reg r)
{
	return (r >= X86_REG_XMM0 && r <= X86_REG_ZMM31) || (r >= X86_REG_MM0 && r <= X86_REG_MM7) ||
	       (r >= X86_REG_K0 && r <= X86_REG_K7) || (r >= X86_REG_ST0 && r <= X86_REG_ST7) ||
	       (r >= X86_REG_FP0 && r <= X86_REG_FP7);
}

static void add_stack(struct stack *s, csh cs, const uint8_t *code, size_t left, uint64_t at)
{
	cs_insn *i = cs_malloc(cs);

	while (left && cs_disasm_iter(cs, &code, &left, &at, i)) {
		s->calls |= cs_insn_group(cs, i, CS_GRP_CALL);
		for (unsigned k = 0; k < i->detail->x86.op_count; k++) {
			const cs_x86_op *o = &i->detail->x86.operands[k];

			s->uses_frame |=
			    o->type == X86_OP_MEM && (o->mem.base == X86_REG_RSP || o->mem.base == X86_REG_RBP);
			s->vectors |= o->type == X86_OP_REG && is_vector(o->reg);
		}
	}
	cs_free(i, 1);
}

static bool is_part_of(const struct function *h, const struct function *g)
{
	const size_t stem = strcspn(g->name, ".");

	return h == g || (!strncmp(h->name, g->name, stem) && (!h->name[stem] || h->name[stem] == '.'));
}

/* Of the function at `addr` with all its parts. */
static struct stack stack_of(uint64_t addr)
{
	struct function *g = f.functions;

	while (g < f.functions + f.n_functions && addr - g->lo >= g->hi - g->lo)
		g++;
	if (g == f.functions + f.n_functions)
		return (struct stack){ 0 };
	if (g->stack.known)
		return g->stack;
	g->stack.known = true;
	for (size_t k = 0; k < f.n_functions; k++) {
		size_t left;
		const uint8_t *code = bytes_at(f.functions[k].lo, &left, NULL);

		if (is_part_of(&f.functions[k], g))
			add_stack(&g->stack, f.cs, code, (size_t)(f.functions[k].hi - f.functions[k].lo), f.functions[k].lo);
	}
	return g->stack;
}

void check_loose(uint64_t pad, uint32_t info)
{
	size_t left;
	const uint8_t *code = bytes_at(pad + VTB_PAD_SIZE, &left, NULL);
	const char *why = info & VTB_PAD_FLAGS_DEAD ? flags_in_the_way(f.cs, code, left, pad + VTB_PAD_SIZE) : NULL;
	const struct stack stack = stack_of(pad);

	found[0] += (info & VTB_PAD_FLAGS_DEAD) != 0;
	found[1] += (info & VTB_PAD_NO_RED_ZONE) != 0;
	found[2] += (info & VTB_PAD_NO_VECTORS) != 0;
	if (why)
		complain(f.insn, "flags said to be dead: %s", why);
	if (info & VTB_PAD_NO_RED_ZONE && !stack.calls && stack.uses_frame)
		complain(f.insn, "no red zone, though the function calls nobody and uses its frame");
	if (info & VTB_PAD_NO_VECTORS && stack.vectors)
		complain(f.insn, "nothing in vector registers, though the function names one");
}

bool loose_found(void)
{
	return found[0] && found[1] && found[2];
}
