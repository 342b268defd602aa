/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the program maps: libraries that it loads late, which are listed as those are that were there from the start;
 * a file that it maps twice, so that one piece of memory is at two addresses and counts as two; and one that it maps
 * and reads, writes or gives another size, too.
 */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base.h"
#include "models.h"
#include "named.h"
#include "syscalls.h"

/* ---- the lines of /proc/self/maps: "lo-hi rw-s offset major:minor inode   path" */

static uint64_t number(const char **at, uint64_t base)
{
	uint64_t n = 0;

	for (;; (*at)++) {
		const char c = **at;
		const uint64_t digit = c >= '0' && c <= '9'   ? (uint64_t)(c - '0')
		                       : c >= 'a' && c <= 'f' ? (uint64_t)(c - 'a') + 10
		                                              : base;

		if (digit >= base)
			return n;
		n = base * n + digit;
	}
}

static struct vtb_map_line parsed(const char *at)
{
	struct vtb_map_line l;

	l.lo = number(&at, 16);
	at++;
	l.hi = number(&at, 16);
	l.written = at[2] == 'w';
	l.shared = at[4] == 's';
	at += 6;
	l.offset = number(&at, 16);
	at++;
	l.device = number(&at, 16) << 32;
	at++;
	l.device |= number(&at, 16);
	at++;
	l.inode = number(&at, 10);
	return l;
}

#define HEAD 96u /* bytes of a line that say all but the path */

void vtb_each_mapping(void (*each)(const struct vtb_map_line *line, void *arg), void *arg)
{
	const long fd = sys6(SYS_openat, AT_FDCWD, (long)"/proc/self/maps", O_RDONLY | O_CLOEXEC, 0, 0, 0);
	char head[HEAD + 1], text[1024];
	size_t used = 0;
	long n;

	while (fd >= 0 && (n = sys3(SYS_read, fd, (long)text, sizeof(text))) > 0)
		for (long i = 0; i < n; i++) {
			if (text[i] != '\n') {
				if (used < HEAD)
					head[used++] = text[i];
				continue;
			}
			head[used] = 0;
			used = 0;
			const struct vtb_map_line line = parsed(head);
			each(&line, arg);
		}
	if (fd >= 0)
		sys3(SYS_close, fd, 0, 0);
}

/* ---- one piece of memory at two addresses */

struct aliases {
	struct vtb_map_line it; /* what was mapped; hi 0: not found yet */
	uint64_t at;
	bool any;
};

static void find(const struct vtb_map_line *line, void *arg)
{
	struct aliases *a = arg;

	if (a->at >= line->lo && a->at < line->hi)
		a->it = *line;
}

/* Writing to one of the two changes the other. */
static void compare(const struct vtb_map_line *line, void *arg)
{
	struct aliases *a = arg;
	const struct vtb_map_line *it = &a->it;

	if (line->lo == it->lo || line->inode != it->inode || line->device != it->device)
		return;
	const uint64_t from = line->offset > it->offset ? line->offset : it->offset;
	const uint64_t end = it->offset + (it->hi - it->lo), other = line->offset + (line->hi - line->lo);
	const uint64_t to = end < other ? end : other;

	if (from >= to)
		return;
	a->any |= (line->shared && line->written) || (it->shared && it->written);
	if (line->shared && it->shared)
		vtb_twins_note(it->lo + (from - it->offset), it->lo + (to - it->offset),
		               line->lo + (from - line->offset));
}

static void look_for_aliases(uint64_t at)
{
	struct aliases a = { .at = at };

	vtb_each_mapping(find, &a);
	if (!a.it.hi || (!a.it.device && !a.it.inode)) /* the first segment of a namespace has inode 0 on a device */
		return;
	vtb_each_mapping(compare, &a);
	if (a.any)
		vtb_rt_uncontrolled(VTB_UNC_ALIAS);
}

/* ---- files that are memory, too */

#define FILES 16u /* the last of them stands for all that come after it */

static struct {
	uint64_t device, inode;
	uint64_t end; /* of what is mapped, in the file */
	bool written; /* by whoever writes to the memory */
} files[FILES] VTB_HISTORY_RARE;
static unsigned n_files VTB_HISTORY_RARE;

