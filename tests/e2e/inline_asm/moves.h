/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads and stores as libraries write them that do without the compiler's: moves, and nothing atomic. BUILTINS: the
 * compiler's own, which have hooks. */
#ifdef BUILTINS
#define LOAD(at) (*(const volatile unsigned *)(at))
#define STORE(at, value) (*(volatile unsigned *)(at) = (value))
#else
static inline unsigned load(const unsigned *at)
{
	unsigned value;

	__asm__ volatile("movl %1, %0" : "=r"(value) : "m"(*at) : "memory");
	return value;
}

static inline void store(unsigned *at, unsigned value)
{
	__asm__ volatile("movl %1, %0" : "=m"(*at) : "r"(value) : "memory");
}
#define LOAD(at) load(at)
#define STORE(at, value) store(at, value)
#endif
