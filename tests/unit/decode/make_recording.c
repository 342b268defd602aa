/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * make-recording KIND DIR: write a recording for the golden tests. Its program does not exist, so that the names do not
 * depend on a compiler.
 *   good       two threads, a lock, a heap block, a condition variable
 *   lossy      the same, with events missing
 *   truncated  an event file that ends in the middle of a record
 *   cyclic     a thread that is its own parent
 */
#include <errno.h>

#include "wire_build.h"

#define BASE 0x555555550000u
#define HEAP 0x7f0000001000u
#define LOCK_AT (BASE + 0x4040u)
#define COND_AT (BASE + 0x4080u)
#define FLAG_AT (BASE + 0x4010u)

static void fill(struct stream *a, struct stream *b)
{
	const uint64_t stack[] = { BASE + 0x1110, BASE + 0x1200 };

	PUT(a, THREAD_BEGIN, 0, 0, .stamp = 1);
	PUT_ALLOC(a, HEAP, BASE + 0x1110, 24, .stamp = 2, .stack = stack, .n_stack = 2);
	PUT(a, WRITE, HEAP + 8, BASE + 0x1120, .size_log2 = 3, .value = 7, .flags = VTB_REC_VALUE);
	PUT_CREATE(a, 1, 0, BASE + 0x1130, .stamp = 3);
	PUT(a, LOCK, LOCK_AT, BASE + 0x1140, .stamp = 5);
	PUT(a, WRITE, FLAG_AT, BASE + 0x1150, .size_log2 = 2, .value = 1, .flags = VTB_REC_VALUE);
	PUT(a, COND_SIGNAL, COND_AT, BASE + 0x1160, .value = 1, .flags = VTB_REC_VALUE, .stamp = 8);
	PUT(a, UNLOCK, LOCK_AT, BASE + 0x1170, .stamp = 9);
	PUT(a, THREAD_JOIN, 1, BASE + 0x1180, .stamp = 14);
	PUT(a, PROCESS_EXIT, 0, 0, .stamp = 15);
	PUT(b, THREAD_BEGIN, 1, BASE + 0x1300, .stamp = 4);
	PUT(b, TRYLOCK, LOCK_AT, BASE + 0x1310, .result = EBUSY, .stamp = 6);
	PUT(b, ATOMIC_LOAD, FLAG_AT + 8, BASE + 0x1320, .size_log2 = 2, .order = VTB_ORDER_ACQUIRE);
	PUT(b, COND_WAIT, COND_AT, BASE + 0x1330, .arg = LOCK_AT, .flags = VTB_REC_ARG, .stamp = 7);
	PUT(b, COND_WAKE, COND_AT, BASE + 0x1330, .arg = LOCK_AT, .flags = VTB_REC_ARG, .stamp = 10);
	PUT(b, READ, HEAP + 8, BASE + 0x1340, .size_log2 = 3, .value = 7, .flags = VTB_REC_VALUE);
	PUT(b, FREE, HEAP, BASE + 0x1350, .stamp = 11);
	PUT(b, IO_WRITE, 1, BASE + 0x1360, .stamp = 12);
	PUT(b, THREAD_END, 1, 0, .stamp = 13);
}

int main(int argc, char **argv)
{
	static const char meta[] =
	    "{\"format\": \"vtb-recording\", \"version\": 1, \"status\": \"ended\", \"backend\": \"rt\", \"argv\": "
	    "[\"./prog\"], \"cwd\": \"/work\", \"exit_status\": 3, \"signal\": 0}\n";
	static struct block_image block;
	static struct stream a, b;

	if (argc != 3 || mkdir(argv[2], 0777) < 0)
		return 2;
	block_init(&block, VTB_MODE_RECORD);
	block_module(&block, "/nonexistent/prog", BASE, 0x10000);
	block_thread(&block, VTB_NO_PATH, 0);
	block_thread(&block, 0, 0);
	fill(&a, &b);
	if (strcmp(argv[1], "lossy") == 0) {
		PUT(&a, LOST, 0, 0, .value = 3, .flags = VTB_REC_VALUE);
		block.threads[0].lost = 3;
		block.threads[1].lost = 1000;
		block.header.lost = 1003;
	}
	if (strcmp(argv[1], "cyclic") == 0)
		block.threads[1].parent = 1;
	if (strcmp(argv[1], "truncated") == 0)
		b.words[b.n++] = vtb_rec_word0(HEAP, VTB_E_READ, 0, 0);
	write_bytes(argv[2], "process.vtb", &block, sizeof(block));
	write_bytes(argv[2], "meta.json", meta, sizeof(meta) - 1);
	write_stream(argv[2], 0, &a);
	write_stream(argv[2], 1, &b);
	return 0;
}
