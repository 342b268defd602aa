/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Variables in stack frames: where the frame lies, what lies in it, and what a name means at a place. */
#include "symbols_private.h"

#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/disasm.h"
#include "vtb/hash.h"

#define REG_RBP 6u
#define REG_RSP 7u
#define PROLOGUE_BYTES_MAX 512u
#define SAVED_BYTES 16u /* with a frame pointer: rbp = CFA - 16, below the return address and the caller's rbp */

struct frame {
	struct sym_module *m;
	uint64_t pc; /* in libdw's addresses */
	uint64_t sp, cfa, rbp;
	bool has_rbp;
};

/* How far the stack pointer is below the CFA at pc: the return address, and what the prologue pushed and reserved. The
 * prologue ends at the first instruction that leaves the straight line. */
static bool prologue_depth(struct sym_module *m, uint64_t pc, uint64_t *ret)
{
	struct sym_function *f = sym_function_at(m, pc);
	uint8_t code[PROLOGUE_BYTES_MAX];
	struct vtb_instruction insn;
	Dwarf_Addr lo;
	size_t n, at = 0;
	uint64_t depth = 8;

	if (!f || dwarf_entrypc(&f->die, &lo) != 0)
		return false;
	lo += m->bias;
	if (!m->owner->disasm && vtb_disasm_new(&m->owner->disasm) < 0)
		return false;
	n = vtb_symbols_bytes(m->owner, m->path, lo, code, sizeof(code));
	while (at < n && lo + at < pc && vtb_disasm_one(m->owner->disasm, code + at, n - at, lo + at, &insn) > 0) {
		if (insn.is_jump || insn.is_call || insn.is_return)
			break;
		depth -= (uint64_t)(int64_t)insn.sp_change;
		at += insn.length;
	}
	*ret = depth;
	return at > 0;
}

static Dwarf_Frame *cfi_frame(struct sym_module *m, uint64_t pc)
{
	Dwarf_Frame *frame = NULL;
	Dwarf_Addr bias;
	Dwarf_CFI *cfi = dwfl_module_eh_cfi(m->mod, &bias);

	if (cfi && dwarf_cfi_addrframe(cfi, pc - bias, &frame) == 0)
		return frame;
	cfi = dwfl_module_dwarf_cfi(m->mod, &bias);
	if (cfi && dwarf_cfi_addrframe(cfi, pc - bias, &frame) == 0)
		return frame;
	return NULL;
}

/* The CFA rule is register + offset in all that compilers write for C and C++. */
static bool frame_init(struct frame *f, struct sym_module *m, uint64_t pc, uint64_t sp)
{
	Dwarf_Frame *frame = m->mod ? cfi_frame(m, pc) : NULL;
	Dwarf_Op *ops;
	size_t n;
	uint64_t reg, offset, depth;
	bool known = false;

	*f = (struct frame){ .m = m, .pc = pc - m->bias, .sp = sp };
	if (!frame)
		return false;
	if (dwarf_frame_cfa(frame, &ops, &n) == 0 && n == 1) {
		reg = ops[0].atom == DW_OP_bregx ? ops[0].number : (uint64_t)ops[0].atom - DW_OP_breg0;
		offset = ops[0].atom == DW_OP_bregx ? ops[0].number2 : ops[0].number;
		if (reg == REG_RSP) {
			f->cfa = sp + offset;
			known = true;
		} else if (reg == REG_RBP && offset == SAVED_BYTES && prologue_depth(m, pc, &depth)) {
			f->cfa = sp + depth;
			f->rbp = f->cfa - SAVED_BYTES;
			f->has_rbp = known = true;
		}
	}
	free(frame);
	return known;
}

bool vtb_symbols_cfa(struct vtb_symbols *s, const char *path, uint64_t pc, uint64_t sp, uint64_t *ret)
{
	struct sym_module *m = sym_module(s, path);
	struct frame f;

	if (!m || !frame_init(&f, m, pc, sp))
		return false;
	*ret = f.cfa;
	return true;
}

