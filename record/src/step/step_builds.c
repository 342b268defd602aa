/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which builds of the program and its libraries ran: who decodes may find others in their places. */
#include "step_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/elf_file.h"

int step_builds_note(struct step_files *f, const char *path)
{
	struct step_build build = { 0 };
	struct vtb_elf *elf;

	for (size_t i = 0; i < f->n_builds; i++)
		if (!strcmp(f->builds[i].path, path))
			return 0;
	if (vtb_elf_open(path, &elf, NULL) < 0)
		return 0;
	build.id_size = (uint32_t)vtb_elf_build_id(elf, build.id, sizeof(build.id));
	vtb_elf_close(elf);
	if (build.id_size > sizeof(build.id))
		build.id_size = 0; /* told nowhere else either */
	build.path = strdup(path);
	if (!build.path || vtb_array_room(f, builds) < 0) {
		free(build.path);
		return -ENOMEM;
	}
	f->builds[f->n_builds++] = build;
	return 0;
}

void step_builds_fini(struct step_files *f)
{
	for (size_t i = 0; i < f->n_builds; i++)
		free(f->builds[i].path);
	free(f->builds);
	f->builds = NULL;
	f->n_builds = f->cap_builds = 0;
}
