/* SPDX-License-Identifier: BSD-2-Clause */
/* Mounting a private view. Runs between vfork() and exec and in the program itself: nothing but system calls, no memory
 * from the heap. */
#include "fsview_private.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/mount.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* <sys/mount.h> and <linux/mount.h> do not go together in older C libraries */
#define KIND_PRIVATE (1ul << 18)   /* MS_PRIVATE */
#define KIND_RECURSIVE (1ul << 14) /* MS_REC */
#define DETACH 2                   /* MNT_DETACH */
#define RECURSIVE 0x8000           /* AT_RECURSIVE */

static bool fails(struct vtb_fsview_trouble *t, enum vtb_fsview_step step, uint32_t path)
{
	*t = (struct vtb_fsview_trouble){ step, errno, path };
	return false;
}

/* In the program these two are asked in the middle of a run, where libc's functions may be hooked. */
bool vtb_fsview_is_below(const char *path, const char *top)
{
	const volatile char *p = path, *t = top; /* so that no compiler makes a call of the loop */
	uint32_t n = 0;

	while (t[n] && p[n] == t[n])
		n++;
	return !t[n] && (!p[n] || p[n] == '/' || (n && t[n - 1] == '/'));
}

static bool is_wanted(const struct vtb_fsview *v, uint32_t i, bool each)
{
	return !each || v->trees[i].each;
}

int vtb_fsview_tree_of(const struct vtb_fsview *v, const char *path, bool each)
{
	int best = -1;

	for (uint32_t i = 0; i < v->n_trees; i++) /* those above others come first */
		if (is_wanted(v, i, each) && vtb_fsview_is_below(path, vtb_fsview_text(v, v->trees[i].path)))
			best = (int)i;
	return best;
}

/* ---- namespaces */

static bool write_file(const char *path, const char *text)
{
	const int fd = open(path, O_WRONLY | O_CLOEXEC);
	const bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	const int error = errno;

	if (fd >= 0)
		close(fd);
	errno = error;
	return done;
}

static bool map_id(const char *path, uint32_t id)
{
	char text[64];

	vtb_fsview_put_text(vtb_fsview_put_number(vtb_fsview_put_text(vtb_fsview_put_number(text, id), " "), id), " 1");
	return write_file(path, text);
}

static long set_writable(const char *path, bool on)
{
	struct mount_attr attr = { .attr_set = on ? 0 : MOUNT_ATTR_RDONLY, .attr_clr = on ? MOUNT_ATTR_RDONLY : 0 };

	return syscall(SYS_mount_setattr, AT_FDCWD, path, RECURSIVE, &attr, sizeof(attr));
}

bool vtb_fsview_join(const struct vtb_fsview *v, struct vtb_fsview_trouble *t)
{
	char cwd[FSVIEW_PATH];

	if (!(v->flags & VTB_FSVIEW_AFTER))
		return true;
	if (syscall(SYS_getcwd, cwd, sizeof(cwd)) <= 0 || cwd[0] != '/')
		vtb_fsview_put_text(cwd, "/");
	if ((v->user >= 0 && setns(v->user, CLONE_NEWUSER) < 0) || setns(v->mount, CLONE_NEWNS) < 0)
		return fails(t, VTB_FSVIEW_STEP_NAMESPACE, 0);
	if (chdir(cwd) < 0 && chdir("/") < 0) /* the starter may have removed it */
		errno = 0;
	return true;
}

bool vtb_fsview_leave_others(const struct vtb_fsview *v, struct vtb_fsview_trouble *t)
{
	const bool user = v->flags & VTB_FSVIEW_USER;

	if (unshare(CLONE_NEWNS | (user ? CLONE_NEWUSER : 0)) < 0)
		return fails(t, VTB_FSVIEW_STEP_NAMESPACE, 0);
	if (user && !write_file("/proc/self/setgroups", "deny") && errno != ENOENT) /* before Linux 3.19 */
		return fails(t, VTB_FSVIEW_STEP_IDS, 0);
	if (user && (!map_id("/proc/self/uid_map", v->uid) || !map_id("/proc/self/gid_map", v->gid)))
		return fails(t, VTB_FSVIEW_STEP_IDS, 0);
	if (syscall(SYS_mount, "none", "/", NULL, KIND_PRIVATE | KIND_RECURSIVE, NULL) < 0)
		return fails(t, VTB_FSVIEW_STEP_PRIVATE, 0);
	if (set_writable("/", false) < 0)
		return fails(t, VTB_FSVIEW_STEP_LOCK, 0);
	set_writable(
	    "/proc",
	    true); /* what was read-only before stays so: the kernel refuses, or it is one of several mounts there */
	set_writable("/sys", true);
	return true;
}

