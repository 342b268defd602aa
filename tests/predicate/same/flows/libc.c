/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is asserted has gone an unusual way, by way of libc. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "flow.h"

#if WAY == 1 /* qsort's order */
static int cells[4];
static int by_size(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}
static int flow(int v)
{
	cells[0] = 9, cells[1] = v, cells[2] = 8, cells[3] = 7;
	qsort(cells, 4, sizeof(*cells), by_size);
	return cells[0];
}
#elif WAY == 2 /* how often qsort compares */
static int n, rule;
static int counts(const void *a, const void *b)
{
	if (rule == 1)
		n++;
	return *(const int *)a - *(const int *)b;
}
static int flow(int v)
{
	int cells[3] = { 3, 1, 2 };

	rule = v;
	n = 0;
	qsort(cells, 3, sizeof(*cells), counts);
	return n ? 1 : 2;
}
#elif WAY == 3 /* text there and back, by way of its length */
static char text[64];
static int flow(int v)
{
	snprintf(text, sizeof(text), "%*s", v, "");
	return (int)strlen(text);
}
#elif WAY == 4 /* strings: copied, joined, searched, split */
static char words[64];
static int flow(int v)
{
	char *save, *at;

	strcpy(words, v == 1 ? "alpha beta" : "beta alpha");
	strcat(words, " end");
	at = strtok_r(words, " ", &save);
	return strcmp(at, "alpha") == 0 ? 1 : 2;
}
#elif WAY == 5 /* errno */
static int flow(int v)
{
	errno = 0;
	if (v == 1)
		(void)strtol("99999999999999999999999", NULL, 10);
	return errno == ERANGE ? 1 : 2;
}
#elif WAY == 6 /* an object that libc keeps */
static int flow(int v)
{
	static char key[] = "k";
	ENTRY e = { key, (void *)(intptr_t)v }, *r;

	hcreate(8);
	hsearch(e, ENTER);
	e.data = NULL;
	r = hsearch(e, FIND);
	return (int)(intptr_t)r->data;
}
#elif WAY == 7 /* the environment */
static int flow(int v)
{
	setenv("WAY", v == 1 ? "1" : "2", 1);
	return atoi(getenv("WAY"));
}
#elif WAY == 8 /* a pipe */
static int flow(int v)
{
	int ends[2], r = 0;

	if (pipe(ends))
		return 0;
	if (write(ends[1], &v, sizeof(v)) < 0)
		return 0;
	if (read(ends[0], &r, sizeof(r)) < 0)
		return 0;
	close(ends[0]);
	close(ends[1]);
	return r;
}
#elif WAY == 9 /* bsearch by a comparison that looks elsewhere */
static int wanted;
static int meets(const void *k, const void *e)
{
	(void)k;
	return wanted - *(const int *)e;
}
static int flow(int v)
{
	static const int all[] = { 1, 2, 3 };
	const int *r;

	wanted = v;
	r = bsearch(all, all, 3, sizeof(int), meets);
	return r ? *r : 0;
}
#elif WAY == 10 /* realloc'd: grown list */
static int *list;
static int flow(int v)
{
	for (int n = 1; n <= 40; n++) {
		list = realloc(list, (size_t)n * sizeof(int));
		list[n - 1] = n == 1 ? v : 0;
	}
	return list[0];
}
#elif WAY == 11 /* sscanf with %n, and fmemopen */
static char text[32];
static int flow(int v)
{
	FILE *f = fmemopen(text, sizeof(text), "w+");
	int r = 0;

	fprintf(f, "%d", v);
	rewind(f);
	if (fscanf(f, "%d", &r) != 1)
		r = 9;
	fclose(f);
	return r;
}
#elif WAY == 12 /* strtol's end, strtod */
static int flow(int v)
{
	static char text[] = "11 x";
	char *end;

	text[v] = 'z';
	(void)strtod(text, &end);
	return (int)(end - text);
}
#elif WAY == 13 /* clock's or random's seed */
static int flow(int v)
{
	srand((unsigned)v);
	const int r = rand();
	srand(1);
	return r == rand() ? 1 : 2;
}
#elif WAY == 14 /* nftw-like: a tree of tsearch */
static void *root;
static int by_number(const void *a, const void *b)
{
	return (int)((intptr_t)a - (intptr_t)b);
}
static int flow(int v)
{
	void **r;

	tsearch((void *)(intptr_t)v, &root, by_number);
	r = tfind((void *)1, &root, by_number);
	return r ? 1 : 2;
}
#elif WAY == 15 /* memchr over a struct, strspn, strpbrk */
static char s[8] = "aaaaaaa";
static int flow(int v)
{
	s[v] = 'b';
	return (int)strcspn(s, "b");
}
#elif WAY == 16 /* letters, by libc's tables */
static int flow(int v)
{
	return isalpha('0' + (v == 1 ? 'a' - '0' : v)) ? 1 : 2;
}
#elif WAY == 17 /* a constant table that is handed over, of pointers to what changes */
static int first = 1, second = 2;
static int *const table[] = { &first, &second };
KEPT static int meets(const void *k, const void *e)
{
	(void)k;
	return **(int *const *)e == 7 ? 0 : 1;
}
static int flow(int v)
{
	*(v == 1 ? &first : &second) = 7;
	return bsearch("", table, 1, sizeof(*table), meets) ? 1 : 2;
}
#elif WAY == 18 /* an argument of the program, changed */
static char **arguments;
static int flow(int v)
{
	static char one[] = "1", two[] = "2";

	arguments[0] = v == 1 ? one : two;
	return arguments[0][0] - '0';
}
#endif
