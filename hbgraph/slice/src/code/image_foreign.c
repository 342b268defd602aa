/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of other modules that only bear the name of one of libc: "log" may be what a library of the program's own
 * calls its logger. Names of the system's libraries have versions, but for those that a sanitizer's runtime defines,
 * too; so where the program has libraries of its own, a name without a version tells nothing, if it is not a reserved
 * one.
 */
#include <elf.h>
#include <errno.h>
#include <string.h>

#include "image.h"
#include "vtb/array.h"

static bool begins_with_any(const char *name, const char *const *beginnings)
{
	for (; *beginnings; beginnings++)
		if (!strncmp(name, *beginnings, strlen(*beginnings)))
			return true;
	return false;
}

static bool is_system(const char *library)
{
	static const char *const names[] = { "libc.so",
		                             "libm.so",
		                             "libpthread.so",
		                             "libdl.so",
		                             "librt.so",
		                             "libgcc_s.so",
		                             "libstdc++.so",
		                             "libatomic.so",
		                             "libtsan.so",
		                             "libubsan.so",
		                             "libclang_rt.",
		                             "libc++.so",
		                             "libc++abi.so",
		                             "libvtb",
		                             "ld-linux",
		                             "linux-vdso.so",
		                             NULL };

	return begins_with_any(library, names);
}

/* Reserved by C and POSIX, or so well known that nobody gives them another meaning. */
static bool is_reserved(const char *name)
{
	static const char *const names[] = { "_",        "mem",  "str",     "pthread_", "sem_",    "malloc",
		                             "calloc",   "free", "realloc", "printf",   "fprintf", "sprintf",
		                             "snprintf", "puts", "fputs",   "putchar",  "exit",    "abort",
		                             "thrd_",    "mtx_", "cnd_",    NULL };

	return begins_with_any(name, names);
}

static bool has_own_library(struct image *im, const struct vtb_elf_section *dynamic)
{
	struct vtb_elf_section strings;
	struct vtb_elf_dynamic d;
	size_t n = 0;
	const char *text = dynamic->link && vtb_elf_section(im->elf, dynamic->link - 1, &strings)
	                       ? vtb_elf_bytes(im->elf, &strings, &n)
	                       : NULL;

	for (size_t i = 0; vtb_elf_dynamic(im->elf, dynamic, i, &d); i++)
		if (d.tag == DT_NEEDED && !(text && d.value < n && is_system(text + d.value)))
			return true;
	return false;
}

/* In the symbol table an import of a version is called "log@GLIBC_2.29". */
static bool has_version(const struct image *im, const struct vtb_elf_section *table, const char *name)
{
	const size_t n = strlen(name);
	struct vtb_elf_symbol x;

	for (size_t i = 0; vtb_elf_symbol(im->elf, table, i, &x); i++)
		if (!x.defined && !strncmp(x.name, name, n) && x.name[n] == '@')
			return true;
	return false;
}

static int rename_import(struct image *im, size_t i)
{
	if (vtb_array_room(im, others) < 0)
		return -ENOMEM;
	im->others[im->n_others++] = im->imports[i];
	im->imports[i] = "a function of a library";
	return 0;
}

int image_find_foreign(struct image *im)
{
	struct vtb_elf_section s, table = { .type = SHT_NULL };
	bool own = false;
	int r = 0;

	for (size_t i = 0; vtb_elf_section(im->elf, i, &s); i++) {
		own |= s.type == SHT_DYNAMIC && has_own_library(im, &s);
		table = s.type == SHT_SYMTAB ? s : table;
	}
	for (size_t i = 0; own && r >= 0 && i < im->n_imports; i++)
		if (im->imports[i] && !is_reserved(im->imports[i]) && !has_version(im, &table, im->imports[i]))
			r = rename_import(im, i);
	return r;
}
