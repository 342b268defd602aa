/* SPDX-License-Identifier: BSD-2-Clause */
/* An empty library with the name of a sanitizer runtime; what the program looks for in it is in libvtb-rt.so. */
extern const int vtb_stub __attribute__((visibility("hidden")));
const int vtb_stub = 1;