static bool register_value(const struct frame *f, uint64_t reg, uint64_t *ret)
{
	*ret = reg == REG_RSP ? f->sp : f->rbp;
	return reg == REG_RSP || (reg == REG_RBP && f->has_rbp);
}

/* What DW_OP_fbreg counts from: the CFA, rbp or rsp. */
static bool frame_base(const struct frame *f, Dwarf_Die *function, uint64_t *ret)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;

	if (!dwarf_attr(function, DW_AT_frame_base, &attr) || dwarf_getlocation_addr(&attr, f->pc, &ops, &n, 1) < 1 ||
	    n != 1)
		return false;
	if (ops[0].atom == DW_OP_call_frame_cfa) {
		*ret = f->cfa;
		return true;
	}
	if (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
		return register_value(f, ops[0].atom - DW_OP_reg0, ret);
	if (ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31 &&
	    register_value(f, ops[0].atom - DW_OP_breg0, ret)) {
		*ret += ops[0].number;
		return true;
	}
	return false;
}

/* What the two bases of a function's variables are at this call. */
static void bases_of(const struct frame *f, Dwarf_Die *function, struct sym_bases *ret)
{
	*ret = (struct sym_bases){ .pc = f->pc };
	ret->known[SYM_BASE_FRAME] = frame_base(f, function, &ret->at[SYM_BASE_FRAME]);
	ret->known[SYM_BASE_RSP] = register_value(f, REG_RSP, &ret->at[SYM_BASE_RSP]);
	ret->known[SYM_BASE_RBP] = register_value(f, REG_RBP, &ret->at[SYM_BASE_RBP]);
}

static bool find_local(struct vtb_symbols *s, struct sym_module *m, uint64_t pc, uint64_t sp, uint64_t addr,
                       uint32_t size, struct vtb_leaf *ret)
{
	struct sym_function *function = m ? sym_function_at(m, pc) : NULL;
	struct sym_bases bases;
	Dwarf_Die origin, type, var;
	const char *name;
	struct frame f;
	uint64_t at;

	if (!function || !frame_init(&f, m, pc, sp))
		return false;
	(void)sym_index_names(m);
	bases_of(&f, &function->die, &bases);
	if (!sym_slot_at(m, function, &bases, addr, &var, &at) || !sym_type_of(&var, &type))
		return false;
	sym_origin(&var, &origin);
	name = dwarf_diename(&origin);
	name = sym_string(s, name ? name : "(unnamed)");
	*ret = (struct vtb_leaf){ .object = name,
		                  .object_type = sym_type_name(m, &type),
		                  .object_addr = at,
		                  .object_size = sym_type_size(m, &type) };
	sym_leaf(m, &type, name, addr - at, size, ret);
	return true;
}

static uint64_t place_key(const struct sym_local *l)
{
	const uint64_t parts[] = { (uintptr_t)l->m, l->pc, l->above, l->size };

	return vtb_hash_seed(parts, sizeof(parts), 0);
}

static bool is_place(const struct sym_local *a, const struct sym_local *b)
{
	return a->m == b->m && a->pc == b->pc && a->above == b->above && a->size == b->size;
}

/* It costs a walk over all variables of the function, so each place is asked for once. Without memory it is again. */
bool vtb_symbols_local(struct vtb_symbols *s, const char *path, uint64_t pc, uint64_t sp, uint64_t addr, uint32_t size,
                       struct vtb_leaf *ret)
{
	struct sym_local l = { .m = sym_module(s, path), .pc = pc, .above = addr - sp, .size = size };
	uint64_t id;

	if (vtb_map64_get(&s->local_ids, place_key(&l), &id) && is_place(&s->locals[id], &l)) {
		l = s->locals[id];
	} else {
		l.found = l.m && find_local(s, l.m, pc, sp, addr, size, &l.leaf);
		l.leaf.object_addr -= sp;
		if (vtb_array_room(s, locals) == 0 && vtb_map64_set(&s->local_ids, place_key(&l), s->n_locals) == 0)
			s->locals[s->n_locals++] = l;
	}
	if (!l.found)
		return false;
	*ret = l.leaf;
	ret->object_addr += sp;
	return true;
}

