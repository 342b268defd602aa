// SPDX-License-Identifier: BSD-2-Clause
// What functions of libstdc++.so read and write of the program's memory by themselves, without hooks: what istreams
// leave in a variable, who a thread is, a date that is printed. Each works on a variable of ours, and the program's is
// read before and written afterwards, here, with hooks.
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <istream>
#include <iterator>
#include <locale>
#include <pthread.h>
#include <string>
#include <thread>

namespace
{

// A function of the library's, looked up before main: what a run finds out is taken back with it.
template <class F> class real
{
public:
	explicit real(const char *name) : call(reinterpret_cast<F *>(dlsym(RTLD_NEXT, name)))
	{
	}

	// Without hooks: it is no operation of the program's threads.
	__attribute__((noinline, no_sanitize_thread)) F *operator*() const
	{
		return call;
	}

private:
	F *call;
};

// Of a number or letter. Written also if an exception comes, and not if nothing was read. That it has been written is
// seen: what stands there first is what no stream leaves there when it fails.
template <class S, class T> class number
{
public:
	number(S &stream, T &variable) : in(stream), to(variable)
	{
		std::memset(got, UNTOUCHED, sizeof(got));
	}

	~number()
	{
		T value;

		if (untouched() && in.fail())
			return;
		std::memcpy(&value, got, sizeof(value));
		to = value;
	}

	T &room()
	{
		return *reinterpret_cast<T *>(got);
	}

private:
	static constexpr int UNTOUCHED = 0x5a;

	bool untouched() const
	{
		for (const unsigned char byte : got)
			if (byte != UNTOUCHED)
				return false;
		return true;
	}

	S &in;
	T &to;
	alignas(T) unsigned char got[sizeof(T)];
};

// Of a text, which is emptied first, unless the stream has nothing to say.
template <class S, class T> class text
{
public:
	text(T &variable, bool is_emptied) : to(variable), emptied(is_emptied)
	{
	}

	~text()
	{
		if (!emptied && room.empty())
			return;
		to.erase();
		to.append(room);
	}

	T room;

private:
	T &to;
	const bool emptied;
};

} // namespace

