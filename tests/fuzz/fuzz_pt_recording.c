/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A directory of the backends pt and step, as an attacker could write it: opened, its packets decoded, its addresses
 * recovered, its truth read.
 *
 * The code is also looked through for landing pads, as the ELF file that it may be.
 *
 * An input is its files, one after the other: u8 which (the row of `files`, modulo their number), u16 size, bytes. The
 * code is in the input, too (vdso.bin). Where pt.json or maps.txt are missing, good ones are there, so that a change
 * need not be right about everything.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../unit/decode/wire_build.h"
#include "vtb/landing.h"
#include "vtb/pt_recording.h"
#include "vtb/recover.h"

#define CODE "0000000000401000-0000000000402000"

static const struct {
	const char *name, *otherwise;
} files[] = {
	{ "thread-0.pt", NULL },
	{ "thread-1.pt", NULL },
	{ "vdso.bin", NULL },
	{ "log.bin", NULL },
	{ "data.bin", NULL },
	{ "thread-0.truth", NULL },
	{ "maps.txt", CODE " r-xp 00000000 00:00 0 [vdso]\n0000000000403000-0000000000404000 rw-p 00000000 00:00 0\n" },
	{ "pt.json", "{\"format\":\"vtb-pt\",\"version\":1,\"source\":\"step\",\"order\":\"total\",\"threads\":[{"
	             "\"slot\":0,\"tid\":10},{\"slot\":1,\"tid\":11,\"parent\":0,\"nth\":0}]}" },
};
#define N_FILES (sizeof(files) / sizeof(*files))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char directory[64];

static void remove_file(size_t i)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", directory, files[i].name);
	unlink(path);
}

static void remove_directory(void)
{
	for (size_t i = 0; i < N_FILES; i++)
		remove_file(i);
	rmdir(directory);
}

static void write_files(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < N_FILES; i++)
		if (files[i].otherwise)
			write_bytes(directory, files[i].name, files[i].otherwise, strlen(files[i].otherwise));
		else
			remove_file(i);
	while (size > 3) {
		size_t n = data[1] | (size_t)data[2] << 8;

		n = n < size - 3 ? n : size - 3;
		write_bytes(directory, files[data[0] % N_FILES].name, data + 3, n);
		data += 3 + n;
		size -= 3 + n;
	}
}

static int take_access(void *arg, const struct vtb_recover_access *a)
{
	const struct vtb_pt_recording *rec = arg;

	VTB_ASSERT(a->slot < rec->n_tids && a->state <= VTB_RECOVER_SYMBOLIC &&
	           (a->state != VTB_RECOVER_UNKNOWN || !a->addr));
	return 0;
}

static void find_landings(void)
{
	struct vtb_landings l = { 0 };
	char path[128];
	uint64_t pad, args;

	snprintf(path, sizeof(path), "%s/vdso.bin", directory);
	if (vtb_landings_add(&l, path, 0x401000, 0x402000) < 0)
		abort();
	for (uint64_t ret = 0x401001; ret <= 0x402000; ret += 5)
		vtb_landing_find(&l, ret, &pad, &args);
	vtb_landings_fini(&l);
}

static void recover(struct vtb_pt_recording *rec)
{
	const struct vtb_recover_sink sink = { .access = take_access, .arg = rec };
	struct vtb_recover_stats stats = { 0 };
	struct vtb_error err = { 0 };

	/* What was dealt out is what is interpreted, but for what is not code. Just before an error libipt's cache of
	 * blocks decides how far it gets. */
	if (vtb_recover(rec, &sink, &stats, &err) >= 0)
		VTB_ASSERT(rec->session.errors || stats.instructions <= rec->session.instructions);
	else
		VTB_ASSERT(err.text[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct vtb_pt_recording rec;
	struct vtb_pt_truth_reader truth;
	struct vtb_error err = { 0 };

	if (!directory[0]) {
		new_directory(directory);
		atexit(remove_directory);
	}
	write_files(data, size);
	find_landings();
	if (vtb_pt_recording_read(directory, 1, &rec, &err) < 0) {
		VTB_ASSERT(err.text[0]);
		return 0;
	}
	recover(&rec);
	if (vtb_pt_truth_open(&rec, 0, &truth, &err) == 0)
		while (vtb_pt_truth_next(&truth) == 1)
			continue;
	vtb_pt_recording_fini(&rec);
	return 0;
}