bool vtb_fsview_leave_again(struct vtb_fsview_trouble *t)
{
	return unshare(CLONE_NEWNS) == 0 || fails(t, VTB_FSVIEW_STEP_NAMESPACE, 0);
}

/* ---- rights */

/* Those of who mounts an overlay are used for all that it does with its layers. */
#define BIT(cap) (1u << (cap))
#define RIGHTS                                                                                                      \
	(BIT(CAP_SYS_ADMIN) | BIT(CAP_CHOWN) | BIT(CAP_DAC_OVERRIDE) | BIT(CAP_DAC_READ_SEARCH) | BIT(CAP_FOWNER) | \
	 BIT(CAP_FSETID))

static void set_rights(const struct vtb_fsview *v, uint32_t permitted, uint32_t effective, uint32_t inheritable)
{
	struct __user_cap_header_struct own = { _LINUX_CAPABILITY_VERSION_3, 0 };
	const struct __user_cap_data_struct caps[2] = { { effective, permitted, inheritable }, { 0, 0, 0 } };

	if (v->flags & VTB_FSVIEW_USER && v->uid) /* an ordinary user has none outside of the namespace either */
		syscall(SYS_capset, &own, caps);
}

void vtb_fsview_keep_rights(const struct vtb_fsview *v)
{
	if (!(v->flags & VTB_FSVIEW_USER) || !v->uid)
		return;
	set_rights(v, RIGHTS, RIGHTS, RIGHTS);
	for (unsigned cap = 0; cap < 32; cap++)
		if (RIGHTS & BIT(cap))
			prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0, 0);
}

void vtb_fsview_rest_rights(const struct vtb_fsview *v, bool rest)
{
	set_rights(v, RIGHTS, rest ? 0 : RIGHTS, 0);
}

void vtb_fsview_drop_rights(const struct vtb_fsview *v)
{
	set_rights(v, 0, 0, 0); /* the ambient ones with them */
}

/* ---- trees */

/* As the directory that it stands for. An owner that the namespace does not know cannot be given. */
static void dress(const char *upper, const struct vtb_fsview_tree *tree)
{
	const struct timespec times[2] = { { tree->times[0], tree->times[1] }, { tree->times[2], tree->times[3] } };

	if (lchown(upper, tree->uid, tree->gid) < 0)
		errno = 0;
	chmod(upper, tree->mode & 07777);
	utimensat(AT_FDCWD, upper, times, 0);
}

/* "upper3" and "work3" on the scratch, which is the current directory. */
static bool mount_tree(const struct vtb_fsview *v, uint32_t i, int lower, struct vtb_fsview_trouble *t)
{
	const struct vtb_fsview_tree *tree = &v->trees[i];
	char upper[32], work[32], options[512];
	char *to;

	vtb_fsview_put_number(vtb_fsview_put_text(upper, "upper"), i);
	vtb_fsview_put_number(vtb_fsview_put_text(work, "work"), i);
	to = vtb_fsview_put_text(options, "upperdir=");
	to = vtb_fsview_put_text(vtb_fsview_put_text(to, upper), ",workdir=");
	to = vtb_fsview_put_number(vtb_fsview_put_text(vtb_fsview_put_text(to, work), ",lowerdir=/proc/self/fd/"),
	                           (uint64_t)lower);
	if (strlen(vtb_fsview_text(v, tree->options)) < sizeof(options) - 160)
		vtb_fsview_put_text(to, vtb_fsview_text(v, tree->options));
	if (mkdir(upper, 0700) < 0 || mkdir(work, 0700) < 0)
		return fails(t, VTB_FSVIEW_STEP_SCRATCH, tree->path);
	dress(upper, tree);
	return syscall(SYS_mount, "overlay", vtb_fsview_text(v, tree->path), "overlay", 0ul, options) == 0 ||
	       fails(t, VTB_FSVIEW_STEP_TREE, tree->path);
}

struct held {
	int trees[VTB_FSVIEW_TREES_MAX], subs[VTB_FSVIEW_SUBS_MAX];
};

