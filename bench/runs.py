"""Runs the benchmark programs, round by round, and collects what they measured.

Samples are {benchmark: {field: [a value of each round]}}. A round runs every program once, each in a process of its own
and with its benchmarks in random order, so that a slow moment hits one sample of some figures and not all of one.
"""

import json
import os
import re
import subprocess
import threading
import time

