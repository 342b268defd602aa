# SPDX-License-Identifier: GPL-2.0-or-later
"""Random programs of chains: a value goes from link to link, each of which hands it on in one way alone (a branch, a loop's end, a pointer, a
register that calls keep, a table of jumps, longjmp, an exception ...), to an assertion, a status or a named function. A dependence that is missed
anywhere breaks the only way there is. Some chains lead nowhere."""
import random

FIRST, END = 700000, 800000  # their seeds

HEAD = """#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
%s
#define KEPT __attribute__((noinline))
volatile int P[%d];
struct pair { int x, y; };
struct node { int value; struct node *next; };
static int sink;

extern "C" void check(int id, int value);
KEPT void check(int id, int value)
{
	printf("check %%d %%d\\n", id, value);
}

/* Uses registers that calls keep. */
KEPT static int busy(int a, int b)
{
	int x = a * 3, y = b * 5, z = a + b;

	for (int i = 0; i < 3; i++) {
		sink += x + y;
		x += abs(y) + z;
		y -= abs(x);
	}
	return x + y + z;
}
"""
# What stands in a function `int NAME(int in)`, or before it; B is the value that comes in unless it was changed, 0 to 7; what comes out then.
# {n}: the link's own number.
LINKS = {
    "branch": ("", "\tif (in == {b})\n\t\treturn {o};\n\treturn {x};"),
    "early": ("static int e{n};\n", "\te{n} = {x};\n\tif (in != {b})\n\t\treturn e{n};\n\te{n} = {o};\n\treturn e{n};"),
    "stores": ("static int st{n};\n", "\tst{n} = {x};\n\tif (in == {b})\n\t\tst{n} = {o};\n\tbusy(1, 2);\n\treturn st{n};"),
    "count": ("static int c{n};\n", "\tc{n} = {o} - {b};\n\tfor (int i = 0; i < in && i < 60; i++)\n\t\tc{n}++;\n\treturn c{n};"),
    "until": ("static int u{n}[64];\n", "\tint i = 0;\n\n\tu{n}[in & 63] = 1;\n\twhile (i < 63 && !u{n}[i])\n\t\ti++;\n\treturn i - {b} + {o};"),
    "leaves": ("static int le{n};\n", "\tfor (int i = 0; i < 9; i++) {{\n\t\tif (i == in)\n\t\t\tbreak;\n\t\tle{n} = i;\n\t}}\n\treturn le{n} == {b} - ({b} > 0) ? {o} : {x};"),
    "again": ("static int ag{n};\n", "\tag{n} = 0;\n\tdo {{\n\t\tag{n}++;\n\t\tif (ag{n} == 3)\n\t\t\tcontinue;\n\t\tbusy(ag{n}, 1);\n\t}} while (ag{n} <= in && ag{n} < 40);\n\treturn ag{n} - {b} - 1 + {o};"),
    "set": ("KEPT static void put{n}(int *to, int v)\n{{\n\t*to = v;\n}}\n", "\tint got = 0;\n\n\tput{n}(&got, in);\n\treturn got - {b} + {o};"),
    "global": ("static int gl{n}, *gp{n} = &gl{n};\n", "\t*gp{n} = in;\n\treturn gl{n} - {b} + {o};"),
    "either": ("static int ei{n}[2];\n", "\tint *to = in == {b} ? &ei{n}[0] : &ei{n}[1];\n\n\tei{n}[0] = {x};\n\t*to = {o};\n\treturn ei{n}[0];"),
    "index": ("static int ix{n}[8];\n", "\tix{n}[in & 7] = 1;\n\treturn ix{n}[{b}] ? {o} : {x};"),
    "table": ("static const int tb{n}[8] = {{ {t} }};\n", "\treturn tb{n}[in & 7];"),
    "copy": ("static struct pair ca{n}, cb{n};\n", "\tca{n}.y = in;\n\tcb{n} = ca{n};\n\treturn cb{n}.y - {b} + {o};"),
    "memcpy": ("static char ma{n}[16], mb{n}[16];\n", "\tint got;\n\n\tmemcpy(ma{n} + 4, &in, 4);\n\tmemcpy(mb{n}, ma{n}, 16);\n\tmemcpy(&got, mb{n} + 4, 4);\n\treturn got - {b} + {o};"),
    "bytes": ("static unsigned char by{n}[4];\n", "\tby{n}[0] = (unsigned char)in;\n\treturn *(volatile int *)(void *)by{n} - {b} + {o};"),
    "heap": ("", "\tstruct node *one = (struct node *)calloc(1, sizeof(*one)), *two = (struct node *)calloc(1, sizeof(*two));\n\n\tone->next = two;\n\ttwo->value = in;\n\tbusy(1, 1);\n\treturn one->next->value - {b} + {o};"),
    "list": ("static struct node no{n}[3];\n", "\tint s = 0;\n\n\tno{n}[0].next = in == {b} ? &no{n}[1] : NULL;\n\tfor (struct node *at = no{n}; at; at = at->next)\n\t\ts++;\n\treturn s == 2 ? {o} : {x};"),
    "called": ("KEPT static int ya{n}(void)\n{{\n\treturn {o};\n}}\nKEPT static int na{n}(void)\n{{\n\treturn {x};\n}}\nstatic int (*fp{n})(void);\n",
               "\tfp{n} = in == {b} ? ya{n} : na{n};\n\tbusy(2, 2);\n\treturn fp{n}();"),
    "cases": ("static int cs{n};\n", "\tswitch (in) {{\n{cases}\tdefault:\n\t\tcs{n} = {x};\n\t\tbusy(3, 4);\n\t}}\n\treturn cs{n};"),
    "calls": ("", "\tswitch (in) {{\n{calls}\tdefault:\n\t\treturn busy(in, 2) == 1 ? 1 : {x};\n\t}}"),
    "flags": ("", "\treturn (in > {b} - 1) + (in <= {b}) == 2 ? {o} : {x};"),
    "setcc": ("static unsigned char se{n};\n", "\tse{n} = in == {b};\n\treturn se{n} * ({o} - {x}) + {x};"),
    "carry": ("", "\tunsigned long long wide = (unsigned)in + 0xffffffff00000000ull - {b};\n\n\tsink++;\n\treturn wide + 0x100000000ull - (unsigned)0 == 0 ? {o} : {x};"),
    "keeps": ("", "\tint a = busy(1, 2), b = busy(a, 3);\n\n\treturn busy(a, b) == 1 ? {x} : in - {b} + {o};"),
    "keeps_more": ("", "\tint p = in + 1, q = in * 2, s = in ^ 3;\n\n\tbusy(1, 1);\n\tsink++;\n\tbusy(2, 1);\n\treturn p == {b} + 1 && q == {b} * 2 && s == ({b} ^ 3) ? {o} : {x};"),
    "jumps": ("static jmp_buf jb{n};\nstatic int ji{n};\nKEPT static void jump{n}(int d)\n{{\n\tif (ji{n} != {b})\n\t\tlongjmp(jb{n}, 1);\n\tsink += d;\n}}\n",
              "\tji{n} = in;\n\tif (setjmp(jb{n}))\n\t\treturn {x};\n\tjump{n}(1);\n\treturn {o};"),
    "jump_value": ("static jmp_buf jv{n};\nKEPT static void with{n}(int v)\n{{\n\tlongjmp(jv{n}, v + 1);\n}}\n",
                   "\tstatic int from;\n\n\tfrom = in < 0 ? 99 : in;\n\tswitch (setjmp(jv{n})) {{\n\tcase 0:\n\t\twith{n}(from);\n\tcase {b} + 1:\n\t\treturn {o};\n\t}}\n\treturn {x};"),
    "jump_skips": ("static jmp_buf js{n};\nstatic int jw{n}, jx{n};\nKEPT static void skip{n}(void)\n{{\n\tif (jw{n} != {b})\n\t\tlongjmp(js{n}, 1);\n\tjx{n} = {o};\n}}\n",
                   "\tjx{n} = {x};\n\tjw{n} = in;\n\tif (setjmp(js{n}) == 0)\n\t\tskip{n}();\n\treturn jx{n};"),
    "deep": ("KEPT static int down{n}(int d)\n{{\n\treturn d <= 0 || d > 50 ? 0 : 1 + down{n}(d - 1);\n}}\n", "\treturn down{n}(in) - {b} + {o};"),
    "wide": ("KEPT static int many{n}(int a, int b, int c, int d, int e, int f, int g, int h)\n{{\n\tsink += a + b + c + d + e + f + g;\n\treturn h;\n}}\n",
             "\treturn many{n}(1, 2, 3, 4, 5, 6, 7, in) - {b} + {o};"),
    "varied": ("KEPT static int va{n}(int k, ...)\n{{\n\tva_list list;\n\tint got = 0;\n\n\tva_start(list, k);\n\tfor (int i = 0; i < k; i++)\n\t\tgot = va_arg(list, int);\n\tva_end(list);\n\treturn got;\n}}\n",
               "\treturn va{n}(3, 8, 9, in) - {b} + {o};"),
    "returned": ("struct big{n} {{ int a[6]; }};\nKEPT static struct big{n} make{n}(int v)\n{{\n\tstruct big{n} x = {{ {{ 1, 2, 3, v, 5, 6 }} }};\n\n\treturn x;\n}}\n",
                 "\treturn make{n}(in).a[3] - {b} + {o};"),
    "kept": ("KEPT static int kp{n}(int v, int get)\n{{\n\tstatic int kept;\n\n\tif (get)\n\t\treturn kept;\n\tkept = v;\n\treturn 0;\n}}\n",
             "\tkp{n}(in, 0);\n\treturn kp{n}(9, 1) - {b} + {o};"),
    "own": ("static __thread int ow{n};\nKEPT static int own{n}(void)\n{{\n\treturn ow{n};\n}}\n", "\tow{n} = in;\n\treturn own{n}() - {b} + {o};"),
    "real": ("static double re{n};\n", "\tre{n} = in * 1.5;\n\tsink++;\n\treturn re{n} * 2 == {b} * 3 ? {o} : {x};"),
    "moved": ("static struct pair mv{n}[2];\n", "\tmv{n}[0].x = in;\n\tmv{n}[0].y = 1;\n\tmemmove(&mv{n}[1], &mv{n}[0], sizeof(mv{n}[0]));\n\treturn mv{n}[1].x - {b} + {o};"),
    "text": ("static char tx{n}[32];\n", "\tsnprintf(tx{n}, sizeof(tx{n}), \"%d\", in);\n\treturn atoi(tx{n}) - {b} + {o};"),
    "sorted": ("static int so{n}, sp{n}[4] = {{ 4, 1, 3, 2 }};\nKEPT static int order{n}(const void *a, const void *b)\n{{\n\tconst int *x = (const int *)a, *y = (const int *)b;\n\n\treturn so{n} == {b} ? *x - *y : *y - *x;\n}}\n",
               "\tso{n} = in;\n\tqsort(sp{n}, 4, sizeof(int), order{n});\n\treturn sp{n}[0] == 1 ? {o} : {x};"),
    "thread": ("static int th{n};\nstatic void *run{n}(void *arg)\n{{\n\tth{n} = *(int *)arg + 1;\n\treturn arg;\n}}\n",
               "\tpthread_t t;\n\tint give = in;\n\n\tpthread_create(&t, NULL, run{n}, &give);\n\tpthread_join(t, NULL);\n\treturn th{n} - 1 - {b} + {o};"),
    "joined": ("static void *give{n}(void *arg)\n{{\n\treturn arg;\n}}\n",
               "\tpthread_t t;\n\tvoid *got;\n\n\tpthread_create(&t, NULL, give{n}, (void *)(long)in);\n\tpthread_join(t, &got);\n\treturn (int)(long)got - {b} + {o};"),
    "atomic": ("static int at{n};\n", "\t__atomic_store_n(&at{n}, in, __ATOMIC_SEQ_CST);\n\treturn __atomic_add_fetch(&at{n}, 1, __ATOMIC_SEQ_CST) - 1 - {b} + {o};"),
}
# In programs of seeds from MORE_FROM on: those below stay what they were when they found something.
MORE_FROM = 750000
MORE_LINKS = {
    "ways": ("static int wy{n};\n", "\tswitch (in & 7) {{\n{ways}\tdefault:\n\t\t__builtin_unreachable();\n\t}}\n\treturn wy{n};"),
    "jump_keeps": ("static jmp_buf jk{n};\nKEPT static void back{n}(void)\n{{\n\tlongjmp(jk{n}, 1);\n}}\n",
                   "\tvolatile int v = 9;\n\n\tif (setjmp(jk{n}) == 0) {{\n\t\tv = in;\n\t\tback{n}();\n\t}}\n\treturn v - {b} + {o};"),
}
# The same again.
LATER_FROM = 780000
LATER_LINKS = {
    "jump_two": ("static jmp_buf ja{n}, jc{n};\nstatic int jd{n};\nKEPT static void either{n}(void)\n{{\n\tif (jd{n} == {b})\n\t\tlongjmp(ja{n}, 1);\n\tlongjmp(jc{n}, 1);\n}}\n",
                 "\tjd{n} = in;\n\tif (setjmp(ja{n}))\n\t\treturn {o};\n\tif (setjmp(jc{n}))\n\t\treturn {x};\n\teither{n}();\n\treturn {x};"),
    "jump_first": ("static jmp_buf jf{n}, jg{n};\nKEPT static void first{n}(int v)\n{{\n\tlongjmp(jf{n}, v + 1);\n}}\n",
                   "\tint got = setjmp(jf{n});\n\n\tif (got)\n\t\treturn got - 1 - {b} + {o};\n\tif (setjmp(jg{n}) == 0)\n\t\tfirst{n}(in < 0 ? 99 : in);\n\treturn {x};"),
    "given": ("static char gi{n}[32];\n", "\tsnprintf(gi{n}, sizeof(gi{n}), \"%d%d%d%d%d\", 1, 2, 3, in & 7, 5);\n\treturn gi{n}[3] - '0' - {b} + {o};"),
    "listed": ("static char li{n}[32];\nKEPT static void list{n}(const char *format, ...)\n{{\n\tva_list list;\n\n\tva_start(list, format);\n\tvsnprintf(li{n}, sizeof(li{n}), format, list);\n\tva_end(list);\n}}\n",
               "\tlist{n}(\"%d%d%d%d%d%d%d\", 1, 2, 3, 4, 5, 6, in & 7);\n\treturn li{n}[6] - '0' - {b} + {o};"),
}
# The same: through members of arrays of structures, as such and by other ways to the same bytes.
ROWS_FROM = 796000
ROW_LINKS = {
    "row_same": ("static struct {{ int a, b, c, d; }} rw{n}[8];\n",
                 "\trw{n}[in & 7].a = 9;\n\trw{n}[in & 7].b = in;\n\trw{n}[in & 7].c = 8;\n\tbusy(1, 1);\n\treturn rw{n}[{b}].b - {b} + {o};"),
    "row_walk": ("static struct {{ int a, b, c, d; }} rw{n}[8];\n",
                 "\tfor (int *p = &rw{n}[0].a; p < &rw{n}[8].a; p++)\n\t\t*p = in;\n\treturn rw{n}[{b} & 3].c - {b} + {o};"),
    "row_flat": ("static struct {{ int a, b, c, d; }} rw{n}[8];\n",
                 "\tint *flat = (int *)(void *)rw{n};\n\n\tflat[4 * (in & 7) + 2] = in;\n\treturn rw{n}[{b}].c - {b} + {o};"),
    "row_bytes": ("static struct {{ int a, b, c, d; }} rw{n}[8];\n",
                  "\tchar *byte = (char *)&rw{n}[0].b;\n\n\tfor (unsigned i = 0; i < 8; i++)\n\t\trw{n}[i].b = 0;\n\tbyte[16 * (in & 7)] = (char)in;\n\treturn rw{n}[{b}].b - {b} + {o};"),
    "row_wide": ("static struct {{ int a, b, c, d; }} rd{n}[8];\n",
                 "\tlong long *wide = (long long *)(void *)&rd{n}[in & 7].a;\n\n\t*wide = (long long)in << 32;\n\treturn rd{n}[{b}].b - {b} + {o};"),
    "row_offset": ("static struct {{ int a, b, c, d; }} rw{n}[8];\n",
                   "\tunsigned at = (unsigned)in * 12u + 0xfffffff8u;\n\n\tat = (at + 16u) % 96u / 4u * 4u;\n\t*(int *)(void *)((char *)rw{n} + at) = in;\n\treturn *(int *)(void *)((char *)rw{n} + at) - {b} + {o};"),
    "row_down": ("static struct {{ int a, b, c, d; }} rw{n}[8];\n",
                 "\tfor (int i = 7; i >= 0; i -= 2)\n\t\trw{n}[i].b = in;\n\treturn rw{n}[1].b - {b} + {o};"),
    "row_next": ("static struct {{ int v; long skip; int w; }} rn{n}[6];\n",
                 "\tint *p = &rn{n}[0].v;\n\n\tfor (int i = 0; i < 3; i++)\n\t\tp += sizeof(rn{n}[0]) / sizeof(int);\n\t*(p + 4) = in;\n\treturn rn{n}[3].w - {b} + {o};"),
    "row_heap": ("struct rh{n} {{ int key, value, more, last; }};\n",
                 "\tstruct rh{n} *r = (struct rh{n} *)calloc(8, sizeof(*r));\n\n\tr[in & 7].key = 5;\n\tr[in & 7].value = in;\n\tr[(in & 7) ^ 1].value = {x};\n\tbusy(1, 2);\n\treturn ((int *)(void *)r)[{b} * 4 + 1] - {b} + {o};"),
    "row_two": ("static struct {{ int a[3]; int n; }} rt{n}[4];\n",
                "\trt{n}[in & 3].n = 0;\n\tfor (int i = 0; i < 3; i++)\n\t\trt{n}[in & 3].a[i] = in;\n\treturn rt{n}[{b} & 3].a[2] - {b} + {o};"),
}
# The same: through what a word of the frame points to, now this, now that.
WORDS_FROM = 790000
WORD_LINKS = {
    "word_next": ("static int wa{n}, wb{n};\n",
                  "\tint *volatile p = &wa{n};\n\n\t*p = 7;\n\tp = &wb{n};\n\t*p = in;\n\treturn wb{n} - {b} + {o};"),
    "word_turn": ("static int wa{n}, wb{n};\n",
                  "\tint *volatile p = &wa{n}, *volatile q = &wb{n}, *volatile t;\n\n\tfor (volatile int i = 0; i < 3; i++) {{\n\t\tt = p;\n\t\tp = q;\n\t\tq = t;\n\t}}\n\t*p = in;\n\treturn wb{n} - {b} + {o};"),
    "word_half": ("static int wa{n}, wb{n};\nstatic int *wt{n}[2] = {{ &wa{n}, &wb{n} }};\n",
                  "\tvolatile union {{\n\t\tint *whole;\n\t\tunsigned half[2];\n\t}} p = {{ &wa{n} }};\n\tvolatile unsigned *from = (volatile unsigned *)&wt{n}[1];\n\n\tp.half[0] = from[0];\n\tp.half[1] = from[1];\n\t*p.whole = in;\n\treturn wb{n} - {b} + {o};"),
    "word_moved": ("static int wa{n}, wb{n};\nstatic int wc{n}[4];\n",
                   "\tint *volatile p = wc{n};\n\n\tp = p + 1;\n\tp += 2;\n\tp -= 1;\n\t*p = in;\n\treturn wc{n}[2] - {b} + {o};"),
    "word_index": ("static int wa{n}, wb{n};\nstatic int wi{n}[4];\n",
                   "\tvolatile long i = 0;\n\n\twi{n}[i] = 9;\n\ti = 3;\n\tbusy(1, 1);\n\twi{n}[i] = in;\n\treturn wi{n}[3] - {b} + {o};"),
    "word_bits": ("static int wa{n}, wb{n};\n",
                  "\tvolatile unsigned long p = (unsigned long)&wa{n};\n\n\tp = (unsigned long)&wb{n};\n\tp = ~p;\n\tp = -p;\n\tp = -p;\n\tp = ~p;\n\t*(int *)p = in;\n\treturn wb{n} - {b} + {o};"),
    "word_swap": ("static int wa{n}, wb{n};\n",
                  "\tint *volatile p = &wa{n}, *other = &wb{n};\n\n\t__asm__ volatile(\"xchgq %0, %1\" : \"+m\"(p), \"+r\"(other) : : \"memory\");\n\t*p = in;\n\treturn wb{n} - {b} + {o};"),
    "word_push": ("static int wa{n}, wb{n};\n",
                  "\tint *volatile p = &wa{n}, *volatile q = &wb{n}, *r = p;\n\n\t__asm__ volatile(\"subq $128, %%rsp\\n\\tpushq %1\\n\\tpopq %0\\n\\taddq $128, %%rsp\" : \"=r\"(r) : \"r\"(q) : \"memory\", \"cc\");\n\t*r = in;\n\treturn wb{n} - {b} + {o};"),
    "word_given": ("static int wa{n}, wb{n};\nKEPT static void turn{n}(int *volatile *at)\n{{\n\t*at = &wb{n};\n}}\n",
                   "\tint *volatile p = &wa{n};\n\n\tturn{n}(&p);\n\t*p = in;\n\treturn wb{n} - {b} + {o};"),
    "word_thread": ("static int wa{n}, wb{n};\nstatic int *volatile *wh{n};\nstatic void *turns{n}(void *arg)\n{{\n\t*wh{n} = &wb{n};\n\treturn arg;\n}}\n",
                    "\tint *volatile p = &wa{n};\n\tpthread_t t;\n\n\twh{n} = &p;\n\tpthread_create(&t, NULL, turns{n}, NULL);\n\tpthread_join(t, NULL);\n\t*p = in;\n\treturn wb{n} - {b} + {o};"),
    "word_behind": ("static int wa{n}, wb{n};\n",
                    "\tint *volatile two[2] = {{ &wa{n}, &wa{n} }};\n\n\ttwo[1 - (sink & 1) * (sink & 2 ? 0 : 0)] = &wb{n};\n\t*two[1] = in;\n\treturn wb{n} - {b} + {o};"),
    "word_state": ("static int wa{n}, wb{n};\n",
                   "\tint *volatile p = &wa{n};\n\tvolatile int state = 0;\n\n\twhile (state < 3) {{\n\t\tswitch (state) {{\n\t\tcase 0:\n\t\t\tstate = 2;\n\t\t\tbreak;\n\t\tcase 1:\n\t\t\t*p = in;\n\t\t\tstate = 3;\n\t\t\tbreak;\n\t\tdefault:\n\t\t\tp = &wb{n};\n\t\t\tstate = 1;\n\t\t}}\n\t}}\n\treturn wb{n} - {b} + {o};"),
    "word_middle": ("static int wa{n}, wb{n};\n",
                    "\tint *volatile p;\n\tvolatile int k = 0;\n\n\tif (sink & 1)\n\t\tgoto middle;\n\tp = &wa{n};\nagain:\n\t*p = 7;\nmiddle:\n\tp = &wb{n};\n\tif (k++ < 1)\n\t\tgoto again;\n\t*p = in;\n\treturn wb{n} - {b} + {o};"),
    "word_stack": ("static int wa{n}, wb{n};\nKEPT static void put{n}(int n1, int n2, int n3, int n4, int n5, int n6, int *p, int *q, int v)\n{{\n\tsink += n1 + n2 + n3 + n4 + n5 + n6;\n\tp = q;\n\t*p = v;\n}}\n",
                   "\tput{n}(1, 2, 3, 4, 5, 6, &wa{n}, &wb{n}, in);\n\treturn wb{n} - {b} + {o};"),
    "word_varied": ("static int wa{n}, wb{n};\nKEPT static void vput{n}(int v, int k, ...)\n{{\n\tva_list list;\n\tint *volatile p = &wa{n};\n\n\tva_start(list, k);\n\twhile (k--)\n\t\tp = va_arg(list, int *);\n\tva_end(list);\n\t*p = v;\n}}\n",
                    "\tvput{n}(in, 7, &wa{n}, &wa{n}, &wa{n}, &wa{n}, &wa{n}, &wa{n}, &wb{n});\n\treturn wb{n} - {b} + {o};"),
    "word_block": ("static int wa{n}, wb{n};\n",
                   "\tint *volatile p = &wa{n};\n\tchar *block = (char *)__builtin_alloca((size_t)(sink & 3) * 16 + 16);\n\n\tblock[0] = 1;\n\tp = &wb{n};\n\tmemset(block, 0, 16);\n\t*p = in;\n\treturn wb{n} - {b} + {o};"),
    "word_struct": ("static int wa{n}, wb{n};\nstruct ws{n} {{ int *to; long more; }};\nKEPT static struct ws{n} made{n}(void)\n{{\n\tstruct ws{n} x = {{ &wb{n}, 1 }};\n\n\treturn x;\n}}\n",
                    "\tvolatile struct ws{n} p = {{ &wa{n}, 0 }};\n\tstruct ws{n} got;\n\n\t*p.to = 7;\n\tgot = made{n}();\n\tp.to = got.to;\n\t*p.to = in;\n\treturn wb{n} - {b} + {o};"),
    "word_compared": ("static int wa{n}, wb{n};\n",
                      "\tint *volatile p = &wa{n}, *expected = &wa{n};\n\n\t__asm__ volatile(\"cmpxchgq %2, %0\" : \"+m\"(p), \"+a\"(expected) : \"r\"(&wb{n}) : \"memory\", \"cc\");\n\t*p = in;\n\treturn wb{n} - {b} + {o};"),
    "word_either": ("static int wa{n}, wb{n};\n",
                    "\tint *volatile p = &wa{n};\n\n\tif (in == {b})\n\t\tp = &wb{n};\n\twb{n} = {x};\n\t*p = {o};\n\treturn wb{n};"),
    "word_tail": ("static int wa{n}, wb{n};\nKEPT static int end{n}(int *p, int v)\n{{\n\t*p = v;\n\treturn wb{n};\n}}\n",
                  "\tint *volatile p = &wa{n};\n\n\tp = &wb{n};\n\treturn end{n}(p, in - {b} + {o});"),
    "jump_word": ("static int wa{n}, wb{n};\nstatic jmp_buf jo{n};\nKEPT static void out{n}(void)\n{{\n\tlongjmp(jo{n}, 1);\n}}\n",
                  "\tint *volatile p = &wa{n};\n\n\tif (!setjmp(jo{n})) {{\n\t\tp = &wb{n};\n\t\tout{n}();\n\t}}\n\t*p = in;\n\treturn wb{n} - {b} + {o};"),
}
CXX_WORD_LINKS = {
    "word_throws": ("static int wa{n}, wb{n};\nKEPT static void wth{n}(int v)\n{{\n\tif (v < 100)\n\t\tthrow v;\n}}\n",
                    "\tint *volatile p = &wa{n};\n\n\ttry {{\n\t\tp = &wb{n};\n\t\twth{n}(in);\n\t\tp = &wa{n};\n\t}} catch (int e) {{\n\t\t*p = e;\n\t}}\n\treturn wb{n} - {b} + {o};"),
    "word_lambda": ("static int wa{n}, wb{n};\n",
                    "\tint *volatile p = &wa{n};\n\tauto turn = [&p] {{ p = &wb{n}; }};\n\n\tbusy(1, 1);\n\tturn();\n\t*p = in;\n\treturn wb{n} - {b} + {o};"),
    "word_virtual": ("static int wa{n}, wb{n};\nstruct wv{n} {{ int *to = &wa{n}; virtual void turn(int *volatile *at) {{ *at = to; }} virtual ~wv{n}() {{}} }};\nstruct ww{n} : wv{n} {{ void turn(int *volatile *at) override {{ *at = &wb{n}; }} }};\nstatic ww{n} wx{n};\nstatic wv{n} *wy{n} = &wx{n};\n",
                     "\tint *volatile p = &wa{n};\n\n\twy{n}->turn(&p);\n\t*p = in;\n\treturn wb{n} - {b} + {o};"),
}
CXX_LINKS = {
    "throws": ("KEPT static void thr{n}(int v)\n{{\n\tif (v != {b})\n\t\tthrow v;\n\tsink++;\n}}\n",
               "\ttry {{\n\t\tthr{n}(in);\n\t}} catch (int) {{\n\t\treturn {x};\n\t}}\n\treturn {o};"),
    "thrown": ("KEPT static void giv{n}(int v)\n{{\n\tthrow v;\n}}\n", "\ttry {{\n\t\tgiv{n}(in);\n\t}} catch (int e) {{\n\t\treturn e - {b} + {o};\n\t}}\n\treturn 0;"),
    "which": ("KEPT static void whi{n}(int v)\n{{\n\tif (v == {b})\n\t\tthrow 1;\n\tthrow 1.5;\n}}\n",
              "\ttry {{\n\t\twhi{n}(in);\n\t}} catch (int) {{\n\t\treturn {o};\n\t}} catch (double) {{\n\t\treturn {x};\n\t}}\n\treturn 0;"),
    "unwound": ("static int un{n};\nstruct uw{n} {{ int v; ~uw{n}() {{ un{n} = v; }} }};\nKEPT static void uwi{n}(int v)\n{{\n\tuw{n} s = {{ v }};\n\n\tbusy(1, 1);\n\tthrow 2;\n}}\n",
                "\ttry {{\n\t\tuwi{n}(in);\n\t}} catch (int) {{\n\t}}\n\treturn un{n} - {b} + {o};"),
    "virtual": ("struct vb{n} {{ virtual int get() {{ return {o}; }} virtual ~vb{n}() {{}} }};\nstruct vd{n} : vb{n} {{ int get() override {{ return {x}; }} }};\nstatic vb{n} vx{n};\nstatic vd{n} vy{n};\nstatic vb{n} *vp{n};\n",
                "\tvp{n} = in == {b} ? &vx{n} : &vy{n};\n\tbusy(1, 2);\n\treturn vp{n}->get();"),
}


