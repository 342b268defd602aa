/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Child processes whose wait a timer may end. A process that was forked tells when it sets one; a program that it has
 * started does not:
 *
 *     timer_create()       stands in /proc/PID/timers
 *     timerfd_create()     is a descriptor
 *     alarm(), setitimer() nothing tells of: a program of whose files one names them may have set one, and one that
 * needs no library may have, too
 *
 * Not seen: one that was set by a program whose place the present one has taken by exec(), and calls without libc.
 */
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base.h"
#include "proc_text.h"

#define HEADERS_MAX 32u
#define DYNAMIC_MAX 128u
#define KEPT 16u /* of a part of a file before the next one: a name may lie across */

static bool ends_in(const char *text, size_t n, const char *end)
{
	const size_t m = strlen(end);

	return n >= m && !memcmp(text + n - m, end, m);
}

/* ---- descriptors */

struct entry {
	uint64_t inode, offset;
	unsigned short size;
	unsigned char type;
	char name[];
};

static char *process_file(char *to, pid_t pid, const char *name)
{
	return vtb_proc_put(vtb_proc_put_number(vtb_proc_put(to, "/proc/"), (uint64_t)pid), name);
}

static bool is_timer(long directory, const char *name)
{
	static const char timer[] = "anon_inode:[timerfd]";
	char to[64];
	const long n = sys6(SYS_readlinkat, directory, (long)name, (long)to, sizeof(to), 0, 0);

	return n == sizeof(timer) - 1 && !memcmp(to, timer, (size_t)n);
}

static bool has_timer_descriptor(pid_t pid)
{
	static char entries[VTB_PROC_BYTES];
	char path[64];
	const struct entry *e;
	bool r = false;
	long fd, n;

	process_file(path, pid, "/fd");
	fd = sys6(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, 0, 0);
	if (fd < 0)
		return true;
	while (!r && (n = sys3(SYS_getdents64, fd, (long)entries, sizeof(entries))) > 0)
		for (long at = 0; at < n; at += e->size) {
			e = (const struct entry *)(const void *)&entries[at];
			r |= is_timer(fd, e->name);
		}
	sys3(SYS_close, fd, 0, 0);
	return r;
}

/* ---- files: which functions of libraries they name */

static bool read_at(long fd, void *to, uint64_t n, uint64_t offset)
{
	return sys6(SYS_pread64, fd, (long)to, (long)n, (long)offset, 0, 0) == (long)n;
}

static bool timers_are_told; /* those of timer_create(): some kernels have no such file */

/* Names are searched by their ends: one that is the end of another may have no place of its own in the file. */
static bool names_in(const char *text, size_t n)
{
	static const char *const names[] = { "alarm", "setitimer", "syscall", "timer_settime" };
	const size_t n_names = sizeof(names) / sizeof(*names) - (timers_are_told ? 1 : 0);

	for (size_t at = 0; at < n; at++)
		if (!text[at])
			for (size_t i = 0; i < n_names; i++)
				if (ends_in(text, at, names[i]))
					return true;
	return false;
}

static bool names_timers_at(long fd, uint64_t offset, uint64_t size)
{
	char part[KEPT + 1024] = "";

	for (uint64_t n; size; offset += n, size -= n) {
		n = size < sizeof(part) - KEPT ? size : sizeof(part) - KEPT;
		if (!read_at(fd, part + KEPT, n, offset) || names_in(part, KEPT + n))
			return true;
		memcpy(part, part + n, KEPT); /* its last ones */
	}
	return false;
}

struct image {
	Elf64_Phdr headers[HEADERS_MAX];
	Elf64_Dyn dynamic[DYNAMIC_MAX];
	uint32_t n_headers, n_dynamic;
};

static uint64_t offset_of(const struct image *m, uint64_t address)
{
	for (uint32_t i = 0; i < m->n_headers; i++)
		if (m->headers[i].p_type == PT_LOAD && address - m->headers[i].p_vaddr < m->headers[i].p_filesz)
			return address - m->headers[i].p_vaddr + m->headers[i].p_offset;
	return 0;
}

static bool read_image(long fd, struct image *m)
{
	Elf64_Ehdr h;

	if (!read_at(fd, &h, sizeof(h), 0) || memcmp(h.e_ident, ELFMAG, SELFMAG) || h.e_machine != EM_X86_64 ||
	    h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_phnum > HEADERS_MAX ||
	    !read_at(fd, m->headers, h.e_phnum * sizeof(*m->headers), h.e_phoff))
		return false;
	m->n_headers = h.e_phnum;
	m->n_dynamic = 0;
	for (uint32_t i = 0; i < h.e_phnum; i++)
		if (m->headers[i].p_type == PT_DYNAMIC && m->headers[i].p_filesz <= sizeof(m->dynamic) &&
		    read_at(fd, m->dynamic, m->headers[i].p_filesz, m->headers[i].p_offset))
			m->n_dynamic = (uint32_t)(m->headers[i].p_filesz / sizeof(*m->dynamic));
	return true;
}

