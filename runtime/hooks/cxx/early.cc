// SPDX-License-Identifier: BSD-2-Clause
// What libstdc++.so does when the first thread comes to it, it does before main. It would be hidden state: which thread
// that is depends on an order of nothing that has hooks, and it does more operations than the others (an initialiser is
// entered, tables of characters are compared). A search by classes would then leave orders out.
#include <locale>
#include <memory>

extern "C" {
extern char __libc_single_threaded __attribute__((weak)); // glibc 2.32
}

namespace
{

// Mutexes that are made when they are first asked for: those of std::atomic_load() of a shared_ptr and its like, which
// containers with -D_GLIBCXX_DEBUG have, too; that of what a locale keeps of its facets.
void make_mutexes()
{
	const std::locale other(std::locale::classic(), new std::numpunct<char>);

	{
		const std::_Sp_locker one(&other);
	}
	std::__use_cache<std::__numpunct_cache<char>>()(other);
}

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
	make_mutexes();
}

} // namespace
