/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "asm_emit.h"

#include "vtb/array.h"
#include "vtb/target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define RED_ZONE 128
#define SAVED 24 /* rax, rcx, rdx */

/* Encoded as 0f 1f 44 00 00: an instruction, not data, so that line numbers go with it. */
#define PAD "{disp8} nopl 0(%rax,%rax,1)"

int asm_emit_init(struct asm_emit *e, const char *text, size_t size)
{
	*e = (struct asm_emit){ .text = text, .size = size, .current = SIZE_MAX };
	e->out = open_memstream(&e->out_text, &e->out_size);
	e->stubs = open_memstream(&e->stub_text, &e->stub_size);
	return e->out && e->stubs ? 0 : -ENOMEM;
}

void asm_emit_fini(struct asm_emit *e)
{
	if (e->out)
		fclose(e->out);
	if (e->stubs)
		fclose(e->stubs);
	free(e->out_text);
	free(e->stub_text);
	free(e->sections);
	free(e->first);
	*e = (struct asm_emit){ 0 };
}

/* ---- sections */

static bool same(struct asm_slice a, struct asm_slice b)
{
	return a.len == b.len && !memcmp(a.at, b.at, a.len);
}

/* Index of a code section; a new one gets the next site as its first. */
static int section_index(struct asm_emit *e, struct asm_slice section, size_t *ret)
{
	int r;

	for (size_t i = e->n_sections; i-- > 0;)
		if (same(e->sections[i], section)) {
			*ret = i;
			return 0;
		}
	r = vtb_array_room(e, sections);
	if (r >= 0)
		r = vtb_array_room(e, first);
	if (r < 0)
		return r;
	*ret = e->n_sections;
	e->sections[e->n_sections++] = section;
	e->first[e->n_first++] = e->n_sites;
	return 0;
}

/* A section tied to code section `i`: kept, dropped and grouped with it. */
static void tied_section(const struct asm_emit *e, size_t i, const char *name, const char *flags)
{
	const struct asm_slice code = e->sections[i], own = asm_directive_argument(code, 1);
	struct asm_slice group = { 0 };

	if (own.len && memchr(own.at, 'G', own.len))
		group = asm_directive_argument(code, 3);
	fprintf(e->stubs, "\t.section\t%s,\"%so%s\",@progbits,.Lvtb_p%u", name, flags, group.len ? "G" : "",
	        e->first[i]);
	if (group.len)
		fprintf(e->stubs, ",%.*s,comdat", (int)group.len, group.at);
	fprintf(e->stubs, ",unique,%zu\n", i + 1);
}

/* ---- stubs */

static void save(FILE *to)
{
	fputs("\tleaq\t-128(%rsp), %rsp\n\tpushq\t%rax\n\tpushq\t%rcx\n\tpushq\t%rdx\n", to);
}

static void restore(FILE *to)
{
	fputs("\tpopq\t%rdx\n\tpopq\t%rcx\n\tpopq\t%rax\n\tleaq\t128(%rsp), %rsp\n", to);
}

/* lea OPERAND, %rax: the assembler works out relocations as it does for the access itself. rsp has moved. */
static void load_address(FILE *to, const struct asm_operand *o)
{
	const bool sp = asm_is(o->base, "%rsp");

	if (!o->base.len && !o->index.len && o->text.len &&
	    !o->segment.len) { /* an absolute address, maybe of 8 bytes */
		fprintf(to, "\tmovabsq\t$%.*s, %%rax\n", (int)o->disp.len, o->disp.at);
		return;
	}
	fputs("\tleaq\t", to);
	if (sp)
		fprintf(to, "%d%s", RED_ZONE + SAVED, o->disp.len ? "+" : "");
	fprintf(to, "%.*s", (int)o->disp.len, o->disp.at);
	if (o->base.len || o->index.len) {
		fprintf(to, "(%.*s", (int)o->base.len, o->base.at);
		if (o->index.len)
			fprintf(to, ",%.*s,%u", (int)o->index.len, o->index.at, o->scale);
		fputc(')', to);
	}
	fputs(", %rax\n", to);
}

static void call_entry(FILE *to, unsigned entry, uint32_t info, uint32_t id)
{
	fprintf(to, "\tmovl\t$%u, %%ecx\n\tleaq\t.Lvtb_p%u+%u(%%rip), %%rdx\n\tcall\t*__vtb_pads_table+%u(%%rip)\n",
	        info, id, VTB_PAD_SIZE, 8 * entry);
}

/* ".loc 1 5 3 view .LVU3": the view's label must not be defined twice. */
static size_t without_view(struct asm_slice loc)
{
	const char *view = memmem(loc.at, loc.len, " view", 5);

	return view ? (size_t)(view - loc.at) : loc.len;
}

