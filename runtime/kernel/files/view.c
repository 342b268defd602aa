/* SPDX-License-Identifier: BSD-2-Clause */
#include "view.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "base.h"
#include "named.h"
#include "syscalls.h"
#include "view_links.h"
#include "view_maps.h"
#include "view_move.h"
#include "vtb/fsview.h"

#define PATH_BYTES 4096
#define TMPFS 0x01021994

static struct vtb_fsview *V; /* NULL: files are as they are for everybody */
static char cwd[PATH_BYTES];
static bool entered;   /* by the run in this process */
static bool only_each; /* of its trees, those for runs are mounted */

/* ---- names */

static long link_target(const char *path, char *to)
{
	const long n = sys6(SYS_readlinkat, AT_FDCWD, (long)path, (long)to, PATH_BYTES - 1, 0, 0);

	if (n >= 0)
		to[n] = 0;
	return n;
}

/* What the descriptor stands for. */
static bool name_of(int fd, char *to)
{
	char link[40] = "/proc/self/fd/";
	char *digit = link + sizeof(link) - 1;
	size_t n = strlen(link);

	if (fd < 0)
		return false;
	*digit = 0;
	do
		*--digit = (char)('0' + fd % 10);
	while ((fd /= 10));
	while (*digit)
		link[n++] = *digit++;
	link[n] = 0;
	return link_target(link, to) > 0 && to[0] == '/';
}

/* The kernel's own files are not changed like others, and devices not at all. */
static bool is_ordinary(const char *path)
{
	return strncmp(path, "/proc/", 6) && strncmp(path, "/sys/", 5) &&
	       (strncmp(path, "/dev/", 5) || !strncmp(path, "/dev/shm/", 9));
}

bool vtb_view_resolve(int fd, const char *path, char *to)
{
	const long r =
	    sys6(SYS_faccessat, fd, (long)path, 0, 0, 0, 0); /* the kernel reads the program's pointer first */
	size_t used = 0, n;

	if (r == -EFAULT || r == -EBADF || r == -ENAMETOOLONG || !path[0])
		return false;
	if (path[0] != '/') {
		if (fd == AT_FDCWD ? sys3(SYS_getcwd, (long)to, PATH_BYTES, 0) <= 0 : !name_of(fd, to))
			return false;
		used = strlen(to);
		to[used++] = '/';
	}
	n = strlen(path) + 1;
	if (used + n > PATH_BYTES)
		return false;
	memcpy(to + used, path, n);
	return is_ordinary(to);
}

/* Where it really lies: no symbolic link before the last part and, if the call follows one there (`object`), none there
 * that leads somewhere. */
static bool real_name(int fd, const char *path, bool object, char *to)
{
	static char asked[PATH_BYTES];
	long at = object ? sys6(SYS_openat, fd, (long)path, O_PATH | O_CLOEXEC, 0, 0, 0) : -1;
	char *last = NULL;
	size_t n;
	bool found;

	if (at < 0) {
		if (!vtb_view_resolve(fd, path, asked))
			return false;
		last = strrchr(asked, '/');
		*last = 0;
		at = sys6(SYS_openat, AT_FDCWD, (long)(last == asked ? "/" : asked), O_PATH | O_CLOEXEC, 0, 0, 0);
	}
	if (at < 0)
		return false;
	found = name_of((int)at, to);
	sys3(SYS_close, at, 0, 0);
	n = strlen(to);
	if (found && last && n + 3 < PATH_BYTES) /* what is in the directory */
		memcpy(to + n, "/x", 3);
	return found;
}

bool vtb_view_name(int fd, const char *path, char *to)
{
	return real_name(fd, path, false, to);
}

bool vtb_view_descriptor(int fd, char *to)
{
	return name_of(fd, to);
}

int64_t vtb_view_mount_of(const char *path)
{
	const int tree = V ? vtb_fsview_tree_of(V, path, only_each) : -1;

	return tree < 0 ? -1 : (int64_t)V->trees[tree].mount;
}

/* ---- the view */

