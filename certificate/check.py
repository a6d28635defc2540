#!/usr/bin/env python3
"""Accepts or rejects certificates, as docs/certificates.md defines them.

    python3 check.py [--seconds N] FILE...

prints one line for each file. It exits with 0 if all files are accepted, with 1 if one is rejected, and with 2 if none
is given. A file is rejected if its check takes more than N seconds of processor time (120 by default) or 4 GiB of
memory, on systems that enforce such limits (Linux, macOS). The checker needs Python 3.8 and its standard library. It
shares no code with the program that writes certificates. It recomputes the problem from the statement: distances by
breadth-first search, laws by their rule, constraints from the query and ε. All bounds are computed in whole and
rational numbers, none in floating point. Probabilities of finite mechanisms are quotients of sums of powers of one
number v = e^(-unit). The signs of such sums are found exactly or from enclosures of up to 4096 bits; a certificate
that needs a comparison they leave undecided is rejected.

    written.py   parses numbers and keys, and limits their sizes
    real.py      enclosures of real numbers, exp and ln
    query.py     queries and their neighbors
    law.py       output laws of mechanisms, from their rules
    roots.py     polynomials on an interval: their roots and signs
    kinds.py     the module that checks each kind of statement
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

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # python -P and -I do not search this folder

from kinds import load, proved
from real import PRECISIONS, Undecided
from written import MAX_BITS, MAX_SCALED, Budget, Rejected, keys, need, not_whole, pairs_once, shown, small_whole, string

FORMAT = "dpworkbench certificate 1"
MAX_BYTES = 64 << 20  # size of a decompressed file in bytes
SECONDS = 120  # processor time for each file
MEMORY = 4 << 30  # memory for each file in bytes


def content(path):
    """Returns the bytes of a file, decompressed if its name ends in .gz."""
    try:
        with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise Rejected(f"cannot be read: {error}")
    need(len(data) <= MAX_BYTES, f"longer than {MAX_BYTES} bytes")
    return data


def read(path):
    """Returns the JSON value in a file. Its numbers must be integers."""
    data = content(path)
    try:
        text = data.decode("ascii")
        return json.loads(text, object_pairs_hook=pairs_once, parse_int=small_whole, parse_float=not_whole, parse_constant=not_whole)
    except UnicodeDecodeError as error:
        raise Rejected(f"not ASCII: byte {error.start}")
    except json.JSONDecodeError as error:
        raise Rejected(f"not JSON: {error}")


def check(path):
    """Returns in words what a certificate proves, or raises Rejected."""
    Budget.left, Budget.scaled = MAX_BITS, MAX_SCALED
    form, version, made, statement, digest, proof = keys(read(path), "the file", "format version made statement sha256 proof")
    need(form == FORMAT, f"format is not {FORMAT}")
    string(version, "version")
    said = [string(v, "made") for v in keys(made, "made", "", "call script") if v is not None]
    canonical = json.dumps(statement, sort_keys=True, separators=(",", ":"))
    need(digest == hashlib.sha256(canonical.encode()).hexdigest(), "sha256 is not that of the statement")
    return proved(statement, proof) + f" [said to be made by {shown(' at '.join(said) or 'nobody')}, version {shown(version)}]"


def verdict(path, check=check):
    """Returns whether a file is accepted, and what it proves or why it is rejected."""
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
    except Exception as error:  # an internal error also rejects the file
        return False, f"cannot be checked: {type(error).__name__}: {error}"


def bounded(path, seconds, check=check):
    """Returns the verdict of a child process with limits on processor time and memory, if the system has them."""
    if not resource:
        return verdict(path, check)
    out, into = os.pipe()
    child = os.fork()
    if not child:
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        except (ValueError, OSError):  # the system has a lower limit, or does not support limits
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
    except json.JSONDecodeError:  # the system ended the child process
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
