/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/input.h"
#include "vtb/target.h"

#include "target_elf.h"
#include "target_libs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin"

void vtb_target_fini(struct vtb_target *t)
{
	free(t->path);
	free(t->image);
	free(t->interpreter_arg);
	*t = (struct vtb_target){ 0 };
}

const char *vtb_target_hooks_name(enum vtb_target_hooks hooks)
{
	static const char *const names[] = { "none", "tsan (gcc)", "tsan (clang, shared)", "tsan (static runtime)",
		                             "tsan", "pads" };

	return (unsigned)hooks < sizeof(names) / sizeof(names[0]) ? names[hooks] : "?";
}

int vtb_target_exit_code(int r)
{
	switch (r) {
	case -ENOENT:
	case -ENOTDIR:
	case -ELOOP:
		return 127;
	case -EACCES:
	case -EPERM:
	case -ENOEXEC:
	case -EISDIR:
	case -ETXTBSY:
		return 126;
	default:
		return 125;
	}
}

/* ---- finding it */

static int check_executable(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode) || faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) < 0)
		return -EACCES;
	return 0;
}

/* dir/name, absolute. -ENOMEM, -ENAMETOOLONG or what check_executable() says. */
static int try_path(const char *base, const char *dir, size_t dir_len, const char *name, char **ret)
{
	char path[2 * PATH_MAX];
	int n, r;

	while (!strncmp(name, "./", 2) && name[2] && name[2] != '/')
		name += 2;
	if (name[0] == '/')
		n = snprintf(path, sizeof(path), "%s", name);
	else if (dir_len && dir[0] == '/')
		n = snprintf(path, sizeof(path), "%.*s/%s", (int)dir_len, dir, name);
	else if (dir_len)
		n = snprintf(path, sizeof(path), "%s/%.*s/%s", base, (int)dir_len, dir, name);
	else
		n = snprintf(path, sizeof(path), "%s/%s", base, name);
	if (n < 0 || (size_t)n >= sizeof(path))
		return -ENAMETOOLONG;
	r = check_executable(path);
	if (r < 0)
		return r;
	*ret = strdup(path);
	return *ret ? 0 : -ENOMEM;
}

/* As execvp(): the first that can be executed; if there is none but one was forbidden, that. */
static int search_path(const char *base, const char *name, char **ret)
{
	const char *dirs = getenv("PATH");
	int worst = -ENOENT;

	for (dirs = dirs ? dirs : DEFAULT_PATH;; dirs++) {
		const size_t len = strcspn(dirs, ":");
		const int r = try_path(base, dirs, len, name, ret);

		if (r >= 0 || r == -ENOMEM)
			return r;
		if (r == -EACCES)
			worst = r;
		dirs += len;
		if (!*dirs)
			return worst;
	}
}

static int find(const char *name, const char *cwd, char **ret)
{
	char here[PATH_MAX], base[PATH_MAX];

	if (!name[0])
		return -ENOENT;
	if (name[0] == '/')
		return try_path("", NULL, 0, name, ret);
	if (!getcwd(here, sizeof(here)))
		return -errno;
	if (!cwd || snprintf(base, sizeof(base), cwd[0] == '/' ? "%s" : "./%s", cwd) >= (int)sizeof(base))
		cwd = NULL;
	if (cwd && cwd[0] != '/' && snprintf(base, sizeof(base), "%s/%s", here, cwd) >= (int)sizeof(base))
		return -ENAMETOOLONG;
	return strchr(name, '/') ? try_path(cwd ? base : here, NULL, 0, name, ret)
	                         : search_path(cwd ? base : here, name, ret);
}

static const char *why_not(int r)
{
	return r == -ENOENT   ? "program not found"
	       : r == -EACCES ? "not executable (permission denied)"
	       : r == -EISDIR ? "is a directory, not a program"
	                      : vtb_strerror(r);
}

int vtb_target_find(const char *name, const char *cwd, struct vtb_target *ret, struct vtb_error *err)
{
	char *path = NULL, here[PATH_MAX];
	int r = find(name, cwd, &path);

	if (r < 0)
		return vtb_error_set(err, r, name, 0, "%s",
		                     name[0] == '/' || getcwd(here, sizeof(here))
		                         ? why_not(r)
		                         : "the current directory has no name any more");
	r = vtb_target_inspect(path, ret, err);
	free(path);
	return r;
}

/* ---- scripts */

