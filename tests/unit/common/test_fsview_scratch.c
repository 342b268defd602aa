/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sample.h"
#include "vtb/fsview.h"

#define DEPTH 3000 /* longer than any path may be */

static int open_directory(const char *name)
{
	const int fd = open(in_dir(name), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static int entries(int directory)
{
	DIR *d = fdopendir(dup(directory));
	int n = -2;

	assert_non_null(d);
	rewinddir(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static void is_emptied(const char *name)
{
	const int fd = open_directory(name);

	assert_true(entries(fd) > 0);
	assert_true(vtb_fsview_empty(fd));
	assert_int_equal(entries(fd), 0);
	close(fd);
	assert_int_equal(rmdir(in_dir(name)), 0);
}

static void what_nobody_may_read_or_write_is_removed(void **state)
{
	int fd;

	(void)state;
	assert_int_equal(mkdir(in_dir("modes"), 0700), 0);
	fd = open_directory("modes");
	for (int i = 0; i < 3; i++) {
		const char *const names[] = { "a", "a/b", "a/b/c" };

		assert_int_equal(mkdirat(fd, names[i], 0700), 0);
	}
	assert_int_equal(close(openat(fd, "a/b/c/file", O_CREAT | O_WRONLY, 0)), 0);
	assert_int_equal(mkfifoat(fd, "a/b/fifo", 0), 0);
	assert_int_equal(fchmodat(fd, "a/b/c", 0, 0) | fchmodat(fd, "a/b", 0, 0) | fchmodat(fd, "a", 0, 0), 0);
	close(fd);
	is_emptied("modes");
}

/* Each directory has two, so that not all of them can go by the same way. */
static void depth_has_no_limit(void **state)
{
	int fd, next;

	(void)state;
	assert_int_equal(mkdir(in_dir("deep"), 0700), 0);
	fd = open_directory("deep");
	for (int i = 0; i < DEPTH; i++) {
		assert_int_equal(mkdirat(fd, "moved1", 0700) | mkdirat(fd, "other", 0700), 0);
		assert_int_equal(close(openat(fd, "other/file", O_CREAT | O_WRONLY, 0600)), 0);
		next = openat(fd, "moved1", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		close(fd);
		fd = next;
	}
	close(fd);
	is_emptied("deep");
}

static void what_links_lead_to_stays(void **state)
{
	int fd;

	(void)state;
	put_file("kept", "content");
	assert_int_equal(mkdir(in_dir("outside"), 0700) | mkdir(in_dir("links"), 0700), 0);
	put_file("outside/inside", "content");
	fd = open_directory("links");
	assert_int_equal(mkdirat(fd, "d", 0700) | symlinkat("../../outside", fd, "d/one"), 0);
	assert_int_equal(symlinkat("../outside", fd, "two") | symlinkat("../kept", fd, "three"), 0);
	assert_int_equal(linkat(AT_FDCWD, in_dir("kept"), fd, "d/hard", 0), 0);
	close(fd);
	is_emptied("links");
	assert_int_equal(access(in_dir("kept"), R_OK) | access(in_dir("outside/inside"), R_OK), 0);
}

/* chattr +i, where this is root and the file system has it. */
static void what_was_made_immutable_is_removed(void **state)
{
	int flags = FS_IMMUTABLE_FL, top, fd;

	(void)state;
	assert_int_equal(mkdir(in_dir("locked"), 0700), 0);
	top = open_directory("locked");
	assert_int_equal(mkdirat(top, "d", 0700), 0);
	fd = openat(top, "d/file", O_CREAT | O_RDONLY, 0600);
	assert_true(fd >= 0);
	if (ioctl(fd, FS_IOC_SETFLAGS, &flags) == 0)
		assert_int_equal(unlinkat(top, "d/file", 0), -1);
	close(fd);
	close(top);
	is_emptied("locked");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_nobody_may_read_or_write_is_removed),
		cmocka_unit_test(depth_has_no_limit),
		cmocka_unit_test(what_links_lead_to_stays),
		cmocka_unit_test(what_was_made_immutable_is_removed),
	};

	return cmocka_run_group_tests_name("fsview_scratch", tests, make_dir, remove_dir);
}
