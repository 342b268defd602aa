/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "target_elf.h"

#include "clock_bytes.h"
#include "openmp_names.h"

#include "vtb/array.h"
#include "vtb/elf_file.h"
#include "vtb/pad_site.h"
#include "vtb/target.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Symbols by which a program makes threads: C, C11 and libstdc++'s and libc++'s std::thread. */
static const char *const thread_makers[] = {
	"pthread_create",
	"thrd_create",
	"_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE",
	"_ZNSt6thread24_M_start_thread_deferredESt10shared_ptrINS_10_Impl_baseEEPFvvE",
};

void vtb_elf_facts_fini(struct elf_facts *f)
{
	for (size_t i = 0; i < f->n_needed; i++)
		free(f->needed[i]);
	free(f->needed);
	free(f->soname);
	free(f->rpath);
	*f = (struct elf_facts){ 0 };
}

static bool is_thread_maker(const char *name)
{
	for (size_t i = 0; i < sizeof(thread_makers) / sizeof(thread_makers[0]); i++)
		if (!strcmp(name, thread_makers[i]))
			return true;
	return false;
}

/* What makes another process, or makes this one another program. */
static bool is_starter(const char *name)
{
	static const char *const starters[] = { "execve", "execv",   "execvp",      "execvpe",      "execl",  "execlp",
		                                "execle", "fexecve", "posix_spawn", "posix_spawnp", "system", "popen" };

	for (size_t i = 0; i < sizeof(starters) / sizeof(starters[0]); i++)
		if (!strcmp(name, starters[i]))
			return true;
	return false;
}

