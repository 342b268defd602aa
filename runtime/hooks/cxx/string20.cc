/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What programs in C++20 call of string buffers, where libstdc++.so has it: by other names than before. Alone, as the
 * templates as a whole are those of C++17.
 */
#include <sstream>

#if __cplusplus > 201703L && _GLIBCXX_RELEASE >= 11 && _GLIBCXX_USE_CXX11_ABI
template std::string std::stringbuf::str() const &;
template std::string std::stringbuf::str() &&;
template void std::stringbuf::str(std::string &&);
template std::string_view std::stringbuf::view() const noexcept;
template std::wstring std::wstringbuf::str() const &;
template std::wstring std::wstringbuf::str() &&;
template void std::wstringbuf::str(std::wstring &&);
template std::wstring_view std::wstringbuf::view() const noexcept;
#endif