static void write_stub(struct asm_emit *e, const struct asm_site *s, uint32_t id)
{
	FILE *to = e->stubs;

	fprintf(to, ".Lvtb_s%u:\n", id);
	save(to);
	if (s->operand)
		load_address(to, s->operand);
	call_entry(to, s->instruction.len ? VTB_PAD_BEGIN : VTB_PAD_ENTER, s->info, id);
	restore(to);
	if (!s->instruction.len) {
		fprintf(to, "\tjmp\t.Lvtb_p%u+%u\n", id, VTB_PAD_SIZE);
		return;
	}
	if (s->loc.len)
		fprintf(to, "\t%.*s\n", (int)without_view(s->loc), s->loc.at);
	fprintf(to, "\t%.*s\n", (int)s->instruction.len, s->instruction.at);
	save(to);
	call_entry(to, VTB_PAD_END, s->info, id);
	restore(to);
	fprintf(to, "\tjmp\t.Lvtb_e%u\n", id);
}

static void write_entry(struct asm_emit *e, const struct asm_site *s, uint32_t id)
{
	fprintf(e->stubs, "\t.long\t.Lvtb_p%u-.\n", id);
	if (vtb_pad_kind(s->info) == VTB_PAD_SKIPPED)
		fputs("\t.long\t0\n", e->stubs);
	else
		fprintf(e->stubs, "\t.long\t.Lvtb_s%u-.\n", id);
	fprintf(e->stubs, "\t.long\t%u, %u\n", s->info, s->does);
}

/* ---- the input */

static void copy_to(struct asm_emit *e, const char *at)
{
	const size_t to = (size_t)(at - e->text);

	fwrite(e->text + e->copied, 1, to - e->copied, e->out);
	e->copied = to;
}

void asm_emit_replace(struct asm_emit *e, struct asm_slice what, const char *with)
{
	copy_to(e, what.at);
	fputs(with, e->out);
	e->copied += what.len;
}

int asm_emit_site(struct asm_emit *e, const char *at, const char *after, const struct asm_site *s)
{
	const uint32_t id = e->n_sites;
	size_t section;
	int r = section_index(e, s->section, &section);

	if (r < 0)
		return r;
	e->n_sites++;
	copy_to(e, at);
	fprintf(e->out, ".Lvtb_p%u:%s", id,
	        vtb_pad_kind(s->info) != VTB_PAD_SKIPPED ? " " PAD "; "
	        : at == e->text                          ? "\n"
	                                                 : " ");
	if (after) {
		copy_to(e, after);
		fprintf(e->out, "; .Lvtb_e%u:", id);
	}
	if (vtb_pad_kind(s->info) != VTB_PAD_SKIPPED) {
		tied_section(e, section, "vtb_stubs", "ax");
		write_stub(e, s, id);
	}
	tied_section(e, section, VTB_PADS_SECTION, "a");
	write_entry(e, s, id);
	return ferror(e->out) || ferror(e->stubs) ? -ENOMEM : 0;
}

/* One table of entry points and one note a module, however many files it is made of. */
static void write_module(FILE *to)
{
	fprintf(to,
	        "\t.section\t" VTB_PADS_SECTION
	        ",\"aG\",@progbits,__vtb_pads_table,comdat\n\t.p2align 2\n\t.long\t0, 0, %u, 0\n",
	        VTB_PAD_ANCHOR);
	fputs("\t.section\t.data.rel.__vtb_pads_table,\"awG\",@progbits,__vtb_pads_table,comdat\n\t.p2align 3\n"
	      "\t.weak\t__vtb_pads_table\n\t.hidden\t__vtb_pads_table\n\t.type\t__vtb_pads_table, @object\n",
	      to);
	fprintf(to, "\t.size\t__vtb_pads_table, %u\n__vtb_pads_table:\n\t.zero\t%u\n", 8 * VTB_PAD_ENTRIES,
	        8 * VTB_PAD_ENTRIES);
	fputs("\t.hidden\t__start_" VTB_PADS_SECTION "\n\t.hidden\t__stop_" VTB_PADS_SECTION "\n"
	      "\t.section\t.note.vtb,\"aG\",@note,__vtb_pads_table,comdat\n\t.p2align 2\n",
	      to);
	fprintf(to, "\t.long\t4, %zu, %u\n\t.asciz\t\"VTB\"\n\t.long\t%u\n", sizeof(struct vtb_pad_note), VTB_PAD_NOTE,
	        VTB_PAD_VERSION);
	fputs("\t.long\t__start_" VTB_PADS_SECTION "-.\n\t.long\t__stop_" VTB_PADS_SECTION
	      "-.\n\t.long\t__vtb_pads_table-.\n",
	      to);
}

int asm_emit_end(struct asm_emit *e, char **ret, size_t *ret_size)
{
	copy_to(e, e->text + e->size);
	write_module(e->stubs);
	if (fflush(e->stubs) || (fputc('\n', e->out), fwrite(e->stub_text, 1, e->stub_size, e->out)) != e->stub_size ||
	    fflush(e->out))
		return -ENOMEM;
	*ret = malloc(e->out_size + 1);
	if (!*ret)
		return -ENOMEM;
	memcpy(*ret, e->out_text, e->out_size + 1);
	*ret_size = e->out_size;
	return 0;
}
