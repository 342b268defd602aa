/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of fixed size in a file: seek and write by two threads on one descriptor. */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct record {
    int id;
    char text[12];
};

static int db;
#ifdef FIXED
static pthread_mutex_t db_lock = PTHREAD_MUTEX_INITIALIZER;
#endif

static void store(int id, const char *text)
{
    struct record r = {.id = id};
    strcpy(r.text, text);
#ifdef FIXED
    pthread_mutex_lock(&db_lock);
#endif
    lseek(db, (off_t)id * (off_t)sizeof r, SEEK_SET);
    if (write(db, &r, sizeof r) != sizeof r) abort();
#ifdef FIXED
    pthread_mutex_unlock(&db_lock);
#endif
}

static int fetch(int id, struct record *r)
{
    lseek(db, (off_t)id * (off_t)sizeof *r, SEEK_SET);
    return read(db, r, sizeof *r) == sizeof *r && r->id == id;
}

static void *importer(void *arg)
{
    (void)arg;
    store(0, "alpha");
    return NULL;
}

static void *editor(void *arg)
{
    (void)arg;
    store(1, "beta");
    return NULL;
}

int main(void)
{
    char name[] = "/tmp/records.XXXXXX";
    db = mkstemp(name);
    unlink(name);
    pthread_t a, b;
    pthread_create(&a, NULL, importer, NULL);
    pthread_create(&b, NULL, editor, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    struct record r;
    if (!fetch(0, &r) || !fetch(1, &r)) {
        fprintf(stderr, "a record is missing\n");
        return 1;
    }
    return 0;
}
