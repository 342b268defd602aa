// SPDX-License-Identifier: BSD-2-Clause
// What is made of a locale's facets for those who format by it, the first one of them makes and keeps in the locale,
// under a lock. Who that is would be hidden state (early.cc), so it is done where a locale becomes everybody's.
#include <dlfcn.h>
#include <locale>

namespace
{

template <class C> void keep(const std::locale &anew)
{
	std::__use_cache<std::__numpunct_cache<C>>()(anew);
	std::__use_cache<std::__moneypunct_cache<C, false>>()(anew);
	std::__use_cache<std::__moneypunct_cache<C, true>>()(anew);
}

} // namespace

std::locale std::locale::global(const std::locale &anew)
{
	using function = std::locale (*)(const std::locale &);
	const auto real = reinterpret_cast<function>(dlsym(RTLD_NEXT, "_ZNSt6locale6globalERKS_"));

	keep<char>(anew);
	keep<wchar_t>(anew);
	return real(anew);
}
