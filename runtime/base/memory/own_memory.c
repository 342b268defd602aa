/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the runtime maps memory for itself. The kernel puts what is mapped without an address below what is there, so a
 * block that is larger for one engine than for another, and all that an engine keeps, would move the program's threads
 * and what it maps. Programs do look at addresses: the standard library's barriers begin at a place that is told by
 * pthread_self(), and hash tables of pointers are gone through by address.
 */
#include <sys/mman.h>

#include "rt.h"
#include "sys.h"

#define OWN 0x100000000000ull /* of a process; the kernel puts nothing here by itself */
#define OWN_SIZE (1ull << 43)
#define PAGE 4096ull
#define TRIES 64u /* each leaves out twice as much: a program may have mapped something there itself */

static uint64_t *used; /* shared: what a run that is rolled back has mapped for good stays, and so must the count */

static void *mapped(uint64_t at, size_t size, int prot, int flags, int fd)
{
	const long r = sys6(SYS_mmap, (long)at, (long)size, prot, flags, fd, 0);

	return r < 0 && r > -4096 ? NULL : (void *)r;
}

/* The first call is made while there is one thread. */
static bool is_begun(void)
{
	if (!used)
		used = mapped(OWN, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1);
	if (used && !*used)
		*used = 2 * PAGE;
	return used;
}

void *vtb_own_pages(size_t size, int prot, int flags, int fd)
{
	const uint64_t room = (size + 2 * PAGE - 1) / PAGE * PAGE; /* and a page that is never there */

	for (unsigned i = 0; is_begun() && i < TRIES && room < OWN_SIZE; i++) {
		const uint64_t step = room << (i < 20 ? i : 20);
		const uint64_t at = __atomic_fetch_add(used, step, __ATOMIC_RELAXED) % (OWN_SIZE - room) / PAGE * PAGE;
		void *p = mapped(OWN + at, size, prot, flags | MAP_FIXED_NOREPLACE, fd);

		if (p) /* there, or where a kernel that does not know the flag puts it */
			return p;
	}
	return mapped(0, size, prot, flags, fd); /* somebody else's place, as under ThreadSanitizer itself */
}
