/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An inode cache: locks of the directory, of the inode and of the journal, taken in a circle by three operations. */
#include <pthread.h>
#include <stdio.h>

struct inode {
	pthread_mutex_t lock;
	int size;
};
struct dir {
	pthread_mutex_t lock;
	int entries;
};
struct journal {
	pthread_mutex_t lock;
	int records;
};

struct fs {
	struct dir root;
	struct inode file;
	struct journal log;
};

static struct fs fs = {{PTHREAD_MUTEX_INITIALIZER, 1}, {PTHREAD_MUTEX_INITIALIZER, 0}, {PTHREAD_MUTEX_INITIALIZER, 0}};

static void *do_unlink(void *arg)
{
	struct fs *f = arg;
	pthread_mutex_lock(&f->root.lock);
	pthread_mutex_lock(&f->file.lock);
	f->root.entries--;
	f->file.size = 0;
	pthread_mutex_unlock(&f->file.lock);
	pthread_mutex_unlock(&f->root.lock);
	return NULL;
}

static void *do_write(void *arg)
{
	struct fs *f = arg;
	pthread_mutex_lock(&f->file.lock);
	f->file.size++;
	pthread_mutex_lock(&f->log.lock);
	f->log.records++;
	pthread_mutex_unlock(&f->log.lock);
	pthread_mutex_unlock(&f->file.lock);
	return NULL;
}

static void *do_commit(void *arg)
{
	struct fs *f = arg;
#ifdef FIXED
	pthread_mutex_lock(&f->root.lock);
	pthread_mutex_lock(&f->log.lock);
#else
	pthread_mutex_lock(&f->log.lock);
	pthread_mutex_lock(&f->root.lock);
#endif
	f->log.records = 0;
	f->root.entries += 0;
	pthread_mutex_unlock(&f->root.lock);
	pthread_mutex_unlock(&f->log.lock);
	return NULL;
}

int main(void)
{
	pthread_t t[3];
	pthread_create(&t[0], NULL, do_unlink, &fs);
	pthread_create(&t[1], NULL, do_write, &fs);
	pthread_create(&t[2], NULL, do_commit, &fs);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	printf("%d entries\n", fs.root.entries);
	return 0;
}
