/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files that the QEMU plugin writes (docs/format/pt.md) to a profile. */
#include "vtb/accesses.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vtb/elf_file.h"
#include "vtb/input.h"
#include "vtb/qemu_record.h"

#define BLOCK 4096u

/* Where the first executable segment lies in the file's own addresses: QEMU gives its place in the process. */
static int code_begin(const char *program, uint64_t *ret, struct vtb_error *err)
{
	struct vtb_elf_segment code;
	struct vtb_elf *elf;
	int r = vtb_elf_open(program, &elf, err);

	if (r < 0)
		return r;
	if (vtb_elf_loaded(elf, PF_X, &code))
		*ret = code.addr;
	else
		r = vtb_error_set(err, -VTB_E_FORMAT, program, 0, "no executable segment can be read");
	vtb_elf_close(elf);
	return r;
}

static int read_header(FILE *file, const char *path, struct vtb_qemu_header *h, struct vtb_error *err)
{
	if (fread(h, sizeof(*h), 1, file) != 1 || memcmp(h->magic, VTB_QEMU_MAGIC, sizeof(VTB_QEMU_MAGIC)))
		return vtb_error_set(err, -VTB_E_FORMAT, path, 0,
		                     "not a file of accesses: expected magic \"" VTB_QEMU_MAGIC "\"");
	if (h->version != VTB_QEMU_VERSION)
		return vtb_error_set(err, -VTB_E_VERSION, path, 8, "version %" PRIu32 ", expected %u", h->version,
		                     VTB_QEMU_VERSION);
	if (h->header_size < sizeof(*h) || h->header_size > 1u << 16 || h->code_lo > h->code_hi ||
	    fseek(file, (long)h->header_size, SEEK_SET) != 0)
		return vtb_error_set(err, -VTB_E_FORMAT, path, 12,
		                     "a header of %" PRIu32 " bytes, or code from 0x%" PRIx64 " to 0x%" PRIx64
		                     ", is not possible",
		                     h->header_size, h->code_lo, h->code_hi);
	return 0;
}

static int take_accesses(FILE *file, const struct vtb_qemu_header *h, uint64_t bias, uint32_t thread,
                         struct vtb_accesses *p)
{
	struct vtb_qemu_access block[BLOCK];
	size_t n;
	int r = 0;

	while (r >= 0 && (n = fread(block, sizeof(*block), BLOCK, file)) > 0)
		for (size_t i = 0; r >= 0 && i < n; i++) {
			const uint64_t ip = vtb_qemu_ip(&block[i]);
			const struct vtb_one_access a = { .pc = ip - bias,
				                          .addr = block[i].addr,
				                          .thread = thread,
				                          .size = vtb_qemu_size(&block[i]),
				                          .writes = vtb_qemu_writes(&block[i]) != 0 };

			if (ip >= h->code_lo && ip < h->code_hi)
				r = vtb_accesses_add(p, &a);
		}
	return r < 0 ? r : ferror(file) ? -EIO : 0;
}

static int take_file(const char *path, const char *program, uint64_t code, uint32_t thread, struct vtb_accesses **p,
                     struct vtb_error *err)
{
	FILE *file = vtb_input_stream(path);
	struct vtb_qemu_header h;
	int r;

	if (!file)
		return vtb_error_set(err, -errno, path, 0, "cannot open: %s", strerror(errno));
	r = read_header(file, path, &h, err);
	if (r >= 0 && !*p)
		r = vtb_accesses_new(program, h.code_lo - code, p);
	if (r >= 0)
		r = take_accesses(file, &h, h.code_lo - code, thread, *p);
	fclose(file);
	return r < 0 && err && !err->text[0] ? vtb_error_set(err, r, path, 0, "%s", vtb_strerror(r)) : r;
}

static int is_accesses(const struct dirent *d)
{
	const char *dot = strrchr(d->d_name, '.');

	return !strncmp(d->d_name, "vcpu-", 5) && dot && !strcmp(dot, ".qacc");
}

int vtb_accesses_read(const char *dir, const char *program, struct vtb_accesses **ret, struct vtb_error *err)
{
	struct dirent **names = NULL;
	struct vtb_accesses *p = NULL;
	uint64_t code = 0;
	int n = scandir(dir, &names, is_accesses, alphasort), r;

	if (n <= 0)
		r = n < 0 ? vtb_error_set(err, -errno, dir, 0, "cannot open: %s", strerror(errno))
		          : vtb_error_set(
		                err, -VTB_E_FORMAT, dir, 0,
		                "no profile: expected files vcpu-N-K.qacc, as vtb-record --backend=qemu writes them");
	else
		r = code_begin(program, &code, err);
	for (int i = 0; i < n; i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/%s", dir, names[i]->d_name);
		if (r >= 0)
			r = take_file(path, program, code, (uint32_t)i, &p, err);
		free(names[i]);
	}
	free(names);
	if (r < 0) {
		vtb_accesses_free(p);
		return r;
	}
	*ret = p;
	return 0;
}
