/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tier break: from the accesses of a schedule to the instructions of a build that has no hooks. */
#include "vtb/replay.h"

#include "sweep.h"
#include "vtb/array.h"
#include "vtb/disasm.h"
#include "vtb/hash.h"
#include "vtb/symbols.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FUNCTION_LINES 2000u /* lines of a function that are searched for a text */
#define LINES_AFTER 200u     /* of a function that are watched as a whole: so many behind the line named */
#define INSTRUCTION_MAX 15u

#define REG_SP 7
#define REG_BP 6

struct planner {
	struct vtb_break_plan *plan;
	struct vtb_symbols *symbols;
	struct vtb_disasm *disasm;
	const char *const *paths; /* modules to look into, the program first */
	size_t n_paths;
};

void vtb_break_plan_fini(struct vtb_break_plan *p)
{
	for (size_t i = 0; i < p->n_modules; i++)
		free(p->modules[i]);
	free(p->modules);
	free(p->breaks);
	*p = (struct vtb_break_plan){ 0 };
}

static bool is_access(unsigned kind)
{
	const struct vtb_event_info *info = vtb_event_info(kind);

	return info && (info->family == VTB_FAMILY_MEMORY || info->family == VTB_FAMILY_ATOMIC) && kind != VTB_E_FENCE;
}

/* What the instruction does to this operand, as an event kind; 0: not what is wanted. `kind` 0: anything. Atomic
 * operations that the compiler made plain moves of (loads, stores but seq_cst ones) stay loads and stores. */
static uint32_t kind_of(const struct vtb_instruction *insn, const struct vtb_mem_operand *op, unsigned kind)
{
	const bool reads = op->access & VTB_MEM_READ, writes = op->access & VTB_MEM_WRITE;

	if (insn->is_atomic)
		return !kind || kind >= VTB_E_ATOMIC_LOAD ? VTB_E_ATOMIC_RMW : 0;
	if (reads && writes)
		return VTB_E_WRITE;
	if (reads)
		return !kind || kind == VTB_E_READ || kind == VTB_E_ATOMIC_LOAD ? VTB_E_READ : 0;
	if (writes)
		return !kind || kind == VTB_E_WRITE || kind == VTB_E_ATOMIC_STORE ? VTB_E_WRITE : 0;
	return 0;
}

static uint8_t log2_of(unsigned size)
{
	uint8_t n = 0;

	while (n < 4 && (1u << n) < size)
		n++;
	return n;
}

static bool is_planned(const struct vtb_break_plan *p, const char *path, uint64_t pc)
{
	for (size_t i = 0; i < p->n_breaks; i++)
		if (p->breaks[i].pc == pc && !strcmp(p->modules[i], path))
			return true;
	return false;
}

static int add_break(struct vtb_break_plan *p, const char *path, const struct vtb_wire_break *b)
{
	int r;

	if (p->n_breaks >= VTB_WIRE_BREAKS_MAX || is_planned(p, path, b->pc))
		return 0;
	r = vtb_array_room(p, breaks);
	if (r >= 0)
		r = vtb_array_room(p, modules);
	if (r < 0)
		return r;
	p->modules[p->n_modules] = strdup(path);
	if (!p->modules[p->n_modules])
		return -ENOMEM;
	p->n_modules++;
	p->breaks[p->n_breaks++] = *b;
	return 0;
}

/* Locals that no other thread can see lie relative to the stack pointer; those that are shared are reached through
 * pointers. */
static bool is_stack_slot(const struct vtb_mem_operand *op)
{
	return op->base == REG_SP || op->base == REG_BP;
}

