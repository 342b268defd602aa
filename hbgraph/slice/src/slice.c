/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/slice.h"

#include <errno.h>
#include <stdlib.h>

#include "vtb/elf_file.h"

struct vtb_slice {
	const char *doubt;
};

int vtb_slice_open(const char *path, const struct vtb_slice_opts *opts, struct vtb_slice **ret, struct vtb_error *err)
{
	struct vtb_elf *elf;
	struct vtb_slice *s;
	int r = vtb_elf_open(path, &elf, err);

	(void)opts;
	if (r < 0)
		return r;
	r = vtb_elf_is_native(elf) ? 0 : vtb_error_set(err, -ENOEXEC, path, 0, "not an ELF file for x86-64");
	vtb_elf_close(elf);
	if (r < 0)
		return r;
	s = calloc(1, sizeof(*s));
	if (!s)
		return vtb_error_set(err, -ENOMEM, path, 0, "not enough memory");
	s->doubt = "nothing is known of its instructions";
	*ret = s;
	return 0;
}

void vtb_slice_free(struct vtb_slice *s)
{
	free(s);
}

uint32_t vtb_slice_matters(const struct vtb_slice *s, uint64_t addr)
{
	(void)s, (void)addr;
	return VTB_SLICE_ALL;
}

int vtb_slice_add(struct vtb_slice *s, uint64_t addr, uint32_t kinds, size_t *ret_added)
{
	(void)s, (void)addr, (void)kinds;
	if (ret_added)
		*ret_added = 0;
	return 0;
}

const char *vtb_slice_doubt(const struct vtb_slice *s)
{
	return s->doubt;
}

size_t vtb_slice_path(const struct vtb_slice *s, uint64_t addr, uint32_t kinds, struct vtb_slice_step *steps,
                      size_t max)
{
	(void)s, (void)addr, (void)kinds, (void)steps, (void)max;
	return 0;
}

bool vtb_slice_access(const struct vtb_slice *s, size_t i, uint64_t *ret_addr, uint32_t *ret_kinds)
{
	(void)s, (void)i, (void)ret_addr, (void)ret_kinds;
	return false;
}

void vtb_slice_count(const struct vtb_slice *s, uint32_t kinds, size_t *ret_accesses, size_t *ret_matter)
{
	(void)s, (void)kinds;
	*ret_accesses = *ret_matter = 0;
}

bool vtb_slice_essential(const struct vtb_slice *s, size_t i, struct vtb_slice_essential *ret)
{
	(void)s, (void)i, (void)ret;
	return false;
}