#define NUMBER(S, T, name, symbol)                         \
	static const real<S &(S *, T &)> real_##name(symbol); \
	S &name(S *in, T &to) __asm__(symbol);             \
	S &name(S *in, T &to)                              \
	{                                                  \
		number<S, T> got(*in, to);                 \
                                                           \
		return (*real_##name)(in, got.room());     \
	}
#define NARROW(T, name, code) NUMBER(std::istream, T, name, "_ZNSi10_M_extractI" code "EERSiRT_")
#define WIDE(T, name, code) \
	NUMBER(std::wistream, T, wide_##name, "_ZNSt13basic_istreamIwSt11char_traitsIwEE10_M_extractI" code "EERS2_RT_")
#define NUMBERS(T, name, code) NARROW(T, name, code) WIDE(T, name, code)
NUMBERS(bool, get_bool, "b")
NUMBERS(unsigned short, get_unsigned_short, "t")
NUMBERS(unsigned, get_unsigned, "j")
NUMBERS(long, get_long, "l")
NUMBERS(unsigned long, get_unsigned_long, "m")
NUMBERS(long long, get_long_long, "x")
NUMBERS(unsigned long long, get_unsigned_long_long, "y")
NUMBERS(float, get_float, "f")
NUMBERS(double, get_double, "d")
NUMBERS(long double, get_long_double, "e")
NUMBERS(void *, get_pointer, "Pv")
NUMBER(std::istream, short, get_short, "_ZNSirsERs")
NUMBER(std::istream, int, get_int, "_ZNSirsERi")
NUMBER(std::wistream, short, wide_get_short, "_ZNSt13basic_istreamIwSt11char_traitsIwEErsERs")
NUMBER(std::wistream, int, wide_get_int, "_ZNSt13basic_istreamIwSt11char_traitsIwEErsERi")
NUMBER(std::istream, char, get_char, "_ZNSi3getERc")
NUMBER(std::wistream, wchar_t, wide_get_char, "_ZNSt13basic_istreamIwSt11char_traitsIwEE3getERw")
NUMBER(std::istream, char, get_letter, "_ZStrsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_RS3_")
NUMBER(std::wistream, wchar_t, wide_get_letter, "_ZStrsIwSt11char_traitsIwEERSt13basic_istreamIT_T0_ES6_RS3_")

#define TEXT(S, T, C, name, code)                                                                           \
	static const real<S &(S *, T &)> real_word_##name(                                                  \
	    "_ZStrsI" code "St11char_traitsI" code "ESaI" code                                              \
	    "EERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE");                        \
	S &word_##name(S *in, T &to) __asm__(                                                               \
	    "_ZStrsI" code "St11char_traitsI" code "ESaI" code                                              \
	    "EERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE");                        \
	S &word_##name(S *in, T &to)                                                                        \
	{                                                                                                   \
		text<S, T> got(to, false);                                                                  \
                                                                                                            \
		return (*real_word_##name)(in, got.room);                                                   \
	}                                                                                                   \
	static const real<S &(S *, T &, C)> real_line_##name(                                               \
	    "_ZSt7getlineI" code "St11char_traitsI" code "ESaI" code                                        \
	    "EERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EES4_");                     \
	S &line_##name(S *in, T &to, C end) __asm__(                                                        \
	    "_ZSt7getlineI" code "St11char_traitsI" code "ESaI" code                                        \
	    "EERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EES4_");                     \
	S &line_##name(S *in, T &to, C end)                                                                 \
	{                                                                                                   \
		text<S, T> got(to, in->good());                                                             \
                                                                                                            \
		return (*real_line_##name)(in, got.room, end);                                              \
	}
TEXT(std::istream, std::string, char, narrow, "c")
TEXT(std::wistream, std::wstring, wchar_t, wide, "w")

// A thread is its handle. If an exception comes nothing is written.
#define THREAD(name, symbol)                                  \
	static const real<void(pthread_t *)> real_##name(symbol); \
	void name(pthread_t *thread) __asm__(symbol);         \
	void name(pthread_t *thread)                          \
	{                                                     \
		pthread_t own = *thread;                      \
                                                              \
		(*real_##name)(&own);                         \
		*thread = own;                                \
	}
THREAD(join_thread, "_ZNSt6thread4joinEv")
THREAD(detach_thread, "_ZNSt6thread6detachEv")
static_assert(sizeof(std::thread) == sizeof(pthread_t));

#define DATE(C, name, code)                                                                                     \
	using end_##name = std::ostreambuf_iterator<C>;                                                         \
	using put_##name = end_##name(const void *, end_##name, std::ios_base &, C, const std::tm *, const C *, \
	                              const C *);                                                               \
	static const real<put_##name> real_date_##name("_ZNKSt8time_putI" code "St19ostreambuf_iteratorI" code  \
	                                               "St11char_traitsI" code                                  \
	                                               "EEE3putES3_RSt8ios_base" code "PK2tmPK" code "SB_");    \
	end_##name date_##name(const void *facet, end_##name to, std::ios_base &ios, C fill, const std::tm *t,  \
	                       const C *pattern, const C *end)                                                  \
	    __asm__("_ZNKSt8time_putI" code "St19ostreambuf_iteratorI" code "St11char_traitsI" code             \
	            "EEE3putES3_RSt8ios_base" code "PK2tmPK" code "SB_");                                       \
	end_##name date_##name(const void *facet, end_##name to, std::ios_base &ios, C fill, const std::tm *t,  \
	                       const C *pattern, const C *end)                                                  \
	{                                                                                                       \
		const std::tm own = *t;                                                                         \
                                                                                                                \
		return (*real_date_##name)(facet, to, ios, fill, &own, pattern, end);                           \
	}
DATE(char, narrow, "c")
DATE(wchar_t, wide, "w")
