#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""users.py BIN_DIR SECONDS PROGRAM...: correct programs of users' kind. A hunt of so many seconds reports nothing and ends in
time; one that is interrupted ends at once."""
import signal
import time

from e2e import PATIENCE, Failed, Place, check, children, main, need, wait_until

FINE = {"none", "sequential", "timeout"}  # timeout: a run that waits for what vtb does not see is undecided, exit 3
LATE = 2  # seconds that a hunt may take beyond its time, besides its start and one run
CTRL_C = 2  # seconds from SIGINT to the end


def hunt(place, program, *options, seconds):
    return place.run("vtb", "hunt", "--seed=1", *options, "--json", "--", program, timeout=seconds + 60)


def no_alarm(place, program, seconds):
    one = hunt(place, program, "--budget=1", "--time=60", seconds=60)
    ran = hunt(place, program, f"--time={seconds}", seconds=seconds)
    got = ran.json()
    check(ran.code in (0, 3) and not got["findings"], f"{program}: exit {ran.code}, verdict {got['verdict']}", ran)
    check(got["verdict"] in FINE, f"{program}: verdict {got['verdict']}", ran)
    check(got["verdict"] != "timeout" or ran.code == 3, f"{program}: undecided, and exit {ran.code}", ran)
    most = (seconds + LATE + one.seconds) * PATIENCE
    check(ran.seconds < most, f"{program}: took {ran.seconds:.1f} s of {most:.1f}", ran)


def code_after_ctrl_c(place, program, seconds, after):
    # random: it would go on, and is not about to end by itself when the signal comes
    hunting = place.start("vtb", "hunt", "--strategy=random", f"--time={10 * seconds}", "--json", "--", program)
    wait_until(lambda: children(hunting.pid) or hunting.poll() is not None, "it is at work")
    time.sleep(after)
    begin = time.monotonic()
    hunting.send_signal(signal.SIGINT)
    try:
        hunting.communicate(timeout=60 * PATIENCE)
    except Exception as e:
        raise Failed(f"{program}: not over 60 s after SIGINT: {e}")
    took = time.monotonic() - begin
    check(took < CTRL_C * PATIENCE, f"{program}: over {took:.1f} s after SIGINT")
    return hunting.returncode


def ends_at_ctrl_c(place, program, seconds):
    # some are complete after a second by any strategy: when a hunt is over signals are as they were, and it must not be met just there twice
    codes = [code_after_ctrl_c(place, program, seconds, seconds / 2)]
    if codes[0] == -signal.SIGINT:
        codes.append(code_after_ctrl_c(place, program, seconds, seconds / 8))
    check(codes[-1] in (0, 3), f"{program}: exit {codes} after SIGINT")


def test(bin_dir, seconds, program):
    need(program)
    with Place(bin_dir) as place:
        no_alarm(place, program, int(seconds))
        ends_at_ctrl_c(place, program, int(seconds))
        place.none_left()


main(test)