/* 1: planted. */
static int plan_instruction(struct planner *pl, const char *path, uint64_t addr, unsigned kind)
{
	uint8_t code[INSTRUCTION_MAX];
	struct vtb_instruction insn;
	const size_t n = vtb_symbols_bytes(pl->symbols, path, addr, code, sizeof(code));

	if (vtb_disasm_one(pl->disasm, code, n, addr, &insn) <= 0 || insn.is_repeated || insn.is_call || insn.is_jump)
		return 0;
	for (unsigned i = 0; i < insn.n_operands; i++) {
		const struct vtb_mem_operand *op = &insn.operands[i];
		const uint32_t found = op->access && !is_stack_slot(op) ? kind_of(&insn, op, kind) : 0;
		const struct vtb_wire_break b = {
			.pc = addr,
			.kind = found,
			.size_log2 = log2_of(op->size),
			.base = op->base,
			.index = op->index,
			.scale = op->scale,
			.disp = op->disp,
			.segment = op->segment,
			.length = insn.length,
			.flags = found == VTB_E_WRITE && op->access & VTB_MEM_READ ? VTB_BREAK_SPLIT : 0,
		};

		if (found) {
			const int r = add_break(pl->plan, path, &b);

			return r < 0 ? r : 1;
		}
	}
	return 0;
}

/* Instructions of the line in the module: how many were planned; -ENOENT: no such function there. */
static int plan_line(struct planner *pl, const char *path, const char *function, uint32_t line, unsigned kind)
{
	const int64_t most = vtb_symbols_lines(pl->symbols, path, function, line, NULL, 0);
	uint64_t *addrs = most > 0 ? calloc((size_t)most, sizeof(*addrs)) : NULL;
	const int64_t n = addrs ? vtb_symbols_lines(pl->symbols, path, function, line, addrs, (size_t)most) : 0;
	int planned = 0, r = 0;

	for (int64_t i = 0; i < n && r >= 0; i++) {
		r = plan_instruction(pl, path, addrs[i], kind);
		planned += r > 0;
	}
	free(addrs);
	return most < 0 ? -ENOENT : r < 0 ? r : most && !addrs ? -ENOMEM : planned;
}

/* The line, counted from the function's first, on which `text_hash` stands in the source that this module was built
 * from: the one given if it is still right, else the only other one. */
static uint32_t line_by_text(struct planner *pl, const char *path, const char *function, uint32_t line,
                             uint64_t text_hash)
{
	uint32_t found = line, n = 0;

	for (uint32_t k = 0; text_hash && k < FUNCTION_LINES; k++) {
		uint64_t addr;
		struct vtb_place place;
		const uint32_t at = k == 0 ? line : k - 1; /* the line given first */

		if (vtb_symbols_lines(pl->symbols, path, function, at, &addr, 1) <= 0)
			continue;
		vtb_symbols_place(pl->symbols, path, addr, &place);
		if (vtb_hash_text(vtb_symbols_source(pl->symbols, path, place.file, place.line)) != text_hash)
			continue;
		if (at == line)
			return line;
		found = at;
		n++;
	}
	return n == 1 ? found : line;
}

/* In the first module that has the function. Returns how many instructions were planned. */
static int plan_place(struct planner *pl, const char *function, uint32_t line, uint64_t text_hash, unsigned kind)
{
	for (size_t i = 0; i < pl->n_paths; i++) {
		const int r = plan_line(pl, pl->paths[i], function,
		                        line_by_text(pl, pl->paths[i], function, line, text_hash), kind);

		if (r != -ENOENT)
			return r;
	}
	return 0;
}

/* All accesses of the function that the operation lies in. */
static int plan_function(struct planner *pl, const struct vtb_op *op)
{
	int r = 0, planned = 0;

	for (uint32_t line = 0; line < op->name.line_in_function + LINES_AFTER && r >= 0; line++) {
		r = plan_place(pl, op->name.function, line, 0, 0);
		planned += r > 0 ? r : 0;
	}
	return r < 0 ? r : planned;
}

/* If its line has no fitting instruction, the compiler may have merged it into another line's: then all of the function
 * are watched. */
