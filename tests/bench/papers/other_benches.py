# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables that other benchmarks measure: they are run, and their lines stand beside the papers' figures."""
import os
import re
import subprocess
import sys
import tempfile

from tables import Table, verdict

LONGEST_BENCH = 900  # seconds for a benchmark
LONGEST = 5  # seconds for a search of predicate dependence; the papers gave two hours


def lines(command, **environment):
    """What a benchmark prints, line by line: name, value, unit."""
    done = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, **environment), timeout=LONGEST_BENCH)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
    return [line.split('\t') for line in done.stdout.splitlines()]


def bench(o, name, **environment):
    """All parts of it: ours have other names."""
    return lines([os.path.join(o.source, 'tests/bench', name, 'run'), o.build], PARTS='', **environment)


# ---- [CVT13], figure 6

def figure6(o):
    with tempfile.TemporaryDirectory() as place:
        out = os.path.join(o.figures or place, 'figure6.svg')
        printed = lines([os.path.join(o.source, 'script/figure6'), o.build, out])
    needed = {}
    for line in printed:
        name, points = line[0].split(': ', 1)
        needed[name] = {int(x): float(y) for x, y in (p.split(': ') for p in points.split(', '))}
    table = Table('accesses to the other variable', 'PCT', 'PCTVB', 'paper', '')
    for times in needed['PCT']:
        pct, pctvb = needed['PCT'][times], needed['PCTVB'][times]
        paper = 'PCTVB needs fewer the rarer the variable is' if times == max(needed['PCT']) else ''
        table.add(times, f'{pct:.1f}', f'{pctvb:.1f}', paper, verdict(pctvb < pct, f'PCTVB needs {pctvb / pct:.1f} times as many') if paper else '')


# ---- [AGA14], table 2 and figures 12 and 13

HOW = ['dpor', 'predicated', 'assertions only', '+ reads-from']
ROW = re.compile(r'(\w+ \d+)' + r' +(>?\d+) +([\d.]+)' * len(HOW))
PAPER = {'indexer': 'one run with critical sections seen through, dpor exponential', 'indexer_mutex': 'one run with critical sections seen through, dpor exponential',
         'hash_table': 'fewer runs than dpor, and slower growth', 'skip_list': 'fewer runs than dpor', 'allocator': 'ends where dpor does not', 'scanner': 'ends where dpor does not'}


def judge_runs(name, runs):
    """[AGA14] says in words how the columns compare; its digits are not in the text that we have."""
    best, whole = runs['+ reads-from'], runs['dpor']
    if best.startswith('>'):
        return verdict(False, f'not complete after {best[1:]} runs')
    if name.startswith('indexer'):
        return verdict(best == '1', f'{best} runs')
    return verdict(whole.startswith('>') or int(best) < int(whole), f'{best} runs, dpor {whole}: nothing of it is left out')


def predicate(o):
    rows = [ROW.fullmatch(line[0].rstrip()) for line in bench(o, 'predicate', SECONDS_EACH=str(int(o.seconds or LONGEST)))]
    table = Table('program', *[f'{how}: runs (s)' for how in HOW], 'paper', '')
    for row in filter(None, rows):
        program, cells = row[1], row.groups()[1:]
        name, runs = program.split()[0], dict(zip(HOW, cells[::2]))
        said = PAPER.get(name, '')
        table.add(program, *[f'{n} ({s})' for n, s in zip(cells[::2], cells[1::2])], said, judge_runs(name, runs) if said else '')
    if not table.rows:
        sys.exit('script/bench predicate prints no row that can be read')


# ---- [CONCBUGASSIST15], table 5.2

SECONDS = {'boop': 1.2, 'testc': 0.7, 'fibbench': 36.0, 'fibbench_longer': 106.6, 'reorder': 19.9, 'account': 6.4, 'read_write': 121.0, 'barrier': 5.5, 'lazy01': 11.9,
           'vectprime02': 2.39, 'lineeq2t01': 4.83, 'linux_tg3': 5.6, 'linux_iio': 2.5, 'mysql_169': 1.1, 'mysql_12848': 2.5, 'mysql_3596': 1.1, 'mysql_644': 1.0,
           'apache_21287': 1.7, 'apache_25520': 7.9, 'freebsd_aa': 22.4, 'cherokee_092': 6.9, 'llvm_8441': 17.4, 'gcc_25330': 1.2, 'gcc_3584': 1.8, 'gcc_21334': 6.4,
           'gcc_40518': 1.4, 'transmission_142': 1.2, 'glib_512624': 8.7, 'jetty_1187': 1.8, 'mozilla_61369': 0.8, 'hash_table': 112.0, 'list_seq': 13.6, 'counter_seq': 1.2,
           'queue_seq': 7.6}


def explain(o):
    """The programs of tests/e2e/cores alone: the corpus of tests/bench/explain is an empty directory here."""
    script = os.path.join(o.source, 'tests/bench/explain/explain.py')
    with tempfile.TemporaryDirectory() as empty:
        printed = lines([sys.executable, script, o.build, os.path.join(o.source, 'tests/e2e/cores'), empty])
    table = Table('program', 'paper, s', 'hunt and diagnosis, s', 'runs', 'cores', '')
    for name, value, *_ in printed:
        row = re.fullmatch(r'(\w+): (\d+) runs for (\d+) cores?', name)
        if row:
            paper = SECONDS.get(row[1])
            table.add(row[1], paper or 'not in it', value, row[2], row[3], verdict(float(value) <= paper, f'{value} s') if paper else '')
        elif name.startswith('together'):
            table.add(name, sum(SECONDS.values()), value, '', '', verdict(float(value) <= sum(SECONDS.values()), f'{value} s'))
