/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The same records in perf's other forms: compressed (-z), spread over files (--threads), both; put together here, and
 * written by perf itself where there is one. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perf_build.h"
#include "perf_data.h"
#include "vtb/zip.h"

#define KERNEL_RECORDS 64u /* types below are the kernel's */
#define COMPRESSED 81u
#define COMPRESSED2 83u

/* How a file's records are packed. */
struct packing {
	uint32_t type;
	unsigned frames; /* zstd frames, each of a part of the bytes */
	size_t piece;    /* bytes of them in one record */
};

/* The kernel's records of `all`, and behind them what perf wrote itself; the trace after its record moves along. */
static void part(const struct file *all, struct file *ret_kernel, struct file *ret_perf)
{
	for (size_t at = 0; at < all->size;) {
		struct perf_event_header h;
		size_t size;

		memcpy(&h, all->bytes + at, sizeof(h));
		size = h.size + (h.type == 71 ? 8u : 0); /* AUXTRACE, with its 8 bytes */
		put(h.type < KERNEL_RECORDS ? ret_kernel : ret_perf, all->bytes + at, size);
		at += size;
	}
}

static size_t pack(const struct file *f, unsigned frames, char *ret, size_t size)
{
	FILE *out = fmemopen(ret, size, "w");
	size_t packed;

	assert_non_null(out);
	for (unsigned i = 0; i < frames; i++) {
		const size_t from = f->size * i / frames, to = f->size * (i + 1) / frames;
		struct vtb_zip *zip = vtb_zip_new();

		assert_int_equal(vtb_zip_write(zip, f->bytes + from, to - from, true, out), 0);
		vtb_zip_free(zip);
	}
	packed = (size_t)ftell(out);
	fclose(out);
	return packed;
}

static void put_packed(struct file *f, const struct file *records, struct packing how)
{
	char packed[8192];
	const size_t n = pack(records, how.frames, packed, sizeof(packed));

	for (size_t at = 0; at < n; at += how.piece) {
		const size_t piece = n - at < how.piece ? n - at : how.piece;

		begin_record(f, how.type, 0);
		if (how.type == COMPRESSED2)
			put64(f, piece);
		put(f, packed + at, piece);
		if (how.type == COMPRESSED2)
			put(f, "\0\0\0\0\0\0\0", (8 - piece % 8) % 8);
		end_record(f);
	}
}

/* perf's own records first, so that who reads the others knows their shape. */
static void make_packed(struct file *f, struct packing how)
{
	struct file all = { .size = 0 }, kernel = { .size = 0 }, records = { .size = 0 };

	put_records(&all);
	part(&all, &kernel, &records);
	put_packed(&records, &kernel, how);
	make_file_of(f, &records);
}

static void compressed_records_read_as_if_they_were_not(void **state)
{
	(void)state; /* also cut inside a record's header, and inside a frame's */
	for (uint32_t type = COMPRESSED; type <= COMPRESSED2; type += 2)
		for (unsigned frames = 1; frames <= 5; frames++)
			for (size_t piece = 7; piece <= 512; piece = piece * 2 + 1) {
				struct file f = { .size = 0 };
				struct vtb_perf_data d = { 0 };
				struct vtb_error err = { 0 };

				make_packed(&f, (struct packing){ type, frames, piece });
				if (vtb_perf_read_bytes(f.bytes, f.size, &d, &err) < 0)
					fail_msg("%u %zu: %s", frames, piece, err.text);
				check(&d);
				vtb_perf_fini(&d);
			}
}

static void every_damaged_byte_of_a_compressed_file_is_survived(void **state)
{
	struct file whole = { .size = 0 };

	(void)state;
	make_packed(&whole, (struct packing){ COMPRESSED, 2, 100 });
	for (size_t i = 0; i < whole.size; i++) {
		uint8_t *copy = malloc(whole.size);
		struct vtb_perf_data d = { 0 };
		struct vtb_error err;

		memcpy(copy, whole.bytes, whole.size);
		copy[i] ^= 0xff;
		vtb_perf_read_bytes(copy, whole.size, &d, &err);
		vtb_perf_fini(&d);
		free(copy);
	}
}

static int error_of(const struct file *records, char *ret_text, size_t size)
{
	struct file f = { .size = 0 };
	struct vtb_perf_data d = { 0 };
	struct vtb_error err = { 0 };
	int r;

	make_file_of(&f, records);
	r = vtb_perf_read_bytes(f.bytes, f.size, &d, &err);
	snprintf(ret_text, size, "%s", err.text);
	vtb_perf_fini(&d);
	return r;
}

