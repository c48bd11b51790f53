#!/usr/bin/env python3
"""The reachable states of the systems of `benches/` by CUDD, through the package `dd`.

    python3 -m venv V && V/bin/pip install dd && V/bin/python benches/reach_dd.py SYSTEM [OPTIONS]

SYSTEM is one of `philosophers N`, `philosophers_atomic N`, `filter_lock N` and `net FILE` (the text form of `support/nets.rs`). The program
prints one line of JSON: the count as a string, the seconds (of the processor) of the exploration alone, and the peak of nodes.

What is done for a fair comparison: each action is a guard and an effect on its own variables, all else stays as it is.
An effect that assigns constants needs no copy of the variables: the image is `(exists written. S & guard) & effect`, one
`and_exists` and one conjunction. `--method relation` has relations over current and next variables instead, side by side in the
order; `--method closure` has one for each thread, the reflexive and transitive closure of its actions, which
suits the philosophers.
"""

import argparse
import itertools
import json
import sys
import time
import warnings

from dd import cudd


class System:
    """Variables in their order, each with its number of values and its first value, and actions.

    An action is two dictionaries: the values of variables that it needs, a tuple meaning any of them, and those that it
    gives. Instead of the first there may be a list of them, one of which has to fit.
    """

    def __init__(self):
        self.variables = []
        self.first = {}
        self.actions = []
        # How many actions in a row are those of one thread.
        self.group = 1

    def variable(self, name, size, first):
        self.variables.append((name, size))
        self.first[name] = first

    def action(self, guard, effect):
        self.actions.append((guard, effect))


def philosophers(n, atomic):
    """Of each: its left fork, then its location, whose numbers have neighbours differ in one bit.

    The last one's actions come first. The other way round n rounds are needed instead of three.
    """
    thinking, left_only, eating, right_only = 0, 1, 3, 2
    s = System()
    s.group = 3 if atomic else 4
    for i in range(n):
        s.variable(("fork", i), 2, 0)
        s.variable(("at", i), 4, thinking)
    for i in reversed(range(n)):
        at, left, right = ("at", i), ("fork", i), ("fork", (i + 1) % n)
        s.action({at: thinking, left: 0}, {at: left_only, left: 1})
        s.action({at: left_only, right: 0}, {at: eating, right: 1})
        if atomic:
            s.action({at: eating}, {at: thinking, left: 0, right: 0})
        else:
            s.action({at: eating}, {at: right_only, left: 0})
            s.action({at: right_only}, {at: thinking, right: 0})
    return s


def filter_lock(n):
    """As `models/classic/filter_lock.cor`. Who was last at level i stands above thread i.

    Of a dozen orders for 4 threads none was faster; with all of `last` at the bottom it takes 1.5 times, at the top 2.3 times as long.
    """
    s = System()
    locations = (n - 1) * (n + 3) + 1
    for i in range(n):
        if i > 0:
            s.variable(("last", i), n, 0)
        s.variable(("at", i), locations, 0)
        s.variable(("level", i), n, 0)
    for i in range(n):
        at, here = ("at", i), 0
        for level in range(1, n):
            last = ("last", level)
            s.action({at: here}, {at: here + 1, ("level", i): level})
            s.action({at: here + 1}, {at: here + 2, last: i})
            here += 2
            another = {at: here, last: tuple(j for j in range(n) if j != i)}
            for k in range(n):
                below = {at: here + k, ("level", k): tuple(range(level))}
                another = {**another, at: here + k}
                s.action({at: here + k} if k == i else [below, another], {at: here + k + 1})
            here += n
            s.action({at: here}, {at: here + 1})
            here += 1
        s.action({at: here}, {at: 0, ("level", i): 0})
    return s