/* Before anything is covered. */
static bool hold(const struct vtb_fsview *v, bool each, struct held *h, struct vtb_fsview_trouble *t)
{
	for (uint32_t i = 0; i < VTB_FSVIEW_TREES_MAX; i++)
		h->trees[i] = -1;
	for (uint32_t i = 0; i < VTB_FSVIEW_SUBS_MAX; i++)
		h->subs[i] = -1;
	for (uint32_t i = 0; i < v->n_trees; i++) {
		if (!is_wanted(v, i, each))
			continue;
		h->trees[i] = open(vtb_fsview_text(v, v->trees[i].path), O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (h->trees[i] < 0)
			return fails(t, VTB_FSVIEW_STEP_TREE, v->trees[i].path);
	}
	for (uint32_t i = 0; i < v->n_subs; i++) {
		if (vtb_fsview_tree_of(v, vtb_fsview_text(v, v->subs[i]), each) < 0)
			continue;
		h->subs[i] = (int)syscall(SYS_open_tree, AT_FDCWD, vtb_fsview_text(v, v->subs[i]),
		                          1 /* OPEN_TREE_CLONE */ | O_CLOEXEC | RECURSIVE);
		if (h->subs[i] < 0)
			return fails(t, VTB_FSVIEW_STEP_SUB, v->subs[i]);
	}
	return true;
}

static void let_go(const struct vtb_fsview *v, const struct held *h)
{
	for (uint32_t i = 0; i < v->n_trees; i++)
		if (h->trees[i] >= 0)
			close(h->trees[i]);
	for (uint32_t i = 0; i < v->n_subs; i++)
		if (h->subs[i] >= 0)
			close(h->subs[i]);
}

/* Those whose place is there now and was not before: below the tree just mounted and no other. */
static bool put_back_subs(const struct vtb_fsview *v, bool each, uint32_t tree, const struct held *h,
                          struct vtb_fsview_trouble *t)
{
	for (uint32_t i = 0; i < v->n_subs; i++) {
		const char *path = vtb_fsview_text(v, v->subs[i]);

		if (vtb_fsview_tree_of(v, path, each) != (int)tree)
			continue;
		if (syscall(SYS_move_mount, h->subs[i], "", AT_FDCWD, path, 4 /* MOVE_MOUNT_F_EMPTY_PATH */) < 0)
			return fails(t, VTB_FSVIEW_STEP_SUB, v->subs[i]);
	}
	return true;
}

/* The scratch hides below its overlay; n_trees: there is none. */
static uint32_t first_tree(const struct vtb_fsview *v, bool each)
{
	uint32_t i = 0;

	while (i < v->n_trees && !is_wanted(v, i, each))
		i++;
	return i;
}

static bool mount_all(struct vtb_fsview *v, bool each, const struct held *h, struct vtb_fsview_trouble *t)
{
	const uint32_t top = first_tree(v, each);
	const char *first = vtb_fsview_text(v, v->trees[top].path);

	if (!vtb_fsview_mount_scratch(v, first))
		return fails(t, VTB_FSVIEW_STEP_SCRATCH, v->disk ? v->disk : v->trees[top].path);
	for (uint32_t i = 0; i < v->n_trees; i++)
		if (is_wanted(v, i, each) && (!mount_tree(v, i, h->trees[i], t) || !put_back_subs(v, each, i, h, t)))
			return false;
	return true;
}

bool vtb_fsview_mount(struct vtb_fsview *v, bool each, const char *cwd, struct vtb_fsview_trouble *t)
{
	const mode_t mask = umask(0);
	struct held h;
	bool done;

	v->scratch_fd = -1;
	if (first_tree(v, each) == v->n_trees) {
		umask(mask);
		return true;
	}
	done = hold(v, each, &h, t) && mount_all(v, each, &h, t);
	let_go(v, &h);
	umask(mask);
	if (cwd[0] && chdir(cwd) < 0 && chdir("/") < 0) /* it has no name any more: nobody can reach it */
		errno = 0;
	return done;
}

void vtb_fsview_unmount(struct vtb_fsview *v)
{
	for (uint32_t i = v->n_trees; i-- > 0;)
		syscall(SYS_umount2, vtb_fsview_text(v, v->trees[i].path), DETACH);
	if (v->n_trees)
		syscall(SYS_umount2, vtb_fsview_text(v, v->trees[0].path), DETACH); /* the scratch */
	if (v->scratch_fd >= 0)
		close(v->scratch_fd);
	v->scratch_fd = -1;
}
