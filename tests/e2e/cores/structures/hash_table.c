/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads insert into one bucket. */
#include "../two.h"

struct entry {
	int key;
	struct entry *next;
};
static struct entry *bucket;
static struct entry entries[2] = { { 1, NULL }, { 2, NULL } };

static void insert(struct entry *e)
{
	e->next = bucket;
	bucket = e;
}

static void *insert_one(void *arg)
{
	insert(&entries[0]);
	return arg;
}

static void *insert_two(void *arg)
{
	insert(&entries[1]);
	return arg;
}

int main(void)
{
	together(insert_one, insert_two, NULL);
	assert(bucket && bucket->next);
	return 0;
}
