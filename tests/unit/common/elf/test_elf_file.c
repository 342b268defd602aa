/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This program looks at its own file: what it finds there must be what it is. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "vtb/elf_file.h"

#define SELF "/proc/self/exe"

extern const char __ehdr_start; /* of the linker: the first byte of the file, in memory */
int vtb_test_variable = 42;     /* named in the symbol table */

/* What the loader made of the program: the first object it tells of. */
static int take_first(struct dl_phdr_info *info, size_t size, void *ret)
{
	(void)size;
	*(struct dl_phdr_info *)ret = *info;
	return 1;
}

static struct dl_phdr_info loaded(void)
{
	struct dl_phdr_info info;

	dl_iterate_phdr(take_first, &info);
	return info;
}

static struct vtb_elf *self(void)
{
	struct vtb_elf *elf;

	assert_int_equal(vtb_elf_open(SELF, &elf, NULL), 0);
	return elf;
}

static bool find_section(struct vtb_elf *elf, uint32_t type, struct vtb_elf_section *ret)
{
	for (size_t i = 0; vtb_elf_section(elf, i, ret); i++)
		if (ret->type == type)
			return true;
	return false;
}

static void the_header_is_that_of_the_running_program(void **state)
{
	struct vtb_elf *elf = self();

	(void)state;
	assert_true(vtb_elf_is_native(elf));
	assert_int_equal(vtb_elf_header(elf)->bits, 64);
	assert_int_equal(vtb_elf_header(elf)->entry + loaded().dlpi_addr, getauxval(AT_ENTRY));
	vtb_elf_close(elf);
}

static void segments_are_those_that_the_loader_saw(void **state)
{
	const struct dl_phdr_info info = loaded();
	struct vtb_elf *elf = self();
	struct vtb_elf_segment s;
	size_t n = 0;

	(void)state;
	for (; vtb_elf_segment(elf, n, &s); n++) {
		const ElfW(Phdr) *ph = &info.dlpi_phdr[n];

		assert_true(n < info.dlpi_phnum);
		assert_int_equal(s.type, ph->p_type);
		assert_int_equal(s.flags, ph->p_flags);
		assert_int_equal(s.offset, ph->p_offset);
		assert_int_equal(s.addr, ph->p_vaddr);
		assert_int_equal(s.file_size, ph->p_filesz);
		assert_int_equal(s.memory_size, ph->p_memsz);
	}
	assert_int_equal(n, info.dlpi_phnum);
	assert_true(vtb_elf_loaded(elf, PF_X, &s));
	assert_true((uintptr_t)self - info.dlpi_addr - s.addr < s.memory_size);
	assert_true(vtb_elf_loaded(elf, PF_R | PF_W, &s));
	assert_int_equal(s.flags & (PF_R | PF_W), PF_R | PF_W);
	assert_false(vtb_elf_loaded(elf, 1u << 20, &s));
	assert_ptr_equal((void *)(vtb_elf_base(elf) + info.dlpi_addr), &__ehdr_start);
	vtb_elf_close(elf);
}

static void symbols_have_the_addresses_that_they_have_in_memory(void **state)
{
	const uint64_t bias = loaded().dlpi_addr;
	struct vtb_elf *elf = self();
	struct vtb_elf_section table;
	struct vtb_elf_symbol s;
	unsigned found = 0;

	(void)state;
	assert_true(find_section(elf, SHT_SYMTAB, &table));
	for (size_t i = 0; vtb_elf_symbol(elf, &table, i, &s); i++)
		if (!strcmp(s.name, "vtb_test_variable")) {
			found++;
			assert_true(s.defined);
			assert_int_equal(s.type, STT_OBJECT);
			assert_int_equal(s.size, sizeof(vtb_test_variable));
			assert_ptr_equal((void *)(s.addr + bias), &vtb_test_variable);
		}
	assert_int_equal(found, 1);
	vtb_elf_close(elf);
}

static void code_is_what_stands_in_memory(void **state)
{
	const uint64_t addr = (uintptr_t)find_section - loaded().dlpi_addr;
	struct vtb_elf *elf = self();
	struct vtb_elf_section s;
	const char *bytes;
	size_t size;

	(void)state;
	assert_true(vtb_elf_code_at(elf, addr, &s));
	bytes = vtb_elf_bytes(elf, &s, &size);
	assert_non_null(bytes);
	assert_int_equal(size, s.size);
	assert_memory_equal(bytes + (addr - s.addr), (const void *)find_section, 32);
	assert_false(vtb_elf_code_at(elf, UINT64_MAX, &s));
	vtb_elf_close(elf);
}

static void variables_without_a_value_have_no_bytes(void **state)
{
	struct vtb_elf *elf = self();
	struct vtb_elf_section s;
	size_t size;

	(void)state;
	assert_true(find_section(elf, SHT_NOBITS, &s));
	assert_null(vtb_elf_bytes(elf, &s, &size));
	vtb_elf_close(elf);
}

/* The word that a relocation names holds the function's address once it is bound. */
static void relocations_name_what_is_filled_in(void **state)
{
	struct vtb_elf *elf = self();
	struct vtb_elf_section s;
	unsigned found = 0;

	(void)state;
	assert_true(getauxval(AT_PAGESZ) > 0);
	for (size_t i = 0; vtb_elf_section(elf, i, &s); i++)
		for (size_t k = 0; s.type == SHT_RELA; k++) {
			struct vtb_elf_relocation r;

			if (!vtb_elf_relocation(elf, &s, k, &r))
				break;
			if ((r.type != R_X86_64_JUMP_SLOT && r.type != R_X86_64_GLOB_DAT) ||
			    strcmp(r.symbol.name, "getauxval"))
				continue;
			found++;
			assert_false(r.symbol.defined);
			assert_ptr_equal(*(void **)(r.addr + loaded().dlpi_addr), (void *)getauxval);
		}
	assert_true(found > 0);
	vtb_elf_close(elf);
}

