/* SPDX-License-Identifier: BSD-2-Clause */
#include "view_links.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>

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

/* Of what an open or a change of attributes copies up: content, mode, owner, times, not names. */
static bool copies_up(const struct vtb_syscall *row, const greg_t *g)
{
	const long nr = g[REG_RAX];
	long flags;

	if (row->deed == DEED_CHANGE)
		return nr != SYS_unlink && nr != SYS_unlinkat && nr != SYS_rmdir;
	if (row->deed != DEED_OPEN && row->deed != DEED_OPEN_HOW && row->deed != DEED_CREATE)
		return false;
	flags = vtb_named_flags(row, g);
	return (flags & O_ACCMODE) != O_RDONLY || flags & O_TRUNC;
}

/* A link copies what it leads to, as well. */
void vtb_view_link_before(const greg_t *g)
{
	const struct vtb_syscall *row = vtb_syscall_row(g[REG_RAX]);
	const bool links = row->deed == DEED_LINK;
	struct stat st;

	if (row->place == PLACE_NOT || (!links && !copies_up(row, g)))
		return;
	if (look(links ? vtb_named_source(row, g) : vtb_named(row, g), !links && vtb_named_follows(row), &st) &&
	    st.st_nlink > 1 && !is_linked(&st))
		vtb_rt_uncontrolled(VTB_UNC_OWNER);
}

void vtb_view_link_made(const greg_t *g)
{
	const struct vtb_syscall *row = vtb_syscall_row(g[REG_RAX]);
	struct stat st;

	if (row->deed != DEED_LINK || n_linked == LINKED_MAX || !look(vtb_named(row, g), false, &st) ||
	    is_linked(&st) || st.st_nlink != 2)
		return;
	linked[n_linked].device = st.st_dev;
	linked[n_linked++].inode = st.st_ino;
}
