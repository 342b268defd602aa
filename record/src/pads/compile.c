/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/compile.h"

#include "compile_file.h"
#include "vtb/argv.h"
#include "vtb/assemble.h"
#include "vtb/target.h"
#include "vtb/self.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define RESPONSE_DEPTH 16
#define RESPONSE_FILES 1000 /* read for one command line; more are left to the compiler */

/* What was seen so far while reading the arguments. */
struct reading {
	struct vtb_compile_step *step;
	bool inputs, stops_before_link, only_preprocesses;
	bool skip; /* the next word belongs to the option before */
	unsigned depth, files;
};

static bool begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

static bool is_one_of(const char *s, const char *const *names)
{
	for (; *names; names++)
		if (!strcmp(s, *names))
			return true;
	return false;
}

/* Options whose value is the next word: it must not be taken for an input file. */
static bool takes_next_word(const char *s)
{
	static const char *const names[] = {
		"-o",           "-I",
		"-D",           "-U",
		"-L",           "-l",
		"-x",           "-include",
		"-imacros",     "-isystem",
		"-idirafter",   "-iquote",
		"-isysroot",    "-MF",
		"-MT",          "-MQ",
		"-T",           "-u",
		"-z",           "-e",
		"-Xlinker",     "-Xpreprocessor",
		"-Xassembler",  "-Xclang",
		"-mllvm",       "-target",
		"--param",      "-A",
		"-B",           "-iprefix",
		"-iwithprefix", "-iwithprefixbefore",
		"-aux-info",    "-arch",
		"-framework",   "-dumpbase",
		"-wrapper",     NULL,
	};

	return is_one_of(s, names);
}

static void read_sanitizers(struct vtb_compile_step *step, const char *list)
{
	while (*list) {
		const size_t n = strcspn(list, ",");

		if (n == 6 && !strncmp(list, "thread", n))
			step->has_sanitize = true;
		else if ((n == 7 && !strncmp(list, "address", n)) || (n == 6 && !strncmp(list, "memory", n)) ||
		         (n == 4 && !strncmp(list, "leak", n)) || (n == 9 && !strncmp(list, "hwaddress", n)))
			step->other_sanitizer = true;
		list += n + (list[n] == ',');
	}
}

static void read_option(struct reading *r, const char *s)
{
	static const char *const stop[] = { "-c", "-S", "-fsyntax-only", "-r", "--precompile", "-emit-ast", NULL };
	static const char *const preprocess[] = { "-E", "-M", "-MM", "--analyze", NULL };
	static const char *const statics[] = { "-static",         "--static",       "-static-pie",
		                               "-static-libtsan", "-static-libsan", NULL };

	r->skip = takes_next_word(s);
	if (!strcmp(s, "-S"))
		r->step->only_assembler = true;
	if (is_one_of(s, stop))
		r->stops_before_link = true;
	else if (is_one_of(s, preprocess))
		r->only_preprocesses = true;
	else if (is_one_of(s, statics))
		r->step->is_static = true;
	else if (!strcmp(s, "-masm=intel"))
		r->step->intel_syntax = true;
	else if (!strcmp(s, "-flto") || begins(s, "-flto="))
		r->step->lto = true;
	else if (!strcmp(s, "-fno-lto"))
		r->step->lto = false;
	else if (begins(s, "-fsanitize="))
		read_sanitizers(r->step, s + strlen("-fsanitize="));
	else if (begins(s, "-g") && strcmp(s, "-g0") && !begins(s, "-gcc") && !begins(s, "-gno-"))
		r->step->has_debug = true;
	else if (begins(s, "-l") && s[2])
		r->inputs = true;
}

static void read_words(struct reading *r, char *const *words)
{
	for (; *words; words++) {
		const char *s = *words;
		char **file = NULL;

		if (r->skip) {
			r->skip = false;
		} else if (s[0] == '@' && r->depth < RESPONSE_DEPTH && r->files++ < RESPONSE_FILES &&
		           vtb_compile_file_read(s + 1, &file) == 0) {
			r->depth++;
			read_words(r, file);
			r->depth--;
			vtb_compile_file_free(file);
		} else if (s[0] == '-' && s[1]) {
			read_option(r, s);
		} else {
			r->inputs = true; /* "-" alone is stdin */
		}
	}
}

void vtb_compile_step_of(char *const *args, struct vtb_compile_step *ret)
{
	struct reading r = { .step = ret };

	*ret = (struct vtb_compile_step){ 0 };
	read_words(&r, args);
	ret->compiles = r.inputs && !r.only_preprocesses;
	ret->links = ret->compiles && !r.stops_before_link;
}

const char *vtb_compile_warning(const struct vtb_compile_step *step, enum vtb_compile_hooks hooks)
{
	if (step->compiles && step->other_sanitizer)
		return "another sanitizer is asked for, whose runtime cannot go together with vtb's: nothing was added";
	if (step->links && step->is_static && hooks == VTB_COMPILE_PADS)
		return "linked statically: the runtime cannot be loaded into the program; leave the -static option out";
	if (step->links && step->is_static)
		return "linked statically: the program will contain its own sanitizer runtime, which vtb cannot "
		       "replace; leave the -static option out";
	return NULL;
}