class Chains:
    def __init__(self, seed, throws):
        self.rng = random.Random(seed)
        self.throws = throws
        self.links = {**LINKS, **(CXX_LINKS if throws else {}), **(MORE_LINKS if seed >= MORE_FROM else {}), **(LATER_LINKS if seed >= LATER_FROM else {})}
        if seed >= WORDS_FROM:
            self.links = {**WORD_LINKS, **(CXX_WORD_LINKS if throws else {}), "branch": LINKS["branch"]}
        if seed >= ROWS_FROM:
            self.links = {**ROW_LINKS, "branch": LINKS["branch"]}
        if throws:  # where exceptions are, programs that jump as well are not sliced
            self.links = {k: v for k, v in self.links.items() if not k.startswith("jump")}
        self.stores = self.n = 0
        self.before, self.main = [], []

    def store(self, value):
        self.stores += 1
        return f"({value}) + P[{self.stores - 1}];"

    def link(self, b):
        """Its name, and what comes out."""
        n, self.n = self.n, self.n + 1
        o, x = self.rng.sample(range(8), 2)
        kind = self.rng.choice(sorted(self.links))
        before, inside = self.links[kind]
        cases = "".join(f"\tcase {k}:\n\t\tcs{n} = {o if k == b else 10 + k};\n\t\tbusy({k}, 1);\n\t\tbreak;\n" for k in range(8))
        calls = "".join(f"\tcase {k}:\n\t\treturn busy({k}, {k}) == 1 ? 1 : {o if k == b else 10 + k};\n" for k in range(8))
        ways = "".join(f"\tcase {k}:\n\t\twy{n} = {o if k == b else 10 + k};\n\t\tbusy({k}, 1);\n\t\tbreak;\n" for k in range(8))
        words = dict(n=n, ways=ways, b=b, o=o, x=x, cases=cases, calls=calls, t=", ".join(str(o if k == b else x) for k in range(8)))
        plain = self.rng.random() < 0.3 and "setjmp" not in inside
        self.before.append(before.format(**words) + f"{'' if plain else 'KEPT '}static int link{n}(int in) /* {kind} */\n{{\n{inside.format(**words)}\n}}\n")
        return f"link{n}", o

    def end(self, i, b):
        return self.rng.choice((f"\tassert(g{i} == {b});", f"\tif (g{i} != {b})\n\t\texit(3);", f"\tcheck({i}, g{i});", f"\tcheck({i}, g{i});", f"\tassert(g{i} < {b} + 1 && g{i} > {b} - 1);",
                                f"\tif (g{i} != {b})\n\t\tabort();", ""))

    def chain(self, i):
        b = self.rng.randrange(8)
        self.before.append(f"static int g{i};\n")
        self.main.append(f"\tg{i} = {self.store(b)}")
        for _ in range(self.rng.randrange(1, 4)):
            name, b = self.link(b)
            self.main.append(f"\tg{i} = {self.store(f'{name}(g{i})')}")
        self.main.append(self.end(i, b))

    def text(self):
        for i in range(self.rng.randrange(2, 6)):
            self.chain(i)
        head = HEAD % ("", self.stores)
        if not self.throws:
            head = head.replace('extern "C" void check(int id, int value);\n', "")
        return head + "\n" + "\n".join(self.before) + "\nint main(int argc, char **argv)\n{\n\tif (argc > 2)\n\t\tP[atoi(argv[1])] = atoi(argv[2]);\n" \
            + "\n".join(line for line in self.main if line) + "\n\treturn 0;\n}\n"
