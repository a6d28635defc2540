#!/usr/bin/env python3
"""Accepts or rejects certificates, as docs/certificates.md defines them.

    python3 check.py [--seconds N] FILE...

prints one line a file and exits with 0 if all are accepted, with 1 if not, and
with 2 without a file. What takes more than N seconds of processor, 120 unless told, or
4 GiB of memory is rejected, where the system can tell (Linux, macOS). It needs Python 3.8 and its standard library, and shares
nothing with the program that writes certificates. The problem is made anew from
the statement: distances by breadth-first search, laws by their rule, constraints
from query and ε. No float takes part. What is not rational is a sum of powers of
one number v = e^(-unit), and the signs of such sums are found exactly or from
enclosures of up to 4096 bits; what those leave undecided is rejected.

    written.py   numbers and keys as they are written, and their limits
    real.py      enclosures of real numbers, exp and ln
    query.py     queries and their neighbors
    law.py       laws from their rules
    roots.py     polynomials on an interval: where they vanish, where they are negative
    kinds.py     which module checks which statements
"""

import gzip
import hashlib
import json
import os
import sys
import zlib

try:
    import resource
except ImportError:  # Windows
    resource = None

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # also where Python is told to leave this folder out

from kinds import load, proved
from real import PRECISIONS, Undecided
from written import MAX_BITS, MAX_SCALED, Budget, Rejected, keys, need, not_whole, pairs_once, shown, small_whole, string

FORMAT = "dpworkbench certificate 1"
MAX_BYTES = 64 << 20  # of a file, decompressed
SECONDS = 120  # of processor, for a file
MEMORY = 4 << 30  # bytes, for a file


def content(path):
    """The bytes of a file."""
    try:
        with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise Rejected(f"cannot be read: {error}")
    need(len(data) <= MAX_BYTES, f"longer than {MAX_BYTES} bytes")
    return data


def read(path):
    """The JSON object in a file."""
    data = content(path)
    try:
        text = data.decode("ascii")
        return json.loads(text, object_pairs_hook=pairs_once, parse_int=small_whole, parse_float=not_whole, parse_constant=not_whole)
    except UnicodeDecodeError as error:
        raise Rejected(f"not ASCII: byte {error.start}")
    except json.JSONDecodeError as error:
        raise Rejected(f"not JSON: {error}")


def check(path):
    """What a certificate proves, in words."""
    Budget.left, Budget.scaled = MAX_BITS, MAX_SCALED
    form, version, made, statement, digest, proof = keys(read(path), "the file", "format version made statement sha256 proof")
    need(form == FORMAT, f"format is not {FORMAT}")
    string(version, "version")
    said = [string(v, "made") for v in keys(made, "made", "", "call script") if v is not None]
    canonical = json.dumps(statement, sort_keys=True, separators=(",", ":"))
    need(digest == hashlib.sha256(canonical.encode()).hexdigest(), "sha256 is not that of the statement")
    return proved(statement, proof) + f" [said to be made by {shown(' at '.join(said) or 'nobody')}, version {shown(version)}]"


def verdict(path, check=check):
    """Whether a file is accepted, and why."""
    try:
        return True, check(path)
    except Rejected as error:
        return False, str(error)
    except Undecided:
        return False, f"undecided with {PRECISIONS[-1]} bits"
    except RecursionError:
        return False, "nested too deeply"
    except (MemoryError, OverflowError):
        return False, "too large"
    except Exception as error:  # a fault of this program accepts nothing either
        return False, f"cannot be checked: {type(error).__name__}: {error}"


def bounded(path, seconds, check=check):
    """The verdict of a child process that may take so much time and memory."""
    if not resource:
        return verdict(path, check)
    out, into = os.pipe()
    child = os.fork()
    if not child:
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        except (ValueError, OSError):  # the system has a lower limit, or none that can be set
            pass
        try:
            with os.fdopen(into, "w") as answer:
                json.dump(verdict(path, check), answer)
        finally:
            os._exit(0)
    os.close(into)
    with os.fdopen(out) as answer:
        said = answer.read()
    os.waitpid(child, 0)
    try:
        return json.loads(said)
    except json.JSONDecodeError:  # it was ended
        return False, f"takes more than {seconds} seconds or {MEMORY} bytes"


def main(paths, name="check.py", check=check):
    seconds = SECONDS
    if len(paths) > 1 and paths[0] == "--seconds" and paths[1].isdecimal():
        seconds, paths = max(1, int(paths[1])), paths[2:]
    if not paths:
        print(f"usage: {name} [--seconds N] FILE...", file=sys.stderr)
        return 2
    if len(paths) > 1:
        load()
    accepted = True
    for path in paths:
        good, words = bounded(path, seconds, check)
        accepted &= good
        line = f"{path}: {'accepted' if good else 'rejected'}: {words}"
        print(" ".join(line.split()).encode("ascii", "backslashreplace").decode(), flush=True)
    return 0 if accepted else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
