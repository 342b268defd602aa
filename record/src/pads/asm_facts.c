/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose frame can others reach? A function whose frame address never leaves rsp and rbp has a private frame: every lea
 * of it, every move of rsp or rbp into another register, and anything unusual with them lets the whole frame count as
 * shared.
 */
#include "asm_scan.h"
#include "asm_vectors.h"

#include "vtb/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int compare_slices(const struct asm_slice *a, const struct asm_slice *b)
{
	const int r = memcmp(a->at, b->at, a->len < b->len ? a->len : b->len);

	return r ? r : (a->len > b->len) - (a->len < b->len);
}

static int compare_constants(const void *a, const void *b)
{
	return compare_slices(a, b);
}

static int compare_functions(const void *a, const void *b)
{
	return compare_slices(&((const struct asm_function *)a)->name, &((const struct asm_function *)b)->name);
}

/* gcc and clang split seldom run parts off: NAME.cold shares NAME's frame. */
static struct asm_slice whole_function(struct asm_slice name)
{
	const char *cold = memmem(name.at, name.len, ".cold", 5);

	return cold ? (struct asm_slice){ name.at, (size_t)(cold - name.at) } : name;
}

bool asm_facts_constant(const struct asm_facts *f, struct asm_slice label)
{
	return f->n_constants &&
	       bsearch(&label, f->constants, f->n_constants, sizeof(*f->constants), compare_constants);
}

struct asm_function *asm_facts_function(const struct asm_facts *f, struct asm_slice label)
{
	const struct asm_function key = { .name = whole_function(label) };

	return f->n_functions ? bsearch(&key, f->functions, f->n_functions, sizeof(*f->functions), compare_functions)
	                      : NULL;
}

/* ---- frames */

static bool is_sp(struct asm_slice r)
{
	return asm_is(r, "%rsp") || asm_is(r, "%esp") || asm_is(r, "%sp") || asm_is(r, "%spl");
}

static bool is_bp(struct asm_slice r)
{
	return asm_is(r, "%rbp") || asm_is(r, "%ebp") || asm_is(r, "%bp") || asm_is(r, "%bpl");
}

bool asm_in_frame(const struct asm_operand *o, const struct asm_function *f)
{
	if (!f || f->escapes || o->kind != ASM_MEMORY || o->segment.len)
		return false;
	return is_sp(o->base) || (f->frame_pointer && is_bp(o->base));
}

static bool is_mnemonic(const struct asm_insn *insn, const char *name)
{
	const size_t n = strlen(name);

	return !strncmp(insn->mnemonic.at, name, n) &&
	       (insn->mnemonic.len == n || (insn->mnemonic.len == n + 1 && insn->mnemonic.at[n] == 'q'));
}

/* mov %rsp, %rbp */
static bool sets_frame_pointer(const struct asm_insn *insn)
{
	return is_mnemonic(insn, "mov") && insn->n_operands == 2 && asm_is(insn->operands[0].text, "%rsp") &&
	       asm_is(insn->operands[1].text, "%rbp");
}

/* Instructions that move rsp or save rbp without telling anybody. */
static bool is_housekeeping(const struct asm_insn *insn)
{
	const struct asm_operand *o = insn->operands;

	if (is_mnemonic(insn, "push") || is_mnemonic(insn, "pop"))
		return insn->n_operands == 1 && is_bp(o[0].text);
	if (insn->n_operands != 2 || !asm_is(o[1].text, "%rsp"))
		return false;
	if (is_mnemonic(insn, "sub") || is_mnemonic(insn, "add") || is_mnemonic(insn, "and"))
		return o[0].kind == ASM_IMMEDIATE ||
		       (o[0].kind == ASM_REGISTER && !is_sp(o[0].text) && !is_bp(o[0].text));
	return is_mnemonic(insn, "lea") || is_mnemonic(insn, "mov");
}

/* Does this instruction give away the frame's address? rbp counts whatever it holds: whether it is a frame pointer is
 * only known at the end. */
static void look_at_frame(struct asm_function *f, const struct asm_insn *insn, bool *rbp_escapes)
{
	const bool lea = insn->mnemonic.len >= 3 && !memcmp(insn->mnemonic.at, "lea", 3) && insn->n_operands == 2;

	if (sets_frame_pointer(insn)) {
		f->frame_pointer = true;
		return;
	}
	if (is_housekeeping(insn))
		return;
	for (uint32_t i = 0; i < insn->n_operands; i++) {
		const struct asm_operand *o = &insn->operands[i];

		if (o->kind == ASM_REGISTER) {
			f->escapes |= is_sp(o->text);
			*rbp_escapes |= is_bp(o->text);
		} else if (lea && o->kind == ASM_MEMORY) {
			f->escapes |= is_sp(o->base) || is_sp(o->index);
			*rbp_escapes |= is_bp(o->base) || is_bp(o->index);
		}
	}
}

/* ---- what lies below the stack pointer */

bool asm_no_red_zone(const struct asm_function *f)
{
	return f && (f->calls || !f->uses_frame);
}

/* A call that the compiler counts as one: not of what it has only to get an address or to count entries, which leaves
 * the red zone in use. */
