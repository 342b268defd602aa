/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/assemble.h"

#include "vtb/argv.h"
#include "vtb/asm_pads.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Options of the GNU assembler whose value is the next word. */
static bool takes_next_word(const char *s)
{
	static const char *const names[] = { "-o", "-I", "--defsym", "--MD", "--debug-prefix-map", "-K", NULL };

	for (size_t i = 0; names[i]; i++)
		if (!strcmp(s, names[i]))
			return true;
	return false;
}

/* Nothing is assembled, or not for this machine. */
static bool passes_through(char *const *argv)
{
	for (char *const *a = argv + 1; *a; a++)
		if (!strcmp(*a, "--version") || !strcmp(*a, "--help") || !strcmp(*a, "--target-help") ||
		    !strcmp(*a, "--32") || !strcmp(*a, "--x32"))
			return true;
	return false;
}

static int read_all(int fd, char **ret, size_t *ret_size)
{
	size_t size = 0, cap = 0;
	char *text = NULL, *more;
	ssize_t n;

	do {
		if (cap - size < 1 << 16) {
			cap = cap ? 2 * cap : 1 << 20;
			more = realloc(text, cap);
			if (!more) {
				free(text);
				return -ENOMEM;
			}
			text = more;
		}
		n = read(fd, text + size, cap - size - 1);
		size += n > 0 ? (size_t)n : 0;
	} while ((n > 0 && size <= VTB_PADS_FILE_MAX) || (n < 0 && errno == EINTR));
	if (n < 0) {
		free(text);
		return -errno;
	}
	text[size] = 0;
	*ret = text;
	*ret_size = size;
	return 0;
}

static int write_all(int fd, const char *text, size_t size)
{
	while (size) {
		const ssize_t n = write(fd, text, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		text += n;
		size -= (size_t)n;
	}
	return 0;
}

/* The rewritten file as a path that the assembler can open. It stays open across exec. */
static int memory_file(const char *text, size_t size, char **ret_path)
{
	const int fd = memfd_create("vtb-pads.s", 0);
	int r;

	if (fd < 0)
		return -errno;
	r = write_all(fd, text, size);
	if (r >= 0 && asprintf(ret_path, "/proc/self/fd/%d", fd) < 0)
		r = -ENOMEM;
	if (r < 0)
		close(fd);
	return r;
}

static int put_pads(const char *name, char **ret_path, struct vtb_error *err)
{
	const bool from_stdin = !strcmp(name, "-");
	const int fd = from_stdin ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
	char *text = NULL, *padded = NULL;
	size_t size = 0, padded_size = 0;
	int r = fd < 0 ? -errno : read_all(fd, &text, &size);

	if (fd > 0)
		close(fd);
	if (r < 0)
		return vtb_error_set(err, r, name, 0, "cannot read the assembler file: %s", vtb_strerror(r));
	r = vtb_pads_rewrite(name, text, size, &padded, &padded_size, NULL, err);
	if (r >= 0) {
		r = memory_file(padded, padded_size, ret_path);
		if (r < 0)
			vtb_error_set(err, r, name, 0, "cannot hold the file with pads: %s", vtb_strerror(r));
	}
	free(text);
	free(padded);
	return r;
}

/* Replace each input file in argv; without one, standard input is read and added as the last argument. */
static int replace_inputs(char **argv, size_t n, struct vtb_error *err)
{
	bool any = false;
	int r = 0;

	for (size_t i = 1; i < n && r >= 0; i++) {
		if (takes_next_word(argv[i])) {
			i++;
		} else if (argv[i][0] != '-' || !argv[i][1]) {
			any = true;
			r = put_pads(argv[i], &argv[i], err);
		}
	}
	return any || r < 0 ? r : put_pads("-", &argv[n], err);
}

int vtb_assemble(char **argv, struct vtb_error *err)
{
	const char *real = getenv(VTB_ASSEMBLER_ENV);
	size_t n = vtb_argv_count(argv);
	char **line;
	int r = 0;

	line = calloc(n + 2, sizeof(*line));
	if (!line)
		return vtb_error_set(err, -ENOMEM, NULL, 0, "%s", vtb_strerror(-ENOMEM)), 1;
	memcpy(line, argv, n * sizeof(*line));
	real = real && *real ? real : "as";
	line[0] = (char *)real;
	if (!passes_through(argv))
		r = replace_inputs(line, n, err);
	if (r >= 0) {
		execvp(real, line);
		r = -errno;
		vtb_error_set(err, r, real, 0, "cannot start the assembler: %s", vtb_strerror(r));
	}
	free(line);
	return 1;
}
