"""Measures calls, arrays and objects: python python/bench.py

It prints processor time beside elapsed time, which depends on what else the machine does."""

import os
import platform
import time

import dpworkbench as wb
import numpy as np


def spent(worker):
    """Returns the processor time in seconds of Python and of the workbench, if the system reports the latter."""
    own = time.process_time()
    try:
        with open(f"/proc/{worker.process.pid}/stat") as f:
            fields = f.read().rsplit(")", 1)[1].split()
        return own + (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except OSError:
        return own


def measure(session, f, times):
    worker = session._worker
    clock, cpu = time.perf_counter(), spent(worker)
    for _ in range(times):
        f()
    return (time.perf_counter() - clock) / times, (spent(worker) - cpu) / times


def main():
    with wb.Session() as session:
        start = time.perf_counter()
        g = wb.graphs(5)
        print(f"Python {platform.python_version()}, NumPy {np.__version__}, {os.cpu_count()} processors")
        print(f"first call, with the start of the program: {1e3 * (time.perf_counter() - start):.0f} ms")
        q = g.count("triangle")
        m = wb.purest(q, 1)
        for name, f in {
            "an attribute (g.size)": lambda: g.size,
            "a method (g.distance(0, 3))": lambda: g.distance(0, 3),
            "evidence (m.smallest_epsilon)": lambda: m.smallest_epsilon,
        }.items():
            clock, cpu = measure(session, f, 5000)
            print(f"{name}: {1e6 * clock:.0f} µs by the clock, {1e6 * cpu:.0f} µs of processor")
        calls = []
        cells = list(range(2000))
        clock, cpu = measure(session, lambda: wb.sweep(cells, lambda i: calls.append(i) or i), 1)
        print(f"a callback: {1e6 * clock / len(cells):.0f} µs by the clock, {1e6 * cpu / len(cells):.0f} µs of processor")
        for n in (100, 1000, 2000):
            a = np.random.default_rng(1).random((n, n))
            session.evaluate("x = 0", x=0)
            there, _ = measure(session, lambda: session.evaluate("None", x=a), 5)
            back, _ = measure(session, lambda: session.evaluate("x"), 5)
            print(f"a matrix of {a.nbytes / 1e6:.1f} MB: {a.nbytes / 1e6 / there:.0f} MB/s to the workbench, {a.nbytes / 1e6 / back:.0f} MB/s from it")
        floats = np.random.default_rng(1).random(10**6).tolist()
        there, _ = measure(session, lambda: session.evaluate("None", x=floats), 2)
        back, _ = measure(session, lambda: session.evaluate("x"), 2)
        print(f"a list of 10⁶ floats: {8 / there:.0f} MB/s to the workbench, {8 / back:.0f} MB/s from it")
        start = time.perf_counter()
        many = [wb.purest(q, 1) for _ in range(10**5)]
        made = time.perf_counter() - start
        print(f"10⁵ objects alive: {made:.1f} s to make ({10 * made:.0f} µs each), {len(session._worker.objects)} held")
        start = time.perf_counter()
        del many
        g.size
        print(f"and let go: {1e3 * (time.perf_counter() - start):.0f} ms, {len(session._worker.objects)} held")


main()
