/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Part of prog.c: what files have beside content and names, other ways to them, other processes. */
/* ---- what files have beside content */

static void change_mode(void)
{
	CHECK((look("data").st_mode & 07777) == 0640 && chmod("data", 0600) == 0 &&
	      (look("data").st_mode & 07777) == 0600);
}
static void change_mode_fd(void)
{
	const int fd = opened("data", O_RDONLY);
	CHECK(fchmod(fd, 0604) == 0 && (look("data").st_mode & 07777) == 0604);
}
static void change_owner(void)
{
	if (geteuid())
		CHECK(chown("data", (uid_t)-1, getegid()) == 0);
	else
		CHECK(look("data").st_uid == 7 && chown("data", 9, 10) == 0 && look("data").st_uid == 9);
}
static void change_time(void)
{
	const struct timespec t[2] = {{1, 2}, {3, 4}};
	CHECK(look("data").st_mtim.tv_sec == 1577934245 && utimensat(AT_FDCWD, "data", t, 0) == 0 &&
	      look("data").st_mtim.tv_nsec == 4);
}
static void change_time_fd(void)
{
	const struct timespec t[2] = {{1, 2}, {3, 4}};
	const int fd = opened("data", O_RDONLY);
	CHECK(futimens(fd, t) == 0 && look("data").st_mtim.tv_sec == 3);
}
static void set_attribute(void)
{
	char got[16];
	CHECK(getxattr("data", "user.keep", got, 16) == 9 && setxattr("data", "user.keep", "other", 5, 0) == 0 &&
	      setxattr("data", "user.more", "m", 1, XATTR_CREATE) == 0 && getxattr("data", "user.keep", got, 16) == 5);
}
static void drop_attribute(void)
{
	const int fd = opened("data", O_RDONLY);
	char got[16];
	CHECK(fremovexattr(fd, "user.keep") == 0 && fgetxattr(fd, "user.keep", got, 16) < 0 && errno == ENODATA);
}
static void directory_time(void)
{
	const struct timespec t[2] = {{1, 2}, {3, 4}};
	CHECK(utimensat(AT_FDCWD, "d1", t, 0) == 0 && chmod("d1", 0700) == 0 && look("d1").st_mtim.tv_sec == 3);
}
static void may_write(void)
{
	CHECK(access("text", W_OK) == 0 && access(".", W_OK) == 0 && faccessat(AT_FDCWD, "d1", W_OK, AT_EACCESS) == 0);
}
static void unreadable(void)
{
	put("secret.new", O_CREAT | O_EXCL, "new");
	CHECK((look("secret").st_mode & 07777) == 0 && rename("secret.new", "secret") == 0);
	holds("secret", "new");
}
static void read_only_file(void)
{
	CHECK(unlink("ro") == 0);
	put("ro", O_CREAT | O_EXCL, "rw");
}

/* ---- other ways to a file */

