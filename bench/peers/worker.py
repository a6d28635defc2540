"""Runs a function of a peer once for every line of standard input: worker.py MODULE FUNCTION SIZE

The first line of input is JSON, the function's second argument beside the size. The function prepares and returns the
function to be timed. Output: "ready" and the version; then a line for each run, with its seconds, the number it
returns, the peak memory in bytes and the processor seconds. If the peer is not installed: "absent" and why."""

import importlib
import json
import os
import sys
import time

try:
    from resource import RUSAGE_SELF, getrusage
except ImportError:  # not Unix
    peak = lambda: 0
else:
    peak = lambda: getrusage(RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def main(module, function, size):
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print

    def say(*words):
        print(*words, file=out, flush=True)

    handed = json.loads(sys.stdin.readline())
    try:
        peer = importlib.import_module(module)
        run = getattr(peer, function)(int(size), handed)
    except (ImportError, FileNotFoundError) as error:
        say("absent", "not installed:", getattr(error, "name", None) or str(error).splitlines()[0])
        return
    say("ready", peer.VERSION)
    for _ in sys.stdin:
        start, before = time.perf_counter(), time.process_time()
        value = run()
        say(time.perf_counter() - start, float(value), peak(), time.process_time() - before)


main(*sys.argv[1:])
