/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Part of prog.c: what a copy in another place could get wrong: numbers, times, maps, what was open before. */

static int early_log = -1, early_second = -1, early_path = -1, early_deep = -1;

static struct statx more(const char *path)
{
	struct statx s;

	CHECK(statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_ALL, &s) == 0);
	return s;
}
static void times_of_all(void)
{
	const struct statx was = more("data"), dir_was = more("d1");
	struct statx is;

	put("data", 0, "x");
	is = more("data");
	CHECK(is.stx_mtime.tv_sec > was.stx_mtime.tv_sec && is.stx_ctime.tv_sec >= was.stx_ctime.tv_sec);
	CHECK(is.stx_ino == was.stx_ino && is.stx_dev_minor == was.stx_dev_minor);
	put("d1/new", O_CREAT | O_EXCL, "x");
	is = more("d1");
	CHECK(is.stx_mtime.tv_sec > dir_was.stx_mtime.tv_sec && is.stx_ino == dir_was.stx_ino);
}
static int seen, on_devices;
static int counts(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)path;
	(void)kind;
	(void)at;
	seen++;
	on_devices += st->st_dev != look(".").st_dev;
	return 0;
}
static void one_device(void)
{
	put("d1/new", O_CREAT | O_EXCL, "x");
	put("d1/f", O_TRUNC, "x");
	CHECK(nftw("d1", counts, 8, FTW_PHYS | FTW_MOUNT) == 0 && seen == 5);
	CHECK(shell("find . -xdev -name f | grep -c . >n && test $(cat n) = 2 && rm -rf --one-file-system d1") == 0);
	CHECK(!is_there("d1"));
}
static void same_file(void)
{
	const int fd = opened("log", O_RDONLY), other = opened("log", O_WRONLY | O_APPEND);
	struct stat a, b, c = look("log");

	CHECK(write(other, "x", 1) == 1 && fstat(fd, &a) == 0 && fstat(other, &b) == 0);
	CHECK(a.st_ino == b.st_ino && a.st_dev == b.st_dev && a.st_ino == c.st_ino && a.st_dev == c.st_dev);
	CHECK(a.st_size == 12);
	CHECK(rename("log", "log.1") == 0);
	put("log", O_CREAT | O_EXCL, "second");
	CHECK(look("log").st_ino != a.st_ino && look("log.1").st_ino == a.st_ino);
}
static void mapped_before(void)
{
	const int fd = opened("data", O_RDONLY), out = opened("data", O_WRONLY);
	const char *m = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);

	CHECK(m != MAP_FAILED && m[0] == 1 && pwrite(out, "Z", 1, 0) == 1 && *(const volatile char *)m == 'Z');
}
static void mapped_then_opened(void)
{
	const int fd = opened("data", O_RDONLY);
	const char *m = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	int out;

	CHECK(m != MAP_FAILED && *(const volatile char *)m == 1 && (out = opened("data", O_WRONLY)) >= 0);
	CHECK(pwrite(out, "Z", 1, 0) == 1 && *(const volatile char *)m == 'Z');
}
static void mapped_and_renamed(void)
{
	const int fd = opened("text", O_RDONLY);
	const char *m = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);

	CHECK(m != MAP_FAILED && m[0] == 't' && rename("text", "moved") == 0);
	put("text", O_CREAT | O_EXCL, "other");
	CHECK(*(const volatile char *)m == 't');
	put("moved", 0, "M");
	CHECK(*(const volatile char *)m == 'M');
}
static void mapped_private(void)
{
	const int fd = opened("data", O_RDONLY);
	const char *m;

	put("data", 0, "new");
	m = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	CHECK(m != MAP_FAILED && !memcmp(m, "new", 3));
}
static void two_maps(void)
{
	const int a = opened("db", O_RDWR), b = opened("db", O_RDWR);
	char *x = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, a, 0);
	char *y = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, b, 0);
	char got[4];

	CHECK(x != MAP_FAILED && y != MAP_FAILED && close(a) == 0);
	memcpy(x + 5000, "seen", 4);
	CHECK(!memcmp(y + 5000, "seen", 4) && pread(b, got, 4, 5000) == 4 && !memcmp(got, "seen", 4));
}
static void kept_from_before(void)
{
	struct stat a, b;

	CHECK(write(early_log, "one\n", 4) == 4 && write(early_second, "two\n", 4) == 4);
	holds("log", "one\ntwo\nne\n");
	CHECK(openat(early_deep, "made", O_WRONLY | O_CREAT | O_EXCL, 0600) >= 0 && is_there("d1/deep/made"));
	CHECK(openat(early_deep, "../../up", O_WRONLY | O_CREAT | O_EXCL, 0600) >= 0 && is_there("up"));
	CHECK(fstat(early_path, &a) == 0 && fchownat(early_path, "", geteuid(), getegid(), AT_EMPTY_PATH) == 0);
	b = look("ro");
	CHECK(a.st_ino == b.st_ino);
}
static void script(void)
{
	put("run", O_CREAT | O_EXCL, "#!/bin/sh\necho ran $1 >ran\n");
	CHECK(chmod("run", 0755) == 0 && shell("./run well && rm run") == 0);
	holds("ran", "ran well\n");
}
static void busy_script(void)
{
	const int fd = open("run", O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0755);

	CHECK(fd >= 0 && write(fd, "#!/bin/sh\nexit 7\n", 17) == 17 && shell("exec 2>/dev/null; ./run") == 126);
	CHECK(close(fd) == 0 && shell("./run") == 7);
}
static void times_of_directory(void)
{
	const struct timespec t[2] = {{.tv_nsec = UTIME_OMIT}, {77, 5}};
	const struct timespec now[2] = {{.tv_nsec = UTIME_NOW}, {.tv_nsec = UTIME_OMIT}};
	const int fd = opened("d1", O_RDONLY | O_DIRECTORY);
	const struct timespec atime = look("d2").st_atim;

	CHECK(futimens(fd, t) == 0 && look("d1").st_mtim.tv_sec == 77);
	CHECK(utimensat(AT_FDCWD, "d1", now, 0) == 0);
	CHECK(look("d1").st_mtim.tv_sec == 77 && look("d1").st_mtim.tv_nsec == 5);
	CHECK(utimensat(AT_FDCWD, "d2", t, 0) == 0 && look("d2").st_atim.tv_sec == atime.tv_sec);
	CHECK(utimensat(AT_FDCWD, "link", t, AT_SYMLINK_NOFOLLOW) == 0 && look("link").st_mtim.tv_sec == 77);
}
static void over_four_giga(void)
{
	const off_t far = ((off_t)5 << 30) + 12345;
	const int fd = opened("huge", O_RDWR | O_CREAT | O_EXCL);
	char got[4];

	CHECK(pwrite(fd, "far", 3, far) == 3 && look("huge").st_size == far + 3 && look("huge").st_blocks < 1024);
	CHECK(lseek(fd, 0, SEEK_DATA) > ((off_t)4 << 30) && pread(fd, got, 3, far) == 3 && !memcmp(got, "far", 3));
	CHECK(truncate("sparse", (off_t)6 << 30) == 0 && look("sparse").st_size == (off_t)6 << 30);
	CHECK(look("sparse").st_blocks < 1024);
}
static void read_and_remove(void)
{
	DIR *d;
	int n = 0;

	for (int i = 0; i < 300; i++) {
		char name[32];

		snprintf(name, sizeof(name), "d2/made%d", i);
		put(name, O_CREAT | O_EXCL, "x");
	}
	CHECK((d = opendir("d2")));
	for (struct dirent *e; (e = readdir(d));)
		n += e->d_name[0] != '.' && unlinkat(dirfd(d), e->d_name, 0) == 0;
	CHECK(n == 301 && entries("d2") == 0);
	put("d2/new", O_CREAT | O_EXCL, "x");
	rewinddir(d);
	for (n = 0; readdir(d);)
		n++;
	CHECK(n == 3 && closedir(d) == 0 && rename("d2/new", "d2/.new") == 0);
	CHECK(unlink("d2/.new") == 0 && rmdir("d2") == 0);
}
static void access_list(void)
{
	static const unsigned char list[] = {2, 0, 0, 0, 1, 0, 6, 0, 255, 255, 255, 255, 2, 0, 4, 0, 57, 48, 0, 0,
	                                     4, 0, 4, 0, 255, 255, 255, 255, 16, 0, 6, 0, 255, 255, 255, 255,
	                                     32, 0, 0, 0, 255, 255, 255, 255};

	if (setxattr("text", "system.posix_acl_access", list, sizeof(list), 0) < 0) {
		CHECK(errno == EOPNOTSUPP || errno == EINVAL);
		exit(77);
	}
	CHECK(getxattr("text", "system.posix_acl_access", NULL, 0) == sizeof(list));
	put("text", O_TRUNC, "x");
}
static void take_second_name(void)
{
	const int fd = opened("hard1", O_RDONLY);
	struct stat st;

	CHECK(look("hard1").st_nlink == 2 && unlink("hard2") == 0 && look("hard1").st_nlink == 1);
	CHECK(more("hard1").stx_nlink == 1 && fstat(fd, &st) == 0 && st.st_nlink == 1);
	put("tmp", O_CREAT | O_EXCL, "x");
	CHECK(rename("tmp", "hard1") == 0 && fstat(fd, &st) == 0 && st.st_nlink == 0 && look("hard1").st_nlink == 1);
}
static void long_names(void)
{
	char name[256];
	int fd = AT_FDCWD;

	memset(name, 'n', 255);
	name[255] = 0;
	for (int i = 0; i < 12; i++) {
		CHECK(mkdirat(fd, name, 0700) == 0);
		fd = openat(fd, name, O_RDONLY | O_DIRECTORY);
		CHECK(fd >= 0);
	}
	fd = openat(fd, "end", O_WRONLY | O_CREAT | O_EXCL, 0600);
	CHECK(fd >= 0 && write(fd, "x", 1) == 1);
}