/* What needs no library makes system calls itself. */
static bool image_may_set(long fd)
{
	static struct image m;
	uint64_t names = 0, size = 0;
	bool needs = false;

	if (!read_image(fd, &m))
		return true;
	for (uint32_t i = 0; i < m.n_dynamic && m.dynamic[i].d_tag != DT_NULL; i++) {
		needs |= m.dynamic[i].d_tag == DT_NEEDED;
		names = m.dynamic[i].d_tag == DT_STRTAB ? m.dynamic[i].d_un.d_ptr : names;
		size = m.dynamic[i].d_tag == DT_STRSZ ? m.dynamic[i].d_un.d_val : size;
	}
	names = offset_of(&m, names);
	return !needs || !names || names_timers_at(fd, names, size);
}

/* Those of the compiler and of libc, which set timers when they are called only. */
static bool is_language_library(const char *path, size_t n)
{
	static const char *const files[] = { "/libc.so.6",       "/ld-linux-x86-64.so.2", "/libm.so.6",
		                             "/libpthread.so.0", "/libdl.so.2",           "/librt.so.1",
		                             "/libgcc_s.so.1" };
	size_t last = n;

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (ends_in(path, n, files[i]))
			return true;
	while (last && path[last] != '/')
		last--;
	return !strncmp(path + last, "/libstdc++.so.6", 15);
}

/* A path may be "... (deleted)", or hold an escaped letter: then there is no such file. */
static bool file_may_set(const char *path)
{
	const long fd = sys6(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
	const bool r = fd < 0 || image_may_set(fd);

	if (fd >= 0)
		sys3(SYS_close, fd, 0, 0);
	return r;
}

/* ---- what is mapped: "7f12-7f34 r-xp 00000000 08:01 1234    /lib/..." */

enum found { NOTHING, MAY_SET, FORKED };

static uint64_t hex_at(const char **at)
{
	uint64_t n = 0;

	for (; (**at >= '0' && **at <= '9') || (**at >= 'a' && **at <= 'f'); ++*at)
		n = n << 4 | (uint64_t)(**at <= '9' ? **at - '0' : **at - 'a' + 10);
	return n;
}

static enum found mapping(const char *line)
{
	const uint64_t ours = (uint64_t)(uintptr_t)&vtb_child_may_have_timer;
	const uint64_t begin = hex_at(&line);
	const uint64_t end = hex_at((line += *line == '-', &line));
	const char *path = line;

	while (*path && *path != '/' && *path != '[')
		path++;
	if (line[0] != ' ' || line[3] != 'x' || !strcmp(path, "[vdso]") || !strcmp(path, "[vsyscall]"))
		return NOTHING;
	if (begin <= ours && ours < end && ends_in(path, strlen(path), "/libvtb-rt.so"))
		return FORKED;
	return !is_language_library(path, strlen(path)) && (*path != '/' || file_may_set(path)) ? MAY_SET : NOTHING;
}

/* A process that was forked maps what this one does, whatever that may set. */
static bool maps_what_may_set(long fd)
{
	static char text[2 * VTB_PROC_BYTES + 1];
	size_t kept = 0;
	bool r = false;
	long n;

	while ((n = sys3(SYS_read, fd, (long)(text + kept), (long)(sizeof(text) - 1 - kept))) > 0) {
		char *line = text, *end;

		text[kept + (size_t)n] = 0;
		for (; (end = strchr(line, '\n')); line = end + 1) {
			enum found found;

			*end = 0;
			found = mapping(line);
			if (found == FORKED)
				return false;
			r |= found == MAY_SET;
		}
		kept = strlen(line);
		if (kept == sizeof(text) - 1)
			return true;
		memmove(text, line, kept);
	}
	return r || n < 0;
}

static bool image_of_may_set(pid_t pid)
{
	char path[64];
	long fd;
	bool r;

	process_file(path, pid, "/maps");
	fd = sys6(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
	if (fd < 0)
		return true;
	r = maps_what_may_set(fd);
	sys3(SYS_close, fd, 0, 0);
	return r;
}

bool vtb_child_may_have_timer(pid_t pid)
{
	char path[64];

	process_file(path, pid, "/timers");
	timers_are_told = sys3(SYS_access, (long)path, R_OK, 0) == 0;
	return vtb_proc_read(path) || has_timer_descriptor(pid) || image_of_may_set(pid);
}
