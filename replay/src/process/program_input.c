/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program_input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATIENCE_MSEC 1000
#define PART 65536

static bool comes_once(void)
{
	struct stat st;

	return fstat(STDIN_FILENO, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}

static bool is_file(struct stat *ret)
{
	return fstat(STDIN_FILENO, ret) == 0 && S_ISREG(ret->st_mode);
}

static int put(int to, const char *bytes, size_t n)
{
	while (n) {
		const ssize_t done = write(to, bytes, n);

		if (done < 0 && errno != EINTR)
			return -errno;
		bytes += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
	return 0;
}

/* 1: up to its end; 0: nothing comes any more, nor does the end. */
static int copy(int to)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	char part[PART];
	size_t all = 0;

	for (;;) {
		ssize_t n = poll(&in, 1, PATIENCE_MSEC);
		int r;

		if (n <= 0 && !(n < 0 && errno == EINTR))
			return 0;
		n = n < 0 ? -1 : read(STDIN_FILENO, part, sizeof(part));
		if (n == 0)
			return 1;
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return -errno;
		all += n > 0 ? (size_t)n : 0;
		r = all > VTB_PROGRAM_INPUT_MAX ? -E2BIG : put(to, part, n > 0 ? (size_t)n : 0);
		if (r < 0)
			return r;
	}
}

static struct vtb_kept_input kept;
static bool silent; /* it was taken for the whole, and its end had not come */
static bool other;  /* a file that is not what is recorded */
static bool taken;
static const struct vtb_kept_input none;
static bool of_file; /* nobody may read it: then it is no input */

/* A file in memory notes when it was read: from now on. */
static int replace(int with)
{
	const struct timespec never[2] = { 0 };

	fcntl(with, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL);
	if (lseek(with, 0, SEEK_SET) < 0 || futimens(with, never) < 0 || dup2(with, STDIN_FILENO) < 0)
		return -errno;
	return 0;
}

static bool was_read(void)
{
	struct stat st;

	return fstat(STDIN_FILENO, &st) < 0 || st.st_atim.tv_sec;
}

const struct vtb_kept_input *vtb_program_input_kept(void)
{
	kept.cut = silent && was_read();
	kept.known = !of_file || was_read();
	return taken ? &kept : &none;
}

/* What the file holds, kept for failure.json. */
static int keep(int fd)
{
	const off_t size = lseek(fd, 0, SEEK_END);
	void *bytes = size > 0 ? mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
	int r;

	if (bytes == MAP_FAILED)
		return -errno;
	r = vtb_kept_input_make(bytes ? bytes : "", (uint64_t)size, &kept);
	if (bytes)
		munmap(bytes, (size_t)size);
	return r;
}

/* From where it stands to its end, without moving that place: the file is somebody's else, too. */
static int copy_file(int to)
{
	off_t at = lseek(STDIN_FILENO, 0, SEEK_CUR);
	char part[PART];

	if (at < 0)
		return -errno;
	for (;;) {
		const ssize_t n = pread(STDIN_FILENO, part, sizeof(part), at);
		int r;

		if (n <= 0)
			return n < 0 ? -errno : 0;
		r = put(to, part, (size_t)n);
		if (r < 0)
			return r;
		at += n;
	}
}

static int take_file(int to)
{
	const int r = copy_file(to);

	of_file = true;
	return r < 0 ? r : keep(to);
}

/* A file that is standard input now, and has been kept: is it still the same? */
static void compare_file(const struct vtb_kept_input *recorded)
{
	struct vtb_kept_input now = { 0 };
	const int fd = memfd_create("vtb-compare", MFD_CLOEXEC);

	if (fd >= 0 && copy_file(fd) >= 0 && keep(fd) >= 0)
		now = kept;
	if (fd >= 0)
		close(fd);
	vtb_kept_input_fini(&kept);
	other = now.known && now.size && (now.size != recorded->size || now.hash != recorded->hash);
}

static int take_pipe(int to)
{
	int r = copy(to);

	silent = r == 0;
	return r < 0 ? r : keep(to);
}

static int take_recorded(int to, const struct vtb_kept_input *recorded)
{
	struct stat st;
	int r;

	if (is_file(&st) && st.st_size <= VTB_PROGRAM_INPUT_MAX)
		compare_file(recorded);
	r = put(to, (const char *)recorded->bytes, recorded->size);

	silent = recorded->cut;
	r = r < 0 ? r : keep(to);
	kept.other = other;
	return r;
}

static int check_recorded(const struct vtb_kept_input *recorded, struct vtb_error *err)
{
	if (!recorded || !recorded->known || (kept.known && kept.size == recorded->size && kept.hash == recorded->hash))
		return 0;
	return vtb_error_set(err, -EINVAL, NULL, 0,
	                     "the failure was found with %" PRIu64
	                     " bytes of standard input that are not in its file: give the same",
	                     recorded->size);
}

int vtb_program_input_take(const struct vtb_kept_input *recorded, struct vtb_error *err)
{
	const bool has_bytes = recorded && recorded->known && (recorded->bytes || !recorded->size);
	struct stat st;
	int fd, r;

	if (taken)
		return 0;
	if (!has_bytes && !comes_once() && !(is_file(&st) && st.st_size <= VTB_PROGRAM_INPUT_MAX))
		return check_recorded(recorded, err);
	taken = true;
	fd = memfd_create("vtb-input", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	r = fd < 0 ? -errno : has_bytes ? take_recorded(fd, recorded) : comes_once() ? take_pipe(fd) : take_file(fd);
	if (r >= 0)
		r = replace(fd);
	if (fd >= 0)
		close(fd);
	if (r == -E2BIG)
		return vtb_error_set(err, r, NULL, 0, "standard input is longer than %u MB: give it as a file",
		                     VTB_PROGRAM_INPUT_MAX >> 20);
	return r < 0 ? vtb_error_set(err, r, NULL, 0, "standard input cannot be kept: %s", vtb_strerror(r))
	             : check_recorded(recorded, err);
}

int vtb_program_input_open(long at)
{
	struct stat st;
	int fd = -1;

	if (at >= 0 && fstat(STDIN_FILENO, &st) == 0 && S_ISREG(st.st_mode))
		fd = open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && lseek(fd, at, SEEK_SET) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}
