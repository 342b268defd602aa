/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that call each other are one group: one with vector registers gives them to all. */
#include "asm_vectors.h"

#include "vtb/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* They take and return whole numbers and pointers. Names that begin like these are nobody else's to give; those of the
 * other families of threads.h and semaphore.h are like many a program's own. */
static const char *const families[] = { "pthread_", "__cxa_", "_ZNSt6thread" };
static const char *const plain[] = {
	"__assert_fail",
	"__errno_location",
	"__stack_chk_fail",
	"_Unwind_Resume",
	"_ZSt9terminatev",
	"_Znwm",
	"_Znam",
	"_ZdlPv",
	"_ZdlPvm",
	"_ZdaPv",
	"abort",
	"calloc",
	"close",
	"cnd_broadcast",
	"cnd_destroy",
	"cnd_init",
	"cnd_signal",
	"cnd_timedwait",
	"cnd_wait",
	"exit",
	"free",
	"malloc",
	"memcmp",
	"memcpy",
	"memmove",
	"memset",
	"mtx_destroy",
	"mtx_init",
	"mtx_lock",
	"mtx_timedlock",
	"mtx_trylock",
	"mtx_unlock",
	"nanosleep",
	"putchar",
	"puts",
	"read",
	"realloc",
	"sched_yield",
	"sem_destroy",
	"sem_init",
	"sem_post",
	"sem_timedwait",
	"sem_trywait",
	"sem_wait",
	"sleep",
	"strcmp",
	"strcpy",
	"strlen",
	"strncmp",
	"thrd_create",
	"thrd_current",
	"thrd_detach",
	"thrd_exit",
	"thrd_join",
	"thrd_sleep",
	"thrd_yield",
	"usleep",
	"write",
};

/* So are these, if they are told that no vector register has an argument: then eax is 0. */
static const char *const of_many[] = {
	"__fprintf_chk", "__printf_chk", "__snprintf_chk", "__sprintf_chk", "dprintf", "fprintf",
	"printf",        "snprintf",     "sprintf",        "sscanf",        "syscall",
};

struct call {
	uint32_t from, to;
};

struct reading {
	struct asm_facts *facts;
	struct asm_function *function;
	bool eax_is_zero; /* since the last instruction that can be come to from elsewhere */
	struct call *calls;
	size_t n_calls, cap_calls;
};

static bool is_among(struct asm_slice name, const char *const names[], size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (asm_is(name, names[i]))
			return true;
	return false;
}

static bool is_whole_numbers(const struct reading *r, struct asm_slice name)
{
	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
		if (name.len >= strlen(families[i]) && !memcmp(name.at, families[i], strlen(families[i])))
			return true;
	return is_among(name, plain, sizeof(plain) / sizeof(*plain)) ||
	       (r->eax_is_zero && is_among(name, of_many, sizeof(of_many) / sizeof(*of_many)));
}

static bool begins(struct asm_slice s, const char *text)
{
	return s.len >= strlen(text) && !memcmp(s.at, text, strlen(text));
}

/* "%st", "%st(1)", "%k3"; the names of vector registers are known to the table of instructions. */
static bool names_one(const struct asm_insn *insn)
{
	/* x87's and all of AVX's, xsave and xrstor, with whatever operands */
	static const char *const families_of_instructions[] = { "f", "v", "emms", "xsave", "xrstor" };

	for (size_t i = 0; i < sizeof(families_of_instructions) / sizeof(*families_of_instructions); i++)
		if (begins(insn->mnemonic, families_of_instructions[i]))
			return true;
	for (uint32_t i = 0; i < insn->n_operands; i++)
		if (begins(insn->operands[i].text, "%st") || begins(insn->operands[i].text, "%k"))
			return true;
	return asm_vector_bytes(insn) != 0;
}

static bool is_going_elsewhere(const struct asm_insn *insn)
{
	return insn->n_operands == 1 && (begins(insn->mnemonic, "j") || begins(insn->mnemonic, "call"));
}

/* A label of the function itself, as compilers name them. */
static bool is_local(struct asm_slice to)
{
	return begins(to, ".L") || (to.len && to.at[0] >= '0' && to.at[0] <= '9');
}

