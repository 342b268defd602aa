/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Modules: opening their ELF and DWARF, their bytes and their ELF symbols. */
#include "symbols_private.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "demangle.h"
#include "vtb/module_file.h"
#include "vtb/array.h"
#include "vtb/disasm.h"
#include "vtb/input.h"
#include "vtb/log.h"

int vtb_symbols_new(struct vtb_symbols **ret)
{
	struct vtb_symbols *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	*ret = s;
	return 0;
}

static void module_free(struct sym_module *m)
{
	for (size_t i = 0; i < m->n_units; i++) {
		for (size_t k = 0; k < m->units[i].n_functions; k++)
			sym_slots_free(&m->units[i].functions[k]);
		free(m->units[i].functions);
		free(m->units[i].ranges);
	}
	free(m->units);
	free(m->ranges);
	free(m->globals);
	free(m->types);
	free(m->subprograms);
	free(m->symbols);
	free(m->places);
	vtb_map64_fini(&m->scopes);
	vtb_map64_fini(&m->type_names);
	vtb_map64_fini(&m->chains);
	if (m->dwfl)
		dwfl_end(m->dwfl);
	free(m);
}

void vtb_symbols_free(struct vtb_symbols *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n_modules; i++)
		module_free(s->modules[i]);
	free(s->modules);
	sym_sources_free(s);
	vtb_map64_fini(&s->local_ids);
	free(s->locals);
	vtb_disasm_free(s->disasm);
	vtb_symtab_fini(&s->strings);
	free(s);
}

const char *sym_string(struct vtb_symbols *s, const char *text)
{
	const char *kept = vtb_symtab_string(&s->strings, text);

	return kept ? kept : "";
}

const char *sym_printf(struct vtb_symbols *s, const char *fmt, ...)
{
	const char *kept;
	char *text = NULL;
	va_list args;
	int len;

	va_start(args, fmt);
	len = vasprintf(&text, fmt, args);
	va_end(args);
	if (len < 0)
		return "";
	kept = sym_string(s, text);
	free(text);
	return kept;
}

/* gcc's name for what orders a critical section of OpenMP that has one. */
#define CRITICAL ".gomp_critical_user_"

const char *sym_demangled(struct vtb_symbols *s, const char *name)
{
	const bool critical = strncmp(name, CRITICAL, strlen(CRITICAL)) == 0;
	char *text = critical ? NULL : vtb_demangle(name);
	const char *kept =
	    critical ? sym_printf(s, "critical(%s)", name + strlen(CRITICAL)) : sym_string(s, text ? text : name);

	free(text);
	return kept;
}

/* What a language's own libraries do has no line of a user's. Whether their debug files happen to be installed must not
 * change a name, and to unpack them takes as long as hundreds of runs. */
static bool is_languages(const char *path)
{
	static const char *const names[] = { "libc.so.",    "ld-linux",     "libm.so.",
		                             "libgcc_s.so", "libstdc++.so", "libpthread.so" };
	const char *slash = strrchr(path, '/');
	bool yes = false;

	for (size_t i = 0; slash && i < sizeof(names) / sizeof(*names); i++)
		yes |= strncmp(slash + 1, names[i], strlen(names[i])) == 0;
	return yes && (strncmp(path, "/lib", 4) == 0 || strncmp(path, "/usr/lib", 8) == 0);
}

static int no_debug_file(Dwfl_Module *mod, void **data, const char *name, Dwarf_Addr base, const char *file,
                         const char *link, GElf_Word crc, char **ret)
{
	(void)mod, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)ret;
	return -1;
}

