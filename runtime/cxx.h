// Read before each file in C++: the functions of strings are compiled with the program, so that what they access is seen.
// What it copies by functions of the compiler it copies by those of the C library.
#include <string.h>
#define __builtin_memcpy(...) ::memcpy(__VA_ARGS__)
#define __builtin_memmove(...) ::memmove(__VA_ARGS__)
#define __builtin_memset(...) ::memset(__VA_ARGS__)
#define __builtin_memcmp(...) ::memcmp(__VA_ARGS__)
#define __builtin_memchr(...) ::memchr(__VA_ARGS__)
#define __builtin_strlen(...) ::strlen(__VA_ARGS__)
#define __builtin_strcmp(...) ::strcmp(__VA_ARGS__)
#include <bits/c++config.h>
#include <bits/ostream_insert.h>
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0
#include <string>
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 1