const char *vtb_view_begin(void)
{
	const struct vtb_wire_area *arena = &vtb_rt.block->arena;
	struct vtb_fsview *v = (struct vtb_fsview *)((char *)vtb_rt.block + arena->offset + arena->used);

	if (!arena->used || arena->size - arena->used < sizeof(*v) || !(v->flags & VTB_FSVIEW_ON))
		return NULL;
	V = v;
	if (!(v->flags & VTB_FSVIEW_SERVES)) {
		entered = true;
		return NULL;
	}
	only_each = true;
	if (vtb_fsview_written(v))
		return "the program changes files before main: each run needs a process of its own";
	if (vtb_fsview_leave_trees(v))
		return "the program has too many files open to be written before main for one server of runs";
	if (sys3(SYS_getcwd, (long)cwd, PATH_BYTES, 0) <= 0 || cwd[0] != '/')
		cwd[0] = 0;
	if (v->flags & VTB_FSVIEW_EACH)
		vtb_fsview_rest_rights(v, true);
	else
		vtb_fsview_drop_rights(v);
	return NULL;
}

const char *vtb_view_enter(void)
{
	struct vtb_fsview_trouble t;

	if (!V || !(V->flags & VTB_FSVIEW_EACH) || !(V->flags & VTB_FSVIEW_SERVES))
		return NULL;
	vtb_fsview_rest_rights(V, false);
	if (!vtb_fsview_leave_again(&t) || !vtb_fsview_mount(V, true, cwd, &t))
		return "stopped: the private view of files could not be mounted for this run";
	sys3(SYS_fcntl, V->scratch_fd, F_SETFD, FD_CLOEXEC);
	if (vtb_fsview_take_descriptors(V, true))
		return "stopped: a file that was opened to be written before main could not be opened in the private "
		       "view";
	vtb_fsview_drop_rights(V);
	entered = true;
	return NULL;
}

bool vtb_view_is_private(void)
{
	return V;
}

/* The run ends here: the tool widens the view and has it made again. */
_Noreturn static void refuse(const char *path)
{
	struct vtb_wire_outcome *o = &vtb_sched.slot->outcome;
	size_t n = 0;

	if (vtb_engine->cannot_undo)
		vtb_engine->cannot_undo(
		    "the program makes a system call whose result only a private view of files can tell");
	o->flags |= VTB_OUT_REFUSED | VTB_OUT_VIEW;
	for (; path[n] && n + 1 < sizeof(o->message); n++)
		o->message[n] = path[n];
	o->message[n] = 0;
	vtb_engine->stop(0);
	__builtin_unreachable();
}

/* It would be so without us as well. */
static bool is_real(const char *path)
{
	for (uint32_t i = 0; i < V->n_real && i < VTB_FSVIEW_REAL_MAX; i++)
		if (vtb_fsview_is_below(path, vtb_fsview_text(V, V->real[i])))
			return true;
	return false;
}

void vtb_view_needs(const char *path)
{
	if (vtb_view_mount_of(path) < 0 && !is_real(path))
		refuse(path);
}

void vtb_view_starts_process(void)
{
	if (V && !entered && !vtb_engine->call)
		refuse("");
}

/* ---- which file a call was about */

/* Of two names the one that the view does not have. */
static bool outer_name(struct vtb_named from, struct vtb_named to, char *ret)
{
	if (real_name(to.dir, to.name, false, ret) &&
	    (vtb_view_mount_of(ret) < 0 || vtb_fsview_tree_of(V, ret, only_each) != vtb_fsview_tree_of(V, ret, false)))
		return true;
	return real_name(from.dir, from.name, false, ret);
}

static bool bound_name(const struct sockaddr_un *address, long size, char *ret)
{
	char name[sizeof(address->sun_path) + 1];
	const long n = size - (long)offsetof(struct sockaddr_un, sun_path);

	if (n <= 0 || n > (long)sizeof(address->sun_path))
		return false;
	memcpy(name, address->sun_path, (size_t)n);
	name[n] = 0;
	return real_name(AT_FDCWD, name, false, ret);
}

