/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file view.h
 * A private view of the file system (decision 78): what a process needs to know to mount one for itself. The tool
 * writes it, the process that becomes the program and the runtime in it follow it; both compile fsview_mount.c.
 *
 *     /home/u   overlay: lower = the directory as it is, upper = upper0 on the scratch
 *       └ scratch, a tmpfs that only this namespace has or a directory of the tool's, hidden below the overlay of the
 *         first tree
 *     /tmp      overlay: lower = /tmp, upper = upper1
 *     the rest  read-only, but /proc, /sys and devices
 *
 * A tree is a directory with all below it on its mount. Mounts below it would be hidden by the overlay and are put back
 * (`subs`), read-only. All is gone when the last process of the namespace ends, whatever ended it.
 */
#ifndef VTB_FSVIEW_H
#define VTB_FSVIEW_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define VTB_FSVIEW_TREES_MAX 24u
#define VTB_FSVIEW_SUBS_MAX 64u
#define VTB_FSVIEW_REAL_MAX 24u
#define VTB_FSVIEW_TEXT_MAX (48u << 10)

enum {
	VTB_FSVIEW_ON =
	    1 << 0, /* the process has a mount namespace of its own, in which nothing is writable but trees */
	VTB_FSVIEW_USER = 1 << 1,   /* and a user namespace */
	VTB_FSVIEW_EACH = 1 << 2,   /* every run mounts the trees anew; else they are mounted once, by the process that
	                               becomes the program */
	VTB_FSVIEW_SERVES = 1 << 3, /* the program is a server of runs: it leaves the trees it has been started with
	                               when it comes to main */
	VTB_FSVIEW_AFTER = 1 << 4,  /* below is not what everybody sees, but another view: that of who has started the
	                               program */
};

struct vtb_fsview_tree {
	uint32_t path, options; /* in text; options of the overlay without its directories */
	uint32_t mode, uid, gid;
	uint32_t each;  /* 1: runs mount it; 0: only what is before main */
	uint32_t mount; /* trees of one number lie on the same mount: without us a file could be renamed from one to the
	                   other */
	uint32_t pad;
	int64_t times[4]; /* last access and last change: seconds, nanoseconds */
};

struct vtb_fsview {
	uint32_t flags; /* VTB_FSVIEW_* */
	uint32_t n_trees, n_subs, n_real;
	uint32_t scratch;  /* in text: options of the tmpfs */
	uint32_t disk;     /* in text: a directory in its place, which no tree may contain; 0: none */
	uint32_t uid, gid; /* VTB_FSVIEW_USER: who we are, inside as outside */
	uint32_t text_used;
	int32_t scratch_fd;     /* by who mounts: its root; -1 none */
	int32_t user, mount;    /* VTB_FSVIEW_AFTER: descriptors of namespaces to begin in; user -1: ours */
	uint64_t scratch_nodes; /* by who mounts: nodes in use on it when nothing has been written */
	struct vtb_fsview_tree trees[VTB_FSVIEW_TREES_MAX]; /* those above others come first */
	uint32_t subs[VTB_FSVIEW_SUBS_MAX];                 /* paths of mounts below trees */
	uint32_t real[VTB_FSVIEW_REAL_MAX]; /* paths below which a file system is read-only without us, too */
	char text[VTB_FSVIEW_TEXT_MAX];     /* NUL-terminated strings; 0 is the empty one */
};

/** Where it went wrong, for words. */
enum vtb_fsview_step {
	VTB_FSVIEW_STEP_NONE,
	VTB_FSVIEW_STEP_NAMESPACE,
	VTB_FSVIEW_STEP_IDS,
	VTB_FSVIEW_STEP_PRIVATE,
	VTB_FSVIEW_STEP_LOCK,
	VTB_FSVIEW_STEP_SCRATCH,
	VTB_FSVIEW_STEP_TREE,
	VTB_FSVIEW_STEP_SUB
};

static inline const char *vtb_fsview_step_name(enum vtb_fsview_step step)
{
	static const char *const names[] = { "",
		                             "a namespace for mounts",
		                             "the user's number in a user namespace",
		                             "mounts of its own",
		                             "making all mounts read-only",
		                             "a temporary file system",
		                             "an overlay",
		                             "a mount below an overlay" };

	return names[step];
}

struct vtb_fsview_trouble {
	enum vtb_fsview_step step;
	int error;     /* an error number */
	uint32_t path; /* in text */
};

static inline const char *vtb_fsview_text(const struct vtb_fsview *v, uint32_t at)
{
	return at < VTB_FSVIEW_TEXT_MAX ? v->text + at : "";
}

/** Does `path` lie in or below `top`? */
bool vtb_fsview_is_below(const char *path, const char *top);
/** The tree with `path` in it, the innermost; `each`: of those that runs mount. -1 none. */
int vtb_fsview_tree_of(const struct vtb_fsview *v, const char *path, bool each);

/* These make system calls only, so that they can stand between vfork() and exec. False: *t says what could not be done.
 */

/** VTB_FSVIEW_AFTER: go there, and to the directory where we were; else nothing. */
bool vtb_fsview_join(const struct vtb_fsview *v, struct vtb_fsview_trouble *t);
/** Leave the others' namespaces, with all mounts as they are but read-only. The caller has one thread. */
bool vtb_fsview_leave_others(const struct vtb_fsview *v, struct vtb_fsview_trouble *t);
/** A mount namespace of this process's own, in one that vtb_fsview_leave_others() has made. */
bool vtb_fsview_leave_again(struct vtb_fsview_trouble *t);
/** Mount scratch and trees (`each`: those for runs only), and go to the directory `cwd` in them. */
bool vtb_fsview_mount(struct vtb_fsview *v, bool each, const char *cwd, struct vtb_fsview_trouble *t);
/** Take them off again in this namespace; the current directory and what is open is then what is below. How many
 *  descriptors that could change something are neither that nor vtb_fsview_kept(). */
unsigned vtb_fsview_leave_trees(struct vtb_fsview *v);
/** Descriptors of files and directories in trees that were opened outside of the present mounts: open them again here.
 * How many could not be, of those that could change something. */
unsigned vtb_fsview_take_descriptors(const struct vtb_fsview *v, bool each);
/** Remove everything in this directory, of whatever mode, and nothing outside. False: something is still there. */
bool vtb_fsview_empty(int directory);
/** What is written from here on counts. */
void vtb_fsview_begin(struct vtb_fsview *v);
/** Has something been written since then? */
bool vtb_fsview_written(const struct vtb_fsview *v);
/** After vtb_fsview_leave_trees(): the name of what this descriptor could change, and no longer leads to; or NULL. */
const char *vtb_fsview_kept(int fd);
/** Keep the right to mount across exec; have it without effect, or with; give it back. Without a user namespace none
 * does anything. */
void vtb_fsview_keep_rights(const struct vtb_fsview *v);
void vtb_fsview_rest_rights(const struct vtb_fsview *v, bool rest);
void vtb_fsview_drop_rights(const struct vtb_fsview *v);

#endif /* VTB_FSVIEW_H */