static void what_cannot_be_unpacked_is_an_error(void **state)
{
	struct file garbage = { .size = 0 }, cut = { .size = 0 }, nested = { .size = 0 }, outer = { .size = 0 };
	struct file mmap = { .size = 0 };
	char text[512];

	(void)state;
	begin_record(&garbage, COMPRESSED, 0);
	put64(&garbage, 42);
	end_record(&garbage);
	assert_int_equal(error_of(&garbage, text, sizeof(text)), -VTB_E_FORMAT);
	assert_non_null(strstr(text, "damaged compressed record"));
	begin_record(&mmap, PERF_RECORD_LOST, 0);
	put64(&mmap, 1);
	put64(&mmap, 1);
	put_id(&mmap, 10, 10, 1, 1);
	end_record(&mmap);
	mmap.size -= 4;
	put_packed(&cut, &mmap, (struct packing){ COMPRESSED, 1, 999 });
	assert_int_equal(error_of(&cut, text, sizeof(text)), -VTB_E_FORMAT);
	assert_non_null(strstr(text, "ends inside a compressed record"));
	put_packed(&nested, &mmap, (struct packing){ COMPRESSED, 1, 999 });
	put_packed(&outer, &nested, (struct packing){ COMPRESSED, 1, 999 });
	assert_int_equal(error_of(&outer, text, sizeof(text)), -VTB_E_FORMAT);
	assert_non_null(strstr(text, "inside compressed data"));
}

static void another_compression_is_refused_by_name(void **state)
{
	struct file f = { .size = 0 };
	struct vtb_perf_data d = { 0 };
	struct vtb_error err;

	(void)state;
	make_pipe(&f);
	begin_record(&f, 80, 0);
	put64(&f, 27); /* feature COMPRESSED: version, kind, level, ratio, size of the ring */
	put32(&f, 1);
	put32(&f, 2);
	put32(&f, 1);
	put32(&f, 1);
	end_record(&f);
	assert_int_equal(vtb_perf_read_bytes(f.bytes, f.size, &d, &err), -VTB_E_UNSUPPORTED);
	assert_non_null(strstr(err.text, "not zstd"));
	vtb_perf_fini(&d);
}

/* 16 MB of records without a body pack to a few kB. */
static void what_unpacks_to_too_much_is_an_error(void **state)
{
	struct file plain = { .size = 0 }, records = { .size = 0 }, f = { .size = 0 };
	struct vtb_perf_data fits = { 0 }, d = { .unpacked_max = 1 << 20 };
	struct vtb_zip *zip = vtb_zip_new();
	struct vtb_error err;
	char packed[4096];
	FILE *out = fmemopen(packed, sizeof(packed), "w");

	(void)state;
	while (plain.size < sizeof(plain.bytes)) {
		begin_record(&plain, 68, 0);
		end_record(&plain);
	}
	for (unsigned i = 0; i < 2048; i++)
		assert_int_equal(vtb_zip_write(zip, plain.bytes, plain.size, i == 2047, out), 0);
	assert_int_equal(fflush(out), 0);
	begin_record(&records, COMPRESSED, 0);
	put(&records, packed, (size_t)ftell(out));
	end_record(&records);
	make_file_of(&f, &records);
	assert_int_equal(vtb_perf_read_bytes(f.bytes, f.size, &fits, &err), 0);
	assert_int_equal(fits.n_records, 2048 * 1024 + 1);
	assert_int_equal(vtb_perf_read_bytes(f.bytes, f.size, &d, &err), -VTB_E_LIMIT);
	assert_true(d.unpacked <= 1 << 20);
	vtb_perf_fini(&fits);
	vtb_perf_fini(&d);
	fclose(out);
	vtb_zip_free(zip);
}

/* ------------------------------------------------------------------ directories */

static void write_file(const char *dir, const char *name, const struct file *f)
{
	char path[256];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	out = fopen(path, "wb");
	assert_non_null(out);
	assert_int_equal(fwrite(f->bytes, 1, f->size, out), f->size);
	assert_int_equal(fclose(out), 0);
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
	(void)st;
	(void)kind;
	(void)where;
	return remove(path);
}

