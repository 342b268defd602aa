/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "step_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "step_symbols.h"
#include "vtb/array.h"

#define PATH_SIZE 4096u
#define DATA_MAX (256ull << 20) /* of one mapping */

FILE *step_files_create(const struct step_files *f, const char *name, const char *magic)
{
	struct vtb_pt_file_header header = { .version = VTB_PT_RECORD_VERSION, .header_size = sizeof(header) };
	char path[PATH_SIZE];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", f->dir, name);
	file = fopen(path, "wbe");
	if (!file || !magic)
		return file;
	memcpy(header.magic, magic, strlen(magic));
	fwrite(&header, sizeof(header), 1, file); /* an error shows at fclose() */
	return file;
}

int step_files_open(struct step_files *f, const char *dir, pid_t pid, struct vtb_error *err)
{
	char path[64];

	*f = (struct step_files){ .dir = dir, .pid = pid };
	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	f->mem = open(path, O_RDWR | O_CLOEXEC);
	if (f->mem < 0)
		return vtb_error_set(err, -errno, path, 0, "cannot open: %s", strerror(errno));
	f->maps = step_files_create(f, "maps.txt", NULL);
	f->log = step_files_create(f, "log.bin", VTB_PT_LOG_MAGIC);
	if (!f->maps || !f->log)
		return vtb_error_set(err, -errno, dir, 0, "cannot create files: %s", strerror(errno));
	return 0;
}

int step_files_close(struct step_files *f)
{
	bool failed = f->failed;

	if (f->maps)
		failed |= fclose(f->maps) != 0;
	if (f->log)
		failed |= fclose(f->log) != 0;
	if (f->mem > 0)
		close(f->mem);
	free(f->ranges);
	f->ranges = NULL;
	step_builds_fini(f);
	return failed ? -EIO : 0;
}

size_t step_files_read(const struct step_files *f, uint64_t addr, void *buf, size_t n)
{
	ssize_t got = pread(f->mem, buf, n, (off_t)addr);

	if (got <= 0) { /* up to the end of the page at least */
		const size_t page = 4096 - (addr & 4095);

		got = pread(f->mem, buf, n < page ? n : page, (off_t)addr);
	}
	return got > 0 ? (size_t)got : 0;
}

bool step_files_known(const struct step_files *f, uint64_t ip)
{
	for (size_t i = f->n_ranges; i-- > 0;)
		if (ip >= f->ranges[i].lo && ip < f->ranges[i].hi)
			return true;
	return false;
}

bool step_files_own(const struct step_files *f, uint64_t ip)
{
	for (size_t i = f->n_ranges; i-- > 0;)
		if (ip >= f->ranges[i].lo && ip < f->ranges[i].hi)
			return f->ranges[i].own;
	return false;
}

const struct step_hook *step_files_hook(const struct step_files *f, uint64_t ip)
{
	for (size_t i = 0; i < f->n_hooks; i++)
		if (f->hooks[i].ip == ip)
			return &f->hooks[i];
	return NULL;
}

void step_files_add_hook(struct step_files *f, uint64_t ip, uint16_t function, uint8_t args)
{
	if (f->n_hooks < STEP_HOOKS_MAX && !step_files_hook(f, ip))
		f->hooks[f->n_hooks++] = (struct step_hook){ .ip = ip, .function = function, .args = args };
}

/* A line of /proc/PID/maps. */
struct line {
	uint64_t lo, hi, offset;
	char perms[5];
	char path[PATH_SIZE];
};

static bool parse(const char *text, struct line *l)
{
	l->path[0] = 0;
	return sscanf(text, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %4095[^\n]", &l->lo, &l->hi, l->perms,
	              &l->offset, l->path) >= 4;
}

static int copy_out(const struct step_files *f, uint64_t lo, uint64_t hi, FILE *to)
{
	uint8_t buf[65536];

	for (uint64_t at = lo; at < hi;) {
		const size_t want = hi - at < sizeof(buf) ? hi - at : sizeof(buf);
		size_t n = step_files_read(f, at, buf, want);

		if (n < want) /* a page that cannot be read is zeros */
			memset(buf + n, 0, want - n);
		if (fwrite(buf, 1, want, to) != want)
			return -EIO;
		at += want;
	}
	return 0;
}

static int save_vdso(const struct step_files *f, const struct line *l)
{
	FILE *file = step_files_create(f, "vdso.bin", NULL);
	int r = file ? copy_out(f, l->lo, l->hi, file) : -errno;

	if (file && fclose(file) != 0)
		r = -EIO;
	return r;
}

static bool is_own(const char *path)
{
	return path[0] == '/' && strncmp(path, "/usr/", 5) && strncmp(path, "/lib", 4);
}

static int note_code(struct step_files *f, const struct line *l)
{
	int r = 0;

	if (step_files_known(f, l->lo))
		return 0;
	if (!strcmp(l->path, "[vdso]"))
		r = save_vdso(f, l);
	else if (l->path[0] == '/')
		r = step_builds_note(f, l->path);
	if (r < 0)
		return r;
	if (l->path[0] == '/')
		step_symbols(f, l->path, l->lo, l->offset);
	if (vtb_array_room(f, ranges) < 0)
		return -ENOMEM;
	f->ranges[f->n_ranges++] = (struct step_range){ l->lo, l->hi, is_own(l->path) };
	return 0;
}

static FILE *open_maps(const struct step_files *f)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/maps", f->pid);
	return fopen(path, "re");
}

int step_files_maps(struct step_files *f)
{
	char text[PATH_SIZE + 128];
	FILE *in = open_maps(f);
	struct line l;
	int r = 0;

	if (!in)
		return -errno;
	while (r >= 0 && fgets(text, sizeof(text), in)) {
		f->failed |= fputs(text, f->maps) == EOF;
		if (parse(text, &l) && l.perms[2] == 'x')
			r = note_code(f, &l);
	}
	f->failed |= fputs("\n", f->maps) == EOF;
	fclose(in);
	return r;
}

static int save_part(const struct step_files *f, FILE *file, uint64_t lo, uint64_t hi)
{
	const struct vtb_pt_data head = { lo, hi - lo };

	if (hi - lo > DATA_MAX)
		return 0;
	return fwrite(&head, sizeof(head), 1, file) == 1 ? copy_out(f, lo, hi, file) : -EIO;
}

int step_files_data(struct step_files *f, uint64_t rsp)
{
	FILE *in = open_maps(f), *file = step_files_create(f, "data.bin", VTB_PT_DATA_MAGIC);
	char text[PATH_SIZE + 128];
	struct line l;
	uint64_t module_end = 0;
	int r = in && file ? 0 : -errno;

	while (r >= 0 && fgets(text, sizeof(text), in)) {
		const bool of_file = parse(text, &l) && l.path[0] == '/';

		if (of_file)
			module_end = l.hi;
		if (of_file && l.perms[0] == 'r' && l.perms[2] != 'x')
			r = save_part(f, file, l.lo, l.hi);
		else if (!l.path[0] && l.lo == module_end && l.perms[1] == 'w') /* .bss */
			r = save_part(f, file, l.lo, l.hi);
		else if (rsp >= l.lo && rsp < l.hi)
			r = save_part(f, file, rsp & ~7ull, l.hi);
	}
	if (in)
		fclose(in);
	if (file && fclose(file) != 0)
		r = -EIO;
	return r;
}
