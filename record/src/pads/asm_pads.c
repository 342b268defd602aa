/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/asm_pads.h"

#include "asm_does.h"
#include "asm_emit.h"
#include "asm_flags.h"

#include "vtb/array.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rewriting {
	struct asm_emit out;
	struct asm_cursor cursor;
	struct asm_facts facts;
	struct asm_section_state sections;
	const struct asm_function *function;
	struct asm_slice loc;  /* last .loc, for instructions that move to a stub */
	const char *prefix;    /* start of a prefix that stood as a statement of its own */
	bool lock, rep;        /* what it was */
	bool noted;            /* the compiler's note that is being read has named memory of a volatile access */
	bool marked;           /* the compiler's notes say that the next instruction is an atomic access */
	bool in_app, skip_app; /* in an asm statement; one that is left alone */
	struct vtb_pads_count count;
};

static uint32_t log2_of(uint32_t bytes)
{
	return bytes && bytes <= 16 && !(bytes & (bytes - 1)) ? (uint32_t)__builtin_ctz(bytes) : VTB_PAD_LOG2_NONE;
}

/* ---- is this operand worth a pad? */

static bool begins_name(char c)
{
	return isalpha((unsigned char)c) || c == '_' || c == '.';
}

/* The first symbol in "symbol+8", "16+symbol@tpoff", "-24" (none). Hexadecimal numbers are none. */
static struct asm_slice symbol_of(struct asm_slice disp)
{
	size_t i = 0, n;

	while (i < disp.len && !begins_name(disp.at[i])) {
		if (!isdigit((unsigned char)disp.at[i])) {
			i++;
			continue;
		}
		while (i < disp.len && isalnum((unsigned char)disp.at[i]))
			i++;
	}
	for (n = i; n < disp.len && (isalnum((unsigned char)disp.at[n]) || strchr("_.$", disp.at[n]));)
		n++;
	return (struct asm_slice){ disp.at + i, n - i };
}

static bool contains(struct asm_slice s, const char *what)
{
	return memmem(s.at, s.len, what, strlen(what)) != NULL;
}

/* ".+8", "1f", "2b": means something else at another place of the text */
static bool is_positional(struct asm_slice disp)
{
	for (size_t i = 0; i < disp.len; i++) {
		const bool inside = i && (isalnum((unsigned char)disp.at[i - 1]) || strchr("_.$@", disp.at[i - 1]));
		const char next = i + 1 < disp.len ? disp.at[i + 1] : 0;

		if (!inside && disp.at[i] == '.' && !isalnum((unsigned char)next) && next != '_')
			return true;
		if (!inside && isdigit((unsigned char)disp.at[i])) {
			while (i + 1 < disp.len && isdigit((unsigned char)disp.at[i + 1]))
				i++;
			if (i + 1 < disp.len && (disp.at[i + 1] == 'f' || disp.at[i + 1] == 'b') &&
			    (i + 2 == disp.len || !isalnum((unsigned char)disp.at[i + 2])))
				return true;
			while (i + 1 < disp.len && isalnum((unsigned char)disp.at[i + 1])) /* 0x1f */
				i++;
		}
	}
	return false;
}

enum place { PLACE_SHARED, PLACE_PRIVATE, PLACE_CONSTANT, PLACE_NO_ADDRESS };

static enum place place_of(const struct rewriting *r, const struct asm_operand *o)
{
	const struct asm_slice symbol = symbol_of(o->disp);

	if (contains(o->disp, "@GOT") || contains(o->disp, "@got"))
		return PLACE_CONSTANT;
	if (asm_is(o->segment, "%fs") && !o->base.len && !symbol.len)
		return PLACE_CONSTANT;
	if (asm_is(o->segment, "%gs") || is_positional(o->disp))
		return PLACE_NO_ADDRESS;
	if (symbol.len && (!o->base.len || asm_is(o->base, "%rip")) && asm_facts_constant(&r->facts, symbol))
		return PLACE_CONSTANT;
	return asm_in_frame(o, r->function) ? PLACE_PRIVATE : PLACE_SHARED;
}

