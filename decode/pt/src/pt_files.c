/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pt_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "vtb/array.h"
#include "vtb/elf_file.h"

static bool is_build(struct vtb_elf *elf, const struct vtb_perf_build *build)
{
	uint8_t id[VTB_PERF_ID_SIZE];

	return !build ||
	       (vtb_elf_build_id(elf, id, sizeof(id)) == build->id_size && !memcmp(id, build->id, build->id_size));
}

static bool fits(const char *path, const struct vtb_perf_build *build)
{
	struct vtb_elf *elf;
	struct stat st;
	bool good;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode) || vtb_elf_open(path, &elf, NULL) < 0)
		return false;
	good = vtb_elf_is_native(elf) && is_build(elf, build);
	vtb_elf_close(elf);
	return good;
}

const char *pt_files_find(const char *path, const struct vtb_perf_build *build, const char *symfs, char *buf)
{
	const char *slash = strrchr(path, '/');

	for (unsigned i = 0; symfs && *symfs && i < 2; i++) {
		snprintf(buf, PT_PATH_SIZE, "%s/%s", symfs, i == 0 || !slash ? path : slash + 1);
		if (fits(buf, build))
			return buf;
	}
	return fits(path, build) ? path : NULL;
}

/* The kernel gives paths to what is no file, too. */
static bool is_file(const char *path)
{
	static const char *const others[] = { "//", "/dev/", "/memfd:", "/SYSV", "/anon_hugepage" };

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!strncmp(path, others[i], strlen(others[i])))
			return false;
	return true;
}

int pt_files_miss(struct vtb_pt_session *session, const struct vtb_perf_mmap *map, const struct vtb_perf_build *build)
{
	struct vtb_pt_absent absent = { .lo = map->addr - map->offset, .hi = map->addr + map->size };

	if (!is_file(map->path))
		return 0;
	if (build) {
		absent.id_size = build->id_size;
		memcpy(absent.id, build->id, build->id_size);
	}
	absent.path = strdup(map->path);
	if (!absent.path || vtb_array_room(session, absents) < 0) {
		free(absent.path);
		return -ENOMEM;
	}
	session->absents[session->n_absents++] = absent;
	return 0;
}

void pt_files_fini(struct vtb_pt_session *session)
{
	for (size_t i = 0; i < session->n_absents; i++)
		free(session->absents[i].path);
	free(session->absents);
}
