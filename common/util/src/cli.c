/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "vtb/limits.h"
#include "vtb/output.h"
#include "vtb/plain.h"
#include "vtb/self.h"

enum { OPT_SEED = 0x5000, OPT_JSON, OPT_COLOR, OPT_MAX_EVENTS };

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "Common options:", -2 },
	{ "verbose", 'v', NULL, 0, "Say more on standard error; twice: even more", 0 },
	{ "quiet", 'q', NULL, 0, "Say nothing but results and errors", 0 },
	{ "seed", OPT_SEED, "N", 0, "Seed of every random choice (default 0): same input and seed, same output", 0 },
	{ "json", OPT_JSON, NULL, 0, "Print one JSON object instead of text", 0 },
	{ "color", OPT_COLOR, "WHEN", OPTION_ARG_OPTIONAL, "Colour: auto (default), always, never", 0 },
	{ "max-events", OPT_MAX_EVENTS, "N", 0, "Refuse files with more events (default 50000000)", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static const char *const when[] = { "auto", "always", "never", NULL };
	struct vtb_cli *cli = state->input;

	switch (key) {
	case 'v':
		cli->verbose++;
		return 0;
	case 'q':
		cli->quiet = true;
		return 0;
	case OPT_SEED:
		cli->seed = vtb_cli_arg_number(state, "--seed", arg, 0, UINT64_MAX);
		cli->seed_given = true;
		return 0;
	case OPT_JSON:
		cli->json = true;
		return 0;
	case OPT_COLOR:
		cli->color = arg ? (enum vtb_color)vtb_cli_arg_choice(state, "--color", arg, when) : VTB_COLOR_ALWAYS;
		return 0;
	case OPT_MAX_EVENTS:
		vtb_events_max_set(vtb_cli_arg_number(state, "--max-events", arg, 1, VTB_EVENTS_LIMIT));
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp vtb_cli_argp = { .options = options, .parser = parse };
const struct argp_child vtb_cli_children[] = { { &vtb_cli_argp, 0, NULL, -2 }, { 0 } };

static void print_version(FILE *stream, struct argp_state *state)
{
	(void)state;
	fprintf(stream, "%s (vtb) %s\n", program_invocation_short_name, VTB_VERSION);
}

#define KEPT (1 << 28)     /* bytes */
#define ON_HEAP (32 << 20) /* the largest that libc allows */

/* Runs come one after another, and what one needs the next one needs, too: given back to the kernel, the same arrays
 * would be faulted in again page by page. */
static void keep_memory(void)
{
	mallopt(M_MMAP_THRESHOLD, ON_HEAP);
	mallopt(M_TRIM_THRESHOLD, KEPT);
}

static bool spoke; /* of an error */

/* A report that did not arrive whole is none: who reads it in a script would take what is there for all. A bug that was
 * found stays one. */
static void check_output(int status, void *unused)
{
	(void)unused;
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return;
	if (!spoke || status == VTB_EXIT_GOOD)
		vtb_cli_error("standard output cannot be written completely%s%s", errno ? ": " : "",
		              errno ? strerror(errno) : "");
	if (status == VTB_EXIT_GOOD)
		_exit(VTB_EXIT_NOTHING);
}

/* Without one of these three the next file that is opened would take its place, and get what is said. A program that is
 * started does not see them. */
static void open_standard_streams(void)
{
	int fd;

	do
		fd = open("/dev/null", O_WRONLY | O_CLOEXEC); /* nothing to read, as it was */
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

void vtb_cli_init(const char *argv0)
{
	const char *slash = argv0 ? strrchr(argv0, '/') : NULL;

	if (argv0)
		program_invocation_short_name = (char *)(slash ? slash + 1 : argv0);
	argp_err_exit_status = VTB_EXIT_USAGE;
	argp_program_version_hook = print_version;
	open_standard_streams();
	vtb_self();
	vtb_output_guard();
	on_exit(check_output, NULL);
	keep_memory();
	signal(SIGXFSZ, SIG_IGN); /* a file over the user's limit is an error of writing, not an end without a word */
}

void vtb_cli_error(const char *fmt, ...)
{
	char line[2048];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	vtb_plain_make(line); /* one line, and nothing that steers the terminal */
	spoke = true;
	fflush(stdout);
	fprintf(stderr, "%s: %s\n", program_invocation_short_name, line);
}

FILE *vtb_cli_text(FILE *to)
{
	FILE *text = vtb_plain_stream(to);

	if (text)
		return text;
	vtb_cli_error("%s", vtb_strerror(-ENOMEM));
	exit(VTB_EXIT_NOTHING);
}

static FILE *real_stderr; /* while argp parses, else NULL */

static void end_argp(void)
{
	if (!real_stderr)
		return;
	fclose(stderr);
	stderr = real_stderr;
	real_stderr = NULL;
}

/* argp and the getopt inside it write to `stderr`, and most errors end in exit(). */
int vtb_cli_argp_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input)
{
	FILE *text = vtb_cli_text(stderr);
	int r;

	real_stderr = stderr;
	stderr = text;
	atexit(end_argp);
	r = argp_parse(argp, argc, argv, flags, NULL, input);
	end_argp();
	return r;
}

int vtb_cli_fail(int r, const struct vtb_error *err)
{
	char line[1200];

	if (err && err->code) {
		vtb_cli_error("%s", vtb_error_print(err, line, sizeof(line)));
		r = err->code;
	} else {
		vtb_cli_error("%s", vtb_strerror(r));
	}
	switch (-r) {
	case ENOMEM:
	case VTB_E_TARGET:
	case VTB_E_DIVERGED:
	case VTB_E_TOOL:
		return VTB_EXIT_NOTHING;
	default:
		return VTB_EXIT_USAGE;
	}
}

int vtb_cli_number(const char *text, uint64_t lo, uint64_t hi, uint64_t *ret)
{
	const bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const char *digits = hex ? text + 2 : text;
	unsigned long long n;
	char *end;

	if (!digits[0] || digits[strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789")])
		return -EINVAL; /* strtoull would take signs, spaces and octal */
	errno = 0;
	n = strtoull(digits, &end, hex ? 16 : 10);
	if (errno || n < lo || n > hi)
		return -ERANGE;
	*ret = n;
	return 0;
}

uint64_t vtb_cli_arg_number(const struct argp_state *state, const char *option, const char *text, uint64_t lo,
                            uint64_t hi)
{
	uint64_t n = 0;
	const int r = vtb_cli_number(text, lo, hi, &n);

	if (r < 0 && hi == UINT64_MAX)
		argp_error(state, "%s: \"%s\" is not a whole number of at least %llu", option, text,
		           (unsigned long long)lo);
	else if (r < 0)
		argp_error(state, "%s: \"%s\" is not a whole number from %llu to %llu", option, text,
		           (unsigned long long)lo, (unsigned long long)hi);
	return n;
}

int vtb_cli_arg_choice(const struct argp_state *state, const char *option, const char *text, const char *const *names)
{
	char list[512] = "";
	size_t used = 0;

	for (int i = 0; names[i]; i++)
		if (!strcmp(text, names[i]))
			return i;
	for (int i = 0; names[i] && used < sizeof(list); i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "", names[i]);
	argp_error(state, "%s: \"%s\" is none of: %s", option, text, list);
	return 0;
}

bool vtb_cli_colored(const struct vtb_cli *cli, FILE *stream)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (cli->color != VTB_COLOR_AUTO)
		return cli->color == VTB_COLOR_ALWAYS;
	if ((no_color && no_color[0]) || !term || !strcmp(term, "dumb"))
		return false;
	return isatty(fileno(stream));
}

const char *vtb_style(bool colored, enum vtb_style style)
{
	static const char *const sequences[] = {
		[VTB_STYLE_PLAIN] = "\033[0m",  [VTB_STYLE_BOLD] = "\033[1m",    [VTB_STYLE_DIM] = "\033[2m",
		[VTB_STYLE_BAD] = "\033[1;31m", [VTB_STYLE_GOOD] = "\033[1;32m", [VTB_STYLE_WARN] = "\033[33m",
		[VTB_STYLE_NAME] = "\033[36m",
	};

	return colored ? sequences[style] : "";
}

unsigned vtb_cli_width(FILE *stream)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	long n = 0;

	if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col)
		n = size.ws_col;
	else if (columns)
		n = strtol(columns, NULL, 10);
	if (n >= 40 && n <= 1000)
		return (unsigned)n;
	return n || isatty(fileno(stream)) ? 80 : 0;
}
