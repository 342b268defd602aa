# SPDX-License-Identifier: GPL-2.0-or-later
"""Random C programs: those of make_program.py that jump back to where main, or the thread, has begun."""
from make_program import Program

PLACE = "#include <setjmp.h>\n\nstatic __thread jmp_buf home;\nstatic __thread volatile int is_home;\n"


class Jumping(Program):
    def statement(self, inside, depth, tabs):
        if inside and self.rng.random() < 0.08:
            return [f"{tabs}if (is_home && ({self.condition(inside)}))", f"{tabs}\tlongjmp(home, ({self.value(inside, 1)}) & 7);"]
        return super().statement(inside, depth, tabs)

    def text(self):
        head, main = super().text().split("\nint main(", 1)
        head = head.replace("#include <string.h>\n", "#include <string.h>\n" + PLACE, 1)
        k = self.stores
        head = head.replace("volatile int P[%d];" % (k + 1), "volatile int P[%d];" % (k + 3))
        work = f"\tis_home = 1;\n\tif (setjmp(home) == 3) {{\n\t\tg2 = (g1) + P[{k}];\n\t\tassert(0);\n\t\treturn NULL;\n\t}}\n\tis_home++;\n\tis_home &= 3;\n"
        head = head.replace("\tg3 = *n;\n", "\tg3 = *n;\n" + work, 1)
        back = f"\tis_home = 1;\n\tif (setjmp(home) > 1) {{\n\t\tis_home = 0;\n\t\tassert(0);\n\t\tg4 = (g5) + P[{k + 1}];\n\t}}\n\tif (is_home)\n\t\tis_home = (is_home + 1) & 3;\n"
        return head + "\nint main(" + main.replace("\tfp = f0;\n", "\tfp = f0;\n" + back, 1)
