#!/usr/bin/env python3
"""The reachable states of some of `models/classic/` by the compiled verifier of Spin.

    apt-get install spin gcc && python3 benches/reach_spin.py MODEL N [OPTIONS]

MODEL is `philosophers`, `philosophers_atomic`, `filter_lock` or, for two threads only, `peterson`; or `bank`, `counter`,
`stack` or `striped`, as in `benches/pays.rs`. With `--reduce` Spin leaves out orders and merges steps. The program prints
one line of JSON. `seconds` are what the verifier itself says, of the whole exploration and by the clock, so `load`
matters, the load average when it began. `processor_seconds` depend less on others; with several cores they are those of
the first process alone. `bytes_per_state` is the memory of the stored states, `bytes_per_state_all` has the hash table,
the stack and all else in it.

What is done for a fair comparison: the search is exhaustive and depth first, without partial order reduction and with states stored in full.
Each action is one transition, so the states are those of Coarsen. Threads are written out, each with constants for its
own number, and loops over constants are unrolled, which Spin is a little faster with than with `_pid` and local counters.
A first run tells how many states there are, how long they are and how deep the search goes; the second, with a hash table and a
stack of that size, is measured.
"""

import argparse
import json
import os
import pathlib
import re
import resource
import subprocess
import tempfile


def promela(declarations, threads):
    """A program whose threads repeat their steps for ever."""
    lines = [d + ";" for d in declarations]
    for i, steps in enumerate(threads):
        body = ";\n\t   ".join(steps)
        lines.append(f"active proctype thread{i}() {{\n\tdo\n\t:: {body}\n\tod\n}}")
    return "\n".join(lines) + "\n"


def idle(i):
    """A step of thread i that does nothing. Of two `skip` in a row Spin makes one step."""
    return f"(_pid == {i})"


def philosophers(n, atomic):
    threads = []
    for i in range(n):
        left, right = f"fork[{i}]", f"fork[{(i + 1) % n}]"
        take = [f"d_step {{ !{fork} -> {fork} = true }}" for fork in (left, right)]
        back = [f"{fork} = false" for fork in (left, right)]
        threads.append(take + ([f"d_step {{ {'; '.join(back)} }}"] if atomic else back))
    return promela([f"bool fork[{n}]"], threads)


def filter_lock(n):
    threads = []
    for i in range(n):
        steps = []
        for level in range(1, n):
            steps += [f"level[{i}] = {level}", f"last[{level}] = {i}"]
            for k in range(n):
                look = f"(level[{k}] < {level} || last[{level}] != {i})"
                steps.append(idle(i) if k == i else look)
            steps.append(idle(i))
        threads.append([*steps, f"level[{i}] = 0"])
    return promela([f"byte level[{n}]", f"byte last[{n}]"], threads)


def peterson():
    threads = []
    for i in range(2):
        threads.append(
            [
                f"flag[{i}] = true",
                f"turn = {1 - i}",
                f"(!flag[{1 - i}] || turn == {i})",
                "data = (data + 1) % 3",
                f"flag[{i}] = false",
            ]
        )
    return promela(["bool flag[2]", "byte turn", "byte data"], threads)


def lock(m, i):
    return f"atomic {{ {m} == 0 -> {m} = {i + 1} }}"


def any_of(variable, n):
    return "if " + " ".join(f":: {variable} = {v}" for v in range(n)) + " fi"


def processes(declarations, n, text):
    """Processes with what this text is for each."""
    lines = [d + ";" for d in declarations]
    lines += [f"active proctype thread{i}() {{ {text(i)} }}" for i in range(n)]
    return "\n".join(lines) + "\n"


def bank(n):
    def text(i):
        locked = f"t = acc[a]; if :: t > 0 && acc[b] < {2 * n} -> acc[a] = t - 1; acc[b] = acc[b] + 1 :: else fi"
        moved = f"{lock('m[a]', i)}; {lock('m[b]', i)}; {locked}; m[b] = 0; m[a] = 0"
        return f"byte a, b, t; do :: {any_of('a', n)}; {any_of('b', n)}; if :: a < b -> {moved} :: else fi od"

    return processes([f"byte m[{n}]", f"byte acc[{n}] = 2"], n, text)


def counter(n):
    return processes(["byte m", "byte x"], n, lambda i: f"byte t; {lock('m', i)}; t = x; x = t + 1; m = 0")


def stack(n):
    def text(i):
        begin = f"t = {i}; k = 0; do :: k < 3 -> k = k + 1 :: else -> break od"
        push = f"{lock('m', i)}; if :: top < 3 -> data[top] = t; top = top + 1 :: else fi; m = 0; t = 0"
        pop = f"{lock('m', i)}; if :: top > 0 -> top = top - 1; t = data[top]; data[top] = 0 :: else fi; m = 0"
        return f"byte t, k; do :: {begin}; {push}; {pop} od"

    return processes(["byte m", "byte top", "byte data[3]"], n, text)


