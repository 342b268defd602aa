/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Products and quotients; none of them leaves flags that anybody may use. */
#include "recover_operand.h"

void recover_multiply(struct recover_cpu *cpu, const struct vtb_ops *o)
{
	const unsigned size = o->op[0].size;
	const struct recover_value a = recover_read_op(cpu, &o->op[o->n_ops == 3 ? 1 : 0]),
	                           b = recover_read_op(cpu, &o->op[o->n_ops - 1]);

	recover_write_op(cpu, &o->op[0],
	                 recover_is_known(a, size) && recover_is_known(b, size)
	                     ? recover_exactly(a.v * b.v & recover_mask(size))
	                     : recover_nothing);
	cpu->flags_known = 0;
}

static void set_wide(struct recover_cpu *cpu, unsigned size, bool known, uint64_t low, uint64_t high)
{
	const struct vtb_ops_operand rax = { .type = OPS_REG, .reg = OPS_RAX, .size = (uint8_t)size },
	                             rdx = { .type = OPS_REG, .reg = OPS_RDX, .size = (uint8_t)size };

	recover_write_reg(cpu, &rax, known ? recover_exactly(low) : recover_nothing);
	recover_write_reg(cpu, &rdx, known ? recover_exactly(high) : recover_nothing);
	cpu->flags_known = 0;
}

void recover_multiply_wide(struct recover_cpu *cpu, const struct vtb_ops *o)
{
	const unsigned size = o->op[0].size;
	const struct recover_value a = cpu->r[OPS_RAX], b = recover_read_op(cpu, &o->op[0]);
	const bool known = recover_is_known(a, size) && recover_is_known(b, size);
	unsigned __int128 wide;

	if (o->code == OPS_MUL_WIDE)
		wide = (unsigned __int128)(a.v & recover_mask(size)) * (b.v & recover_mask(size));
	else if (size == 8)
		wide = (unsigned __int128)((__int128)(int64_t)a.v * (int64_t)b.v);
	else
		wide = (unsigned __int128)((__int128)(int32_t)a.v * (int32_t)b.v);
	set_wide(cpu, size, known, (uint64_t)wide & recover_mask(size),
	         (uint64_t)(wide >> 8 * size) & recover_mask(size));
}

void recover_divide(struct recover_cpu *cpu, const struct vtb_ops *o)
{
	const unsigned size = o->op[0].size;
	const struct recover_value low = cpu->r[OPS_RAX], high = cpu->r[OPS_RDX], b = recover_read_op(cpu, &o->op[0]);
	const uint64_t by = b.v & recover_mask(size);
	const bool known =
	    recover_is_known(low, size) && recover_is_known(high, size) && recover_is_known(b, size) && by != 0;
	const unsigned __int128 wide =
	    (unsigned __int128)(high.v & recover_mask(size)) << 8 * size | (low.v & recover_mask(size));

	if (!known) {
		set_wide(cpu, size, false, 0, 0);
	} else if (o->code == OPS_DIV) {
		set_wide(cpu, size, true, (uint64_t)(wide / by) & recover_mask(size), (uint64_t)(wide % by));
	} else {
		const __int128 a = size == 8 ? (__int128)wide : (__int128)(int64_t)wide,
		               d = size == 8 ? (int64_t)by : (int32_t)by;

		set_wide(cpu, size, true, (uint64_t)(a / d) & recover_mask(size),
		         (uint64_t)(a % d) & recover_mask(size));
	}
}
