// SPDX-License-Identifier: BSD-2-Clause
// libstdc++.so holds the members of std::string and of string streams ready-made, without hooks; what a program does
// not inline it calls
// there. These are the same templates from the same headers, built with hooks: they stand before the library's
// (cxx/CMakeLists.txt).
#include <sstream>
#include <string>

template class std::basic_string<char>;
template class std::basic_string<wchar_t>;
template class std::basic_streambuf<char>;
template class std::basic_stringbuf<char>;
