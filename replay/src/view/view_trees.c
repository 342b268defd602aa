/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which directories get an overlay: whole mounts or directories below the root for one who may do all, else what the
 * user can copy up. */
#include "view_plan.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct mount {
	char *path;
	uint32_t id;
	bool read_only;
};

struct view_mounts {
	struct mount *items;
	size_t n;
};

uint32_t vtb_view_put_text(struct vtb_fsview *plan, const char *text)
{
	const size_t n = strlen(text) + 1;
	const uint32_t at = plan->text_used ? plan->text_used : 1;

	if (n > VTB_FSVIEW_TEXT_MAX - at)
		return 0;
	memcpy(plan->text + at, text, n);
	plan->text_used = at + (uint32_t)n;
	return at;
}

/* ---- mounts */

/* Blanks and backslashes stand there as three octal digits. */
static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] && s[3]) {
			*to++ = (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 + (s[3] - '0'));
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = 0;
}

/* The mount's own options, and behind the " - " those of the file system. */
static bool is_read_only(const char *options, const char *line)
{
	const char *rest = strstr(line, " - ");
	const char *super = rest ? strrchr(rest, ' ') : NULL;

	return !strncmp(options, "ro", 2) || (super && !strncmp(super, " ro", 3) && strchr(",\n", super[3]));
}

static bool read_mount(const char *line, struct mount *ret)
{
	char path[PATH_MAX], options[256];
	unsigned id;

	if (sscanf(line, "%u %*u %*s %*s %4095s %255s", &id, path, options) != 3)
		return false;
	unescape(path);
	*ret = (struct mount){ .path = strdup(path), .id = id, .read_only = is_read_only(options, line) };
	return ret->path;
}

struct view_mounts *vtb_view_mounts_read(void)
{
	struct view_mounts *m = calloc(1, sizeof(*m));
	FILE *f = fopen("/proc/self/mountinfo", "re");
	char *line = NULL;
	size_t room = 0;

	while (m && f && getline(&line, &room, f) > 0) {
		struct mount *more = reallocarray(m->items, m->n + 1, sizeof(*more));

		if (!more)
			break;
		m->items = more;
		m->n += read_mount(line, &m->items[m->n]);
	}
	free(line);
	if (f)
		fclose(f);
	if (!m || m->n)
		return m;
	vtb_view_mounts_free(m);
	return NULL;
}

void vtb_view_mounts_free(struct view_mounts *m)
{
	for (size_t i = 0; m && i < m->n; i++)
		free(m->items[i].path);
	if (m)
		free(m->items);
	free(m);
}

/* Of several at one place the last one is what one sees. */
static const struct mount *mount_of(const struct view_mounts *m, const char *path)
{
	const struct mount *best = NULL;

	for (size_t i = 0; i < m->n; i++)
		if (vtb_fsview_is_below(path, m->items[i].path) &&
		    (!best || strlen(m->items[i].path) >= strlen(best->path)))
			best = &m->items[i];
	return best;
}

static bool has_mounts_below(const struct view_mounts *m, const char *path)
{
	for (size_t i = 0; i < m->n; i++)
		if (strcmp(m->items[i].path, path) && vtb_fsview_is_below(m->items[i].path, path))
			return true;
	return false;
}

/* ---- which directory */

/* May one in a user namespace give a copy its owner? */
static bool is_mine(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && st.st_uid == geteuid() && st.st_gid == getegid();
}

static void cut_last(char *path)
{
	char *slash = strrchr(path, '/');

	slash[slash == path] = 0;
}

/* The longest beginning of `path` that is a directory, without symbolic links. */
static bool directory_of(const char *path, char *ret)
{
	char part[PATH_MAX];
	struct stat st;

	if (path[0] != '/' || strlen(path) >= sizeof(part))
		return false;
	strcpy(part, path);
	do {
		cut_last(part);
		if (realpath(part, ret) && stat(ret, &st) == 0 && S_ISDIR(st.st_mode))
			return true;
	} while (part[1]);
	return false;
}

/* "/a" of "/a/b/c" */
static void cut_to_first(char *path)
{
	char *second = path[0] ? strchr(path + 1, '/') : NULL;

	if (second)
		*second = 0;
}

/* Upwards as long as copies of what lies in between can be made as it is. */
static void widen_user(char *dir, const struct mount *mount)
{
	char up[PATH_MAX];

	while (strcmp(dir, mount->path)) {
		strcpy(up, dir);
		cut_last(up);
		if (!up[1] || !is_mine(dir) || (access(up, W_OK) < 0 && !is_mine(up)))
			return;
		strcpy(dir, up);
	}
}

static bool has_scratch_below(const struct vtb_fsview *plan, const char *top)
{
	return plan->disk && vtb_fsview_is_below(vtb_fsview_text(plan, plan->disk), top);
}

