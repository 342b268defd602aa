/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which kind of view this machine allows: each is tried as it would be used, in a process of its own. */
#include "view_plan.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#define LIMIT_MAX (4ull << 30)
#define TRIES 5u

static const struct view_kind kinds[] = {
	{ "mounts", VTB_FSVIEW_ON, ",redirect_dir=on,index=on,xino=on",
	  "the right to mount (CAP_SYS_ADMIN), as root has it outside of most containers" },
	{ "user", VTB_FSVIEW_ON | VTB_FSVIEW_USER, ",userxattr,xino=on",
	  "user namespaces: kernel.unprivileged_userns_clone=1, user.max_user_namespaces above 0, "
	  "kernel.apparmor_restrict_unprivileged_userns=0, in a container its seccomp profile" },
	{ "plain", 0, "", "" },
};

/* ---- trying it */

static void say_trouble(const struct vtb_fsview *plan, const struct vtb_fsview_trouble *t, char *why, size_t size)
{
	const char *path = vtb_fsview_text(plan, t->path);

	snprintf(why, size, "%s%s%.160s: %s", vtb_fsview_step_name(t->step), *path ? " at " : "", path,
	         strerror(t->error));
}

/* Without attributes an overlay forgets what has been removed and made again. */
static void try_it(struct vtb_fsview *plan, struct vtb_fsview_trouble *t)
{
	if (!vtb_fsview_join(plan, t) || !vtb_fsview_leave_others(plan, t) || !vtb_fsview_mount(plan, false, "/", t))
		return;
	if (plan->scratch_fd >= 0 && plan->flags & VTB_FSVIEW_USER &&
	    fsetxattr(plan->scratch_fd, "user.vtb", "", 0, 0) < 0)
		*t = (struct vtb_fsview_trouble){ VTB_FSVIEW_STEP_SCRATCH, errno, 0 };
}

