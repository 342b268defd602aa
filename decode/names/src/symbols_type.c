/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types: how they are written, how large they are, and finding one by name. */
#include "symbols_private.h"

#include <stdio.h>
#include <string.h>

#define TYPE_NAME_MAX 4096u
#define POINTER_BYTES 8u

bool sym_type_of(Dwarf_Die *die, Dwarf_Die *ret)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, ret);
}

static bool is_class(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type ||
	       tag == DW_TAG_enumeration_type;
}

void sym_complete(struct sym_module *m, Dwarf_Die *type)
{
	Dwarf_Die found;
	bool pointer;
	char name[TYPE_NAME_MAX];
	uint64_t scope = 0;

	if (!is_class(dwarf_tag(type)) || !dwarf_hasattr(type, DW_AT_declaration) || !dwarf_diename(type) ||
	    !m->n_types)
		return;
	(void)vtb_map64_get(&m->scopes, (uintptr_t)type->addr, &scope);
	snprintf(name, sizeof(name), "%s%s%s", scope ? (const char *)(uintptr_t)scope : "", scope ? "::" : "",
	         dwarf_diename(type));
	if (sym_type_by_name(m, name, &found, &pointer) && !pointer && is_class(dwarf_tag(&found)))
		*type = found;
}

/* "typedef struct pool pool_t;": what is only declared here may be defined in another unit. */
static void look_through(Dwarf_Die *type)
{
	for (unsigned i = 0; i < SYM_CHAIN_MAX && dwarf_tag(type) == DW_TAG_typedef; i++)
		if (!sym_type_of(type, type))
			return;
}

uint64_t sym_type_size(struct sym_module *m, Dwarf_Die *type)
{
	Dwarf_Die die = *type;
	Dwarf_Word size;

	look_through(&die);
	sym_complete(m, &die);
	return dwarf_aggregate_size(&die, &size) == 0 ? size : 0;
}

/* A piece of a type's name while it is put together: what stands before and after the declared name. */
struct spelling {
	char text[TYPE_NAME_MAX];
	char suffix[256]; /* "[4][3]" */
};

static void add(char *to, size_t size, const char *text)
{
	const size_t len = strlen(to);

	snprintf(to + len, size - len, "%s", text);
}

static void array_suffix(Dwarf_Die *type, struct spelling *w)
{
	Dwarf_Die dim;

	if (dwarf_child(type, &dim) != 0)
		return;
	do {
		Dwarf_Attribute attr;
		Dwarf_Word count = 0;
		char text[32] = "[]";

		if (dwarf_tag(&dim) != DW_TAG_subrange_type)
			continue;
		if (dwarf_formudata(dwarf_attr(&dim, DW_AT_count, &attr), &count) == 0)
			snprintf(text, sizeof(text), "[%llu]", (unsigned long long)count);
		else if (dwarf_formudata(dwarf_attr(&dim, DW_AT_upper_bound, &attr), &count) == 0)
			snprintf(text, sizeof(text), "[%llu]", (unsigned long long)count + 1);
		add(w->suffix, sizeof(w->suffix), text);
	} while (dwarf_siblingof(&dim, &dim) == 0);
}

static void named_type(struct sym_module *m, Dwarf_Die *type, struct spelling *w)
{
	const int tag = dwarf_tag(type);
	const bool c = sym_is_c(type);
	const char *word = tag == DW_TAG_union_type ? "union" : tag == DW_TAG_enumeration_type ? "enum" : "struct";
	const char *name = dwarf_diename(type);
	uint64_t scope;

	if (is_class(tag) && (c || !name))
		add(w->text, sizeof(w->text), word);
	if (is_class(tag) && (c && name))
		add(w->text, sizeof(w->text), " ");
	if (name && vtb_map64_get(&m->scopes, (uintptr_t)type->addr, &scope)) {
		add(w->text, sizeof(w->text), (const char *)(uintptr_t)scope);
		add(w->text, sizeof(w->text), "::");
	}
	if (name)
		add(w->text, sizeof(w->text), name);
	else if (is_class(tag))
		add(w->text, sizeof(w->text), " {...}");
}

static void spell(struct sym_module *m, Dwarf_Die *type, struct spelling *w, unsigned depth);

