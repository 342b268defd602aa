// SPDX-License-Identifier: BSD-2-Clause
// What libstdc++.so does when the first thread comes to it, it does before main. It would be hidden state: which thread
// that is depends on an order of nothing that has hooks, and it does more operations than the others (an initialiser is
// entered, tables of characters are compared).
#include <locale>

extern "C" {
extern char __libc_single_threaded __attribute__((weak)); // glibc 2.32
}

namespace
{

// The initialiser of the classic locale is passed by while there is one thread.
__attribute__((constructor)) void come_first()
{
	char *const single = &__libc_single_threaded, was = single ? *single : 0;

	if (single)
		*single = 0;
	const auto &characters = std::use_facet<std::ctype<char>>(std::locale::classic());
	if (single)
		*single = was;
	characters.widen(' ');
	for (int c = 0; c < 256; c++)
		characters.narrow(static_cast<char>(c), c ? '\0' : ' ');
}

} // namespace