/* "#!/bin/sh -e\n": interpreter and its one argument, or 0 if the file begins otherwise. */
static int read_shebang(const char *path, char *line, size_t size)
{
	const int fd = vtb_input_open(path, UINT64_MAX, NULL, NULL);
	ssize_t n;

	if (fd < 0)
		return fd;
	n = read(fd, line, size - 1);
	close(fd);
	if (n < 0)
		return -errno;
	line[n] = 0;
	line[strcspn(line, "\n")] = 0;
	return n >= 2 && line[0] == '#' && line[1] == '!';
}

static char *skip_blanks(char *s)
{
	return s + strspn(s, " \t");
}

static void cut_trailing_blanks(char *s)
{
	for (size_t n = strlen(s); n && strchr(" \t\r", s[n - 1]); n--)
		s[n - 1] = 0;
}

/* `#!/usr/bin/env prog` would start prog with an environment that no longer mentions us: take prog itself. */
static int through_env(char **program, char **arg)
{
	const char *base = strrchr(*program, '/');
	char *found = NULL;

	if (strcmp(base ? base + 1 : *program, "env") || !*arg || (*arg)[0] == '-' || strpbrk(*arg, " \t="))
		return 0;
	if (find(*arg, NULL, &found) < 0)
		return 0; /* let env say so */
	free(*program);
	free(*arg);
	*program = found;
	*arg = NULL;
	return 0;
}

static int parse_shebang(struct vtb_target *t, char *line)
{
	char *program = skip_blanks(line + 2), *arg = program + strcspn(program, " \t");

	if (*arg)
		*arg++ = 0;
	arg = skip_blanks(arg);
	cut_trailing_blanks(arg[0] ? arg : program);
	free(t->image);
	t->image = strdup(program);
	t->interpreter_arg = arg[0] ? strdup(arg) : NULL;
	if (!t->image || (arg[0] && !t->interpreter_arg))
		return -ENOMEM;
	t->script = true;
	return through_env(&t->image, &t->interpreter_arg);
}

/* 0: t->image is no script; 1: it was one and is now its interpreter. */
static int follow_script(struct vtb_target *t, struct vtb_error *err)
{
	char line[512];
	int r = read_shebang(t->image, line, sizeof(line));

	if (r == -EACCES && !t->script)
		return 0; /* executable but not readable: nothing can be known about it */
	if (r < 0)
		return vtb_error_set(err, r, t->image, 0, "cannot read the program: %s", vtb_strerror(r));
	if (!r)
		return 0;
	if (t->script)
		return vtb_error_set(err, -ENOEXEC, t->path, 0,
		                     "a script whose interpreter is a script; give the last interpreter yourself");
	r = parse_shebang(t, line);
	if (r < 0)
		return vtb_error_set(err, r, t->path, 0, "%s", vtb_strerror(r));
	r = check_executable(t->image);
	return r < 0 ? vtb_error_set(err, r, t->path, 0, "a script whose interpreter \"%s\" cannot be run: %s",
	                             t->image, why_not(r))
	             : 1;
}

/* ---- what it offers */

/* Would the loader drop LD_PRELOAD because starting it changes credentials? */
static bool is_privileged(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return false;
	if (st.st_mode & S_ISUID && st.st_uid != geteuid())
		return true;
	if (st.st_mode & S_ISGID && st.st_mode & S_IXGRP && st.st_gid != getegid())
		return true;
	return geteuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0;
}

static enum vtb_target_hooks classify(const struct vtb_target *t, const struct elf_facts *f)
{
	if (f->pads)
		return VTB_HOOKS_PADS;
	if (f->defines_tsan)
		return VTB_HOOKS_TSAN_STATIC;
	if (t->stubs & VTB_STUB_GCC)
		return VTB_HOOKS_TSAN_GCC;
	if (t->stubs & VTB_STUB_CLANG)
		return VTB_HOOKS_TSAN_CLANG;
	if (f->imports_tsan)
		return VTB_HOOKS_TSAN_OTHER;
	return t->pad_sites ? VTB_HOOKS_PADS : VTB_HOOKS_NONE; /* in a library */
}

static void say_refusal(struct vtb_target *t, const struct elf_facts *f)
{
	const char *text = NULL;

	if (!f->elf64)
		text = f->bits == 32 ? "a 32-bit program: vtb works on x86-64 programs only; build it with -m64"
		                     : "a program for another processor: vtb works on x86-64 programs only";
	else if (!t->dynamic)
		text = "statically linked: the runtime cannot be loaded into it; link it without -static";
	else if (t->privileged)
		text = "setuid, setgid or with file capabilities: the system refuses to load the runtime into it; run "
		       "a copy without these bits";
	else if (t->hooks == VTB_HOOKS_TSAN_STATIC)
		text = "contains its own sanitizer runtime, which cannot be replaced; gcc: link it without "
		       "-static-libtsan, clang: add -shared-libsan to the link step, or build with `vtb cc`";
	else if (f->other_sanitizer)
		text = "built with a sanitizer of memory, which must be loaded first and takes the same functions for "
		       "itself; build it with -fsanitize=thread, or without a sanitizer, instead";
	if (text)
		snprintf(t->refusal, sizeof(t->refusal), "%s", text);
}

