# SPDX-License-Identifier: GPL-2.0-or-later
"""Small programs of which the exit status depends on each stored value in one way alone: by a jump, an exception, a destructor, a thread's object."""
FIRST = 900000  # their seeds

C_HEAD = """#include <setjmp.h>
#include <stdlib.h>

volatile int P[4];
static int g0, g1;
static jmp_buf home;

%s
int main(int argc, char **argv)
{
	if (argc > 2)
		P[atoi(argv[1])] = atoi(argv[2]);
	g0 = (1) + P[0];
%s
}
"""
LEAVE = "__attribute__((noinline)) static void leave(void)\n{\n%s\n}\n"
C = [
    (LEAVE % "\tif (g0 == 2)\n\t\tlongjmp(home, 1);", "\tif (setjmp(home) != 0)\n\t\treturn 3;\n\tleave();\n\treturn 0;"),
    (LEAVE % "\tlongjmp(home, g0);", "\tswitch (setjmp(home)) {\n\tcase 0:\n\t\tleave();\n\tcase 2:\n\t\treturn 3;\n\t}\n\treturn 0;"),
    (LEAVE % "\tif (g0 == 2)\n\t\tlongjmp(home, 1);\n\tg1 = (5) + P[1];", "\tif (setjmp(home) == 0)\n\t\tleave();\n\treturn g1 == 5 ? 0 : 3;"),
    (LEAVE % "\tlongjmp(home, 1);", "\tvolatile int v = 7;\n\n\tif (setjmp(home) == 0) {\n\t\tv = (g0) + P[1];\n\t\tleave();\n\t}\n\treturn v == 1 ? 0 : 3;"),
]

CXX_HEAD = """#include <cstdlib>

volatile int P[4];
static int g0, g1;
struct thing { int value; };
struct scope { int by; ~scope() { g1 = by; } };

%s
int main(int argc, char **argv)
{
	if (argc > 2)
		P[atoi(argv[1])] = atoi(argv[2]);
	g0 = (1) + P[0];
%s
	return g1 == 1 ? 0 : 3;
}
"""
CXX = [
    (LEAVE % "\tthrow g0;", "\ttry {\n\t\tleave();\n\t} catch (int e) {\n\t\tg1 = e;\n\t}"),
    (LEAVE % "\tif (g0 == 1)\n\t\tthrow 1;\n\tthrow thing{ 1 };", "\ttry {\n\t\tleave();\n\t} catch (int) {\n\t\tg1 = 1;\n\t} catch (const thing &) {\n\t\tg1 = 2;\n\t}"),
    (LEAVE % "\tif (g1 == 0)\n\t\tthrow 1;",
     "\tvolatile int v = 7;\n\n\ttry {\n\t\tv = (g0) + P[1];\n\t\tleave();\n\t\tv = 5;\n\t} catch (int) {\n\t\tg1 = v;\n\t}"),
    (LEAVE % "\tscope s = { g0 };\n\n\tthrow 1;", "\ttry {\n\t\tleave();\n\t} catch (int) {\n\t}"),
    (LEAVE % "\tthrow scope{ g0 };", "\ttry {\n\t\tleave();\n\t} catch (const scope &) {\n\t}"),
    ("#include <thread>\n", "\tint v = 0;\n\n\tv = (g0) + P[1];\n\tstd::thread t([&v] { g1 = v; });\n\tt.join();"),
]


def directed(seed, throws):
    """Its text; None: there are no more."""
    programs, head = (CXX, CXX_HEAD) if throws else (C, C_HEAD)
    return head % programs[seed - FIRST] if seed - FIRST < len(programs) else None