static int plan_op(struct planner *pl, const struct vtb_op *op)
{
	const struct vtb_opname *name = &op->name;
	int r;

	if (!is_access(name->kind) || !name->function || !name->function[0])
		return 0;
	r = plan_place(pl, name->function, name->line_in_function, name->text_hash, name->kind);
	if (r == 0)
		r = plan_function(pl, op);
	if (r == 0 && !pl->plan->without++)
		snprintf(pl->plan->text, sizeof(pl->plan->text),
		         "no instruction of this build does the %s in %.80s, line %u (%.60s): the compiler may have "
		         "removed or merged it",
		         vtb_event_info(name->kind)->name, name->function, name->line,
		         name->variable ? name->variable : "?");
	return r;
}

static int plan_schedule(struct planner *pl, const struct vtb_schedule *s)
{
	int r = 0;

	for (size_t i = 0; i < s->n_deviations && r >= 0; i++)
		r = plan_op(pl, &s->deviations[i].after);
	for (size_t i = 0; i < s->n_constraints && r >= 0; i++) {
		r = plan_op(pl, &s->constraints[i].before);
		if (r >= 0)
			r = plan_op(pl, &s->constraints[i].after);
	}
	return r;
}

/* A thread goes on from an operation to its next one. In a recorded order that may have been too far: what it would
 * access on the way in the function of the operation is watched as well, and what it had not yet done when the
 * recording ended is in no trace. */
static int plan_ways_on(struct planner *pl, const struct vtb_schedule *s)
{
	int r = 0;

	for (size_t i = 0; i < s->n_constraints && r >= 0; i++)
		if (s->constraints[i].before.name.function && s->constraints[i].before.name.function[0])
			r = plan_function(pl, &s->constraints[i].before);
	return r;
}

/* ---- neighbours: a switch after an access takes effect at the thread's next operation, which must be seen too */

static bool names_variable(const struct vtb_schedule *s, const char *variable)
{
	for (size_t i = 0; i < s->n_deviations; i++)
		if (s->deviations[i].after.name.variable && !strcmp(s->deviations[i].after.name.variable, variable))
			return true;
	for (size_t i = 0; i < s->n_constraints; i++)
		if ((s->constraints[i].before.name.variable &&
		     !strcmp(s->constraints[i].before.name.variable, variable)) ||
		    (s->constraints[i].after.name.variable && !strcmp(s->constraints[i].after.name.variable, variable)))
			return true;
	return false;
}

/* Every access to a variable that the schedule speaks of. */
static int plan_trace(struct planner *pl, const struct vtb_schedule *s, const struct vtb_trace *t)
{
	int r = 0;

	for (size_t i = 0; i < t->n_events && r >= 0; i++) {
		const struct vtb_event *e = &t->events[i];
		const struct vtb_site *site = e->site < t->tab.n_sites ? &t->tab.sites[e->site] : NULL;

		if (!site || !site->function[0] || !is_access(e->kind) || e->var >= t->tab.n_variables ||
		    !names_variable(s, t->tab.variables[e->var].name))
			continue;
		r = plan_place(pl, site->function, site->line - site->function_line, site->text_hash, e->kind);
	}
	return r;
}

/* Without a trace: all accesses of the functions that the schedule names. */
static int plan_functions(struct planner *pl, const struct vtb_schedule *s)
{
	int r = 0;

	for (size_t i = 0; i < s->n_deviations && r >= 0; i++)
		if (is_access(s->deviations[i].after.name.kind) && s->deviations[i].after.name.function)
			r = plan_function(pl, &s->deviations[i].after);
	return r;
}

