/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the functions with contracts do to memory, and what they return. */
#include "recover_contracts.h"

#include <stdlib.h>

#define STRING_MAX (1u << 16) /* longer strings are not looked through */
#define COPY_MAX (1u << 20)   /* longer copies only make their target unknown */

static bool arg(const struct recover_cpu *cpu, unsigned reg, uint64_t *ret)
{
	*ret = cpu->r[reg].v;
	return cpu->r[reg].known == RECOVER_ALL;
}

static void copy(struct recover_cpu *cpu, uint64_t to, uint64_t from, uint64_t n)
{
	uint8_t *bytes = calloc(1, n + 32);
	uint8_t *known = calloc(1, n + 32);

	if (!bytes || !known) {
		cpu->memory->failed = true;
		n = 0;
	}
	for (uint64_t i = 0; i < n; i += 32) {
		const uint32_t k = recover_memory_read(cpu->memory, cpu->stamp, from + i,
		                                       n - i < 32 ? (unsigned)(n - i) : 32, bytes + i);

		for (unsigned b = 0; b < 32; b++)
			known[i + b] = k >> b & 1;
	}
	for (uint64_t i = 0; i < n; i += 32) {
		uint32_t k = 0;

		for (unsigned b = 0; b < 32; b++)
			k |= (uint32_t)known[i + b] << b;
		recover_memory_write(cpu->memory, cpu->stamp, to + i, n - i < 32 ? (unsigned)(n - i) : 32, bytes + i,
		                     k);
	}
	free(bytes);
	free(known);
}

/* Length of the string at `addr`, if all of it is known. */
static bool length(struct recover_cpu *cpu, uint64_t addr, uint64_t *ret)
{
	for (uint64_t i = 0; i < STRING_MAX; i++) {
		uint8_t byte;

		if (!recover_memory_read(cpu->memory, cpu->stamp, addr + i, 1, &byte))
			return false;
		if (!byte) {
			*ret = i;
			return true;
		}
	}
	return false;
}

static bool byte_at(struct recover_cpu *cpu, uint64_t addr, uint8_t *ret)
{
	return recover_memory_read(cpu->memory, cpu->stamp, addr, 1, ret) == 1;
}

/* Place of byte `c` in the bytes at `from`; `n`: how many if `how` counts. Result unknown: a byte before it is. */
static struct recover_value find(struct recover_cpu *cpu, uint64_t from, uint8_t c, uint64_t n, unsigned how)
{
	const struct recover_value nothing = { 0, 0 };
	uint64_t i, last = 0;
	uint8_t byte;

	for (i = 0; !(how & RECOVER_TO_COUNT) || i < n; i++) {
		if (i == STRING_MAX || !byte_at(cpu, from + i, &byte))
			return nothing;
		if (byte == c && !(how & RECOVER_LAST))
			return (struct recover_value){ how & RECOVER_DISTANCE ? i : from + i, RECOVER_ALL };
		if (byte == c)
			last = from + i;
		if (!byte && how & RECOVER_TO_NUL)
			break;
	}
	return (struct recover_value){ how & RECOVER_OR_END ? (how & RECOVER_DISTANCE ? i : from + i) : last,
		                       RECOVER_ALL };
}

static struct recover_value compare(struct recover_cpu *cpu, uint64_t a, uint64_t b, uint64_t n, unsigned how)
{
	const struct recover_value nothing = { 0, 0 }, equal = { 0, RECOVER_ALL };
	uint8_t x, y;

	for (uint64_t i = 0; !(how & RECOVER_TO_COUNT) || i < n; i++) {
		if (i == STRING_MAX || !byte_at(cpu, a + i, &x) || !byte_at(cpu, b + i, &y))
			return nothing;
		if (x != y) /* how much is up to the library, a byte's difference at most; the upper half of rax is not
		               its */
			return how & RECOVER_EQUALITY ? nothing
			                              : (struct recover_value){ x < y ? 0xffffff00u : 0, 0xe };
		if (!x && how & RECOVER_TO_NUL)
			break;
	}
	return equal;
}

static void do_copy(struct recover_cpu *cpu, uint64_t to, bool to_known, uint64_t from, bool from_known, uint64_t n,
                    bool n_known)
{
	if (!to_known || !n_known)
		recover_memory_forget_all(cpu->memory);
	else if (!from_known || n > COPY_MAX)
		recover_memory_forget(cpu->memory, cpu->stamp, to, n);
	else
		copy(cpu, to, from, n);
}

/* Length of the string at `addr`, not looking at more than `max` bytes of it. */
static bool bounded_length(struct recover_cpu *cpu, uint64_t addr, uint64_t max, uint64_t *ret)
{
	const struct recover_value v =
	    find(cpu, addr, 0, max, RECOVER_TO_NUL | RECOVER_TO_COUNT | RECOVER_OR_END | RECOVER_DISTANCE);

	*ret = v.v;
	return v.known == RECOVER_ALL;
}

static void append(struct recover_cpu *cpu, uint64_t to, bool to_known, uint64_t from, bool from_known, uint64_t max,
                   bool max_known, unsigned how)
{
	const uint8_t zero = 0;
	uint64_t before, n;

	if (!(how & RECOVER_TO_COUNT))
		max = UINT64_MAX;
	if (!to_known || !from_known || (how & RECOVER_TO_COUNT && !max_known) || !length(cpu, to, &before) ||
	    !bounded_length(cpu, from, max, &n)) {
		recover_memory_forget_all(cpu->memory);
		return;
	}
	copy(cpu, to + before, from, n);
	recover_memory_write(cpu->memory, cpu->stamp, to + before + n, 1, &zero, 1);
}