static bool named_child(Dwarf_Die *scope, const char *name, Dwarf_Die *ret)
{
	if (dwarf_child(scope, ret) != 0)
		return false;
	do {
		const int tag = dwarf_tag(ret);
		Dwarf_Die origin;

		if (tag != DW_TAG_variable && tag != DW_TAG_formal_parameter)
			continue;
		sym_origin(ret, &origin);
		if (dwarf_diename(&origin) && strcmp(dwarf_diename(&origin), name) == 0) {
			*ret = origin;
			return true;
		}
	} while (dwarf_siblingof(ret, ret) == 0);
	return false;
}

/* Take typedefs and qualifiers, then one pointer or array off. */
static bool dereference(Dwarf_Die *type)
{
	for (unsigned i = 0; i < SYM_CHAIN_MAX; i++) {
		const int tag = dwarf_tag(type);

		if (tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type ||
		    !sym_type_of(type, type))
			return false;
		if (tag == DW_TAG_pointer_type || tag == DW_TAG_array_type)
			return true;
	}
	return false;
}

const char *vtb_symbols_declared(struct vtb_symbols *s, const char *path, uint64_t pc, const char *name,
                                 unsigned derefs)
{
	struct sym_module *m = sym_module(s, path);
	Dwarf_Die scopes[SYM_DEPTH_MAX], var, type;
	size_t n = m ? sym_scopes_at(m, pc, scopes, SYM_DEPTH_MAX) : 0;
	struct sym_unit *u = n ? sym_unit_at(m, pc) : NULL;
	bool found = false;

	while (n > 0 && !found)
		found = named_child(&scopes[--n], name, &var);
	if (!found && u)
		found = named_child(&u->die, name, &var);
	if (!found || !sym_type_of(&var, &type))
		return "";
	while (derefs-- > 0)
		if (!dereference(&type))
			return "";
	(void)sym_index_names(m);
	return sym_type_name(m, &type);
}

static bool argument_of(Dwarf_Die *templated, const char *name, Dwarf_Die *ret)
{
	Dwarf_Die die;

	if (dwarf_child(templated, &die) != 0)
		return false;
	do {
		if (dwarf_tag(&die) == DW_TAG_template_type_parameter && dwarf_diename(&die) &&
		    strcmp(dwarf_diename(&die), name) == 0)
			return sym_type_of(&die, ret);
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

/* Of the function itself, or of the class that it is a member of. */
static bool argument_at(struct sym_module *m, Dwarf_Die *function, const char *name, Dwarf_Die *ret)
{
	Dwarf_Die origin, class;
	uint64_t scope;
	bool pointer;

	sym_origin(function, &origin);
	if (argument_of(function, name, ret) || argument_of(&origin, name, ret))
		return true;
	return vtb_map64_get(&m->scopes, (uintptr_t)origin.addr, &scope) &&
	       sym_type_by_name(m, (const char *)(uintptr_t)scope, &class, &pointer) && !pointer &&
	       argument_of(&class, name, ret);
}

const char *vtb_symbols_argument(struct vtb_symbols *s, const char *path, uint64_t pc, const char *name)
{
	struct sym_module *m = sym_module(s, path);
	Dwarf_Die scopes[SYM_DEPTH_MAX], type;
	size_t n = m && sym_index_names(m) == 0 ? sym_scopes_at(m, pc, scopes, SYM_DEPTH_MAX) : 0;

	while (n-- > 0) {
		const int tag = dwarf_tag(&scopes[n]);

		if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine)
			continue;
		return argument_at(m, &scopes[n], name, &type) ? sym_type_name(m, &type) : "";
	}
	return "";
}