/* ---- sites */

static int skip(struct rewriting *r, const char *at, enum vtb_pad_skip why)
{
	struct asm_site site = { .section = r->sections.current, .info = VTB_PAD_SKIPPED | (uint32_t)why << 16 };

	r->count.skipped++;
	return asm_emit_site(&r->out, at, NULL, &site);
}

/* What a pad before this instruction need not keep. An asm statement may do what no compiler does. */
static uint32_t loose(const struct rewriting *r, const struct asm_insn *insn, enum vtb_pad_kind kind)
{
	const bool short_way = kind == VTB_PAD_READ || kind == VTB_PAD_WRITE;
	uint32_t ret = 0;

	if (r->in_app)
		return 0;
	if (short_way && asm_flags_dead(insn, r->cursor))
		ret |= VTB_PAD_FLAGS_DEAD;
	if (short_way && asm_no_red_zone(r->function))
		ret |= VTB_PAD_NO_RED_ZONE;
	if (r->function && !r->function->vectors)
		ret |= VTB_PAD_NO_VECTORS;
	return ret;
}

static int put_site(struct rewriting *r, const struct asm_insn *insn, const char *from, const char *to,
                    enum vtb_pad_kind kind, uint32_t flags)
{
	struct asm_site site = { .section = r->sections.current, .loc = r->loc };

	site.info = kind | log2_of(insn->bytes) << 4 | flags | insn->bytes << 16;
	site.info |= loose(r, insn, kind);
	if (kind >= VTB_PAD_READ && kind <= VTB_PAD_STORE)
		site.operand = &insn->operands[insn->operand];
	if (kind >= VTB_PAD_ATOMIC && kind <= VTB_PAD_STORE) {
		site.instruction = (struct asm_slice){ from, (size_t)(to - from) };
		site.does = kind != VTB_PAD_LOAD ? asm_does(insn) : 0;
	}
	r->count.sites++;
	r->count.atomic += kind >= VTB_PAD_ATOMIC && kind <= VTB_PAD_STORE;
	return asm_emit_site(&r->out, from, site.instruction.len ? to : NULL, &site);
}

/* gcc and clang make fences of `lock orq $0, (%rsp)`. */
static bool is_stack_fence(const struct asm_insn *insn)
{
	return insn->use == ASM_LOCKED && insn->n_operands == 2 && insn->operands[0].kind == ASM_IMMEDIATE &&
	       asm_is(insn->operands[0].text, "$0") && asm_is(insn->operands[1].base, "%rsp");
}

static enum vtb_pad_kind kind_of(const struct rewriting *r, const struct asm_insn *insn)
{
	static const uint8_t kinds[] = {
		[ASM_READS] = VTB_PAD_READ,    [ASM_WRITES] = VTB_PAD_WRITE, [ASM_UPDATES] = VTB_PAD_UPDATE,
		[ASM_LOCKED] = VTB_PAD_ATOMIC, [ASM_CAS] = VTB_PAD_CAS,      [ASM_FENCE] = VTB_PAD_FENCE,
		[ASM_MOVS] = VTB_PAD_MOVS,     [ASM_STOS] = VTB_PAD_STOS,    [ASM_LODS] = VTB_PAD_LODS,
		[ASM_CMPS] = VTB_PAD_CMPS,     [ASM_SCAS] = VTB_PAD_SCAS,
	};

	if (is_stack_fence(insn))
		return VTB_PAD_FENCE;
	if (r->marked && insn->bytes <= 8 && insn->use == ASM_READS)
		return VTB_PAD_LOAD;
	if (r->marked && insn->bytes <= 8 && insn->use == ASM_WRITES)
		return VTB_PAD_STORE;
	return (enum vtb_pad_kind)kinds[insn->use];
}