static void note_file(const greg_t *g)
{
	const bool written = (g[REG_R10] & MAP_TYPE) != MAP_PRIVATE && g[REG_RDX] & PROT_WRITE;
	const int fd = (int)g[REG_R8];
	struct stat st;

	if (sys3(SYS_fstat, fd, (long)&st, 0) < 0 || !S_ISREG(st.st_mode))
		return;
	files[n_files % FILES].device = st.st_dev;
	files[n_files % FILES].inode = st.st_ino;
	files[n_files % FILES].end = (uint64_t)g[REG_R9] + (uint64_t)g[REG_RSI];
	files[n_files % FILES].written = written;
	n_files += n_files < FILES;
}

/* `kept`: so much of the file stays as it is. */
static void use(const struct stat *st, bool writes, uint64_t kept)
{
	bool any = n_files == FILES;

	if (!S_ISREG(st->st_mode))
		return;
	for (unsigned i = 0; i < n_files; i++)
		any |= (writes || files[i].written) && kept < files[i].end && files[i].inode == st->st_ino &&
		       files[i].device == st->st_dev;
	if (any)
		vtb_rt_uncontrolled(VTB_UNC_ALIAS);
}

static bool may_be_mapped(const struct vtb_rt_thread *t)
{
	return n_files && !vtb_sched_alone(t);
}

static void use_descriptor(int fd, bool writes)
{
	struct stat st;

	if (sys3(SYS_fstat, fd, (long)&st, 0) == 0)
		use(&st, writes, 0);
}

void vtb_mapped_file_used(const struct vtb_rt_thread *t, int fd, bool writes)
{
	if (may_be_mapped(t))
		use_descriptor(fd, writes);
}

/* The file gets another size: memory behind its end faults, and is zeros once it is longer. */
static void resize(long failed, const struct stat *st, uint64_t size)
{
	if (failed >= 0)
		use(st, true, size < (uint64_t)st->st_size ? size : (uint64_t)st->st_size);
}

static void resize_named(const struct vtb_syscall *row, const greg_t *g, uint64_t size)
{
	const struct vtb_named file = vtb_named(row, g);
	struct stat st;

	resize(sys6(SYS_newfstatat, file.dir, (long)file.name, (long)&st, 0, 0, 0), &st, size);
}

static void allocate(const greg_t *g)
{
	struct stat st;

	if (g[REG_RSI] & ~FALLOC_FL_KEEP_SIZE) /* holes, ranges that are moved */
		use_descriptor((int)g[REG_RDI], true);
	else if (!g[REG_RSI])
		resize(sys3(SYS_fstat, g[REG_RDI], (long)&st, 0), &st, UINT64_MAX);
}

void vtb_mapped_file_call(const struct vtb_rt_thread *t, const struct vtb_syscall *row, const greg_t *g)
{
	struct stat st;

	if (!may_be_mapped(t))
		return;
	switch (g[REG_RAX]) {
	case SYS_ftruncate:
		resize(sys3(SYS_fstat, g[REG_RDI], (long)&st, 0), &st, (uint64_t)g[REG_RSI]);
		return;
	case SYS_truncate:
		resize_named(row, g, (uint64_t)g[REG_RSI]);
		return;
	case SYS_fallocate:
		allocate(g);
		return;
	case SYS_sendfile:
		use_descriptor((int)g[REG_RDI], true);
		use_descriptor((int)g[REG_RSI], false);
		return;
	case SYS_copy_file_range:
	case SYS_splice:
		use_descriptor((int)g[REG_RDI], false);
		use_descriptor((int)g[REG_RDX], true);
		return;
	default:
		if (row->deed >= DEED_OPEN && row->deed <= DEED_CREATE && vtb_named_flags(row, g) & O_TRUNC)
			resize_named(row, g, 0);
	}
}

/* ---- libraries */

#define PATH_BYTES 4096u
#define LINK "/proc/self/fd/"

static void digits(char *to, unsigned n)
{
	char text[12];
	size_t at = sizeof(text);

	text[--at] = 0;
	do
		text[--at] = (char)('0' + n % 10);
	while (n /= 10);
	memcpy(to, text + at, sizeof(text) - at);
}

