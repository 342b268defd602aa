/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Part of prog.c: what nobody expects a program to do with files, and programs do. */

static void nameless_over(void)
{
	char name[64];
	const int fd = open("d1/deep", O_TMPFILE | O_WRONLY, 0600);

	if (fd < 0 && errno == EOPNOTSUPP)
		exit(77);
	CHECK(fd >= 0 && write(fd, "none", 4) == 4);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	CHECK(linkat(AT_FDCWD, name, AT_FDCWD, "text", AT_SYMLINK_FOLLOW) < 0 && errno == EEXIST);
	CHECK(linkat(AT_FDCWD, name, AT_FDCWD, "t.new", AT_SYMLINK_FOLLOW) == 0 && rename("t.new", "text") == 0);
	holds("text", "none");
	CHECK(look("text").st_nlink == 1);
}
static void exchange_kinds(void)
{
	CHECK(renameat2(AT_FDCWD, "text", AT_FDCWD, "d1/deep", RENAME_EXCHANGE) == 0);
	holds("d1/deep", "text-precious\n");
	holds("text/down", "down-precious\n");
	CHECK(renameat2(AT_FDCWD, "link", AT_FDCWD, "empty", RENAME_EXCHANGE) == 0 && entries("link") == 0);
	CHECK(S_ISLNK(look("empty").st_mode));
}
static void copy_within(void)
{
	const int in = opened("data", O_RDONLY), out = opened("text", O_RDWR);
	off_t from = 100, to = 4;
	char got[8], want[8];

	CHECK(copy_file_range(in, &from, out, &to, 6, 0) == 6 && from == 106 && to == 10);
	CHECK(pread(out, got, 6, 4) == 6 && pread(in, want, 6, 100) == 6 && !memcmp(got, want, 6));
	from = 0;
	to = 5000;
	CHECK(copy_file_range(out, &from, out, &to, 8, 0) == 8 && look("text").st_size == 5008);
	CHECK(copy_file_range(in, NULL, out, NULL, 3, 0) == 3 && lseek(in, 0, SEEK_CUR) == 3);
}
static void zero_range(void)
{
	const int fd = opened("data", O_RDWR);
	char got[4];

	if (fallocate(fd, FALLOC_FL_ZERO_RANGE, 10, 100) < 0 && errno == EOPNOTSUPP)
		CHECK(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 10, 100) == 0);
	CHECK(pread(fd, got, 4, 20) == 4 && !memcmp(got, "\0\0\0\0", 4) && look("data").st_size == 9000);
	CHECK(posix_fallocate(fd, 9000, 100000) == 0 && look("data").st_size == 109000);
}
static void proc_self(void)
{
	char name[64];
	const int at = open("d1/f", O_PATH), root = opened("/proc/self/root", O_RDONLY | O_DIRECTORY);
	char to[PATH_MAX];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", at);
	CHECK(at >= 0 && truncate(name, 3) == 0 && look("d1/f").st_size == 3 && chmod(name, 0600) == 0);
	put("/proc/self/cwd/log", O_APPEND, "cwd\n");
	holds("log", "first line\ncwd\n");
	snprintf(to, sizeof(to), "%s/text", dir + 1);
	CHECK(unlinkat(root, to, 0) == 0 && !is_there("text"));
}
static void inside_moved(void)
{
	char was[PATH_MAX], is[PATH_MAX];

	CHECK(chdir("d1/deep") == 0 && getcwd(was, sizeof(was)) && rename("../../d1", "../../d3") == 0);
	CHECK(getcwd(is, sizeof(is)) && strlen(is) == strlen(was) && strstr(is, "/d3/deep"));
	put("made", O_CREAT | O_EXCL, "here");
	put("../f", O_TRUNC, "above");
	CHECK(chdir(dir) == 0);
	holds("d3/deep/made", "here");
	holds("d3/f", "above");
}
static void inside_removed(void)
{
	char name[PATH_MAX];

	CHECK(mkdir("gone", 0700) == 0 && chdir("gone") == 0 && rmdir("../gone") == 0);
	CHECK(open("new", O_CREAT | O_WRONLY, 0600) < 0 && errno == ENOENT && !getcwd(name, sizeof(name)));
	CHECK(chdir("..") < 0 || is_there("d1"));
	CHECK(chdir(dir) == 0);
	put("new", O_CREAT | O_EXCL, "x");
}
/* Another process has the lock: it is waited for, or refused. */
static void locked_by_child(void)
{
	struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int ends[2], done[2], fd = opened("log", O_RDWR);
	char c;
	pid_t pid;

	CHECK(pipe(ends) == 0 && pipe(done) == 0);
	pid = fork();
	if (pid == 0) {
		fd = opened("log", O_RDWR);
		CHECK(flock(fd, LOCK_EX) == 0 && fcntl(fd, F_OFD_SETLK, &l) == 0 && write(ends[1], "l", 1) == 1);
		close(done[1]);
		_exit(read(done[0], &c, 1) != 0);
	}
	CHECK(read(ends[0], &c, 1) == 1 && flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK);
	CHECK(fcntl(fd, F_OFD_SETLK, &l) < 0 && fcntl(fd, F_SETLK, &l) < 0);
	CHECK(fcntl(fd, F_GETLK, &l) == 0 && l.l_type == F_WRLCK);
	close(done[1]);
	l = (struct flock){.l_type = F_WRLCK};
	CHECK(flock(fd, LOCK_EX) == 0 && fcntl(fd, F_OFD_SETLKW, &l) == 0 && waitpid(pid, NULL, 0) == pid);
	CHECK(write(fd, "L", 1) == 1);
}
static void watched(void)
{
	const int n = inotify_init1(IN_NONBLOCK), dir_fd = inotify_add_watch(n, ".", IN_CREATE | IN_DELETE);
	const int file = inotify_add_watch(n, "log", IN_MODIFY | IN_ATTRIB);
	char room[4096] __attribute__((aligned(8)));
	int made = 0, changed = 0;
	ssize_t got;

	CHECK(n >= 0 && dir_fd >= 0 && file >= 0);
	put("new", O_CREAT | O_EXCL, "x");
	put("log", O_APPEND, "x");
	while ((got = read(n, room, sizeof(room))) > 0)
		for (char *p = room; p < room + got;) {
			const struct inotify_event *e = (const struct inotify_event *)p;

			made += e->wd == dir_fd && !strcmp(e->name, "new");
			changed += e->wd == file;
			p += sizeof(*e) + e->len;
		}
	CHECK(made == 1 && changed >= 1);
}
static void *reads_fifo(void *got)
{
	const int fd = opened("pipe.new", O_RDONLY);

	CHECK(read(fd, got, 8) == 5 && close(fd) == 0);
	return NULL;
}
static void both_ends(void)
{
	char got[8];
	pthread_t t;
	int fd;

	CHECK(mkfifo("pipe.new", 0600) == 0 && !pthread_create(&t, NULL, reads_fifo, got));
	fd = opened("pipe.new", O_WRONLY);
	CHECK(write(fd, "hello", 5) == 5 && close(fd) == 0 && !pthread_join(t, NULL) && !memcmp(got, "hello", 5));
}
static void *connects(void *arg)
{
	const int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	CHECK(fd >= 0 && connect(fd, arg, sizeof(struct sockaddr_un)) == 0 && write(fd, "hi", 2) == 2);
	close(fd);
	return NULL;
}
static void serve_socket(void)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = "d1/sock"};
	const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	char got[4];
	pthread_t t;
	int to;

	CHECK(fd >= 0 && bind(fd, (struct sockaddr *)&a, sizeof(a)) == 0 && listen(fd, 1) == 0);
	CHECK(bind(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&a, sizeof(a)) < 0 && errno == EADDRINUSE);
	CHECK(!pthread_create(&t, NULL, connects, &a) && (to = accept(fd, NULL, NULL)) >= 0);
	CHECK(read(to, got, 4) == 2 && !pthread_join(t, NULL) && unlink("d1/sock") == 0);
}
static void other_root(void)
{
	if (chroot("d1") < 0 && errno == EPERM)
		exit(77);
	CHECK(chdir("/") == 0);
	put("/f", O_TRUNC, "below");
	put("/deep/made", O_CREAT | O_EXCL, "x");
	holds("f", "below");
}
static void memory_file(void)
{
	const int m = memfd_create("m", MFD_ALLOW_SEALING), out = opened("text", O_WRONLY | O_TRUNC);
	char name[64];

	CHECK(m >= 0 && write(m, "in memory", 9) == 9 && lseek(m, 0, SEEK_SET) == 0 && sendfile(out, m, NULL, 9) == 9);
	holds("text", "in memory");
	snprintf(name, sizeof(name), "/proc/self/fd/%d", m);
	put(name, O_TRUNC, "again");
	CHECK(fcntl(m, F_ADD_SEALS, F_SEAL_WRITE) == 0 && write(m, "x", 1) < 0 && errno == EPERM);
}
static void spliced(void)
{
	const int in = opened("data", O_RDONLY), out = opened("log", O_WRONLY);
	int ends[2];
	loff_t at = 11;

	CHECK(pipe(ends) == 0 && splice(in, NULL, ends[1], NULL, 100, 0) == 100);
	CHECK(splice(ends[0], NULL, out, &at, 100, 0) == 100 && look("log").st_size == 111);
}
static void *cuts(void *arg)
{
	CHECK(truncate("log", 0) == 0);
	return arg;
}
static void cut_own_log(void)
{
	FILE *f = fopen("log", "a");
	pthread_t t;

	CHECK(f && fputs("one\n", f) >= 0 && fflush(f) == 0);
	CHECK(!pthread_create(&t, NULL, cuts, NULL) && !pthread_join(t, NULL));
	CHECK(fputs("two\n", f) >= 0 && fclose(f) == 0);
	holds("log", "two\n");
}
static void other_user(void)
{
	const bool root = !geteuid();
	const pid_t pid = fork();
	int status;

	if (pid == 0) /* who may be anybody is nobody from here on */
		_exit(setgid(65534) + setuid(65534) != (root ? 0 : -2) || (root && open("secret", O_WRONLY) >= 0));
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	put("text", O_TRUNC, "x");
}
static void helper_with_rights(void)
{
	CHECK(shell("test -u /bin/su && stat -c %u /bin/su >own && test -s own") <= 1);
	put("text", O_TRUNC, "x");
}
static void own_mounts(void)
{
	if (unshare(CLONE_NEWNS) < 0 && errno == EPERM)
		exit(77);
	CHECK(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 && mount("own", "empty", "tmpfs", 0, NULL) == 0);
	put("empty/there", O_CREAT | O_EXCL, "x");
	CHECK(umount("empty") == 0 && entries("empty") == 0 && mount("d1", "d2", NULL, MS_BIND, NULL) == 0);
	put("d2/f", O_TRUNC, "bound");
	holds("d1/f", "bound");
}
static void moved_while_open(void)
{
	const int deep = opened("d1/deep", O_RDONLY | O_DIRECTORY), file = opened("d1/f", O_RDWR);
	const int path = open("d1", O_PATH);

	CHECK(rename("d1", "empty/in") == 0 && openat(deep, "made", O_WRONLY | O_CREAT | O_EXCL, 0600) >= 0);
	CHECK(write(file, "open", 4) == 4 && is_there("empty/in/deep/made"));
	CHECK(faccessat(path, "deep/made", R_OK, 0) == 0);
	holds("empty/in/f", "openprecious\n");
}