static void proc_fd(void)
{
	char name[64];
	snprintf(name, sizeof(name), "/proc/self/fd/%d", opened("text", O_RDONLY));
	put(name, O_TRUNC, "junk");
	holds("text", "junk");
}
static void dev_fd(void)
{
	char name[64];
	snprintf(name, sizeof(name), "/dev/fd/%d", opened("log", O_RDONLY));
	put(name, O_APPEND, "junk");
	holds("log", "first line\njunk");
}
static void open_at2(void)
{
	struct open_how how = {.flags = O_WRONLY | O_TRUNC};
	const int fd = (int)syscall(SYS_openat2, AT_FDCWD, "text", &how, sizeof(how));
	CHECK(fd >= 0 && write(fd, "2", 1) == 1);
	holds("text", "2");
}
static void nameless(void)
{
	char name[64];
	const int fd = open(".", O_TMPFILE | O_RDWR, 0600);

	if (fd < 0 && errno == EOPNOTSUPP)
		exit(77);
	CHECK(fd >= 0 && write(fd, "t", 1) == 1);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	CHECK(linkat(AT_FDCWD, name, AT_FDCWD, "named", AT_SYMLINK_FOLLOW) == 0);
	holds("named", "t");
}
static void at_directory(void)
{
	const int fd = opened("d1", O_RDONLY | O_DIRECTORY);
	const int f = openat(fd, "f", O_WRONLY | O_TRUNC);
	CHECK(f >= 0 && write(f, "at", 2) == 2 && unlinkat(fd, "deep/down", 0) == 0);
	holds("d1/f", "at");
}
static void at_path(void)
{
	const int fd = open("d1", O_PATH | O_DIRECTORY);
	CHECK(fd >= 0 && openat(fd, "made", O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0 && is_there("d1/made"));
}
static void other_directory(void)
{
	CHECK(chdir("d1") == 0);
	put("f", O_TRUNC, "cd");
	put("../text", O_TRUNC, "up");
	CHECK(chdir("..") == 0);
	holds("d1/f", "cd");
	holds("text", "up");
}
static void lock(void)
{
	const int fd = opened("log", O_RDWR);
	struct flock l = {.l_type = F_WRLCK};
	CHECK(flock(fd, LOCK_EX | LOCK_NB) == 0 && fcntl(fd, F_SETLK, &l) == 0 && write(fd, "l", 1) == 1);
}
static void read_then_write(void)
{
	const int in = opened("log", O_RDONLY);
	char got[16];

	put("log", 0, "FIRST");
	CHECK(pread(in, got, 5, 0) == 5 && !memcmp(got, "FIRST", 5));
}
static void temporary(void)
{
	FILE *f = tmpfile();
	CHECK(f && fputs("x", f) >= 0 && fclose(f) == 0);
}
static void temporary_name(void)
{
	char name[] = "/tmp/vtb-acts-XXXXXX";
	CHECK(mkstemp(name) >= 0 && is_there(name));
}
static void var_tmp(void)
{
	put("/var/tmp/vtb-acts", O_CREAT | O_EXCL, "x");
}
static void full_device(void)
{
	const int fd = open("/dev/full", O_WRONLY);
	CHECK(fd >= 0 && write(fd, "x", 1) < 0 && errno == ENOSPC);
	put("new", O_CREAT | O_EXCL, "x");
}
static void too_large(void)
{
	const int fd = opened("text", O_RDWR);
	signal(SIGXFSZ, SIG_IGN);
	CHECK(lseek(fd, 0x7fffffffffffffff, SEEK_SET) < 0 || write(fd, "xx", 2) < 0);
	put("new", O_CREAT | O_EXCL, "x");
}
static void file_system(void)
{
	struct statvfs s;
	CHECK(statvfs(".", &s) == 0 && s.f_bsize);
	put("new", O_CREAT | O_EXCL, "x");
}
static void shared_memory(void)
{
	const int fd = shm_open("/vtb-acts", O_RDWR | O_CREAT | O_EXCL, 0600);

	CHECK(fd >= 0 && ftruncate(fd, 4096) == 0);
	CHECK(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED);
}
static void named_semaphore(void)
{
	sem_t *s = sem_open("/vtb-acts", O_CREAT | O_EXCL, 0600, 1);
	CHECK(s != SEM_FAILED && sem_wait(s) == 0);
}
static void queue(void)
{
	const mqd_t q = mq_open("/vtb-acts", O_RDWR | O_CREAT | O_EXCL, 0600, NULL);
	if (q == (mqd_t)-1 && (errno == ENOSYS || errno == EACCES))
		exit(77);
	CHECK(q != (mqd_t)-1 && mq_send(q, "x", 1, 0) == 0);
}
static void system_v(void)
{
	CHECK(semget(0x767462, 1, IPC_CREAT | IPC_EXCL | 0600) >= 0 &&
	      msgget(0x767462, IPC_CREAT | IPC_EXCL | 0600) >= 0 &&
	      shmget(0x767462, 4096, IPC_CREAT | IPC_EXCL | 0600) >= 0);
}
static void bind_socket(void)
{
	const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = "sock"};

	CHECK(fd >= 0 && bind(fd, (struct sockaddr *)&a, sizeof(a)) == 0 && S_ISSOCK(look("sock").st_mode));
}
static void before_main(void)
{
	holds("early", "written before main");
	put("text", O_TRUNC, "x");
}
static void before_main_directory(void)
{
	const int f = openat(early_dir, "text", O_WRONLY | O_TRUNC);
	CHECK(f >= 0 && write(f, "x", 1) == 1);
	holds("text", "x");
}

/* ---- other processes */

static void child_program(void)
{
	CHECK(shell("test ! -e child && echo child > child && echo more >> log && mv text text.old && rm -r d2") == 0);
	holds("child", "child\n");
	holds("text.old", "text-precious\n");
}
static void child_moves(void)
{
	CHECK(shell("mv d1 d8 && mv d8/f . && chmod 700 d8 && ln -sf nowhere cur && touch -d 2001-01-01 data") == 0);
	holds("f", "d1f-precious\n");
}
static void child_process(void)
{
	const pid_t pid = fork();
	int status;

	if (pid == 0) {
		const int fd = open("forked", O_WRONLY | O_CREAT | O_EXCL, 0600);

		_exit(fd < 0 || write(fd, "f", 1) != 1);
	}
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	holds("forked", "f");
}
static void orphan(void)
{
	const pid_t pid = fork();
	int status;

	if (pid == 0) {
		if (fork() == 0) { /* goes on after the run, until it is stopped */
			for (int i = 0; i < 600; i++) {
				const int fd = open("orphan", O_WRONLY | O_CREAT | O_APPEND, 0600);

				if (fd < 0 || write(fd, "o", 1) != 1)
					_exit(1);
				close(fd);
				usleep(100000);
			}
			_exit(0);
		}
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	put("text", O_TRUNC, "x");
}
static void inherited(void)
{
	CHECK(lseek(7, 0, SEEK_END) == 11 && write(7, "inherited", 9) == 9);
	holds("log", "first line\ninherited");
}
static void database(void)
{
	const int fd = opened("db", O_RDWR);
	char *m = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	CHECK(m != MAP_FAILED && !memcmp(m, "page", 4));
	put("db-journal", O_CREAT | O_EXCL, "journal");
	CHECK(pwrite(fd, "PAGE", 4, 0) == 4 && fsync(fd) == 0 && pwrite(fd, "PAGE", 4, 4096) == 4 &&
	      ftruncate(fd, 4096) == 0 && unlink("db-journal") == 0);
}