/* 0, or why not; -ECHILD: it did not come to an end. */
static int works_once(const struct vtb_fsview *plan, char *why, size_t size)
{
	struct vtb_fsview_trouble t = { VTB_FSVIEW_STEP_NAMESPACE, ECHILD, 0 };
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	pid = fork();
	if (pid == 0) {
		static struct vtb_fsview own;

		own = *plan;
		t = (struct vtb_fsview_trouble){ VTB_FSVIEW_STEP_NONE, 0, 0 };
		try_it(&own, &t);
		_exit(write(ends[1], &t, sizeof(t)) != sizeof(t));
	}
	close(ends[1]);
	if (pid > 0 && read(ends[0], &t, sizeof(t)) != sizeof(t))
		t = (struct vtb_fsview_trouble){ VTB_FSVIEW_STEP_NAMESPACE, ECHILD, 0 };
	close(ends[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (t.step)
		say_trouble(plan, &t, why, size);
	return t.step ? -t.error : 0;
}

/* That somebody has killed the process does not mean that the kernel refuses anything. */
static int works(const struct vtb_fsview *plan, char *why, size_t size)
{
	int r = -ECHILD;

	for (unsigned i = 0; i < TRIES && r == -ECHILD; i++)
		r = works_once(plan, why, size);
	return r;
}

const char *vtb_view_advice(void)
{
	return kinds[geteuid() ? 1 : 0].advice;
}

/* ---- the plan */

static uint64_t default_limit(void)
{
	struct sysinfo info;

	if (sysinfo(&info) < 0)
		return LIMIT_MAX / 4;
	return (uint64_t)info.totalram * info.mem_unit / 4 < LIMIT_MAX ? (uint64_t)info.totalram * info.mem_unit / 4
	                                                               : LIMIT_MAX;
}

static void begin(struct view *v, const struct view_kind *kind)
{
	const uint32_t disk = v->plan.disk;
	char scratch[64], room[PATH_MAX];

	snprintf(room, sizeof(room), "%s", vtb_fsview_text(&v->plan, disk));
	v->kind = kind;
	v->plan = (struct vtb_fsview){
		.flags = kind->flags, .uid = geteuid(), .gid = getegid(), .scratch_fd = -1, .text_used = 1
	};
	if (v->after && kind->flags) {
		v->plan.flags |= VTB_FSVIEW_AFTER;
		v->plan.user = v->after->user;
		v->plan.mount = v->after->mount;
	}
	snprintf(scratch, sizeof(scratch), "mode=0711,size=%llu", (unsigned long long)v->limit);
	v->plan.scratch = vtb_view_put_text(&v->plan, scratch);
	v->plan.disk = disk ? vtb_view_put_text(&v->plan, room) : 0;
	v->plan.text_used += disk ? VTB_SCRATCH_NUMBER_MAX : 0; /* each server puts its own room there */
}

/* A file in the directory. Not having it as a tree is no reason to have none. */
static void add_if_it_works(struct view *v, const struct view_mounts *m, const char *directory)
{
	struct vtb_fsview before = v->plan;
	char path[4200], why[200];

	snprintf(path, sizeof(path), "%s/x", directory);
	if (vtb_view_add_tree(&v->plan, m, path, v->kind->options) != 1 || works(&v->plan, why, sizeof(why)) < 0)
		v->plan = before;
}

static void give_up(struct view *v, const char *why)
{
	begin(v, &kinds[sizeof(kinds) / sizeof(*kinds) - 1]);
	v->version++;
	snprintf(v->why, sizeof(v->why), "%.390s", why);
}

/* Files that we were started with and hand on: a program can write to them without opening anything. */
static void add_given(struct view *v, const struct view_mounts *m)
{
	DIR *all = opendir("/proc/self/fd");
	char link[40], path[4096];

	for (const struct dirent *e; all && (e = readdir(all));) {
		const int fd = atoi(e->d_name), flags = fd > 2 ? fcntl(fd, F_GETFL) : -1;
		struct stat st;
		ssize_t n;

		if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || fcntl(fd, F_GETFD) & FD_CLOEXEC ||
		    fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
			continue;
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		n = readlink(link, path, sizeof(path) - 1);
		path[n > 0 ? n : 0] = 0;
		if (path[0] == '/' && vtb_fsview_tree_of(&v->plan, path, false) < 0 && strrchr(path, '/') != path) {
			*strrchr(path, '/') = 0;
			add_if_it_works(v, m, path);
		}
	}
	if (all)
		closedir(all);
}

static bool try_kind(struct view *v, const struct view_kind *kind, const struct view_mounts *m, char *why, size_t size)
{
	begin(v, kind);
	if (works(&v->plan, why, size) < 0)
		return false;
	add_if_it_works(v, m, v->cwd);
	add_if_it_works(v, m, "/tmp");
	add_given(v, m);
	if (!v->plan.n_trees)
		snprintf(why, size, "no overlay can be mounted at %.100s or /tmp", v->cwd);
	return v->plan.n_trees ||
	       (v->plan.disk && vtb_fsview_is_below(vtb_fsview_text(&v->plan, v->plan.disk), v->cwd));
}

/* NULL: none works, for the reason in `why`. */
static const struct view_kind *find_kind(struct view *v, const struct view_mounts *m, char *why, size_t size)
{
	for (const struct view_kind *k = kinds; m && k->flags; k++)
		if (try_kind(v, k, m, why, size))
			return k;
	return NULL;
}

/* The first room is for what is tried. */
static int open_scratch(struct view *v, const char *directory, struct vtb_error *err)
{
	char room[PATH_MAX];
	int r = vtb_scratch_new(directory, &v->scratch, err);

	if (r < 0)
		return r;
	r = vtb_scratch_add_room(v->scratch, room, sizeof(room));
	if (r < 0)
		return vtb_error_set(err, r, NULL, 0, "--scratch=%.400s: %s", directory, vtb_strerror(r));
	v->plan.text_used = 1;
	v->plan.disk = vtb_view_put_text(&v->plan, room);
	return 0;
}

/* A view in memory works, or none at all: then nobody writes to the scratch either. */
static int without_scratch(struct view *v, const struct view_mounts *m, const char *directory, const char *reason,
                           struct vtb_error *err)
{
	char why[300] = "";

	v->plan.disk = 0;
	if (find_kind(v, m, why, sizeof(why)))
		return vtb_error_set(err, -EINVAL, NULL, 0, "--scratch=%.200s: no overlay can write there: %.200s",
		                     directory, reason);
	vtb_scratch_free(v->scratch);
	v->scratch = NULL;
	return 0;
}

int vtb_view_choose(struct view *v, const struct vtb_process_opts *opts, struct vtb_error *err)
{
	const bool keep = opts->options & VTB_OPT_KEEP_FILES;
	struct view_mounts *m = keep ? NULL : vtb_view_mounts_read();
	char why[300] = "/proc/self/mountinfo cannot be read";
	int r = 0;

	*v =
	    (struct view){ .limit = opts->scratch_bytes ? opts->scratch_bytes : default_limit(), .after = opts->after };
	if (opts->cwd)
		snprintf(v->cwd, sizeof(v->cwd), "%s", opts->cwd);
	else if (!getcwd(v->cwd, sizeof(v->cwd)))
		v->cwd[0] = 0;
	if (m && opts->scratch)
		r = open_scratch(v, opts->scratch, err);
	if (r >= 0 && v->after && !find_kind(v, m, why, sizeof(why)))
		v->after = NULL; /* such a view on top of another the kernel does not mount: none of it is seen */
	if (r >= 0 && !v->after && !find_kind(v, m, why, sizeof(why))) {
		if (v->scratch)
			r = without_scratch(v, m, opts->scratch, why, err);
		if (r >= 0)
			give_up(v, keep ? "" : why);
	}
	vtb_view_mounts_free(m);
	return r;
}

void vtb_view_fini(struct view *v)
{
	vtb_scratch_free(v->scratch);
	v->scratch = NULL;
}

/* One that has only been mounted before main is mounted for runs, too. False: it is already, or there is none. */
static bool give_to_runs(struct view *v, const char *path)
{
	const int tree = vtb_fsview_tree_of(&v->plan, path, false);

	if (tree < 0 || v->plan.trees[tree].each)
		return false;
	v->plan.trees[tree].each = 1;
	return true;
}

/* What runs need from here on is mounted for each of them. */
static int widen(struct view *v, const char *path, struct vtb_error *err)
{
	struct view_mounts *m = vtb_view_mounts_read();
	char why[300] = "";
	int r = m ? vtb_view_add_tree(&v->plan, m, path, v->kind->options) : -ENOMEM;

	vtb_view_mounts_free(m);
	if (r == 1) {
		give_to_runs(v, path);
		r = works(&v->plan, why, sizeof(why));
	} else if (r < 0)
		snprintf(why, sizeof(why), "no overlay can stand for what has %.200s in it: %s", path, strerror(-r));
	if (r < 0 && v->plan.disk)
		return vtb_error_set(err, -EINVAL, NULL, 0,
		                     r == -ELOOP
		                         ? "the program changes %.300s, and --scratch lies in the same directory "
		                           "or below it: name one that the program does not use%.0s"
		                         : "the program changes %.300s, for which no overlay can write to "
		                           "--scratch: %.200s",
		                     path, why);
	if (r < 0)
		give_up(v, why);
	return 0;
}

static void widen_for_processes(struct view *v)
{
	static const char *const directories[] = { "/tmp", "/var/tmp", "/dev/shm" };
	struct view_mounts *m = vtb_view_mounts_read();
	const char *home = getenv("HOME");

	for (size_t i = 0; m && i < sizeof(directories) / sizeof(*directories); i++)
		add_if_it_works(v, m, directories[i]);
	if (m && home && home[0] == '/')
		add_if_it_works(v, m, home);
	vtb_view_mounts_free(m);
	for (uint32_t i = 0; i < v->plan.n_trees; i++)
		v->plan.trees[i].each = 1;
}

int vtb_view_need(struct view *v, const char *path, struct vtb_error *err)
{
	if (!v->plan.flags)
		return 0;
	v->version++;
	v->plan.flags |= VTB_FSVIEW_EACH;
	if (!*path)
		widen_for_processes(v);
	else if (!give_to_runs(v, path))
		return widen(v, path, err);
	return 0;
}

static void add_directory_of(struct view *v, const struct view_mounts *m, const char *path)
{
	char *directory = strdup(path), *slash = directory ? strrchr(directory, '/') : NULL;

	if (slash && slash > directory) {
		*slash = 0;
		add_if_it_works(v, m, directory);
	}
	free(directory);
}

bool vtb_view_for_starter(char *const *argv, const char *cwd, char *const *more, struct vtb_fsview *ret, char *why,
                          size_t size)
{
	const struct vtb_process_opts opts = { .cwd = cwd };
	struct view_mounts *m = vtb_view_mounts_read();
	struct view v;

	vtb_view_choose(&v, &opts, NULL);
	if (v.plan.flags) {
		widen_for_processes(&v);
		for (size_t i = 0; m && argv[i]; i++) /* its own file, and those that it is told of */
			if (argv[i][0] == '/' && vtb_fsview_tree_of(&v.plan, argv[i], false) < 0)
				add_if_it_works(&v, m, argv[i]);
		for (size_t i = 0; m && more[i]; i++)
			add_directory_of(&v, m, more[i]);
	}
	snprintf(why, size, "%s", v.why);
	*ret = v.plan;
	vtb_view_mounts_free(m);
	vtb_view_fini(&v);
	return ret->flags;
}
