"""Turns on a machine that is made up: who is measured when, and what a change of speed does to the ratios."""

import io
import unittest

import figures
import progress
import turns

FIGURE = figures.Figure("cost", "ours", "cpu_us", "us", beside="theirs", compare=figures.COST)


class Machine:
    """Each load takes a second; the machine is as slow as `slowness` says of that second."""

    def __init__(self, slowness):
        self.slowness = slowness
        self.loaded = []

    def load(self, name, cpu_us):
        def measure():
            self.loaded.append(name)
            return {"cpu_us": cpu_us * self.slowness(len(self.loaded))}
        return measure

    def both(self):
        return {"ours": self.load("ours", 1.5), "theirs": self.load("theirs", 1.0)}


class ByTurns(unittest.TestCase):
    def setUp(self):
        self.turns = turns.Turns(progress.Progress(io.StringIO()))

    def ratio(self):
        return figures.row_of(FIGURE, self.turns.samples).ratio

    def test_the_order_is_reversed_every_other_turn(self):
        machine = Machine(lambda second: 1)
        self.turns.take(3, machine.both())
        self.assertEqual(machine.loaded, ["ours", "theirs", "theirs", "ours", "ours", "theirs"])

    def test_it_goes_on_being_reversed_from_round_to_round_whatever_else_is_measured(self):
        machine = Machine(lambda second: 1)
        for _ in range(2):
            self.turns.take(1, machine.both())
            self.turns.take(3, {"other": machine.load("other", 1)})
        self.assertEqual([name for name in machine.loaded if name != "other"], ["ours", "theirs", "theirs", "ours"])

    def test_the_samples_of_a_benchmark_are_in_the_order_of_its_turns(self):
        self.turns.take(2, Machine(lambda second: second).both())
        self.assertEqual(self.turns.samples, {"ours": {"cpu_us": [1.5, 6.0]}, "theirs": {"cpu_us": [2.0, 3.0]}})

    def test_a_machine_that_slows_down_in_the_middle_of_a_turn_changes_no_ratio(self):
        self.turns.take(5, Machine(lambda second: 1 if second < 6 else 2).both())
        self.assertEqual(self.ratio(), "1.50x the cost")

    def test_a_machine_that_gets_slower_all_the_while_favours_nobody(self):
        self.turns.take(4, Machine(lambda second: 1 + second / 100).both())
        self.assertEqual(self.ratio(), "1.50x the cost")


if __name__ == "__main__":
    unittest.main()