static struct asm_slice without_version(struct asm_slice to)
{
	const char *at = memchr(to.at, '@', to.len);

	return at ? (struct asm_slice){ to.at, (size_t)(at - to.at) } : to;
}

/* Moves that name no part of rax leave it alone; of what else there is few do. */
static bool leaves_eax(const struct asm_insn *insn)
{
	if (!begins(insn->mnemonic, "mov") && !begins(insn->mnemonic, "lea"))
		return false;
	for (uint32_t i = 0; i < insn->n_operands; i++)
		if (insn->operands[i].kind == ASM_REGISTER &&
		    memmem(insn->operands[i].text.at, insn->operands[i].text.len, "a", 1))
			return false;
	return insn->n_operands == 2;
}

static void look_at_eax(struct reading *r, const struct asm_insn *insn)
{
	const struct asm_operand *o = insn->operands;
	const bool is_cleared = insn->n_operands == 2 && asm_is(o[1].text, "%eax") &&
	                        ((asm_is(insn->mnemonic, "xorl") && asm_is(o[0].text, "%eax")) ||
	                         (asm_is(insn->mnemonic, "movl") && asm_is(o[0].text, "$0")));

	r->eax_is_zero = is_cleared || (r->eax_is_zero && leaves_eax(insn));
}

static int note_call(struct reading *r, const struct asm_function *to)
{
	const int e = vtb_array_room(r, calls);

	if (e >= 0)
		r->calls[r->n_calls++] = (struct call){ (uint32_t)(r->function - r->facts->functions),
			                                (uint32_t)(to - r->facts->functions) };
	return e < 0 ? e : 0;
}

static int look_at(struct reading *r, const struct asm_insn *insn)
{
	const struct asm_operand *o = &insn->operands[0];
	struct asm_function *to;

	if (names_one(insn))
		r->function->vectors = true;
	if (!is_going_elsewhere(insn) || is_local(o->text))
		return 0;
	to = o->indirect ? NULL : asm_facts_function(r->facts, without_version(o->text));
	if (to)
		return to == r->function ? 0 : note_call(r, to);
	r->function->vectors |= o->indirect || !is_whole_numbers(r, without_version(o->text));
	return 0;
}

/* ".set other, name": who calls the one may know of the other. */
static void look_at_directive(struct reading *r, struct asm_slice d)
{
	const struct asm_slice name = asm_directive_name(d);

	if (!asm_is(name, ".set") && !asm_is(name, ".equ") && !asm_is(name, ".symver"))
		return;
	for (unsigned i = 0; i < 2; i++) {
		struct asm_function *f = asm_facts_function(r->facts, asm_directive_argument(d, i));

		if (f)
			f->vectors = true;
	}
}

static int read_functions(struct reading *r, struct asm_cursor c)
{
	struct asm_insn insn;
	int e = 0;

	for (struct asm_statement s = asm_next(&c); s.kind != ASM_END && e >= 0; s = asm_next(&c)) {
		if (s.kind == ASM_DIRECTIVE)
			look_at_directive(r, s.text);
		if (s.kind == ASM_LABEL) {
			struct asm_function *f = asm_facts_function(r->facts, s.text);

			r->function = f ? f : r->function;
			r->eax_is_zero = false;
		} else if (s.kind == ASM_INSN && r->function) {
			if (asm_insn_parse(s.text.at, s.text.len, &insn)) {
				e = look_at(r, &insn);
				look_at_eax(r, &insn);
			} else {
				r->function->vectors = true;
			}
		}
	}
	return e;
}

static void spread(struct reading *r)
{
	for (bool more = true; more;) {
		more = false;
		for (size_t i = 0; i < r->n_calls; i++) {
			bool *from = &r->facts->functions[r->calls[i].from].vectors,
			     *to = &r->facts->functions[r->calls[i].to].vectors;

			more |= *from != *to;
			*from = *to = *from || *to;
		}
	}
}

int asm_vectors_read(const char *text, size_t size, struct asm_facts *f)
{
	struct reading r = { .facts = f };
	const int e = read_functions(&r, (struct asm_cursor){ text, size, 0 });

	if (e >= 0)
		spread(&r);
	free(r.calls);
	return e;
}
