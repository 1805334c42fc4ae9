"""What a shared library shows, and what of it nobody was promised."""

import re
import subprocess

# The classes and functions of include/sluice that are not all inline. Parts, behind Limiter, is nobody's.
PROMISED = re.compile(r"^sluice::((Clock|Limit|Limiter|ManualClock|Rate|TokenBucket)::(?!Parts\b)[\w~]+(::[\w~]+)?=?|"
                      r"capacity_of|cost_of|describe|name_of|system_clock)(\[abi:cxx11\])?\(")
TYPE_OF_CLASS = re.compile(r"^(vtable|typeinfo|typeinfo name) for sluice::(Clock|ManualClock)$")
C_FUNCTION = re.compile(r"^SLUICE_EXPORT [^(]*?\b(sluice_\w+)\(", re.MULTILINE)


def shown_by(library):
    """The demangled names of the symbols that a shared library defines for others."""
    command = ["nm", "--dynamic", "--defined-only", "--demangle", library]
    output = subprocess.run(command, check=True, capture_output=True, text=True)
    return [line.split(maxsplit=2)[2] for line in output.stdout.splitlines()]


def problems(shown, header):
    """What is shown but not promised, and what the header of the C interface promises but is not shown."""
    promised = set(C_FUNCTION.findall(header))
    for symbol in shown:
        if symbol not in promised and not PROMISED.match(symbol) and not TYPE_OF_CLASS.match(symbol):
            yield f"the library shows {symbol}; hide it, or promise it in include/ and in tests/consumer/exports.py"
    for symbol in sorted(promised - set(shown)):
        yield f"sluice.h declares {symbol}, but the library does not show it; define it"