static int do_instruction(struct rewriting *r, const struct asm_insn *insn, const char *from, const char *to)
{
	const enum vtb_pad_kind kind =
	    insn->use == ASM_UNKNOWN || insn->use == ASM_NO_ADDRESS ? VTB_PAD_SKIPPED : kind_of(r, insn);
	uint32_t flags = insn->rep ? VTB_PAD_REP : 0;
	enum place place;

	if (kind == VTB_PAD_SKIPPED)
		return insn->operand < insn->n_operands && place_of(r, &insn->operands[insn->operand]) == PLACE_PRIVATE
		           ? 0
		           : skip(r, from, insn->use == ASM_UNKNOWN ? VTB_PAD_SKIP_UNKNOWN : VTB_PAD_SKIP_OPERAND);
	if (kind >= VTB_PAD_FENCE)
		return put_site(r, insn, from, to, kind, flags);
	place = place_of(r, &insn->operands[insn->operand]);
	r->count.private_frame += place == PLACE_PRIVATE;
	if (place == PLACE_NO_ADDRESS)
		return skip(r, from, VTB_PAD_SKIP_OPERAND);
	if (asm_is(insn->operands[insn->operand].segment, "%fs"))
		flags |= VTB_PAD_FS;
	return place == PLACE_SHARED ? put_site(r, insn, from, to, kind, flags) : 0;
}

/* ---- statements */

static int instruction(struct rewriting *r, struct asm_slice text)
{
	const char *from = r->prefix ? r->prefix : text.at;
	struct asm_insn insn;
	int e = 0;

	if (r->skip_app || !asm_section_is_code(r->sections.current))
		return 0;
	if (!asm_insn_parse(text.at, text.len, &insn))
		return skip(r, from, VTB_PAD_SKIP_UNKNOWN);
	insn.lock |= r->lock;
	insn.rep |= r->rep;
	if (!insn.mnemonic.len && (insn.lock || insn.rep)) { /* "lock" alone: belongs to what follows */
		r->prefix = from;
		r->lock = insn.lock;
		r->rep = insn.rep;
		return 0;
	}
	asm_insn_classify(&insn);
	if (insn.use != ASM_NONE)
		e = do_instruction(r, &insn, from, text.at + text.len);
	r->prefix = NULL;
	r->lock = r->rep = r->marked = false;
	return e;
}

static bool is_harmless(struct asm_slice directive)
{
	const struct asm_slice name = asm_directive_name(directive);

	return asm_is(name, ".p2align") || asm_is(name, ".align") || asm_is(name, ".balign") || asm_is(name, ".loc") ||
	       (name.len > 5 && !memcmp(name.at, ".cfi_", 5));
}

/* gcc writes asm statements that follow each other between one pair of #APP and #NO_APP, each with this behind it. */
static bool ends_part(const struct asm_statement *s)
{
	return s->kind == ASM_NO_APP || s->kind == ASM_END || (s->kind == ASM_COMMENT && asm_is(s->text, "# 0 \"\" 2"));
}

/* An asm statement with data, sections, macros or another syntax in it is left alone: its bytes may be counted by
 * somebody. */
static bool app_is_plain(struct asm_cursor c, bool *has_instructions)
{
	struct asm_insn insn;

	*has_instructions = false;
	for (struct asm_statement s = asm_next(&c); !ends_part(&s); s = asm_next(&c)) {
		if (s.kind == ASM_DIRECTIVE && !is_harmless(s.text)) {
			*has_instructions = true;
			return false;
		}
		if (s.kind != ASM_INSN)
			continue;
		*has_instructions = true;
		if (!asm_insn_parse(s.text.at, s.text.len, &insn) || asm_is(insn.mnemonic, "std"))
			return false; /* the runtime counts on the direction flag */
		for (uint32_t i = 0; i < insn.n_operands; i++)
			if (insn.operands[i].kind == ASM_MEMORY && insn.operands[i].disp.len &&
			    insn.operands[i].disp.at[0] == '.' && is_positional(insn.operands[i].disp))
				return false; /* jmp .+5 */
	}
	return true;
}

