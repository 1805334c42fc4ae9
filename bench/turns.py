"""Measures by turns what is compared: a short load on each, one after the other, again and again.

The speed of a machine wanders over tens of seconds; what is measured in one turn meets the same machine. Samples are as
in runs.py, with a value of each turn, and those of one turn belong together: figures.py takes their ratios.
"""

import collections

import runs


class Turns:
    def __init__(self, shown):
        self.shown = shown
        self.samples = {}
        self.taken = collections.Counter()

    def take(self, count, measures):
        """`measures` is {benchmark: a function that puts load on it and returns {field: value}}."""
        for _ in range(count):
            for benchmark in self.next_order(tuple(measures)):
                runs.add(self.samples, {benchmark: measures[benchmark]()})
                self.shown.step(benchmark)

    def next_order(self, benchmarks):
        """By turns the first: a machine that gets slower must not decide it. Goes on from where the last round was."""
        self.taken[benchmarks] += 1
        return benchmarks if self.taken[benchmarks] % 2 else benchmarks[::-1]
