/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the program has printed, in the block or in a file (runtime/engines/run_output.c). */
#include "server_arena.h"

#include "verdict.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int vtb_server_to_high(int fd)
{
	const int high = fd < 0 ? -errno : vtb_launch_high_fd(fd);

	if (fd >= 0)
		close(fd);
	return high;
}

static int make_file(int *fd, struct vtb_error *err)
{
	if (*fd >= 0)
		return 0;
	*fd = vtb_server_to_high(memfd_create("vtb-output", MFD_CLOEXEC));
	if (*fd < 0)
		return vtb_error_set(err, *fd, NULL, 0, "cannot make a file for the program's output: %s",
		                     vtb_strerror(*fd));
	return 0;
}

int vtb_server_make_output(struct server *s, struct vtb_error *err)
{
	const int r = make_file(&s->output_fd, err);

	return r >= 0 && s->opts.errors_apart ? make_file(&s->error_fd, err) : r;
}

void vtb_server_close_output(struct server *s)
{
	if (s->output_fd >= 0)
		close(s->output_fd);
	if (s->error_fd >= 0)
		close(s->error_fd);
	s->output_fd = s->error_fd = -1;
}

void vtb_server_last_words(const struct server *s, char *out, size_t size)
{
	ssize_t n = pread(s->output_fd, out, size - 1, 0);

	out[n > 0 ? n : 0] = 0;
	out[strcspn(out, "\n")] = 0;
}

static uint64_t output_in_file(const struct server *s)
{
	struct stat st;

	return s->output_fd >= 0 && fstat(s->output_fd, &st) == 0 ? (uint64_t)st.st_size : 0;
}

void vtb_server_hash_output(struct server *s, struct vtb_wire_outcome *o)
{
	const uint64_t size = output_in_file(s), end = size < VTB_OUTPUT_MAX ? size : VTB_OUTPUT_MAX;
	uint64_t hash = FNV1A_START, at = 0;
	char part[4096];
	ssize_t n = 1;

	for (; at < end && n > 0; at += n > 0 ? (uint64_t)n : 0) {
		n = pread(s->output_fd, part, end - at < sizeof(part) ? end - at : sizeof(part), (off_t)at);
		hash = vtb_fnv1a(hash, part, n > 0 ? (size_t)n : 0);
	}
	o->output_hash = hash;
	o->output_size = size;
	if (size > VTB_OUTPUT_MAX) {
		o->uncontrolled |= VTB_UNC_OUTPUT;
		s->uncontrolled |= VTB_UNC_OUTPUT;
	}
}

/* Processes that nobody controls write there, too. */
void vtb_server_limit_output(const struct server *s)
{
	const uint64_t size = output_in_file(s);

	if (size > VTB_OUTPUT_MAX)
		fallocate(s->output_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)VTB_OUTPUT_MAX,
		          (off_t)(size - VTB_OUTPUT_MAX));
}

char *vtb_server_output(const struct server *s, size_t max, bool end, size_t *ret_size, uint64_t *ret_all)
{
	const bool file = s->output_used > arena_output_size(s);
	const uint64_t used = file ? output_in_file(s) : s->output_used;
	const size_t n = used < max ? (size_t)used : max;
	const uint64_t from = end ? used - n : 0;
	char *text = s->block.header ? malloc(n + 1) : NULL;
	ssize_t got = (ssize_t)n;

	if (!text)
		return NULL;
	if (file)
		got = pread(s->output_fd, text, n, (off_t)from);
	else
		memcpy(text, vtb_block_at(&s->block, arena_output(s) + from, n), n);
	*ret_size = got > 0 ? (size_t)got : 0;
	*ret_all = used;
	text[*ret_size] = 0;
	return text;
}
