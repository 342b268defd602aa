/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Changes all kinds of things in the directory given and, unless there is another argument, elsewhere; exits with the number of the step that does not find what was there at first. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static int step;

static int size_is(const char *name, off_t size)
{
	struct stat st;

	step++;
	return stat(name, &st) == 0 && st.st_size == size;
}

static int ok(int result)
{
	step++;
	return result >= 0;
}

static int makes(void)
{
	const struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "socket" };
	char far[300], here[200];

	if (!getcwd(here, sizeof(here)))
		return 0;
	snprintf(far, sizeof(far), "%s/absolute", here);
	return ok(open("lock", O_CREAT | O_EXCL | O_RDWR, 0600)) && ok(open(far, O_CREAT | O_EXCL | O_RDWR, 0600)) && ok(mkdir("dir", 0700)) && ok(mkdir("dir/deep", 0700)) &&
	       ok(open("dir/deep/file", O_CREAT | O_EXCL | O_RDWR, 0600)) && ok(symlink("old", "new-link")) && ok(link("old", "hard")) && ok(mkfifo("fifo", 0600)) &&
	       ok(bind(socket(AF_UNIX, SOCK_STREAM, 0), (const struct sockaddr *)&address, sizeof(address)));
}

static int changes(void)
{
	const int log = open("log", O_WRONLY | O_APPEND), old = open("old", O_RDWR | O_TRUNC), cut = open("cut", O_WRONLY | O_APPEND);

	return ok(log) && ok(cut) && size_is("cut", 9) && write(cut, "more", 4) == 4 && ok(ftruncate(cut, 2)) && ok(old) && size_is("log", 11) && write(log, "more", 4) == 4 && write(old, "other content", 13) == 13 && size_is("short", 8) && ok(truncate("short", 3)) &&
	       ok(chmod("mode", 0755)) && size_is("target", 11) && ok(rename("a", "target")) && size_is("target", 1) && ok(rename("target", "moved")) && ok(open("moved", O_WRONLY | O_TRUNC)) &&
	       ok(renameat2(AT_FDCWD, "b", AT_FDCWD, "log", RENAME_EXCHANGE));
}

static int removes(void)
{
	const int here = open(".", O_RDONLY | O_DIRECTORY);

	return size_is("gone", 20000) && ok(unlink("gone")) && ok(unlinkat(here, "link", 0)) && ok(unlink("pipe")) && ok(rmdir("empty")) && ok(openat(here, "gone", O_CREAT | O_EXCL | O_WRONLY, 0600)) &&
	       ok(rename("dir", "renamed"));
}

static int elsewhere(void)
{
	const key_t key = ftok("old", 'v');
	char name[64];
	int id;

	snprintf(name, sizeof(name), "/vtb-test-%d", (int)getppid());
	id = (int)mq_open(name, O_CREAT | O_EXCL | O_RDWR, 0600, NULL);
	if (id < 0 && (errno == ENOSYS || errno == EACCES || errno == EMFILE || errno == ENOSPC))
		return 1; /* not on this machine */
	if (!ok(id))
		return 0;
	id = semget(key, 1, IPC_CREAT | IPC_EXCL | 0600);
	return ok(id < 0 && errno != EEXIST ? 0 : id);
}

static void *nothing(void *arg)
{
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc < 2 || chdir(argv[1]) != 0)
		return 99;
	pthread_create(&thread, NULL, nothing, NULL);
	if (!makes() || !changes() || !removes() || (argc == 2 && !elsewhere()))
		return step;
	pthread_join(thread, NULL);
	return 0;
}