static void needed_libraries_are_named(void **state)
{
	struct vtb_elf *elf = self();
	struct vtb_elf_section table;
	struct vtb_elf_dynamic d;
	bool cmocka = false;

	(void)state;
	assert_true(find_section(elf, SHT_DYNAMIC, &table));
	for (size_t i = 0; vtb_elf_dynamic(elf, &table, i, &d); i++)
		cmocka |= d.tag == DT_NEEDED && !strncmp(vtb_elf_text(elf, &table, d.value), "libcmocka", 9);
	assert_true(cmocka);
	vtb_elf_close(elf);
}

static void what_is_no_elf_file_is_refused_by_name(void **state)
{
	struct vtb_error err = { 0 };
	struct vtb_elf *elf = NULL;

	(void)state;
	assert_int_equal(vtb_elf_open("/etc/passwd", &elf, &err), -ENOEXEC);
	assert_non_null(strstr(err.text, "not an ELF file"));
	assert_int_equal(vtb_elf_open("/nowhere", &elf, NULL), -ENOENT);
	assert_int_equal(vtb_elf_open("/tmp", &elf, NULL), -EISDIR);
	assert_null(elf);
}

/* Read all there is of it. */
static void read_all(struct vtb_elf *elf)
{
	struct vtb_elf_segment segment;
	struct vtb_elf_section s;

	for (size_t i = 0; vtb_elf_segment(elf, i, &segment); i++)
		;
	for (size_t i = 0; vtb_elf_section(elf, i, &s); i++) {
		struct vtb_elf_symbol symbol;
		struct vtb_elf_relocation r;
		struct vtb_elf_dynamic d;
		size_t size;

		vtb_elf_bytes(elf, &s, &size);
		for (size_t k = 0; s.type == SHT_SYMTAB && vtb_elf_symbol(elf, &s, k, &symbol); k++)
			assert_non_null(symbol.name);
		for (size_t k = 0; s.type == SHT_RELA && vtb_elf_relocation(elf, &s, k, &r); k++)
			assert_non_null(r.symbol.name);
		for (size_t k = 0; s.type == SHT_DYNAMIC && vtb_elf_dynamic(elf, &s, k, &d); k++)
			vtb_elf_text(elf, &s, d.value);
	}
}

/* Cut off or damaged at 200 places each: what is not there is not told, and nothing is read past the end. */
static void damaged_files_are_harmless(void **state)
{
	char path[] = "/tmp/vtb-test-elf-XXXXXX";
	static char bytes[4u << 20];
	FILE *file = fopen(SELF, "rbe");
	const size_t n = fread(bytes, 1, sizeof(bytes), file);
	const int fd = mkstemp(path);
	unsigned opened = 0;

	(void)state;
	fclose(file);
	assert_true(fd >= 0);
	for (unsigned i = 0; i < 400; i++) {
		const size_t at = i < 200 ? n : i < 300 ? n * (i - 300 + 100) / 100 : (size_t)(i - 300);
		const size_t size = i < 200 ? n * i / 200 : n;
		const char old = size > at ? bytes[at] : 0;
		struct vtb_elf *elf;

		if (size > at)
			bytes[at] = (char)~old;
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, bytes, size, 0), (ssize_t)size);
		if (vtb_elf_open(path, &elf, NULL) >= 0) {
			opened++;
			read_all(elf);
			vtb_elf_close(elf);
		}
		if (size > at)
			bytes[at] = old;
	}
	assert_in_range(opened, 200, 399);
	close(fd);
	unlink(path);
}

/* What `readelf -n` reads, and the linker made of all other bytes: two bytes would be chance. */
static void the_build_id_is_in_the_file_once(void **state)
{
	struct vtb_elf *elf = self();
	uint8_t id[24] = { 0 }, part[2] = { 0 };
	const size_t n = vtb_elf_build_id(elf, id, sizeof(id));
	struct vtb_elf_section notes;
	size_t found = 0, size;

	(void)state;
	assert_int_equal(vtb_elf_build_id(elf, part, sizeof(part)), n); /* no more than there is room for is stored */
	assert_memory_equal(part, id, n ? sizeof(part) : 0);
	for (size_t i = 0; vtb_elf_section(elf, i, &notes); i++)
		if (!strcmp(notes.name, ".note.gnu.build-id")) {
			const char *bytes = vtb_elf_bytes(elf, &notes, &size);

			assert_true(size >= n);
			assert_memory_equal(bytes + size - n, id, n);
			found++;
		}
	assert_int_equal(found, n ? 1 : 0);
	vtb_elf_close(elf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_build_id_is_in_the_file_once),
		cmocka_unit_test(the_header_is_that_of_the_running_program),
		cmocka_unit_test(segments_are_those_that_the_loader_saw),
		cmocka_unit_test(symbols_have_the_addresses_that_they_have_in_memory),
		cmocka_unit_test(code_is_what_stands_in_memory),
		cmocka_unit_test(variables_without_a_value_have_no_bytes),
		cmocka_unit_test(relocations_name_what_is_filled_in),
		cmocka_unit_test(needed_libraries_are_named),
		cmocka_unit_test(what_is_no_elf_file_is_refused_by_name),
		cmocka_unit_test(damaged_files_are_harmless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
