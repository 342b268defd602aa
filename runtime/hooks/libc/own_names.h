/* SPDX-License-Identifier: BSD-2-Clause */
/** @file own_names.h Last of the headers in a file that defines functions of libc, or calls the real ones: their names
 * are those functions again, not what stands for them in a guest (base/plain_text.h). */
#undef memmove
#undef strlen
#undef strcmp
#undef strncmp
#undef strchr
