/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stb's deflate (libstb-dev): four blocks compressed by two threads that take them from a list, and inflated again. */
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_IMPLEMENTATION
#include <stb/stb_image.h>
#include <stb/stb_image_write.h>

#include <assert.h>
#include <pthread.h>
#include <string.h>

#define BLOCKS 4
#define BYTES 64

static unsigned char in[BLOCKS][BYTES], *out[BLOCKS];
static int length[BLOCKS], next_block;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
	for (;;) {
		int i;

		pthread_mutex_lock(&lock);
		i = next_block++;
		pthread_mutex_unlock(&lock);
		if (i >= BLOCKS)
			return arg;
		out[i] = stbi_zlib_compress(in[i], BYTES, &length[i], 8);
	}
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < BLOCKS * BYTES; i++)
		in[i / BYTES][i % BYTES] = (unsigned char)(i % (7 + i / BYTES));
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < BLOCKS; i++) {
		int n;
		char *again = stbi_zlib_decode_malloc((char *)out[i], length[i], &n);

		assert(again && n == BYTES && memcmp(again, in[i], BYTES) == 0);
		free(again);
		free(out[i]);
	}
	return 0;
}