static void spell_inner(struct sym_module *m, Dwarf_Die *type, struct spelling *w, unsigned depth)
{
	Dwarf_Die inner;

	if (depth < SYM_CHAIN_MAX && sym_type_of(type, &inner))
		spell(m, &inner, w, depth + 1);
	else
		add(w->text, sizeof(w->text), "void");
}

/* "T *", "T (*)()" for functions, "T (*)[4]" for arrays. */
static void spell_pointer(struct sym_module *m, Dwarf_Die *type, const char *mark, struct spelling *w, unsigned depth)
{
	struct spelling inner = { .text = "" };
	Dwarf_Die target;
	const bool function = sym_type_of(type, &target) && dwarf_tag(&target) == DW_TAG_subroutine_type;

	spell_inner(m, type, &inner, depth);
	add(w->text, sizeof(w->text), inner.text);
	if (function || inner.suffix[0]) {
		add(w->text, sizeof(w->text), " (");
		add(w->text, sizeof(w->text), mark);
		add(w->text, sizeof(w->text), ")");
		add(w->text, sizeof(w->text), function ? "()" : inner.suffix);
		return;
	}
	if (inner.text[0] && !strchr("*&", inner.text[strlen(inner.text) - 1]))
		add(w->text, sizeof(w->text), " ");
	add(w->text, sizeof(w->text), mark);
}

/* "const volatile T", in this order however the producer nests them; after a pointer: "T *const". */
static void spell_qualified(struct sym_module *m, Dwarf_Die *type, struct spelling *w, unsigned depth)
{
	static const struct {
		int tag;
		const char *word;
	} rows[] = { { DW_TAG_const_type, "const" },
		     { DW_TAG_volatile_type, "volatile" },
		     { DW_TAG_atomic_type, "_Atomic" } };
	Dwarf_Die inner = *type;
	bool seen[3] = { false }, more = true, typed = true, after;

	for (unsigned steps = 0; more && typed && steps < SYM_CHAIN_MAX; steps++) {
		more = false;
		for (size_t i = 0; i < 3; i++)
			if (dwarf_tag(&inner) == rows[i].tag)
				seen[i] = more = true;
		if (more)
			typed = sym_type_of(&inner, &inner);
	}
	after = typed && dwarf_tag(&inner) == DW_TAG_pointer_type;
	if (typed && dwarf_tag(&inner) == DW_TAG_array_type &&
	    depth < SYM_CHAIN_MAX) { /* gcc says it again of the elements */
		spell(m, &inner, w, depth + 1);
		return;
	}
	if (after)
		spell(m, &inner, w, depth + 1);
	for (size_t i = 0; i < 3; i++) {
		if (!seen[i])
			continue;
		add(w->text, sizeof(w->text), rows[i].word);
		if (!after)
			add(w->text, sizeof(w->text), " ");
	}
	if (!after && typed && depth < SYM_CHAIN_MAX)
		spell(m, &inner, w, depth + 1);
	else if (!after)
		add(w->text, sizeof(w->text), "void");
}

static void spell(struct sym_module *m, Dwarf_Die *type, struct spelling *w, unsigned depth)
{
	switch (dwarf_tag(type)) {
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_atomic_type:
		spell_qualified(m, type, w, depth);
		break;
	case DW_TAG_restrict_type:
		spell_inner(m, type, w, depth);
		break;
	case DW_TAG_pointer_type:
		spell_pointer(m, type, "*", w, depth);
		break;
	case DW_TAG_reference_type:
		spell_pointer(m, type, "&", w, depth);
		break;
	case DW_TAG_rvalue_reference_type:
		spell_pointer(m, type, "&&", w, depth);
		break;
	case DW_TAG_array_type:
		array_suffix(type, w);
		spell_inner(m, type, w, depth);
		break;
	case DW_TAG_subroutine_type:
		spell_inner(m, type, w, depth);
		break;
	case DW_TAG_ptr_to_member_type:
		spell_pointer(m, type, "::*", w, depth);
		break;
	default:
		named_type(m, type, w);
	}
}