static bool is_counted_call(const struct asm_insn *insn)
{
	static const char *const others[] = { "mcount", "__fentry__", "__tls_get_addr", "TLSCALL", "tlscall" };
	const struct asm_slice to = insn->n_operands == 1 ? insn->operands[0].text : (struct asm_slice){ 0 };

	if (!is_mnemonic(insn, "call") || !to.len || to.at[0] == '.' || (to.at[0] >= '0' && to.at[0] <= '9'))
		return false;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (memmem(to.at, to.len, others[i], strlen(others[i])))
			return false;
	return true;
}

static void look_at_stack(struct asm_function *f, const struct asm_insn *insn, bool in_app)
{
	for (uint32_t i = 0; i < insn->n_operands; i++) {
		const struct asm_operand *o = &insn->operands[i];

		f->uses_frame |=
		    o->kind == ASM_MEMORY && (is_sp(o->base) || is_bp(o->base) || is_sp(o->index) || is_bp(o->index));
	}
	f->calls |= !in_app && is_counted_call(insn);
}

/* ---- reading */

struct reading {
	struct asm_facts *facts;
	struct asm_section_state sections;
	struct asm_function *function;
	bool *rbp; /* of each function: rbp gets out */
};

static int note_directive(struct asm_facts *f, struct asm_slice d)
{
	const struct asm_slice name = asm_directive_name(d), type = asm_directive_argument(d, 1);
	int r;

	if (asm_is(name, ".ident"))
		f->compiled |= memmem(d.at, d.len, "GCC", 3) || memmem(d.at, d.len, "clang", 5);
	if (!asm_is(name, ".type") || !type.len || !memmem(type.at, type.len, "func", 4))
		return 0;
	r = vtb_array_room(f, functions);
	if (r < 0)
		return r;
	f->functions[f->n_functions++] = (struct asm_function){ .name = whole_function(asm_directive_argument(d, 0)) };
	return 0;
}

static int note_constant(struct reading *r, struct asm_slice label)
{
	int e;

	if (!asm_section_is_readonly(r->sections.current))
		return 0;
	e = vtb_array_room(r->facts, constants);
	if (e < 0)
		return e;
	r->facts->constants[r->facts->n_constants++] = label;
	return 0;
}

/* First time: names. */
static int read_names(struct reading *r, struct asm_cursor c)
{
	int e = 0;

	for (struct asm_statement s = asm_next(&c); s.kind != ASM_END && e >= 0; s = asm_next(&c)) {
		if (s.kind == ASM_DIRECTIVE && !asm_section_follow(&r->sections, s.text))
			e = note_directive(r->facts, s.text);
		else if (s.kind == ASM_LABEL)
			e = note_constant(r, s.text);
	}
	return e;
}

static void unique_functions(struct asm_facts *f)
{
	size_t n = 0;

	qsort(f->functions, f->n_functions, sizeof(*f->functions), compare_functions);
	for (size_t i = 0; i < f->n_functions; i++)
		if (!n || compare_functions(&f->functions[n - 1], &f->functions[i]))
			f->functions[n++] = f->functions[i];
	f->n_functions = n;
}

/* Second time: what is done with rsp and rbp. */
static void read_frames(struct reading *r, struct asm_cursor c)
{
	struct asm_insn insn;
	bool in_app = false;

	for (struct asm_statement s = asm_next(&c); s.kind != ASM_END; s = asm_next(&c)) {
		in_app = s.kind == ASM_APP || (in_app && s.kind != ASM_NO_APP);
		if (s.kind == ASM_LABEL) {
			struct asm_function *f = asm_facts_function(r->facts, s.text);

			r->function = f ? f : r->function;
		} else if (s.kind == ASM_INSN && r->function) {
			if (asm_insn_parse(s.text.at, s.text.len, &insn)) {
				look_at_frame(r->function, &insn, &r->rbp[r->function - r->facts->functions]);
				look_at_stack(r->function, &insn, in_app);
			} else {
				r->function->escapes = r->function->uses_frame = true;
			}
		}
	}
	for (size_t i = 0; i < r->facts->n_functions; i++)
		r->facts->functions[i].escapes |= r->facts->functions[i].frame_pointer && r->rbp[i];
}

void asm_facts_fini(struct asm_facts *f)
{
	free(f->constants);
	free(f->functions);
	*f = (struct asm_facts){ 0 };
}

int asm_facts_read(const char *text, size_t size, struct asm_facts *ret)
{
	struct asm_facts f = { 0 };
	struct reading r = { .facts = &f };
	int e = read_names(&r, (struct asm_cursor){ text, size, 0 });

	if (e >= 0 && f.n_functions) {
		unique_functions(&f);
		r.rbp = calloc(f.n_functions, sizeof(*r.rbp));
		e = r.rbp ? 0 : -ENOMEM;
	}
	if (e >= 0) {
		if (f.n_constants)
			qsort(f.constants, f.n_constants, sizeof(*f.constants), compare_constants);
		read_frames(&r, (struct asm_cursor){ text, size, 0 });
		e = asm_vectors_read(text, size, &f);
	}
	free(r.rbp);
	if (e < 0) {
		asm_facts_fini(&f);
		return e;
	}
	*ret = f;
	return 0;
}
