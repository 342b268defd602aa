/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "target_elf.h"

#include "vtb/array.h"
#include "vtb/input.h"
#include "vtb/pad_site.h"
#include "vtb/target.h"

#include <elf.h>
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
	}
}

static void look_at_symbols(struct elf_facts *f, Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Sym sym;

	if (!data || !sh->sh_entsize)
		return;
	for (int i = 0; i < (int)(sh->sh_size / sh->sh_entsize) && gelf_getsym(data, i, &sym); i++) {
		const char *name = elf_strptr(elf, sh->sh_link, sym.st_name);

		if (name)
			look_at_symbol(f, name, sym.st_shndx != SHN_UNDEF, sh->sh_type == SHT_DYNSYM);
	}
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

static int look_at_dynamic(struct elf_facts *f, Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Dyn dyn;
	int r = 0;

	if (!data || !sh->sh_entsize)
		return 0;
	for (int i = 0; r >= 0 && i < (int)(sh->sh_size / sh->sh_entsize) && gelf_getdyn(data, i, &dyn); i++) {
		const char *text =
		    dyn.d_tag == DT_NEEDED || dyn.d_tag == DT_SONAME || dyn.d_tag == DT_RPATH || dyn.d_tag == DT_RUNPATH
		        ? elf_strptr(elf, sh->sh_link, dyn.d_un.d_val)
		        : NULL;

		if (dyn.d_tag == DT_NULL)
			break;
		if (dyn.d_tag == DT_NEEDED)
			r = add_needed(f, text);
		else if (dyn.d_tag == DT_SONAME)
			r = set_string(&f->soname, text);
		else if (dyn.d_tag == DT_RUNPATH || (dyn.d_tag == DT_RPATH && !f->rpath))
			r = set_string(&f->rpath, text);
	}
	return r;
}

static void look_at_pads(struct elf_facts *f, Elf_Scn *scn)
{
	const Elf_Data *data = elf_getdata(scn, NULL);
	const struct vtb_pad_site *s = data ? data->d_buf : NULL;

	f->pads = true;
	for (size_t i = 0; s && i < data->d_size / sizeof(*s); i++) {
		f->pads_skipped += vtb_pad_kind(s[i].info) == VTB_PAD_SKIPPED;
		f->pad_sites += s[i].stub != 0;
	}
}

static bool contains(Elf_Scn *scn, const char *text)
{
	const Elf_Data *data = elf_getdata(scn, NULL);

	return data && data->d_buf && memmem(data->d_buf, data->d_size, text, strlen(text));
}

static void look_at_name(struct elf_facts *f, Elf_Scn *scn, const char *name)
{
	if (!strcmp(name, ".debug_line") || !strcmp(name, ".zdebug_line"))
		f->debug_info = true;
	else if (!strcmp(name, VTB_PADS_SECTION))
		look_at_pads(f, scn);
	else if (!strcmp(name, ".comment"))
		f->by_clang = contains(scn, "clang version");
	else if (!strcmp(name, ".GCC.command.line"))
		f->hooks_reads = contains(scn, VTB_CLANG_READS_OPTION);
}

static int look_at_sections(struct elf_facts *f, Elf *elf)
{
	size_t names;
	Elf_Scn *scn = NULL;
	int r = 0;

	if (elf_getshdrstrndx(elf, &names) < 0)
		return 0; /* no section headers: nothing to learn */
	while (r >= 0 && (scn = elf_nextscn(elf, scn))) {
		GElf_Shdr sh;
		const char *name;

		if (!gelf_getshdr(scn, &sh))
			continue;
		name = elf_strptr(elf, names, sh.sh_name);
		if (name)
			look_at_name(f, scn, name);
		if (sh.sh_type == SHT_DYNSYM || sh.sh_type == SHT_SYMTAB)
			look_at_symbols(f, elf, scn, &sh);
		else if (sh.sh_type == SHT_DYNAMIC)
			r = look_at_dynamic(f, elf, scn, &sh);
	}
	return r;
}

static void look_at_segments(struct elf_facts *f, Elf *elf)
{
	size_t n;
	GElf_Phdr ph;

	if (elf_getphdrnum(elf, &n) < 0)
		return;
	for (size_t i = 0; i < n && gelf_getphdr(elf, (int)i, &ph); i++) {
		f->interpreter |= ph.p_type == PT_INTERP;
		f->dynamic |= ph.p_type == PT_DYNAMIC;
	}
}

static int read_facts(Elf *elf, struct elf_facts *f)
{
	GElf_Ehdr eh;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &eh))
		return 0;
	f->elf = true;
	f->bits = eh.e_ident[EI_CLASS] == ELFCLASS64 ? 64 : 32;
	f->pie = eh.e_type == ET_DYN;
	f->elf64 = f->bits == 64 && eh.e_machine == EM_X86_64 && (eh.e_type == ET_EXEC || eh.e_type == ET_DYN);
	if (!f->elf64)
		return 0;
	look_at_segments(f, elf);
	return look_at_sections(f, elf);
}

int vtb_elf_facts_read(const char *path, struct elf_facts *ret)
{
	struct elf_facts f = { 0 };
	const int fd = vtb_input_open(path, UINT64_MAX, NULL, NULL);
	int r = 0;
	Elf *elf;

	if (fd < 0)
		return fd;
	if (elf_version(EV_CURRENT) == EV_NONE) {
		close(fd);
		return -VTB_E_TOOL;
	}
	elf = elf_begin(fd, ELF_C_READ, NULL); /* not mapped: a file that shrinks must not kill us */
	if (elf)
		r = read_facts(elf, &f);
	elf_end(elf);
	close(fd);
	if (r < 0)
		vtb_elf_facts_fini(&f);
	else
		*ret = f;
	return r;
}