/* The module at file addresses: base 0 on top of its own p_vaddr. */
static void open_module(struct sym_module *m)
{
	static char *no_path = NULL; /* libdwfl's default search: beside the file, .debug, /usr/lib/debug, build-id */
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.debuginfo_path = &no_path,
	};
	static const Dwfl_Callbacks without = { .find_elf = dwfl_build_id_find_elf, .find_debuginfo = no_debug_file };
	Dwarf_Addr bias = 0;
	GElf_Addr elf_bias = 0;
	int fd = -1;

	if (m->file && m->file[0] && m->file[0] != '[') /* "[vdso]" and such are no files */
		fd = vtb_input_open(m->file, 0, NULL, NULL);
	if (fd < 0)
		return;
	if (!(m->dwfl = dwfl_begin(is_languages(m->path) ? &without : &callbacks))) {
		close(fd);
		return;
	}
	m->mod = dwfl_report_elf(m->dwfl, m->path, m->file, fd, 0, true);
	if (!m->mod)
		close(fd); /* consumed only on success */
	dwfl_report_end(m->dwfl, NULL, NULL);
	if (!m->mod)
		return;
	m->elf = dwfl_module_getelf(m->mod, &elf_bias);
	m->elf_bias = elf_bias;
	m->dwarf = dwfl_module_getdwarf(m->mod, &bias);
	m->bias = bias;
	vtb_debug("Open module: path=\"%s\", debug=%d", m->path, m->dwarf != NULL);
}

static struct sym_module *find_module(struct vtb_symbols *s, const char *path)
{
	for (size_t i = 0; i < s->n_modules; i++) /* few, and callers remember what they asked */
		if (s->modules[i]->path == path || strcmp(s->modules[i]->path, path) == 0)
			return s->modules[i];
	return NULL;
}

/* `file`: where it is read, NULL: not at all. */
static struct sym_module *add_module(struct vtb_symbols *s, const char *path, const char *file)
{
	struct sym_module *m;

	if (vtb_array_room(s, modules) < 0)
		return NULL;
	m = calloc(1, sizeof(*m));
	if (!m)
		return NULL;
	m->owner = s;
	m->path = sym_string(s, path);
	m->file = file ? sym_string(s, file) : NULL;
	s->modules[s->n_modules++] = m;
	return m;
}

struct sym_module *sym_module(struct vtb_symbols *s, const char *path)
{
	struct sym_module *m = find_module(s, path);

	if (!m)
		m = add_module(s, path, path);
	if (m && !m->opened) {
		m->opened = true;
		open_module(m);
	}
	return m;
}

int vtb_symbols_expect(struct vtb_symbols *s, const struct vtb_module *m)
{
	char where[4096];

	if (find_module(s, m->path))
		return 0;
	if (vtb_module_find(m, where, sizeof(where)) == VTB_MODULE_SAME)
		return add_module(s, m->path, where) ? 0 : -ENOMEM;
	return add_module(s, m->path, NULL) ? 0 : -ENOMEM;
}

bool vtb_symbols_has_debug_info(struct vtb_symbols *s, const char *path)
{
	const struct sym_module *m = sym_module(s, path);
	Dwarf_Off next;
	size_t header;

	return m && m->dwarf && dwarf_nextcu(m->dwarf, 0, &next, &header, NULL, NULL, NULL) == 0;
}

int sym_add_range(struct sym_range **ranges, size_t *n, size_t *cap, uint64_t lo, uint64_t hi, uint32_t index)
{
	void *items = *ranges;

	if (lo >= hi)
		return 0;
	if (*n >= *cap) {
		const int r = vtb_array_reserve(&items, cap, *n + 1, sizeof(**ranges));

		if (r < 0)
			return r;
		*ranges = items;
	}
	(*ranges)[(*n)++] = (struct sym_range){ lo, hi, index };
	return 0;
}

