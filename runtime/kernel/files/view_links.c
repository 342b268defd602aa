/* SPDX-License-Identifier: BSD-2-Clause */
#include "view_links.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include "base.h"
#include "named.h"
#include "syscalls.h"

#define LINKED_MAX 64u /* files; beyond it is said of them, too, that they come apart */

/* Files that had one name until this run made another. */
static struct {
	dev_t device;
	ino_t inode;
} linked[LINKED_MAX];
static unsigned n_linked;

static bool look(struct vtb_named file, bool follows, struct stat *ret)
{
	const long how = file.name ? follows ? 0 : AT_SYMLINK_NOFOLLOW : AT_EMPTY_PATH;

	return sys6(SYS_newfstatat, file.dir, (long)(file.name ? file.name : ""), (long)ret, how, 0, 0) == 0 &&
	       S_ISREG(ret->st_mode);
}

static bool is_linked(const struct stat *st)
{
	for (unsigned i = 0; i < n_linked; i++)
		if (linked[i].device == st->st_dev && linked[i].inode == st->st_ino)
			return true;
	return false;
}

static bool removes(const greg_t *g)
{
	return g[REG_RAX] == SYS_unlink || g[REG_RAX] == SYS_unlinkat;
}

/* Of what an open or a change of attributes copies up: content, mode, owner, times, not names. */
bool vtb_view_copies_up(const struct vtb_syscall *row, const greg_t *g)
{
	long flags;

	if (row->deed == DEED_CHANGE)
		return !removes(g) && g[REG_RAX] != SYS_rmdir;
	if (row->deed != DEED_OPEN && row->deed != DEED_OPEN_HOW && row->deed != DEED_CREATE)
		return false;
	flags = vtb_named_flags(row, g);
	return (flags & O_ACCMODE) != O_RDONLY || flags & O_TRUNC;
}

/* ---- names that are taken away */

/* An overlay never changes the file below: the names that it still has would tell how many there were. */
static struct {
	dev_t device;
	ino_t inode;
	uint32_t names;
} taken[LINKED_MAX];
static unsigned n_taken;
static struct stat losing; /* by the call under way; st_nlink 0: none */

static bool takes_name(const struct vtb_syscall *row, const greg_t *g)
{
	return removes(g) || row->deed == DEED_MOVE ||
	       (row->deed == DEED_MOVE_FLAGS && !(g[REG_R8] & (RENAME_EXCHANGE | RENAME_NOREPLACE)));
}

static void take(const struct stat *st)
{
	unsigned i = 0;

	while (i < n_taken && (taken[i].device != st->st_dev || taken[i].inode != st->st_ino))
		i++;
	if (i == LINKED_MAX) {
		vtb_rt_uncontrolled(VTB_UNC_OWNER);
		return;
	}
	taken[i].device = st->st_dev;
	taken[i].inode = st->st_ino;
	taken[i].names++;
	n_taken += i == n_taken;
}

/* How many names less. */
static uint32_t taken_of(dev_t device, ino_t inode)
{
	for (unsigned i = 0; i < n_taken; i++)
		if (taken[i].device == device && taken[i].inode == inode)
			return taken[i].names;
	return 0;
}

static void count_names(struct stat *st)
{
	st->st_nlink -= taken_of(st->st_dev, st->st_ino);
}

static void count_more_names(struct statx *s)
{
	s->stx_nlink -= taken_of(makedev(s->stx_dev_major, s->stx_dev_minor), s->stx_ino);
}

/* What the call has told. */
static void tell_names(const greg_t *g)
{
	switch (g[REG_RAX]) {
	case SYS_stat:
	case SYS_lstat:
	case SYS_fstat:
		count_names((struct stat *)g[REG_RSI]);
		break;
	case SYS_newfstatat:
		count_names((struct stat *)g[REG_RDX]);
		break;
	case SYS_statx:
		count_more_names((struct statx *)g[REG_R8]);
		break;
	default:
		break;
	}
}

/* ---- calls */

/* A link copies what it leads to, as well. */
void vtb_view_link_before(const greg_t *g)
{
	const struct vtb_syscall *row = vtb_syscall_row(g[REG_RAX]);
	const bool links = row->deed == DEED_LINK, takes = takes_name(row, g);
	const bool follows = !links && !takes && vtb_named_follows(row);
	struct stat st;

	losing.st_nlink = 0;
	if (row->place == PLACE_NOT || (!links && !takes && !vtb_view_copies_up(row, g)))
		return;
	if (!look(links ? vtb_named_source(row, g) : vtb_named(row, g), follows, &st) || st.st_nlink < 2 ||
	    is_linked(&st))
		return;
	if (takes)
		losing = st;
	else
		vtb_rt_uncontrolled(VTB_UNC_OWNER);
}

void vtb_view_link_made(const greg_t *g)
{
	const struct vtb_syscall *row = vtb_syscall_row(g[REG_RAX]);
	struct stat st;

	if (n_taken)
		tell_names(g);
	if (losing.st_nlink)
		take(&losing);
	losing.st_nlink = 0;
	if (row->deed != DEED_LINK || n_linked == LINKED_MAX || !look(vtb_named(row, g), false, &st) ||
	    is_linked(&st) || st.st_nlink != 2)
		return;
	linked[n_linked].device = st.st_dev;
	linked[n_linked++].inode = st.st_ino;
}