/* Its first part has been mapped, with room for all of it. Who else maps what starts like that is none, and does no
 * harm in the list. */
static void note_library(uint64_t at, int fd)
{
	static char path[PATH_BYTES];
	char link[sizeof(LINK) + 12] = LINK;
	const ElfW(Ehdr) *head = (const void *)at;
	long n;

	if (memcmp(head->e_ident, ELFMAG, SELFMAG) || head->e_type != ET_DYN)
		return;
	digits(link + sizeof(LINK) - 1, (unsigned)fd);
	n = sys6(SYS_readlinkat, AT_FDCWD, (long)link, (long)path, sizeof(path) - 1, 0, 0);
	if (n <= 0)
		return;
	path[n] = 0;
	vtb_rt_module_loaded(path, at, (const void *)(at + head->e_phoff), head->e_phnum);
}

void (*vtb_mapped_protected)(uint64_t at);

/* ---- where */

#define PLACES 0x200000000000ull /* the kernel puts nothing there by itself */
#define PLACE (1ull << 38)       /* of one thread */
#define PLACES_MAX 128u
#define PAGE 4096ull

void *vtb_mapped_place(void *at, size_t size, int flags)
{
	struct vtb_rt_thread *t = vtb_self;
	const uint64_t room = (size + 2 * PAGE - 1) / PAGE * PAGE; /* and a page that is never there */
	void *place;

	if (at || flags & (MAP_FIXED | MAP_FIXED_NOREPLACE | MAP_32BIT | MAP_HUGETLB) || !t || !vtb_rt_controls() ||
	    !vtb_sched.active || t->base.slot >= PLACES_MAX || size > PLACE || room > PLACE - t->kernel.mapped)
		return at;
	place = (void *)(PLACES + t->base.slot * PLACE + t->kernel.mapped);
	t->kernel.mapped += room;
	return place;
}

void vtb_unmapped(const greg_t *g, long nr, long result)
{
	const uint64_t at = (uint64_t)g[REG_RDI], size = (uint64_t)g[REG_RSI];

	if (!vtb_has_twins)
		return;
	if (nr == SYS_mmap)
		vtb_twins_gone((uint64_t)result, (uint64_t)result + size);
	else if (nr == SYS_shmdt)
		vtb_twins_gone(at, at + 1);
	else if (nr == SYS_munmap || (nr == SYS_mremap && (uint64_t)result != at && size))
		vtb_twins_gone(at, at + size);
}

static bool shares VTB_HISTORY_RARE; /* a file's memory, with whoever else maps it */

void vtb_mapped(const greg_t *g, long nr, long result)
{
	const long flags = nr == SYS_mmap ? g[REG_R10] : 0;

	if (nr != SYS_mmap || result != g[REG_RDI])
		vtb_ctl_asks_memory(vtb_self);
	if (result < 0 && result > -4096)
		return;
	vtb_unmapped(g, nr, result);
	if (nr == SYS_mmap && (flags & MAP_ANONYMOUS))
		return;
	if ((flags & MAP_TYPE) == MAP_PRIVATE && (flags & MAP_DENYWRITE) && (g[REG_RDX] & PROT_READ) &&
	    !g[REG_R9]) /* as the loader does, and nobody else; at a place that it has chosen if it is to be aligned */
		note_library((uint64_t)result, (int)g[REG_R8]);
	else if (nr == SYS_mmap)
		note_file(g);
	shares |= nr != SYS_mmap || (flags & MAP_TYPE) != MAP_PRIVATE;
	if (shares)
		look_for_aliases((uint64_t)result);
}

/* ---- memory that other processes may have, too */

#define OWN_LO 0x100000000000ull /* what the runtime has mapped for itself: own_memory.c */
#define OWN_HI 0x180000000000ull

static void note_shared(const struct vtb_map_line *line, void *arg)
{
	*(bool *)arg |= line->shared && (line->lo < OWN_LO || line->lo >= OWN_HI);
}

bool vtb_memory_is_shared(void)
{
	bool any = false;

	vtb_each_mapping(note_shared, &any);
	return any;
}
