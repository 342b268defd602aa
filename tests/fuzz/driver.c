/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stands in for libFuzzer where there is none: runs the reader over every file of a directory as it is, cut short at
 * every byte, and with random changes. Same arguments, same inputs. An input that takes more than 10 s ends the process
 * by SIGALRM; more than 1 GB of memory at any time is a failure.
 *
 *   fuzz_<reader> [--changes=N] [--cuts=N] DIRECTORY      N cuts of each file, spread evenly, instead of all
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define INPUT_MAX (1u << 20) /* bytes of one starting input */
#define INPUTS_MAX 1024
#define SECONDS_MAX 10
#define MEMORY_MAX (1u << 20) /* KiB */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t state = 20231;

/* xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled". */
static uint64_t next_random(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * UINT64_C(2685821657736338717);
}

static size_t below(size_t n)
{
	return n ? (size_t)(next_random() % n) : 0;
}

struct input {
	uint8_t *data; /* owned */
	size_t size;
};

static int read_input(const char *dir, const char *name, struct input *ret)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "rb");
	if (!f)
		return -errno;
	ret->data = malloc(INPUT_MAX);
	ret->size = ret->data ? fread(ret->data, 1, INPUT_MAX, f) : 0;
	fclose(f);
	return ret->data ? 0 : -ENOMEM;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static size_t read_inputs(const char *dir, struct input *inputs)
{
	struct dirent **names;
	int n = scandir(dir, &names, NULL, by_name);
	size_t count = 0;

	for (int i = 0; i < n; i++) {
		if (names[i]->d_name[0] != '.' && count < INPUTS_MAX &&
		    read_input(dir, names[i]->d_name, &inputs[count]) == 0)
			count++;
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return count;
}

static unsigned long n_run;

static void run(const uint8_t *data, size_t size)
{
	/* A copy of exactly this size: the sanitizers then see every read beyond the end. */
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	memcpy(copy, data, size);
	alarm(SECONDS_MAX);
	LLVMFuzzerTestOneInput(copy, size);
	alarm(0);
	free(copy);
	n_run++;
}

/* Numbers at which readers tend to go wrong, little-endian. */
static void put_interesting(uint8_t *at, size_t room)
{
	static const uint64_t numbers[] = { 0,          1,          0x7f,       0xff,       0xffff,
		                            0x7fffffff, 0x80000000, 0xffffffff, 1000000000, UINT64_C(1) << 63,
		                            UINT64_MAX };
	const uint64_t n = numbers[below(sizeof(numbers) / sizeof(*numbers))];
	const size_t width = (size_t)1 << below(4);

	memcpy(at, &n, width < room ? width : room);
}

static size_t change_once(uint8_t *data, size_t size)
{
	const size_t at = below(size), length = below(64 < size - at ? 64 : size - at);

	switch (below(7)) {
	case 0:
		data[at] ^= (uint8_t)(1u << below(8));
		break;
	case 1:
		data[at] = (uint8_t)next_random();
		break;
	case 2:
		put_interesting(data + at, size - at);
		break;
	case 3:
		return at; /* cut */
	case 4:
		memset(data + at, 0, length);
		break;
	case 5:
		memmove(data + at, data + at + length, size - at - length);
		return size - length;
	case 6:
		memmove(data + at, data + below(size - length + 1), length);
		break;
	}
	return size;
}

static void run_changed(const struct input *input)
{
	uint8_t *data = malloc(input->size + 1);
	size_t size = input->size;

	if (!data)
		abort();
	memcpy(data, input->data, size);
	for (size_t n = 1 + below(4); n && size; n--)
		size = change_once(data, size);
	run(data, size);
	free(data);
}

int main(int argc, char **argv)
{
	static struct input inputs[INPUTS_MAX];
	unsigned long changes = 1000, cuts = ULONG_MAX;
	struct rusage used;
	size_t count;

	for (; argc > 1 && !strncmp(argv[1], "--", 2); argv++, argc--)
		if (!strncmp(argv[1], "--changes=", 10))
			changes = strtoul(argv[1] + 10, NULL, 10);
		else if (!strncmp(argv[1], "--cuts=", 7) && atol(argv[1] + 7) > 0)
			cuts = strtoul(argv[1] + 7, NULL, 10);
	count = argc == 2 ? read_inputs(argv[1], inputs) : 0;
	if (!count) {
		fprintf(stderr, "fuzz: no inputs; give a directory with at least one file\n");
		return 1;
	}
	run((const uint8_t *)"", 0);
	for (size_t i = 0; i < count; i++) {
		run(inputs[i].data, inputs[i].size);
		for (size_t n = 0; n<inputs[i].size; n += inputs[i].size> cuts ? inputs[i].size / cuts : 1)
			run(inputs[i].data, n);
	}
	for (unsigned long i = 0; i < changes; i++)
		run_changed(&inputs[below(count)]);
	for (size_t i = 0; i < count; i++)
		free(inputs[i].data);
	getrusage(RUSAGE_SELF, &used);
	printf("%zu files, %lu inputs, at most %ld KiB\n", count, n_run, used.ru_maxrss);
	return used.ru_maxrss > MEMORY_MAX;
}
