/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Part of prog.c: what is in files. */

static void write_new(void)
{
	put("new", O_CREAT | O_EXCL, "new\n");
	holds("new", "new\n");
	CHECK(look("new").st_size == 4);
}
static void overwrite(void)
{
	holds("text", "text-precious\n");
	put("text", 0, "TEXT");
	holds("text", "TEXT-precious\n");
}
static void cut_and_write(void)
{
	holds("text", "text-precious\n");
	put("text", O_TRUNC, "x");
	holds("text", "x");
}
static void append(void)
{
	CHECK(look("log").st_size == 11);
	put("log", O_APPEND, "line\n");
	holds("log", "first line\nline\n");
}
static void append_stdio(void)
{
	FILE *f = fopen("log", "a+");

	CHECK(f && fprintf(f, "more\n") == 5 && fclose(f) == 0);
	holds("log", "first line\nmore\n");
}
static void set_append(void)
{
	const int fd = opened("log", O_RDWR);

	CHECK(fcntl(fd, F_SETFL, O_APPEND) == 0 && write(fd, "z", 1) == 1 && close(fd) == 0);
	holds("log", "first line\nz");
}
static void append_mmap(void)
{
	const int fd = opened("text", O_RDWR | O_APPEND);
	char *m = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	CHECK(m != MAP_FAILED && !memcmp(m, "text", 4));
	memcpy(m, "XXXX", 4);
	CHECK(msync(m, 4096, MS_SYNC) == 0 && munmap(m, 4096) == 0);
	holds("text", "XXXX-precious\n");
}
static void mmap_new(void)
{
	const int fd = opened("mapped", O_RDWR | O_CREAT | O_EXCL);
	char *m;

	CHECK(ftruncate(fd, 8192) == 0);
	m = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(m != MAP_FAILED);
	memset(m, 'm', 8192);
	CHECK(look("mapped").st_size == 8192);
}
static void punch(void)
{
	const int fd = opened("data", O_RDWR);
	char got[8];

	CHECK(pread(fd, got, 8, 4096) == 8 && memcmp(got, "\0\0\0\0\0\0\0\0", 8));
	CHECK(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 4096, 4096) == 0);
	CHECK(pread(fd, got, 8, 4096) == 8 && !memcmp(got, "\0\0\0\0\0\0\0\0", 8));
}
static void allocate(void)
{
	const int fd = opened("data", O_RDWR);
	CHECK(look("data").st_size == 9000 && posix_fallocate(fd, 0, 100000) == 0 && look("data").st_size == 100000);
}
static void sparse(void)
{
	const int fd = opened("sparse", O_RDWR);
	CHECK(pwrite(fd, "s", 1, 20 << 20) == 1 && look("sparse").st_size == 50 << 20);
}
static void truncate_path(void)
{
	CHECK(look("text").st_size == 14 && truncate("text", 3) == 0);
	holds("text", "tex");
}
static void grow(void)
{
	const int fd = opened("text", O_RDWR);
	CHECK(ftruncate(fd, 100) == 0 && look("text").st_size == 100);
}
static void copy_range(void)
{
	const int from = opened("text", O_RDONLY), to = opened("copy", O_WRONLY | O_CREAT | O_EXCL);

	CHECK(copy_file_range(from, NULL, to, NULL, 14, 0) == 14);
	holds("copy", "text-precious\n");
}
static void send_file(void)
{
	const int from = opened("text", O_RDONLY), to = opened("log", O_WRONLY | O_TRUNC);
	CHECK(sendfile(to, from, NULL, 14) == 14);
	holds("log", "text-precious\n");
}
static void splice_in(void)
{
	int ends[2];

	CHECK(pipe(ends) == 0 && write(ends[1], "piped", 5) == 5);
	CHECK(splice(ends[0], NULL, opened("text", O_WRONLY), NULL, 5, 0) == 5);
	holds("text", "pipedprecious\n" + 0);
}
static void big(void)
{
	static char block[1 << 20];
	const int fd = opened("big.new", O_WRONLY | O_CREAT | O_EXCL);

	CHECK(look("big").st_size == 300ll << 20);
	memset(block, 'b', sizeof(block));
	for (int i = 0; i < 8; i++)
		CHECK(pwrite(fd, block, sizeof(block), (off_t)i * 40 << 20) == sizeof(block));
	CHECK(close(fd) == 0 && rename("big.new", "big") == 0 && look("big").st_size == (281ll << 20));
}
static void big_in_place(void)
{
	const int fd = opened("big", O_RDWR);
	char c;
	CHECK(pread(fd, &c, 1, 299 << 20) == 1 && c == 'B' && pwrite(fd, "x", 1, 299 << 20) == 1);
}
/* More than 256 MB of data, not of holes. */
static void large(void)
{
	static char block[1 << 20];
	const int fd = opened("large.new", O_WRONLY | O_CREAT | O_EXCL);

	memset(block, 'l', sizeof(block));
	for (int i = 0; i < 257; i++)
		CHECK(write(fd, block, sizeof(block)) == sizeof(block));
	CHECK(close(fd) == 0 && rename("large.new", "data") == 0 && look("data").st_size == 257ll << 20);
}