static void remove_dir(const char *dir)
{
	assert_int_equal(nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

/* The kernel's records dealt to ten writers in turn, last first, packed or not. */
static void make_dir(const char *dir, bool packed)
{
	struct file all = { .size = 0 }, kernel = { .size = 0 }, perf = { .size = 0 }, header = { .size = 0 };
	struct file writers[11] = { 0 };
	unsigned turn = 0;

	put_records(&all);
	part(&all, &kernel, &perf);
	make_file_of(&header, &perf);
	write_file(dir, "data", &header);
	for (size_t at = 0; at < kernel.size; turn++) {
		struct perf_event_header h;

		memcpy(&h, kernel.bytes + at, sizeof(h));
		put(&writers[10 - turn % 11], kernel.bytes + at, h.size);
		at += h.size;
	}
	for (unsigned i = 0; i < 11; i++) {
		struct file f = { .size = 0 };
		char name[16];

		if (packed && writers[i].size) {
			put_packed(&f, &writers[i], (struct packing){ COMPRESSED, 1, 50 });
			writers[i] = f;
		}
		snprintf(name, sizeof(name), "data.%u", i);
		write_file(dir, name, &writers[i]);
	}
}

static void check_in_any_order(struct vtb_perf_data *d)
{
	if (d->switches[1].out) { /* files are read in order of their names; switches are put in order of time later */
		const struct vtb_perf_switch first = d->switches[1];

		d->switches[1] = d->switches[0];
		d->switches[0] = first;
	}
	check(d);
}

static void a_directory_reads_like_the_file(void **state)
{
	(void)state;
	for (int packed = 0; packed < 2; packed++) {
		char dir[] = "/tmp/vtb-perf-XXXXXX";
		struct vtb_perf_data d = { 0 };
		struct vtb_error err = { 0 };

		assert_non_null(mkdtemp(dir));
		make_dir(dir, packed);
		if (vtb_perf_read(dir, &d, &err) < 0)
			fail_msg("%s: %s", err.path, err.text);
		assert_int_equal(d.n_files, 12);
		check_in_any_order(&d);
		assert_true(d.tasks[0].seq < d.mmaps[0].seq); /* the exec, then what it mapped */
		assert_true(d.mmaps[0].seq < d.tasks[1].seq);
		vtb_perf_fini(&d);
		remove_dir(dir);
	}
}

static void a_damaged_file_of_a_directory_is_named(void **state)
{
	const struct file garbage = { .bytes = { 1, 2, 3 }, .size = 3 };
	char dir[] = "/tmp/vtb-perf-XXXXXX", wanted[64];
	struct vtb_perf_data d = { 0 };
	struct vtb_error err = { 0 };

	(void)state;
	assert_non_null(mkdtemp(dir));
	make_dir(dir, false);
	write_file(dir, "data.12", &garbage);
	snprintf(wanted, sizeof(wanted), "%s/data.12", dir);
	assert_int_equal(vtb_perf_read(dir, &d, &err), -VTB_E_FORMAT);
	assert_string_equal(err.path, wanted);
	vtb_perf_fini(&d);
	remove_dir(dir);
}

/* ------------------------------------------------------------------ perf itself */

/* An exec that is followed by a mapping of the program. */
static void check_true(const struct vtb_perf_data *d)
{
	uint32_t pid = 0;
	uint64_t exec = 0;
	unsigned mapped = 0;

	for (size_t i = 0; i < d->n_tasks; i++)
		if (d->tasks[i].kind == VTB_PERF_EXEC && !strcmp(d->tasks[i].comm, "true")) {
			pid = d->tasks[i].pid;
			exec = d->tasks[i].seq;
		}
	assert_int_not_equal(pid, 0);
	for (size_t i = 0; i < d->n_mmaps; i++)
		mapped += d->mmaps[i].pid == pid && d->mmaps[i].executable && d->mmaps[i].seq > exec &&
		          strstr(d->mmaps[i].path, "/true") != NULL;
	assert_true(mapped >= 1);
}

static void files_of_perf_itself_are_read(void **state)
{
	static const char *const forms[] = { "-z", "--threads", "--threads -z" };
	char dir[] = "/tmp/vtb-perf-XXXXXX";
	unsigned recorded = 0;

	(void)state;
	assert_non_null(mkdtemp(dir));
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		char command[256], path[64];
		struct vtb_perf_data d = { 0 };
		struct vtb_error err = { 0 };

		snprintf(path, sizeof(path), "%s/%zu", dir, i);
		snprintf(command, sizeof(command),
		         "perf record %s -e cpu-clock -o %s -- /bin/true >%s/said 2>&1 </dev/null", forms[i], path,
		         dir);
		if (system(command) != 0) /* no perf, or not allowed, or a perf without this option */
			continue;
		recorded++;
		if (vtb_perf_read(path, &d, &err) < 0)
			fail_msg("%s: %s: %s", forms[i], err.path, err.text);
		check_true(&d);
		vtb_perf_fini(&d);
	}
	remove_dir(dir);
	if (!recorded)
		skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compressed_records_read_as_if_they_were_not),
		cmocka_unit_test(every_damaged_byte_of_a_compressed_file_is_survived),
		cmocka_unit_test(what_cannot_be_unpacked_is_an_error),
		cmocka_unit_test(another_compression_is_refused_by_name),
		cmocka_unit_test(what_unpacks_to_too_much_is_an_error),
		cmocka_unit_test(a_directory_reads_like_the_file),
		cmocka_unit_test(a_damaged_file_of_a_directory_is_named),
		cmocka_unit_test(files_of_perf_itself_are_read),
	};

	return cmocka_run_group_tests_name("perf_forms", tests, NULL, NULL);
}
