/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file_acts ACT DIRECTORY: one way to change files in DIRECTORY (which file_view.py makes), then two threads. It fails
 * if it meets what an earlier run has left, or if files do not behave as files: exit 3 and the line. 77: this machine
 * cannot. Without arguments: the names of all acts.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#define CHECK(that)                                                                             \
	do {                                                                                    \
		if (!(that)) {                                                                  \
			fprintf(stderr, "line %d: %s: %s\n", __LINE__, #that, strerror(errno)); \
			exit(3);                                                                \
		}                                                                               \
	} while (0)

static const char *dir;
static int early_dir = -1;

/* ---- helpers */

static int opened(const char *path, int flags)
{
	const int fd = open(path, flags, 0644);

	CHECK(fd >= 0);
	return fd;
}

static void put(const char *path, int flags, const char *text)
{
	const int fd = opened(path, O_WRONLY | flags);

	CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	CHECK(close(fd) == 0);
}

static void holds(const char *path, const char *text)
{
	char got[256];
	const int fd = opened(path, O_RDONLY);
	const ssize_t n = read(fd, got, sizeof(got) - 1);

	CHECK(n >= 0);
	got[n] = 0;
	close(fd);
	CHECK(!strcmp(got, text));
}

static struct stat look(const char *path)
{
	struct stat st;

	CHECK(lstat(path, &st) == 0);
	return st;
}

static bool is_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

static int entries(const char *path)
{
	DIR *d = opendir(path);
	int n = 0;

	CHECK(d);
	for (struct dirent *e; (e = readdir(d));)
		n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
	closedir(d);
	return n;
}

static int shell(const char *command)
{
	const int status = system(command);

	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

#include "content.h"
#include "names.h"
#include "other.h"
#include "tricks.h"
#include "places.h"

#define ACT(name)           \
	{                   \
#name, name \
	}
static const struct {
	const char *name;
	void (*run)(void);
} acts[] = {
    ACT(write_new),
    ACT(overwrite),
    ACT(cut_and_write),
    ACT(append),
    ACT(append_stdio),
    ACT(set_append),
    ACT(append_mmap),
    ACT(mmap_new),
    ACT(punch),
    ACT(allocate),
    ACT(sparse),
    ACT(truncate_path),
    ACT(grow),
    ACT(copy_range),
    ACT(send_file),
    ACT(splice_in),
    ACT(big),
    ACT(big_in_place),
    ACT(large),
    ACT(make_and_rename),
    ACT(closed_and_rename),
    ACT(rename_away),
    ACT(exchange),
    ACT(no_replace),
    ACT(rename_directory),
    ACT(swap_directories),
    ACT(exchange_directories),
    ACT(rename_over_directory),
    ACT(rename_new_directory),
    ACT(save_twice),
    ACT(rename_nonempty),
    ACT(into_directory),
    ACT(remove_file),
    ACT(remove_and_make),
    ACT(remove_directory),
    ACT(remove_tree),
    ACT(make_directory),
    ACT(list),
    ACT(lock_file),
    ACT(swap_link),
    ACT(through_link),
    ACT(dangling),
    ACT(new_link),
    ACT(rename_over_link),
    ACT(remove_link),
    ACT(through_hard_link),
    ACT(truncate_hard_link),
    ACT(mode_hard_link),
    ACT(owner_hard_link),
    ACT(make_fifo),
    ACT(outside),
    ACT(from_tmp),
    ACT(change_mode),
    ACT(change_mode_fd),
    ACT(change_owner),
    ACT(change_time),
    ACT(change_time_fd),
    ACT(set_attribute),
    ACT(drop_attribute),
    ACT(directory_time),
    ACT(may_write),
    ACT(unreadable),
    ACT(read_only_file),
    ACT(proc_fd),
    ACT(dev_fd),
    ACT(open_at2),
    ACT(nameless),
    ACT(at_directory),
    ACT(at_path),
    ACT(other_directory),
    ACT(lock),
    ACT(read_then_write),
    ACT(temporary),
    ACT(temporary_name),
    ACT(var_tmp),
    ACT(full_device),
    ACT(too_large),
    ACT(file_system),
    ACT(shared_memory),
    ACT(named_semaphore),
    ACT(queue),
    ACT(system_v),
    ACT(bind_socket),
    ACT(before_main),
    ACT(before_main_directory),
    ACT(child_program),
    ACT(child_moves),
    ACT(child_process),
    ACT(orphan),
    ACT(inherited),
    ACT(database),
    ACT(nameless_over),
    ACT(exchange_kinds),
    ACT(copy_within),
    ACT(zero_range),
    ACT(proc_self),
    ACT(inside_moved),
    ACT(inside_removed),
    ACT(locked_by_child),
    ACT(watched),
    ACT(both_ends),
    ACT(serve_socket),
    ACT(other_root),
    ACT(memory_file),
    ACT(spliced),
    ACT(cut_own_log),
    ACT(other_user),
    ACT(helper_with_rights),
    ACT(own_mounts),
    ACT(moved_while_open),
    ACT(times_of_all),
    ACT(one_device),
    ACT(same_file),
    ACT(mapped_before),
    ACT(mapped_then_opened),
    ACT(mapped_and_renamed),
    ACT(mapped_private),
    ACT(two_maps),
    ACT(kept_from_before),
    ACT(script),
    ACT(busy_script),
    ACT(times_of_directory),
    ACT(over_four_giga),
    ACT(read_and_remove),
    ACT(access_list),
    ACT(take_second_name),
    ACT(long_names),
};
#define N_ACTS (sizeof(acts) / sizeof(*acts))

/* Two descriptors with one place to write at. */
static void open_early(const char *top)
{
	CHECK(chdir(top) == 0 && (early_log = open("log", O_WRONLY)) >= 0 && (early_second = dup(early_log)) >= 0);
	early_path = open("ro", O_PATH);
	early_deep = opened("d1/deep", O_RDONLY | O_DIRECTORY);
}

__attribute__((constructor)) static void early(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "kept_from_before"))
		open_early(argv[2]);
	if (argc != 3 || strncmp(argv[1], "before_main", 11))
		return;
	CHECK(chdir(argv[2]) == 0);
	early_dir = opened(".", O_RDONLY | O_DIRECTORY);
	if (!strcmp(argv[1], "before_main"))
		put("early", O_CREAT | O_EXCL, "written before main");
}

