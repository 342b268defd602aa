/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/module_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/elf_file.h"

static bool is_recorded_build(struct vtb_elf *elf, const struct vtb_module *m)
{
	uint8_t id[sizeof(m->build_id)] = { 0 };
	const size_t n = vtb_elf_build_id(elf, id, sizeof(id));

	return !m->build_id_size || (n == m->build_id_size && !memcmp(id, m->build_id, n));
}

static enum vtb_module_file look(const struct vtb_module *m, const char *path)
{
	enum vtb_module_file state = VTB_MODULE_SAME;
	struct vtb_elf *elf;
	int r = vtb_elf_open(path, &elf, NULL);

	if (r < 0)
		return r == -ENOEXEC ? VTB_MODULE_FOREIGN : VTB_MODULE_MISSING;
	if (!vtb_elf_is_native(elf))
		state = VTB_MODULE_FOREIGN;
	else if (!is_recorded_build(elf, m))
		state = VTB_MODULE_OTHER;
	vtb_elf_close(elf);
	return state;
}

enum vtb_module_file vtb_module_find(const struct vtb_module *m, char *where, size_t size)
{
	const char *symfs = getenv("VTB_SYMFS"), *slash = strrchr(m->path, '/');

	enum vtb_module_file met = VTB_MODULE_MISSING, state;

	snprintf(where, size, "%s", m->path);
	if (m->path[0] != '/')
		return VTB_MODULE_NO_FILE;
	for (unsigned i = 0; symfs && *symfs && i < 2; i++) {
		snprintf(where, size, "%s/%s", symfs, i == 0 ? m->path : slash + 1);
		state = look(m, where);
		if (state == VTB_MODULE_SAME)
			return state;
		met = met == VTB_MODULE_MISSING ? state : met;
	}
	snprintf(where, size, "%s", m->path);
	state = look(m, where);
	return state == VTB_MODULE_MISSING ? met : state;
}

const char *vtb_module_trouble(enum vtb_module_file state)
{
	static const char *const words[] = {
		[VTB_MODULE_MISSING] = "is not there, or cannot be read",
		[VTB_MODULE_OTHER] = "is another build than the recorded one, by its build-id",
		[VTB_MODULE_FOREIGN] = "is no 64-bit program of this machine",
		[VTB_MODULE_NO_FILE] = NULL,
	};

	return words[state];
}
