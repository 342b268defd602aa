/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bytes of rdtsc and of rdtscp within other instructions; with READS also such an instruction. */
int main(void)
{
	int value;

	__asm__ volatile("movl $0x0000310f, %0\n\tmovl $0x00f9010f, %0" : "=r"(value));
#ifdef READS
	__asm__ volatile("rdtsc" : : : "eax", "edx");
#endif
	return value == 1;
}
