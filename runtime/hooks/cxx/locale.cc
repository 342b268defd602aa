// SPDX-License-Identifier: BSD-2-Clause
// The locale of whoever asks for none. std::locale::global() changes it under a lock, which others take only if it is
// not the classic one: each as in libstdc++.so, with hooks, so that who is told to come after a change has seen it.
//
// What is made of a locale's facets for those who format by it, the first one of them makes and keeps in the locale,
// under a lock. Who that is would be hidden state (early.cc), so it is done where a locale becomes everybody's, in the
// order of those who make one that.
#include <clocale>
#include <locale>
#include <mutex>
#include <new>
#include <string>

extern "C" {
// Named as reports are to call them. NULL: the classic one, before it was ever changed.
static void *locale_of_streams;
static std::mutex locales;
static std::recursive_mutex facets; // those of a program may ask for locales themselves
}

namespace
{

template <class C> void keep_letters(const std::locale &anew)
{
	std::__use_cache<std::__numpunct_cache<C>>()(anew);
	std::__use_cache<std::__moneypunct_cache<C, false>>()(anew);
	std::__use_cache<std::__moneypunct_cache<C, true>>()(anew);
}

void keep(const std::locale &anew)
{
	const std::lock_guard<std::recursive_mutex> lock(facets);

	keep_letters<char>(anew);
	keep_letters<wchar_t>(anew);
}

// Of the classic one, which does not change: no operation.
__attribute__((noinline, no_sanitize_thread)) void *classic_one()
{
	void *one;

	__builtin_memcpy(&one, &std::locale::classic(), sizeof(one));
	return one;
}

} // namespace

std::locale::locale() noexcept : _M_impl(static_cast<_Impl *>(locale_of_streams))
{
	void *const classic = classic_one();

	if (!_M_impl)
		_M_impl = static_cast<_Impl *>(classic);
	if (_M_impl == classic)
		return;
	const std::lock_guard<std::mutex> lock(locales);
	new (this) locale(static_cast<_Impl *>(locale_of_streams));
	new (this) locale(*this); // which counts one more
}

std::locale std::locale::global(const std::locale &anew)
{
	keep(anew);

	const std::lock_guard<std::mutex> lock(locales);
	const std::string name = anew.name();
	alignas(locale) char room[sizeof(locale)]; // what is counted there stays
	auto *const old = static_cast<_Impl *>(
	    __atomic_exchange_n(&locale_of_streams, (new (room) locale(anew))->_M_impl, __ATOMIC_ACQ_REL));

	if (name != "*")
		std::setlocale(LC_ALL, name.c_str());
	return locale(old ? old : static_cast<_Impl *>(classic_one()));
}