def striped(n):
    def text(i):
        update = f"{lock('m[k]', i)}; t = x[k]; x[k] = (t + 1) % 4; m[k] = 0"
        return f"byte k, t, r; do :: {any_of('k', 2)}; {update}; r = 0; do :: r < 2 -> r = r + 1 :: else -> break od od"

    return processes(["byte m[2]", "byte x[2]"], n, text)


def compiled(folder, defines):
    """Compile the verifier that Spin has written into this folder."""
    command = ["gcc", "-O2", "-DSAFETY", "-DMEMLIM=8000"]
    command += ["-D" + define for define in defines]
    subprocess.run([*command, "-o", "pan", "pan.c"], cwd=folder, check=True)


def run(folder, depth, table):
    """What the verifier prints. It goes on after a deadlock, and counts deadlocks."""
    command = ["./pan", f"-m{depth}", f"-w{table}", "-c0"]
    result = subprocess.run(command, cwd=folder, check=True, text=True, capture_output=True)
    text = result.stdout + result.stderr
    for trouble in ("max search depth too small", "Search not completed"):
        if trouble in text:
            raise SystemExit(f"{text}\nreach_spin.py: {trouble}")
    return text


def processor():
    """The seconds of the processor that programs run from here have used so far."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def figure(pattern, text, kind=int):
    """The number that stands in the group of this pattern."""
    return kind(re.search(pattern, text)[1])


def bytes_each(words, text, states):
    """The megabytes before these words, shared among the states; without compression the verifier does not say them."""
    found = re.search(r"(\S+)\s+" + words, text)
    return round(float(found[1]) * (1 << 20) / states, 1) if found else None


def main():
    parser = argparse.ArgumentParser(description="reachable states by Spin")
    ours = {"bank": bank, "counter": counter, "stack": stack, "striped": striped}
    names = ["philosophers", "philosophers_atomic", "filter_lock", "peterson", *ours]
    parser.add_argument("model", choices=names)
    parser.add_argument("n", type=int, help="the number of threads")
    parser.add_argument("--cores", type=int, default=1)
    parser.add_argument("--depth", type=int, default=20_000_000, help="the longest path of the first run")
    parser.add_argument("--define", action="append", default=[], help="one more -D for gcc, such as BFS")
    parser.add_argument("--reduce", action="store_true", help="with partial order reduction and steps merged")
    parser.add_argument("--show", action="store_true", help="print the Promela text instead")
    options = parser.parse_args()
    if options.model == "peterson":
        if options.n != 2:
            parser.error("peterson is for two threads")
        text = peterson()
    elif options.model == "filter_lock":
        text = filter_lock(options.n)
    elif options.model in ours:
        text = ours[options.model](options.n)
    else:
        text = philosophers(options.n, options.model == "philosophers_atomic")
    if options.show:
        print(text, end="")
        return
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "model.pml").write_text(text, encoding="ascii")
        # Without -o3 Spin would merge steps.
        whole = [] if options.reduce else ["-o3"]
        options.define += [] if options.reduce else ["NOREDUCE"]
        command = ["spin", "-a", *whole, "model.pml"]
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        compiled(folder, options.define)
        first = run(folder, options.depth, 24)
        states = figure(r"(\d+) states, stored", first)
        if options.cores > 1:
            vector = figure(r"State-vector (\d+) byte", first)
            compiled(folder, [*options.define, f"NCORE={options.cores}", f"VMAX={vector + 4}"])
        load = os.getloadavg()[0]
        depth = figure(r"depth reached (\d+)", first) + 1000
        table = states.bit_length()
        before = processor()
        out = run(folder, depth, table)
        used = processor() - before
    if figure(r"(\d+) states, stored", out) != states:
        raise SystemExit(f"{out}\nreach_spin.py: another number of states than before")
    seconds = figure(r"elapsed time (\S+) seconds", out, float)
    line = {
        "model": f"{options.model} {options.n}",
        "cores": options.cores,
        "defines": options.define,
        "states": states,
        "transitions": figure(r"(\d+) transitions", out),
        "deadlocks": figure(r"errors: (\d+)", out),
        "seconds": seconds,
        "processor_seconds": round(used, 2),
        "states_per_second": round(states / seconds) if seconds else None,
        "bytes_per_state": bytes_each("actual memory usage for states", out, states),
        "bytes_per_state_all": bytes_each("total actual memory usage", out, states),
        "table": table,
        "load": round(load, 2),
    }
    print(json.dumps(line))


if __name__ == "__main__":
    main()