static struct recover_value copy_padded(struct recover_cpu *cpu, uint64_t to, bool to_known, uint64_t from,
                                        bool from_known, uint64_t max, bool max_known, unsigned how)
{
	struct recover_value result = { 0, 0 };
	uint64_t n;

	if (!to_known || !max_known) {
		recover_memory_forget_all(cpu->memory);
	} else if (max > COPY_MAX || !from_known || !bounded_length(cpu, from, max, &n)) {
		recover_memory_forget(cpu->memory, cpu->stamp, to, max);
	} else {
		copy(cpu, to, from, n);
		recover_memory_fill(cpu->memory, cpu->stamp, to + n, max - n, 0);
		result = (struct recover_value){ to + n, RECOVER_ALL };
	}
	return how & RECOVER_DISTANCE ? result : cpu->r[OPS_RDI];
}

struct recover_value recover_contract_enter(const struct recover_contract *contract, struct recover_cpu *cpu)
{
	struct recover_value result = { 0, 0 };
	uint64_t to, from, n = 0;
	const bool to_known = arg(cpu, OPS_RDI, &to), from_known = arg(cpu, OPS_RSI, &from);
	const unsigned how = contract->bytes;
	bool n_known = arg(cpu, OPS_RDX, &n);

	switch (contract->kind) {
	case CONTRACT_DEST:
	case CONTRACT_DEST_END:
		do_copy(cpu, to, to_known, from, from_known, n, n_known);
		result = (struct recover_value){ contract->kind == CONTRACT_DEST ? to : to + n,
			                         to_known && (n_known || contract->kind == CONTRACT_DEST) ? RECOVER_ALL
			                                                                                  : 0 };
		break;
	case CONTRACT_SET:
		if (!to_known || !n_known)
			recover_memory_forget_all(cpu->memory);
		else if (cpu->r[OPS_RSI].known & 1)
			recover_memory_fill(cpu->memory, cpu->stamp, to, n, (uint8_t)from);
		else
			recover_memory_forget(cpu->memory, cpu->stamp, to, n);
		result = cpu->r[OPS_RDI];
		break;
	case CONTRACT_STRCPY:
	case CONTRACT_STPCPY:
		n_known = from_known && length(cpu, from, &n);
		do_copy(cpu, to, to_known, from, from_known, n + 1, n_known);
		result =
		    (struct recover_value){ contract->kind == CONTRACT_STRCPY ? to : to + n,
			                    to_known && (n_known || contract->kind == CONTRACT_STRCPY) ? RECOVER_ALL
			                                                                               : 0 };
		break;
	case CONTRACT_STRLEN:
		if (to_known && length(cpu, to, &n))
			result = (struct recover_value){ n, RECOVER_ALL };
		break;
	case CONTRACT_FIND:
		if (how & RECOVER_DISTANCE) /* strnlen: the NUL, in at most rsi bytes */
			result = to_known && from_known ? find(cpu, to, 0, from, how) : result;
		else if (to_known && cpu->r[OPS_RSI].known & 1 && (n_known || !(how & RECOVER_TO_COUNT)))
			result = find(cpu, to, (uint8_t)from, n, how);
		break;
	case CONTRACT_COMPARE:
		if (to_known && from_known && (n_known || !(how & RECOVER_TO_COUNT)))
			result = compare(cpu, to, from, n, how);
		break;
	case CONTRACT_STRCAT:
		append(cpu, to, to_known, from, from_known, n, n_known, how);
		result = cpu->r[OPS_RDI];
		break;
	case CONTRACT_STRNCPY:
		result = copy_padded(cpu, to, to_known, from, from_known, n, n_known, how);
		break;
	case CONTRACT_PRINTS:
		recover_memory_forget_all(cpu->memory);
		break;
	case CONTRACT_BUFFER:
	case CONTRACT_PRINTS_N:
		if (to_known && from_known)
			recover_memory_forget(cpu->memory, cpu->stamp, to, from);
		else
			recover_memory_forget_all(cpu->memory);
		break;
	case CONTRACT_RESULT:
		if (!from_known)
			recover_memory_forget_all(cpu->memory);
		else if (from)
			recover_memory_forget(cpu->memory, cpu->stamp, from, contract->bytes);
		break;
	case CONTRACT_OBJECT:
		if (to_known)
			recover_memory_forget(cpu->memory, cpu->stamp, to, contract->bytes);
		else
			recover_memory_forget_all(cpu->memory);
		break;
	case CONTRACT_SETJMP: /* all registers but rax are preserved in effect: what it returns is 0 */
		if (to_known)
			recover_memory_forget(cpu->memory, cpu->stamp, to, contract->bytes);
		else
			recover_memory_forget_all(cpu->memory);
		result = (struct recover_value){ 0, RECOVER_ALL };
		break;
	case CONTRACT_PRIVATE:
		result = (struct recover_value){ RECOVER_PRIVATE(cpu->stamp.slot), RECOVER_ALL };
		break;
	case CONTRACT_RAISES: /* private_1 and private_2 of struct _Unwind_Exception */
		if (to_known)
			recover_memory_forget(cpu->memory, cpu->stamp, to + 16, 16);
		break;
	default:
		break;
	}
	return result;
}