static bool name_of_call(const greg_t *g, char *ret)
{
	const struct vtb_syscall *row = vtb_syscall_row(g[REG_RAX]);
	const struct vtb_named file = vtb_named(row, g);

	if (row->place == PLACE_TWO || row->place == PLACE_TWO_AT)
		return outer_name(vtb_named_source(row, g), file, ret);
	if (row->place == PLACE_ADDRESS)
		return bound_name((const struct sockaddr_un *)g[REG_RSI], g[REG_RDX], ret);
	return file.name ? real_name(file.dir, file.name, vtb_named_follows(row), ret) : name_of(file.dir, ret);
}

static bool scratch_is_full(void)
{
	struct statfs s;

	return V->scratch_fd >= 0 && sys3(SYS_fstatfs, V->scratch_fd, (long)&s, 0) == 0 &&
	       (s.f_type == TMPFS || V->disk) && s.f_blocks && (!s.f_bavail || (s.f_files && !s.f_ffree));
}

/* To a descriptor that leads to what was mounted before main, which the next run would meet. */
static void writes_elsewhere(const greg_t *g)
{
	const struct vtb_syscall *row = vtb_syscall_row(g[REG_RAX]);
	const bool writes = row->deed == DEED_WRITE || row->deed == DEED_RESIZE || row->deed == DEED_COPY;
	const char *path = writes ? vtb_fsview_kept(vtb_named(row, g).dir) : NULL;

	if (path && (!entered || vtb_view_mount_of(path) < 0))
		refuse(path);
}

/* Where the program mounts something the server of runs would have it, too, and after chroot() nobody can tell what a
 * name stands for. */
static void changes_mounts(const greg_t *g)
{
	static char path[PATH_BYTES];
	size_t n;

	switch (g[REG_RAX]) {
	case SYS_chroot:
		if (real_name(AT_FDCWD, (const char *)g[REG_RDI], true, path)) {
			n = strlen(path);
			memcpy(path + (n + 3 < PATH_BYTES ? n : 0), "/x", 3);
			vtb_view_needs(path);
		}
		return;
	case SYS_mount:
	case SYS_umount2:
	case SYS_move_mount:
	case SYS_pivot_root:
	case SYS_unshare:
	case SYS_setns:
		vtb_view_starts_process();
		return;
	default:
		return;
	}
}

void vtb_view_before(const greg_t *g)
{
	if (VTB_UNLIKELY(V != NULL))
		changes_mounts(g);
	/* Only the kernel's index keeps the names of one file together, which it has for root alone and on a file
	 * system with handles. */
	if (VTB_UNLIKELY(V != NULL) && entered && V->flags & (VTB_FSVIEW_USER | VTB_FSVIEW_AFTER))
		vtb_view_link_before(g);
}

long vtb_view_made(const greg_t *g, long result)
{
	static char path[PATH_BYTES];

	if (VTB_LIKELY(!V))
		return result;
	if (result >= 0) {
		writes_elsewhere(g);
		if (entered) {
			vtb_view_link_made(g);
			vtb_view_maps_made(g, result);
		}
		return result;
	}
	if (result == -EXDEV)
		return vtb_view_move(g);
	if (result == -EROFS && name_of_call(g, path) && !is_real(path))
		refuse(path);
	if (result == -EOVERFLOW && entered &&
	    V->flags & VTB_FSVIEW_USER) { /* something above it, or itself, is another owner's */
		if (name_of_call(g, path) && !is_real(path))
			refuse(path);
		vtb_rt_uncontrolled(VTB_UNC_OWNER);
	}
	if ((result == -ENOSPC || result == -EDQUOT) && entered && name_of_call(g, path) &&
	    vtb_view_mount_of(path) >= 0)
		vtb_rt_uncontrolled(VTB_UNC_SCRATCH); /* the real file system may have room */
	return result;
}

void vtb_view_run_ends(void)
{
	if (V && entered && scratch_is_full())
		vtb_rt_uncontrolled(VTB_UNC_SCRATCH);
}
