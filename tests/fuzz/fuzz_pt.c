/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as Intel PT packets over a few instructions of code: decoded in segments, then dealt out to two threads of
 * one CPU. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "vtb/pt_session.h"

/* nop; jne -3; call +8; syscall; jmp -12; int3 x4; nop; ret; call *rax; jmp *rax */
static const uint8_t code[] = { 0x90, 0x75, 0xfd, 0xe8, 0x08, 0,    0,    0,    0x0f, 0x05, 0xeb,
	                        0xf4, 0xcc, 0xcc, 0xcc, 0xcc, 0x90, 0xc3, 0xff, 0xd0, 0xff, 0xe0 };

static void read_thread(struct vtb_pt_session *s, size_t i)
{
	struct vtb_pt_reader *reader;
	const struct vtb_pt_gap *gap;
	struct vtb_pt_item item;
	uint64_t n = 0;

	if (vtb_pt_reader_new(s, i, 1, &reader) < 0)
		return;
	while (vtb_pt_reader_next(reader, &item, &gap) > 0)
		n += item.kind == VTB_PT_BLOCK ? item.n : 0;
	if (n != s->threads[i].instructions) /* what was dealt out is what is read */
		abort();
	vtb_pt_reader_free(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct vtb_pt_session s = { .cpu = { .family = 6,
		                             .model = 85,
		                             .stepping = 4,
		                             .mtc_freq = 3,
		                             .nom_freq = 24,
		                             .cpuid_15_eax = 2,
		                             .cpuid_15_ebx = 168 } };

	s.sources = calloc(1, sizeof(*s.sources));
	s.runs = calloc(2, sizeof(*s.runs));
	if (s.sources && s.runs && vtb_pt_image_new(&s.image) >= 0 &&
	    vtb_pt_image_add_bytes(s.image, code, sizeof(code), 0x1000, NULL) >= 0) {
		s.n_sources = 1;
		s.sources[0] = (struct vtb_pt_source){ .data = data, .size = size, .cpu = 0, .tid = VTB_PT_NONE };
		s.n_runs = 2;
		s.runs[0] = (struct vtb_pt_run){ .in = 0, .out = 1000, .cpu = 0, .tid = 7 };
		s.runs[1] = (struct vtb_pt_run){ .in = 1000, .out = UINT64_MAX, .cpu = 0, .tid = 9 };
		if (vtb_pt_session_deal(&s, 1, NULL) >= 0)
			for (size_t i = 0; i < s.n_threads; i++)
				read_thread(&s, i);
	}
	vtb_pt_session_fini(&s);
	return 0;
}