/* What a plain run leaves outside of the directory. */
static int clean(void)
{
	const int id[3] = {semget(0x767462, 1, 0), msgget(0x767462, 0), shmget(0x767462, 4096, 0)};

	mq_unlink("/vtb-acts");
	shm_unlink("/vtb-acts");
	sem_unlink("/vtb-acts");
	if (id[0] >= 0)
		semctl(id[0], 0, IPC_RMID);
	if (id[1] >= 0)
		msgctl(id[1], IPC_RMID, NULL);
	if (id[2] >= 0)
		shmctl(id[2], IPC_RMID, NULL);
	return shell("rm -f /tmp/vtb-acts-* /var/tmp/vtb-acts");
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *thread(void *arg)
{
	pthread_mutex_lock(&mutex);
	count++;
	pthread_mutex_unlock(&mutex);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	for (size_t i = 0; argc == 1 && i < N_ACTS; i++)
		puts(acts[i].name);
	if (argc == 2)
		return clean();
	if (argc != 3)
		return argc != 1;
	dir = argv[2];
	CHECK(chdir(dir) == 0);
	for (size_t i = 0; i < N_ACTS; i++)
		if (!strcmp(acts[i].name, argv[1]))
			acts[i].run();
	for (int i = 0; i < 2; i++)
		CHECK(!pthread_create(&threads[i], NULL, thread, NULL));
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	CHECK(count == 2);
	return 0;
}