static int compare_ranges(const void *x, const void *y)
{
	const struct sym_range *a = x, *b = y;

	if (a->lo != b->lo)
		return a->lo < b->lo ? -1 : 1;
	if (a->hi != b->hi)
		return a->hi > b->hi ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

void sym_sort_ranges(struct sym_range *ranges, size_t n)
{
	if (n)
		qsort(ranges, n, sizeof(*ranges), compare_ranges);
}

const struct sym_range *sym_find(const struct sym_range *ranges, size_t n, uint64_t addr)
{
	size_t lo = 0, hi = n;

	while (lo < hi) { /* the first that begins above addr */
		const size_t mid = lo + (hi - lo) / 2;

		if (ranges[mid].lo <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (size_t i = lo, tries = 0; i > 0 && tries < 16; i--, tries++) /* a small one may end before addr */
		if (addr < ranges[i - 1].hi)
			return &ranges[i - 1];
	return NULL;
}

static int compare_symbols(const void *x, const void *y)
{
	const struct sym_elf *a = x, *b = y;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->size != b->size) /* the last of equals is chosen: one with a size */
		return a->size < b->size ? -1 : 1;
	return -strcmp(a->name, b->name); /* equal twins (environ, __environ): first in the alphabet */
}

static void index_elf(struct sym_module *m)
{
	const int n = m->mod ? dwfl_module_getsymtab(m->mod) : 0;

	m->has_elf = true;
	for (int i = 1; i < n; i++) {
		GElf_Sym sym;
		GElf_Addr addr;
		GElf_Word section;
		const char *name = dwfl_module_getsym_info(m->mod, i, &sym, &addr, &section, NULL, NULL);
		const unsigned type = GELF_ST_TYPE(sym.st_info);

		if (!name || !*name || section == SHN_UNDEF ||
		    (type != STT_OBJECT && type != STT_FUNC && type != STT_NOTYPE && type != STT_GNU_IFUNC))
			continue;
		if (vtb_array_room(m, symbols) < 0)
			break;
		if (strchr(name, '@')) /* name@VERSION */
			name = sym_printf(m->owner, "%.*s", (int)strcspn(name, "@"), name);
		m->symbols[m->n_symbols++] =
		    (struct sym_elf){ addr, sym.st_size, name, type == STT_FUNC || type == STT_GNU_IFUNC };
	}
	if (m->n_symbols)
		qsort(m->symbols, m->n_symbols, sizeof(*m->symbols), compare_symbols);
}

const struct sym_elf *sym_elf_at(struct sym_module *m, uint64_t addr)
{
	size_t lo = 0, hi;

	if (!m->has_elf)
		index_elf(m);
	hi = m->n_symbols;
	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;

		if (m->symbols[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (size_t i = lo, tries = 0; i > 0 && tries < 16; i--, tries++)
		if (addr - m->symbols[i - 1].addr < m->symbols[i - 1].size)
			return &m->symbols[i - 1];
	return lo > 0 && m->symbols[lo - 1].addr == addr ? &m->symbols[lo - 1] : NULL;
}

bool vtb_symbols_elf(struct vtb_symbols *s, const char *path, uint64_t addr, const char **ret_name, uint64_t *ret_addr,
                     uint64_t *ret_size)
{
	struct sym_module *m = sym_module(s, path);
	const struct sym_elf *sym = m ? sym_elf_at(m, addr) : NULL;

	if (!sym)
		return false;
	*ret_name = sym_demangled(s, sym->name);
	*ret_addr = sym->addr;
	*ret_size = sym->size;
	return true;
}

size_t vtb_symbols_bytes(struct vtb_symbols *s, const char *path, uint64_t addr, void *buf, size_t size)
{
	struct sym_module *m = sym_module(s, path);
	Elf_Scn *scn = NULL;

	while (m && m->elf && (scn = elf_nextscn(m->elf, scn))) {
		GElf_Shdr shdr;
		Elf_Data *data;

		if (!gelf_getshdr(scn, &shdr) || !(shdr.sh_flags & SHF_ALLOC) || shdr.sh_type == SHT_NOBITS)
			continue;
		if (addr - m->elf_bias - shdr.sh_addr >= shdr.sh_size || !(data = elf_rawdata(scn, NULL)) ||
		    !data->d_buf)
			continue;
		const uint64_t offset = addr - m->elf_bias - shdr.sh_addr;
		const uint64_t here = offset < data->d_size ? data->d_size - offset : 0;
		const size_t n = here < size ? (size_t)here : size;

		memcpy(buf, (const char *)data->d_buf + offset, n);
		return n;
	}
	return 0;
}