/* Modules to look into: the program, then those of the table that are still there; not the system's. */
static size_t choose_paths(const struct vtb_symtab *tab, const char *program, const char **paths, size_t max)
{
	size_t n = 0;

	paths[n++] = program;
	for (size_t i = 0; i < tab->n_modules && n < max; i++)
		if (strcmp(tab->modules[i].path, program) && tab->modules[i].path[0] == '/' &&
		    strncmp(tab->modules[i].path, "/usr/", 5) && strncmp(tab->modules[i].path, "/lib", 4) &&
		    !access(tab->modules[i].path, R_OK))
			paths[n++] = tab->modules[i].path;
	return n;
}

static int make_plan(struct planner *pl, const struct vtb_schedule *schedules, size_t n, const struct vtb_trace *trace)
{
	int r = vtb_symbols_new(&pl->symbols);

	if (r >= 0)
		r = vtb_disasm_new(&pl->disasm);
	for (size_t i = 0; i < n && r >= 0; i++) {
		r = plan_schedule(pl, &schedules[i]);
		if (r >= 0)
			r = plan_ways_on(pl, &schedules[i]);
		if (r >= 0)
			r = trace ? plan_trace(pl, &schedules[i], trace) : plan_functions(pl, &schedules[i]);
	}
	vtb_disasm_free(pl->disasm);
	vtb_symbols_free(pl->symbols);
	return r;
}

int vtb_break_plan_make(const struct vtb_schedule *schedules, size_t n, const struct vtb_symtab *tab,
                        const struct vtb_trace *trace, const char *program, struct vtb_break_plan *ret,
                        struct vtb_error *err)
{
	const char *paths[64];
	struct planner pl = { .plan = ret, .paths = paths };
	int r;

	*ret = (struct vtb_break_plan){ 0 };
	pl.n_paths = choose_paths(tab, program, paths, sizeof(paths) / sizeof(paths[0]));
	r = make_plan(&pl, schedules, n, trace);
	if (r >= 0)
		return 0;
	vtb_break_plan_fini(ret);
	return vtb_error_set(err, r, program, 0, "cannot look for the schedule's accesses: %s", vtb_strerror(r));
}

/* ---- by address */

struct words {
	struct planner *pl;
	const char *program;
	const uint64_t *words;
	size_t n;
};

static int plan_if_named(void *arg, uint64_t at, const struct vtb_instruction *insn)
{
	const struct words *w = arg;
	uint64_t lo;

	for (unsigned i = 0; i < insn->n_operands; i++) {
		const struct vtb_mem_operand *op = &insn->operands[i];

		for (size_t k = 0; op->access && vtb_sweep_names(op, at + insn->length, &lo) && k < w->n; k++)
			if (lo < w->words[k] + 4 && w->words[k] < lo + op->size)
				return plan_instruction(w->pl, w->program, at, 0);
	}
	return 0;
}

static int plan_words(struct planner *pl, const char *program, const uint64_t *words, size_t n)
{
	struct words w = { .pl = pl, .program = program, .words = words, .n = n };
	struct sweep_range code;
	const int r = n ? vtb_sweep_code(program, &code) : 1;

	return r ? r : vtb_sweep(pl->symbols, pl->disasm, program, &code, plan_if_named, &w);
}

int vtb_break_plan_at(const char *program, const uint64_t *pcs, size_t n, const uint64_t *words, size_t n_words,
                      struct vtb_break_plan *ret, struct vtb_error *err)
{
	struct planner pl = { .plan = ret };
	int r = vtb_symbols_new(&pl.symbols);

	*ret = (struct vtb_break_plan){ 0 };
	if (r >= 0)
		r = vtb_disasm_new(&pl.disasm);
	for (size_t i = 0; i < n && r >= 0; i++)
		r = plan_instruction(&pl, program, pcs[i], 0);
	if (r >= 0)
		r = plan_words(&pl, program, words, n_words);
	vtb_disasm_free(pl.disasm);
	vtb_symbols_free(pl.symbols);
	if (r >= 0)
		return 0;
	vtb_break_plan_fini(ret);
	return vtb_error_set(err, r, program, 0, "cannot look for the accesses to watch: %s", vtb_strerror(r));
}