/* Down again to where neither the scratch lies below nor, in a user namespace, a mount: they may not be uncovered. */
static bool narrow(const struct vtb_fsview *plan, const struct view_mounts *m, const char *dir, char *top)
{
	while (has_scratch_below(plan, top) || (plan->flags & VTB_FSVIEW_USER && has_mounts_below(m, top))) {
		const size_t n = strlen(top);
		const char *next = dir[n] ? strchr(dir + n + 1, '/') : NULL;

		if (!dir[n])
			return false;
		snprintf(top, PATH_MAX, "%.*s", next ? (int)(next - dir) : PATH_MAX - 1, dir);
	}
	return true;
}

static bool choose_top(const struct vtb_fsview *plan, const struct view_mounts *m, const struct mount *mount,
                       const char *dir, char *top)
{
	strcpy(top, dir);
	if (plan->flags & VTB_FSVIEW_USER && plan->uid) {
		widen_user(top, mount);
		return top[1] && narrow(plan, m, dir, top);
	}
	if (mount->path[1])
		strcpy(top, mount->path);
	else
		cut_to_first(top);
	return top[1] && narrow(plan, m, dir, top);
}

/* ---- the plan */

static int add_real(struct vtb_fsview *plan, const char *path)
{
	if (plan->n_real == VTB_FSVIEW_REAL_MAX)
		return -ENOSPC;
	plan->real[plan->n_real] = vtb_view_put_text(plan, path);
	return plan->real[plan->n_real++] ? 0 : -ENOSPC;
}

/* Those above others come first: a path that is above another is shorter. */
static int insert_tree(struct vtb_fsview *plan, const struct mount *mount, const char *top, const char *options)
{
	struct vtb_fsview_tree t = { .path = vtb_view_put_text(plan, top),
		                     .options = vtb_view_put_text(plan, options),
		                     .mount = mount->id };
	uint32_t i = plan->n_trees;
	struct stat st;

	if (plan->n_trees == VTB_FSVIEW_TREES_MAX || !t.path || (*options && !t.options))
		return -ENOSPC;
	if (lstat(top, &st) < 0)
		return -errno;
	t.mode = st.st_mode;
	t.uid = st.st_uid;
	t.gid = st.st_gid;
	t.times[0] = st.st_atim.tv_sec;
	t.times[1] = st.st_atim.tv_nsec;
	t.times[2] = st.st_mtim.tv_sec;
	t.times[3] = st.st_mtim.tv_nsec;
	for (; i > 0 && strlen(vtb_fsview_text(plan, plan->trees[i - 1].path)) > strlen(top); i--)
		plan->trees[i] = plan->trees[i - 1];
	plan->trees[i] = t;
	plan->n_trees++;
	return 1;
}

static bool is_tree(const struct vtb_fsview *plan, const char *path)
{
	for (uint32_t i = 0; i < plan->n_trees; i++)
		if (!strcmp(vtb_fsview_text(plan, plan->trees[i].path), path))
			return true;
	return false;
}

/* Mounts that come with the one put back are not named; nor is one on top of another in the same place. */
static bool has_sub_above(const struct vtb_fsview *plan, const char *path)
{
	for (uint32_t i = 0; i < plan->n_subs; i++)
		if (vtb_fsview_is_below(path, vtb_fsview_text(plan, plan->subs[i])))
			return true;
	return false;
}

static int find_subs(struct vtb_fsview *plan, const struct view_mounts *m)
{
	plan->n_subs = 0;
	for (size_t i = 0; i < m->n; i++) {
		const char *path = m->items[i].path;

		if (vtb_fsview_tree_of(plan, path, false) < 0 || is_tree(plan, path) || has_sub_above(plan, path))
			continue;
		if (plan->n_subs == VTB_FSVIEW_SUBS_MAX)
			return -ENOSPC;
		plan->subs[plan->n_subs] = vtb_view_put_text(plan, path);
		if (!plan->subs[plan->n_subs++])
			return -ENOSPC;
	}
	return 1;
}

int vtb_view_add_tree(struct vtb_fsview *plan, const struct view_mounts *m, const char *path, const char *options)
{
	char dir[PATH_MAX], top[PATH_MAX];
	const struct mount *mount;
	int r;

	if (!directory_of(path, dir))
		return -ENOENT;
	mount = mount_of(m, dir);
	if (!mount)
		return -ENOENT;
	if (mount->read_only)
		return add_real(plan, mount->path);
	if (has_scratch_below(plan, dir))
		return -ELOOP;
	if (!choose_top(plan, m, mount, dir, top))
		return -EINVAL;
	if (is_tree(plan, top))
		return add_real(plan, dir);
	r = insert_tree(plan, mount, top, options);
	return r < 0 ? r : find_subs(plan, m);
}