def net(path):
    """A net: counters, and what transitions do with them."""
    s = System()
    with open(path, encoding="ascii") as file:
        top = int(next(file).split()[1])
        first = [int(v) for v in next(file).split()[1:]]
        transitions = [[(w[0], int(w[1:])) for w in line.split()] for line in file]
    for p, value in enumerate(first):
        s.variable(p, top + 1, value)
    for arcs in transitions:
        # For each place the pairs of values before and after.
        guard, moved = {}, []
        for sign, p in arcs:
            if sign == "-":
                moved.append([(p, v, v - 1) for v in range(1, top + 1)])
            elif sign == "+":
                moved.append([(p, v, v + 1) for v in range(top)])
            else:
                guard[p] = 0 if sign == "!" else tuple(range(1, top + 1))
        for choice in itertools.product(*moved):
            before = {p: v for p, v, _ in choice}
            s.action({**guard, **before}, {p: w for p, _, w in choice})
    return s


def alternatives(guard):
    """A guard as a list."""
    return guard if isinstance(guard, list) else [guard]


class Engine:
    """A system in CUDD: bits for its variables, and its actions ready to be fired."""

    def __init__(self, system, method, reorder):
        self.bdd = bdd = cudd.BDD()
        bdd.configure(reordering=reorder)
        self.bits = {}
        for k, (name, size) in enumerate(system.variables):
            self.bits[name] = [f"x{k}_{b}" for b in range((size - 1).bit_length())]
            for bit in self.bits[name]:
                bdd.declare(bit)
                if method != "constant":
                    bdd.declare(bit + "_")
                if method == "closure":
                    bdd.declare(bit + "__")
        self.current = [bit for bits in self.bits.values() for bit in bits]
        self.states = self.cube(system.first)
        self.touched = [
            set(effect).union(*alternatives(guard)) for guard, effect in system.actions
        ]
        self.fire = self.constant if method == "constant" else self.relation
        if method == "closure":
            groups = range(0, len(system.actions), system.group)
            self.actions = [self.closure(system.actions[k : k + system.group]) for k in groups]
            self.touched = [set().union(*self.touched[k : k + system.group]) for k in groups]
        else:
            self.actions = [self.prepare(*action, method) for action in system.actions]

    def cube(self, values, prime=""):
        """The states in which the variables have these values; a tuple of values means any of them."""
        result = self.bdd.true
        for name, value in values.items():
            one = self.bdd.false
            for v in value if isinstance(value, tuple) else (value,):
                one |= self.bdd.cube(
                    {bit + prime: bool(v >> b & 1) for b, bit in enumerate(self.bits[name])}
                )
            result &= one
        return result

    def prepare(self, guard, effect, method):
        written = [bit for name in effect for bit in self.bits[name]]
        enabled = self.bdd.false
        for alternative in alternatives(guard):
            enabled |= self.cube(alternative)
        if method == "constant":
            return enabled, written, self.cube(effect)
        relation = enabled & self.cube(effect, "_")
        return relation, written, {bit + "_": bit for bit in written}

    def same(self, bits):
        """These bits stay as they are."""
        result = self.bdd.true
        for bit in bits:
            result &= ~self.bdd.apply("xor", self.bdd.var(bit), self.bdd.var(bit + "_"))
        return result

    def closure(self, actions):
        """Any number of steps of these actions, by squaring."""
        names = set().union(*(set(e).union(*alternatives(g)) for g, e in actions))
        bits = [bit for name in self.bits if name in names for bit in self.bits[name]]
        steps = self.same(bits)
        for guard, effect in actions:
            relation, written, _ = self.prepare(guard, effect, "relation")
            steps |= relation & self.same([bit for bit in bits if bit not in written])
        before = None
        while steps != before:
            before = steps
            first = self.bdd.let({bit + "_": bit + "__" for bit in bits}, steps)
            second = self.bdd.let({bit: bit + "__" for bit in bits}, steps)
            steps = cudd.and_exists(first, second, [bit + "__" for bit in bits])
        return steps, bits, {bit + "_": bit for bit in bits}

    def constant(self, action):
        guard, written, effect = action
        return cudd.and_exists(self.states, guard, written) & effect

    def relation(self, action):
        relation, written, back = action
        return self.bdd.let(back, cudd.and_exists(self.states, relation, written))

    def chaining(self):
        """Every action in turn, on all that is known by then, until a whole round adds nothing."""
        before = self.bdd.false
        while before != self.states:
            before = self.states
            for action in self.actions:
                self.states |= self.fire(action)

    def worklist(self):
        """As above, but an action is fired again only after one that it shares a variable with has added states."""
        users = {}
        for k, names in enumerate(self.touched):
            for name in names:
                users.setdefault(name, []).append(k)
        waiting = [True] * len(self.actions)
        while any(waiting):
            for k, action in enumerate(self.actions):
                if not waiting[k]:
                    continue
                waiting[k] = False
                after = self.states | self.fire(action)
                if after != self.states:
                    self.states = after
                    for name in self.touched[k]:
                        for user in users[name]:
                            waiting[user] = user != k or waiting[user]

    def count(self):
        """The number of states, exactly: CUDD's own count is a floating-point number."""
        level = {self.bdd.level_of_var(bit): k for k, bit in enumerate(self.current)}
        rank = {lev: k for k, lev in enumerate(sorted(level))}
        total = len(rank)
        # What is below a node without its complement, over the variables from its own on.
        known, stack = {}, [abs(int(self.states))]
        nodes = {stack[0]: self.states}

        def below(child, at):
            if child == self.bdd.true:
                return 1 << (total - at)
            if child == self.bdd.false:
                return 0
            where = rank[child.level]
            value = known[abs(int(child))]
            if child.negated:
                value = (1 << (total - where)) - value
            return value << (where - at)

        while stack:
            key = stack[-1]
            node = ~nodes[key] if nodes[key].negated else nodes[key]
            _, low, high = self.bdd.succ(node)
            children = [c for c in (low, high) if c not in (self.bdd.true, self.bdd.false)]
            missing = [c for c in children if abs(int(c)) not in known]
            if missing:
                for child in missing:
                    nodes[abs(int(child))] = child
                    stack.append(abs(int(child)))
                continue
            stack.pop()
            at = rank[node.level] + 1
            known[key] = below(low, at) + below(high, at)
        return below(self.states, 0)