static void say_advice(struct vtb_target *t)
{
	if (t->script)
		snprintf(
		    t->advice, sizeof(t->advice),
		    "a script that starts no program with hooks or threads: its interpreter %s is what is followed",
		    t->image);
	else if (t->hooks == VTB_HOOKS_NONE)
		snprintf(t->advice, sizeof(t->advice),
		         "not built with hooks: only synchronisation is seen, not memory accesses; build it with "
		         "-fsanitize=thread or `vtb cc`");
	else if (!t->debug_info)
		snprintf(t->advice, sizeof(t->advice),
		         "no debug information: places and variables stay nameless; build it with -g");
	else if (t->blind_reads)
		snprintf(t->advice, sizeof(t->advice),
		         "clang gave no hooks to reads that a write to the same variable follows: when they take place "
		         "is not explored; build it with `vtb cc --hooks=tsan`");
}

static int take_facts(struct vtb_target *t, const struct elf_facts *f)
{
	int r;

	t->elf64 = f->elf64;
	t->dynamic = f->interpreter;
	t->pie = f->pie;
	t->debug_info = f->debug_info;
	t->reads_tsc = f->reads_tsc;
	t->threads = f->imports_threads;
	t->starts = f->imports_starts;
	t->loads = f->imports_loads;
	t->lacks_openmp = f->lacks_openmp || f->imports_loads;
	t->privileged = is_privileged(t->image);
	t->pad_sites = f->pad_sites;
	t->pads_skipped = f->pads_skipped;
	r = vtb_target_follow_libraries(t, t->image, f);
	if (r < 0)
		return r;
	t->hooks = classify(t, f);
	if (t->loads && t->hooks != VTB_HOOKS_NONE)
		t->stubs = VTB_STUB_GCC | VTB_STUB_CLANG;
	t->blind_reads = f->imports_tsan && (f->by_clang || t->hooks == VTB_HOOKS_TSAN_CLANG) && !f->hooks_reads;
	t->blind_fields = f->imports_tsan && (f->by_clang || t->hooks == VTB_HOOKS_TSAN_CLANG);
	say_refusal(t, f);
	say_advice(t);
	return 0;
}

/* An executable that may not be read: it can be started, and that is all. */
static int unreadable(struct vtb_target *t)
{
	snprintf(t->advice, sizeof(t->advice),
	         "may be executed but not read: nothing is known about it; make it readable");
	t->elf64 = t->dynamic = true;
	return 0;
}

static int inspect_image(struct vtb_target *t, struct vtb_error *err)
{
	struct elf_facts f = { 0 };
	int r = vtb_elf_facts_read(t->image, &f);

	if (r == -EACCES)
		return unreadable(t);
	if (r < 0)
		return vtb_error_set(err, r, t->image, 0, "cannot read the program: %s", vtb_strerror(r));
	r = f.elf ? take_facts(t, &f) : -ENOEXEC;
	vtb_elf_facts_fini(&f);
	if (r < 0)
		return vtb_error_set(err, r, t->image, 0,
		                     r == -ENOEXEC ? "neither an ELF program nor a script with a #! line"
		                                   : "cannot inspect the program");
	return 0;
}

/* Symbolic links stay: what a program is called by may matter to it. */
static char *absolute(const char *path)
{
	char here[PATH_MAX], *whole;

	if (path[0] == '/' || !getcwd(here, sizeof(here)))
		return strdup(path);
	return asprintf(&whole, "%s/%s", here, path) < 0 ? NULL : whole;
}

int vtb_target_inspect(const char *path, struct vtb_target *ret, struct vtb_error *err)
{
	struct vtb_target t = { .path = absolute(path), .image = absolute(path) };
	int r = t.path && t.image ? 1 : -ENOMEM;

	if (r < 0)
		vtb_error_set(err, r, path, 0, "%s", why_not(r));
	while (r == 1)
		r = follow_script(&t, err);
	if (r >= 0)
		r = inspect_image(&t, err);
	if (r < 0) {
		vtb_target_fini(&t);
		return r;
	}
	*ret = t;
	return 0;
}