const char *vtb_compile_refusal(const struct vtb_compile_step *step, enum vtb_compile_hooks hooks,
                                enum vtb_compiler compiler)
{
	if (hooks != VTB_COMPILE_PADS || !step->compiles || step->other_sanitizer)
		return NULL;
	if (step->intel_syntax)
		return "pads are put into assembler in AT&T syntax: leave -masm=intel out, or use --hooks=tsan";
	if (step->lto && compiler == VTB_COMPILER_CLANG)
		return "with -flto, clang's linker makes the code and no assembler runs that could put pads into it: "
		       "add -fno-lto, or use --hooks=tsan";
	return NULL;
}

/* ---- which compiler */

static bool is_launcher(const char *base)
{
	static const char *const names[] = { "ccache", "distcc", "icecc", "sccache", NULL };

	return is_one_of(base, names);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The name a command has behind its symbolic links: /usr/bin/cc is x86_64-linux-gnu-gcc-12. "" if it is not found. */
static void resolved_name(const char *name, char *out, size_t size)
{
	const char *path = getenv("PATH");
	char whole[2 * PATH_MAX], real[PATH_MAX];

	out[0] = 0;
	if (strchr(name, '/')) {
		snprintf(out, size, "%s", base_name(realpath(name, real) ? real : name));
		return;
	}
	for (; path; path += path[strcspn(path, ":")] ? strcspn(path, ":") + 1 : 0) {
		snprintf(whole, sizeof(whole), "%.*s/%s", (int)strcspn(path, ":"), path, name);
		if (!access(whole, X_OK) && realpath(whole, real)) {
			snprintf(out, size, "%s", base_name(real));
			return;
		}
		if (!path[strcspn(path, ":")])
			return;
	}
}

/* First line of output of `program arg`, "" on error. */
static void ask(const char *program, const char *arg, char *line, size_t size)
{
	int fds[2];
	size_t got = 0;
	ssize_t n;
	pid_t pid;

	line[0] = 0;
	if (pipe(fds) < 0)
		return;
	pid = fork();
	if (pid == 0) {
		dup2(fds[1], STDOUT_FILENO);
		close(fds[0]);
		close(fds[1]);
		execlp(program, program, arg, (char *)NULL);
		_exit(127);
	}
	close(fds[1]);
	while (got < size - 1 && (n = read(fds[0], line + got, size - 1 - got)) > 0)
		got += (size_t)n;
	close(fds[0]);
	line[got] = 0;
	line[strcspn(line, "\n")] = 0;
	if (pid > 0)
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
}

enum vtb_compiler vtb_compiler_of(char *const *argv)
{
	char name[PATH_MAX];

	if (is_launcher(base_name(argv[0])) && argv[1])
		argv++;
	if (strstr(base_name(argv[0]), "clang"))
		return VTB_COMPILER_CLANG;
	resolved_name(argv[0], name, sizeof(name));
	if (strstr(name, "clang"))
		return VTB_COMPILER_CLANG;
	if (strstr(name, "gcc") || strstr(name, "g++"))
		return VTB_COMPILER_GCC;
	ask(argv[0], "--version", name, sizeof(name));
	return strstr(name, "clang") ? VTB_COMPILER_CLANG : VTB_COMPILER_GCC;
}

/* ---- the new command line */

#define ADDED_MAX 11

/* clang calls no hook for a read if a write to the same place follows in the same block: `x++` would read x at a time
 * when nothing is known of it. With the option it does. The command line is recorded so that the program shows how it
 * was built (target_elf.c). */
static size_t add_tsan(char **out, const struct vtb_compile_how *how)
{
	static char sanitize[] = "-fsanitize=thread", record[] = "-frecord-command-line", front[] = "-Xclang",
	            llvm[] = "-mllvm", reads[] = VTB_CLANG_READS_OPTION;
	size_t k = 0;

	out[k++] = sanitize;
	if (how->compiler != VTB_COMPILER_CLANG)
		return k;
	out[k++] = record;
	out[k++] = front; /* through -Xclang: a step that only links does not warn of options that it has no use for */
	out[k++] = llvm;
	out[k++] = front;
	out[k++] = reads;
	return k;
}

/* clang links its own runtime statically unless told otherwise. */
static size_t add_shared(char **out, const struct vtb_compile_step *step, const struct vtb_compile_how *how)
{
	static char shared[] = "-shared-libsan";
	size_t k = 0;

	if (!step->links || how->compiler != VTB_COMPILER_CLANG || step->is_static)
		return 0;
	out[k++] = shared;
	if (how->rpath)
		out[k++] = how->rpath;
	return k;
}

static size_t add_pads(char **out, const struct vtb_compile_step *step, const struct vtb_compile_how *how)
{
	static char external[] = "-fno-integrated-as", frames[] = "-fno-omit-frame-pointer", notes[] = "-dP";
	size_t k = 0;

	out[k++] = how->assembler;
	out[k++] = frames;
	if (how->compiler == VTB_COMPILER_CLANG)
		out[k++] = external;
	else if (!step->only_assembler)
		out[k++] = notes;
	return k;
}

char **vtb_compile_argv(char *const *argv, const struct vtb_compile_step *step, const struct vtb_compile_how *how)
{
	static char debug[] = "-g", ident[] = "-fident";
	const bool add = step->compiles && !step->other_sanitizer, pads = how->hooks == VTB_COMPILE_PADS;
	size_t n = vtb_argv_count(argv), k = 0, own;
	char **out;

	out = calloc(n + ADDED_MAX + 1, sizeof(*out));
	if (!out)
		return NULL;
	for (own = 0; own < n && own < (is_launcher(base_name(argv[0])) && n > 1 ? 2u : 1u); own++)
		out[k++] = argv[own];
	if (add)
		k += pads ? add_pads(out + k, step, how) : add_tsan(out + k, how);
	if (add && !step->has_debug)
		out[k++] = debug;
	if (add && !pads)
		k += add_shared(out + k, step, how);
	for (size_t i = own; i < n; i++)
		out[k++] = argv[i];
	if (add && pads)
		out[k++] = ident;
	return out;
}

/* "-Wl,-rpath,DIR" of clang's own sanitizer library, or NULL if clang does not say where it is. */
static char *clang_rpath(const char *program)
{
	char path[PATH_MAX], *slash, *whole;

	ask(program, "-print-file-name=libclang_rt.tsan-x86_64.so", path, sizeof(path));
	slash = strrchr(path, '/');
	if (path[0] != '/' || !slash || access(path, R_OK))
		return NULL;
	*slash = 0;
	return strchr(path, ',') || asprintf(&whole, "-Wl,-rpath,%s", path) < 0 ? NULL : whole;
}

/* "-BDIR/" of our `as`: in ../lib/vtb/pads beside our executable, or in the installation's library folder. NULL if it
 * is not there. */
static char *assembler_option(void)
{
	char as[PATH_MAX], *whole;

	if (!vtb_self_beside("../lib/vtb/pads/as", as) || access(as, X_OK))
		snprintf(as, sizeof(as), "%s", VTB_LIBDIR "/vtb/pads/as");
	return access(as, X_OK) || asprintf(&whole, "-B%.*s", (int)(strrchr(as, '/') + 1 - as), as) < 0 ? NULL : whole;
}

/* The assembler that the compiler would run, for ours to run in the end. */
static void name_real_assembler(const char *compiler)
{
	char path[PATH_MAX];

	if (getenv(VTB_ASSEMBLER_ENV))
		return; /* a compiler that runs a compiler */
	ask(compiler, "-print-prog-name=as", path, sizeof(path));
	if (path[0])
		setenv(VTB_ASSEMBLER_ENV, path, 1);
}

static int prepare_pads(struct vtb_compile_how *how, const char *compiler, struct vtb_error *err)
{
	how->assembler = assembler_option();
	if (!how->assembler)
		return vtb_error_set(err, -VTB_E_TARGET, NULL, 0,
		                     "the assembler of vtb cc was not found: expected in ../lib/vtb/pads beside this "
		                     "program or in " VTB_LIBDIR "/vtb/pads");
	name_real_assembler(compiler);
	return 0;
}

static int exec_line(char *const *argv, const struct vtb_compile_step *step, const struct vtb_compile_how *how,
                     struct vtb_error *err)
{
	char **line = vtb_compile_argv(argv, step, how);
	int r = -ENOMEM;

	if (line) {
		execvp(line[0], line);
		r = -errno;
	}
	free(line);
	vtb_error_set(err, r, argv[0], 0, "cannot start the compiler: %s", vtb_strerror(r));
	return r == -ENOENT ? 127 : 126;
}

int vtb_compile_exec(char *const *argv, enum vtb_compile_hooks hooks, struct vtb_error *err)
{
	const size_t own = is_launcher(base_name(argv[0])) && argv[1] ? 1 : 0;
	struct vtb_compile_step step;
	struct vtb_compile_how how;
	int code = 2;

	vtb_compile_step_of(argv + own + 1, &step);
	how = (struct vtb_compile_how){ .hooks = step.has_sanitize ? VTB_COMPILE_TSAN : hooks };
	if (step.compiles)
		how.compiler = vtb_compiler_of(argv);
	if (vtb_compile_refusal(&step, how.hooks, how.compiler))
		vtb_error_set(err, -VTB_E_UNSUPPORTED, argv[0], 0, "%s",
		              vtb_compile_refusal(&step, how.hooks, how.compiler));
	else if (step.compiles && how.hooks == VTB_COMPILE_PADS && prepare_pads(&how, argv[own], err) < 0)
		code = 126;
	else {
		if (step.links && how.hooks == VTB_COMPILE_TSAN && how.compiler == VTB_COMPILER_CLANG)
			how.rpath = clang_rpath(argv[own]);
		code = exec_line(argv, &step, &how, err);
	}
	free(how.rpath);
	free(how.assembler);
	return code;
}