/* Something of libgomp's. */
static bool is_openmp(const char *name)
{
	static const char *const prefixes[] = { "GOMP_", "omp_", "ompx_", "GOACC_", "acc_" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

static void look_at_symbol(struct elf_facts *f, const char *name, bool defined, bool in_dynamic)
{
	if (!strcmp(name, "__tsan_init")) {
		if (defined)
			f->defines_tsan = true;
		else if (in_dynamic)
			f->imports_tsan = true;
	} else if (!strcmp(name, "__asan_init") || !strcmp(name, "__hwasan_init") || !strcmp(name, "__msan_init")) {
		f->other_sanitizer = true; /* imported or contained */
	} else if (in_dynamic && !defined && is_thread_maker(name)) {
		f->imports_threads = true;
	} else if (in_dynamic && !defined && is_starter(name)) {
		f->imports_starts = true;
	} else if (in_dynamic && !defined && (!strcmp(name, "dlopen") || !strcmp(name, "dlmopen"))) {
		f->imports_loads = true;
	} else if (in_dynamic && !defined && is_openmp(name) && !vtb_openmp_has(name)) {
		f->lacks_openmp = true;
	}
}

static void look_at_symbols(struct elf_facts *f, struct vtb_elf *elf, const struct vtb_elf_section *section)
{
	struct vtb_elf_symbol symbol;

	for (size_t i = 0; vtb_elf_symbol(elf, section, i, &symbol); i++)
		look_at_symbol(f, symbol.name, symbol.defined, section->type == SHT_DYNSYM);
}

static int set_string(char **at, const char *text)
{
	char *copy = text ? strdup(text) : NULL;

	if (text && !copy)
		return -ENOMEM;
	if (text) {
		free(*at);
		*at = copy;
	}
	return 0;
}

static int add_needed(struct elf_facts *f, const char *name)
{
	int r;

	if (!name || f->n_needed >= VTB_NEEDED_LIMIT)
		return 0;
	r = vtb_array_room(f, needed);
	if (r < 0)
		return r;
	f->needed[f->n_needed] = strdup(name);
	return f->needed[f->n_needed] ? (f->n_needed++, 0) : -ENOMEM;
}

static int look_at_dynamic(struct elf_facts *f, struct vtb_elf *elf, const struct vtb_elf_section *section)
{
	struct vtb_elf_dynamic entry;
	int r = 0;

	for (size_t i = 0; r >= 0 && vtb_elf_dynamic(elf, section, i, &entry); i++) {
		if (entry.tag == DT_NEEDED)
			r = add_needed(f, vtb_elf_text(elf, section, entry.value));
		else if (entry.tag == DT_SONAME)
			r = set_string(&f->soname, vtb_elf_text(elf, section, entry.value));
		else if (entry.tag == DT_RUNPATH || (entry.tag == DT_RPATH && !f->rpath))
			r = set_string(&f->rpath, vtb_elf_text(elf, section, entry.value));
	}
	return r;
}

static void look_at_pads(struct elf_facts *f, struct vtb_elf *elf, const struct vtb_elf_section *section)
{
	size_t size;
	const struct vtb_pad_site *s = vtb_elf_bytes(elf, section, &size);

	f->pads = true;
	for (size_t i = 0; s && i < size / sizeof(*s); i++) {
		f->pads_skipped += vtb_pad_kind(s[i].info) == VTB_PAD_SKIPPED;
		f->pad_sites += s[i].stub != 0;
	}
}

static bool contains(struct vtb_elf *elf, const struct vtb_elf_section *section, const char *text)
{
	size_t size;
	const void *bytes = vtb_elf_bytes(elf, section, &size);

	return bytes && memmem(bytes, size, text, strlen(text));
}

static void look_at_name(struct elf_facts *f, struct vtb_elf *elf, const struct vtb_elf_section *section)
{
	const char *name = section->name;

	if (!strcmp(name, ".debug_line") || !strcmp(name, ".zdebug_line"))
		f->debug_info = true;
	else if (!strcmp(name, VTB_PADS_SECTION))
		look_at_pads(f, elf, section);
	else if (!strcmp(name, ".comment"))
		f->by_clang = contains(elf, section, "clang version");
	else if (!strcmp(name, ".GCC.command.line"))
		f->hooks_reads = contains(elf, section, VTB_CLANG_READS_OPTION);
}

static int look_at_sections(struct elf_facts *f, struct vtb_elf *elf)
{
	struct vtb_elf_section section;
	int r = 0;

	for (size_t i = 0; r >= 0 && vtb_elf_section(elf, i, &section); i++) {
		look_at_name(f, elf, &section);
		f->reads_tsc |= section.flags & SHF_EXECINSTR && vtb_clock_bytes_found(elf, &section);
		if (section.type == SHT_DYNSYM || section.type == SHT_SYMTAB)
			look_at_symbols(f, elf, &section);
		else if (section.type == SHT_DYNAMIC)
			r = look_at_dynamic(f, elf, &section);
	}
	return r;
}

static void look_at_segments(struct elf_facts *f, struct vtb_elf *elf)
{
	struct vtb_elf_segment segment;

	for (size_t i = 0; vtb_elf_segment(elf, i, &segment); i++) {
		f->interpreter |= segment.type == PT_INTERP;
		f->dynamic |= segment.type == PT_DYNAMIC;
	}
}

static int read_facts(struct vtb_elf *elf, struct elf_facts *f)
{
	const struct vtb_elf_header *header = vtb_elf_header(elf);

	f->elf = true;
	f->bits = header->bits;
	f->pie = header->type == ET_DYN;
	f->elf64 = vtb_elf_is_native(elf) && (header->type == ET_EXEC || header->type == ET_DYN);
	if (!f->elf64)
		return 0;
	look_at_segments(f, elf);
	return look_at_sections(f, elf);
}

int vtb_elf_facts_read(const char *path, struct elf_facts *ret)
{
	struct elf_facts f = { 0 };
	struct vtb_elf *elf = NULL;
	int r = vtb_elf_open(path, &elf, NULL);

	if (r == -ENOEXEC)
		r = 0;
	else if (r >= 0)
		r = read_facts(elf, &f);
	vtb_elf_close(elf);
	if (r < 0)
		vtb_elf_facts_fini(&f);
	else
		*ret = f;
	return r;
}