const char *sym_type_name(struct sym_module *m, Dwarf_Die *type)
{
	struct spelling w = { .text = "" };
	uint64_t known;
	const char *name;

	if (vtb_map64_get(&m->type_names, (uintptr_t)type->addr, &known))
		return (const char *)(uintptr_t)known;
	spell(m, type, &w, 0);
	name = w.suffix[0] ? sym_printf(m->owner, "%s %s", w.text, w.suffix) : sym_string(m->owner, w.text);
	(void)vtb_map64_set(&m->type_names, (uintptr_t)type->addr, (uintptr_t)name);
	return name;
}

/* Cut one leading keyword. */
static const char *without(const char *name, const char *word)
{
	const size_t len = strlen(word);

	return strncmp(name, word, len) == 0 && name[len] == ' ' ? name + len + 1 : name;
}

static bool find_type(struct sym_module *m, const char *normal, bool class_only, Dwarf_Die *ret)
{
	size_t lo = 0, hi = m->n_types;

	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;

		if (strcmp(m->types[mid].name, normal) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < m->n_types && strcmp(m->types[lo].name, normal) == 0; lo++) {
		if (class_only && !is_class(dwarf_tag(&m->types[lo].die)))
			continue;
		*ret = m->types[lo].die;
		return true;
	}
	return false;
}

bool sym_type_by_name(struct sym_module *m, const char *name, Dwarf_Die *ret, bool *pointer)
{
	char normal[TYPE_NAME_MAX];
	const char *bare;
	size_t len;

	if (sym_index_names(m) < 0)
		return false;
	for (bare = name; *bare == ' ';)
		bare++;
	bare = without(without(without(bare, "const"), "volatile"), "const");
	const char *untagged = without(without(without(without(bare, "struct"), "class"), "union"), "enum");

	sym_normal_type(untagged, normal, sizeof(normal));
	len = strlen(normal);
	if (!len)
		return false;
	*pointer = normal[len - 1] == '*';
	if (*pointer)
		return true;
	return find_type(m, normal, untagged != bare, ret);
}

bool sym_is_opaque(struct sym_module *m, Dwarf_Die *type)
{
	static const char *const plain[] = { "pthread_mutex_t",
		                             "pthread_cond_t",
		                             "pthread_rwlock_t",
		                             "pthread_barrier_t",
		                             "pthread_spinlock_t",
		                             "pthread_once_t",
		                             "sem_t",
		                             "mtx_t",
		                             "cnd_t",
		                             "once_flag",
		                             "omp_lock_t",
		                             "omp_nest_lock_t",
		                             "_IO_FILE",
		                             NULL };
	static const char *const standard[] = { "mutex",
		                                "recursive_mutex",
		                                "timed_mutex",
		                                "recursive_timed_mutex",
		                                "shared_mutex",
		                                "shared_timed_mutex",
		                                "condition_variable",
		                                "once_flag",
		                                "atomic_flag",
		                                "thread",
		                                NULL };
	const char *name = dwarf_diename(type);
	uint64_t scope;
	const bool inner = vtb_map64_get(&m->scopes, (uintptr_t)type->addr, &scope);
	const char *const *names = inner ? standard : plain;

	if (!name || (inner && strncmp((const char *)(uintptr_t)scope, "std", 3) != 0))
		return false;
	for (; *names; names++)
		if (strcmp(name, *names) == 0)
			return true;
	return inner && strncmp(name, "atomic<", 7) == 0;
}

bool sym_buffer_of(struct sym_module *m, Dwarf_Die *type, Dwarf_Die *ret)
{
	static const char *const names[] = { "__aligned_membuf<", "__aligned_buffer<" };
	const char *name = dwarf_diename(type);
	uint64_t scope;
	Dwarf_Die die;

	if (!name || (strncmp(name, names[0], strlen(names[0])) && strncmp(name, names[1], strlen(names[1]))) ||
	    !vtb_map64_get(&m->scopes, (uintptr_t)type->addr, &scope) ||
	    strcmp((const char *)(uintptr_t)scope, "__gnu_cxx") != 0 || dwarf_child(type, &die) != 0)
		return false;
	do {
		if (dwarf_tag(&die) == DW_TAG_template_type_parameter)
			return sym_type_of(&die, ret);
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}
