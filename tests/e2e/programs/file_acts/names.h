/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Part of prog.c: what files are called. */

static void make_and_rename(void)
{
	put("text.tmp", O_CREAT | O_EXCL, "version 2\n");
	holds("text", "text-precious\n");
	CHECK(rename("text.tmp", "text") == 0);
	holds("text", "version 2\n");
}
static void closed_and_rename(void)
{
	closefrom(3);
	make_and_rename();
}
static void rename_away(void)
{
	CHECK(!is_there("elsewhere") && rename("text", "elsewhere") == 0 && !is_there("text"));
	holds("elsewhere", "text-precious\n");
}
static void exchange(void)
{
	CHECK(renameat2(AT_FDCWD, "text", AT_FDCWD, "log", RENAME_EXCHANGE) == 0);
	holds("log", "text-precious\n");
	holds("text", "first line\n");
}
static void no_replace(void)
{
	CHECK(renameat2(AT_FDCWD, "text", AT_FDCWD, "log", RENAME_NOREPLACE) < 0 && errno == EEXIST &&
	      renameat2(AT_FDCWD, "text", AT_FDCWD, "free", RENAME_NOREPLACE) == 0);
}
static void rename_directory(void)
{
	CHECK(rename("d1", "d9") == 0 && !is_there("d1"));
	holds("d9/f", "d1f-precious\n");
	holds("d9/deep/down", "down-precious\n");
	put("d9/f", O_TRUNC, "x");
	CHECK((look("d9").st_mode & 07777) == 02775);
}
static void swap_directories(void)
{
	CHECK(rename("d1", "t") == 0);
	put("d2/f", O_TRUNC, "one");
	CHECK(rename("d2", "d1") == 0 && rename("t", "d2") == 0);
	holds("d1/f", "one");
	holds("d2/f", "d1f-precious\n");
	put("d2/f", O_TRUNC, "two");
}
static void exchange_directories(void)
{
	CHECK(renameat2(AT_FDCWD, "d1", AT_FDCWD, "d2", RENAME_EXCHANGE) == 0);
	holds("d1/f", "d2f-precious\n");
	holds("d2/f", "d1f-precious\n");
}
static void rename_over_directory(void)
{
	CHECK(rename("d2", "empty") == 0);
	holds("empty/f", "d2f-precious\n");
}
static void rename_new_directory(void)
{
	CHECK(mkdir("fresh", 0755) == 0);
	put("fresh/x", O_CREAT, "x");
	CHECK(rename("fresh", "fresh2") == 0);
	holds("fresh2/x", "x");
}
/* One's own over one's own, the other way round, and by names that descriptors do not have. */
static void save_twice(void)
{
	for (int i = 0; i < 2; i++) {
		put("fresh.tmp", O_CREAT | O_EXCL, "x");
		CHECK(rename("./fresh.tmp", "././fresh") == 0);
	}
	CHECK(mkdir("./own/", 0755) == 0);
	put("./own/x", O_CREAT, "y");
	CHECK(renameat2(AT_FDCWD, "fresh", AT_FDCWD, "own", RENAME_EXCHANGE) == 0);
	holds("fresh/x", "y");
	holds("own", "x");
	CHECK(symlink("fresh", "way") == 0 && rename("way/x", "way/y") == 0);
	CHECK(link("own", "same") == 0 && rename("own", "same") == 0 && is_there("own"));
}
static void rename_nonempty(void)
{
	CHECK(rename("d1", "d2") < 0 && (errno == ENOTEMPTY || errno == EEXIST));
	CHECK(rename("d1", "text") < 0 && errno == ENOTDIR);
	CHECK(rename("text", "d1") < 0 && errno == EISDIR);
	CHECK(rename("d1", "d1/deep/in") < 0 && errno == EINVAL);
}
static void into_directory(void)
{
	CHECK(rename("text", "d1/deep/text") == 0);
	holds("d1/deep/text", "text-precious\n");
}
static void remove_file(void)
{
	CHECK(is_there("text") && unlink("text") == 0 && !is_there("text"));
}
static void remove_and_make(void)
{
	CHECK(unlink("text") == 0);
	put("text", O_CREAT | O_EXCL, "again");
	holds("text", "again");
}
static void remove_directory(void)
{
	CHECK(rmdir("empty") == 0 && mkdir("empty", 0700) == 0 && (look("empty").st_mode & 07777) == 0700);
}
static void remove_tree(void)
{
	CHECK(unlink("d1/f") == 0 && unlink("d1/deep/down") == 0 && rmdir("d1/deep") == 0 && rmdir("d1") == 0 &&
	      mkdir("d1", 0755) == 0 && entries("d1") == 0);
}
static void make_directory(void)
{
	CHECK(mkdir("made", 0750) == 0 && mkdirat(AT_FDCWD, "made/more", 0700) == 0 && entries("made") == 1);
}
static void list(void)
{
	const int n = entries(".");
	put("one more", O_CREAT | O_EXCL, "");
	CHECK(unlink("log") == 0);
	put("two more", O_CREAT | O_EXCL, "");
	CHECK(entries(".") == n + 1);
}
static void lock_file(void)
{
	CHECK(close(opened("lock", O_WRONLY | O_CREAT | O_EXCL)) == 0);
}
static void swap_link(void)
{
	CHECK(symlink("d2", "cur.new") == 0 && rename("cur.new", "cur") == 0);
	holds("cur/f", "d2f-precious\n");
}
static void through_link(void)
{
	put("link", O_TRUNC, "through");
	holds("target", "through");
	CHECK(S_ISLNK(look("link").st_mode));
}
static void dangling(void)
{
	put("dangling", O_CREAT, "x");
	holds("nowhere", "x");
}
static void new_link(void)
{
	CHECK(link("text", "text2") == 0 && look("text").st_nlink == 2);
	put("text2", 0, "both");
	holds("text", "both-precious\n");
}
static void rename_over_link(void)
{
	put("tmp", O_CREAT | O_EXCL, "junk");
	CHECK(rename("tmp", "hard1") == 0);
	holds("hard2", "hard-precious\n");
	holds("hard1", "junk");
}
static void through_hard_link(void)
{
	put("hard1", O_APPEND, "more\n");
	holds("hard2", "hard-precious\nmore\n");
}
static void truncate_hard_link(void)
{
	CHECK(truncate("hard1", 4) == 0);
	holds("hard2", "hard");
}
static void mode_hard_link(void)
{
	CHECK(chmod("hard1", 0640) == 0 && (look("hard2").st_mode & 0777) == 0640);
}
static void owner_hard_link(void)
{
	const struct timespec times[2] = { { 5, 0 }, { 5, 0 } };

	CHECK(chown("hard1", getuid(), getgid()) == 0 && utimensat(AT_FDCWD, "hard1", times, 0) == 0);
	CHECK(look("hard2").st_mtime == 5);
}
static void remove_link(void)
{
	CHECK(unlink("hard1") == 0);
	holds("hard2", "hard-precious\n");
}
static void make_fifo(void)
{
	CHECK(mkfifo("made.fifo", 0600) == 0 && S_ISFIFO(look("made.fifo").st_mode) && unlink("fifo") == 0);
}
static void outside(void)
{
	put("../outside", O_CREAT | O_EXCL, "x");
	put("../next/file", O_TRUNC, "x");
}
static void from_tmp(void)
{
	char name[] = "/tmp/vtb-acts-XXXXXX";
	const int fd = mkstemp(name);

	CHECK(fd >= 0 && write(fd, "made", 4) == 4 && close(fd) == 0);
	if (look("/tmp").st_dev == look(".").st_dev || look(name).st_dev == look("text").st_dev)
		CHECK(rename(name, "text") == 0);
	else
		CHECK(rename(name, "text") == 0 || errno == EXDEV);
	unlink(name);
}