def main():
    parser = argparse.ArgumentParser(description="reachable states by CUDD")
    parser.add_argument("system", choices=["philosophers", "philosophers_atomic", "filter_lock", "net"])
    parser.add_argument("argument", help="the number of threads, or the file of a net")
    parser.add_argument("--strategy", choices=["chaining", "worklist"], default="worklist")
    parser.add_argument("--method", choices=["constant", "relation", "closure"], default="constant")
    parser.add_argument("--reorder", action="store_true", help="reorder dynamically")
    options = parser.parse_args()
    if options.system == "net":
        system = net(options.argument)
    elif options.system == "filter_lock":
        system = filter_lock(int(options.argument))
    else:
        system = philosophers(int(options.argument), options.system == "philosophers_atomic")
    engine = Engine(system, options.method, options.reorder)
    begin = time.process_time()
    getattr(engine, options.strategy)()
    seconds = time.process_time() - begin
    # A remark about a figure that is not used.
    warnings.simplefilter("ignore")
    figures = engine.bdd.statistics()
    # Counts of thousands of digits are what is asked for.
    sys.set_int_max_str_digits(0)
    line = {
        "system": f"{options.system} {options.argument}",
        "strategy": options.strategy,
        "method": options.method,
        "states": str(engine.count()),
        "seconds": round(seconds, 4),
        "peak_nodes": figures["peak_nodes"],
        "peak_live_nodes": figures["peak_live_nodes"],
        "nodes": len(engine.states),
    }
    print(json.dumps(line))


if __name__ == "__main__":
    main()
