"""Runs the built program in surroundings that no developer's shell leaks into."""

import os
import subprocess

SLUICE = os.environ["SLUICE"]


def environment(**extra):
    return {"PATH": os.defpath, "LC_ALL": "C.UTF-8", **extra}


def run(*arguments, **extra_environment):
    return subprocess.run(
        [SLUICE, *arguments], capture_output=True, encoding="utf-8", env=environment(**extra_environment), timeout=60
    )


def simulate(*arguments, rate="10", burst="50", arrivals="60/s for 2s", **extra_environment):
    options = ["--rate", rate, "--burst", burst, "--arrivals", arrivals]
    return run("simulate", *options, *arguments, **extra_environment)