static int app_begins(struct rewriting *r)
{
	struct asm_cursor ahead = r->cursor;
	bool has_instructions;

	r->in_app = true;
	r->skip_app = !app_is_plain(r->cursor, &has_instructions);
	while (r->skip_app && has_instructions) { /* the label goes before its first statement, behind comments */
		const struct asm_statement s = asm_next(&ahead);

		if (s.kind != ASM_COMMENT)
			return skip(r, s.text.at, VTB_PAD_SKIP_INLINE_ASM);
	}
	return 0;
}

static int directive(struct rewriting *r, struct asm_slice text, struct vtb_error *err, const char *name)
{
	const struct asm_slice d = asm_directive_name(text);
	const char *number;
	const struct asm_slice type = asm_section_type(text, &number);

	if (type.len)
		asm_emit_replace(&r->out, type, number);
	if (asm_is(d, ".loc"))
		r->loc = text;
	else if (asm_is(d, ".intel_syntax") && !r->in_app)
		return vtb_error_set(err, -EINVAL, name, 0,
		                     "assembler in Intel syntax: pads are put into AT&T syntax only; leave -masm=intel "
		                     "out, or compile this file without vtb cc");
	if (!r->skip_app)
		asm_section_follow(&r->sections, text);
	return 0;
}

/* A line of what gcc -dP writes of an instruction. Alias set -1 is what it gives to atomic accesses alone; it stands
 * behind the address, which is on lines of its own where it is a sum. */
static void note(struct rewriting *r, struct asm_slice line)
{
	if (line.len > 1 && line.at[1] == '(')
		r->noted = false;
	r->noted |= contains(line, "(mem/v") && !contains(line, ":BLK");
	r->marked |= r->noted && contains(line, " [-1 ");
}

static int statement(struct rewriting *r, const struct asm_statement *s, struct vtb_error *err, const char *name)
{
	const struct asm_function *f;

	switch (s->kind) {
	case ASM_LABEL:
		f = asm_facts_function(&r->facts, s->text);
		r->function = f ? f : r->function;
		return 0;
	case ASM_DIRECTIVE:
		return directive(r, s->text, err, name);
	case ASM_INSN:
		return instruction(r, s->text);
	case ASM_APP:
		return app_begins(r);
	case ASM_NO_APP:
		r->in_app = r->skip_app = false;
		return 0;
	case ASM_COMMENT:
		if (r->in_app && ends_part(s))
			return app_begins(r);
		note(r, s->text);
		return 0;
	default:
		return 0;
	}
}

static int rewrite(struct rewriting *r, struct vtb_error *err, const char *name)
{
	int e = 0;

	if (!r->facts.compiled)
		return skip(r, r->cursor.text, VTB_PAD_SKIP_FILE); /* assembling begins in .text */
	for (struct asm_statement s = asm_next(&r->cursor); s.kind != ASM_END && e >= 0; s = asm_next(&r->cursor))
		e = statement(r, &s, err, name);
	return e;
}

int vtb_pads_rewrite(const char *name, const char *text, size_t size, char **ret, size_t *ret_size,
                     struct vtb_pads_count *ret_count, struct vtb_error *err)
{
	struct rewriting r = { .cursor = { text, size, 0 } };
	int e = size > VTB_PADS_FILE_MAX ? -VTB_E_LIMIT : asm_facts_read(text, size, &r.facts);

	if (e >= 0)
		e = asm_emit_init(&r.out, text, size);
	if (e >= 0)
		e = rewrite(&r, err, name);
	if (e >= 0)
		e = asm_emit_end(&r.out, ret, ret_size);
	if (e >= 0 && ret_count)
		*ret_count = r.count;
	if (e < 0 && e != -EINVAL)
		vtb_error_set(err, e, name, 0, "%s", vtb_strerror(e));
	asm_emit_fini(&r.out);
	asm_facts_fini(&r.facts);
	return e;
}
