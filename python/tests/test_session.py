"""Tests of processes, interrupts, callbacks and the lifetime of objects."""

import asyncio
import copy
import gc
import multiprocessing
import operator
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import dpworkbench as wb
import numpy as np
import pytest

posix = pytest.mark.skipif(os.name != "posix", reason="signals and forks of POSIX")


class Striking:
    """A standard output whose first line is answered with Ctrl-C."""

    def __init__(self):
        self.text = ""

    def write(self, text):
        if not self.text:
            os.kill(os.getpid(), signal.SIGINT)
        self.text += text

    def flush(self):
        pass


def python(source, **env):
    return subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, env={**os.environ, **env}, timeout=300)


def test_import_starts_nothing():
    done = python("import dpworkbench as wb; assert not wb._session._workers; print(len(wb.__all__) > 150)", DPWORKBENCH_BINARY="/nowhere")
    assert done.stdout == "True\n", done.stderr


def test_no_program():
    done = python("import dpworkbench as wb\ntry: wb.ln(3)\nexcept wb.Error as e: print(e)", DPWORKBENCH_BINARY="/nowhere/workbench")
    assert done.stdout == "/nowhere/workbench cannot be started: No such file or directory\n", done.stderr


@posix
@pytest.mark.parametrize("source", ["print('on')\nwhile True: pass", "print('on')\ngraphs(10)", "print('on')\nuniform(10000000)\ngraphs(10)"])
def test_interrupt(session, monkeypatch, source):
    g = session.call("graphs", 3)
    monkeypatch.setattr(sys, "stdout", Striking())
    with pytest.raises(KeyboardInterrupt):
        session.evaluate(source)
    monkeypatch.undo()
    assert g.size == 4  # the session and its objects are kept
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@posix
def test_interrupt_says_what_is_known(session, monkeypatch):
    q = wb.graphs(7).count("triangle")
    monkeypatch.setattr(session, "_progressed", lambda p: p["done"] and signal.raise_signal(signal.SIGINT))
    for _ in range(10):  # a slow machine may miss some of them
        with pytest.raises(KeyboardInterrupt, match="^interrupted") as e:
            wb.optimal(q, 1)
        if "the optimum lies in [" in str(e.value):
            break
    assert re.match(r"interrupted after \d+ steps?: the optimum lies in \[.+, .+\]$", str(e.value)), e.value
    monkeypatch.undo()
    with pytest.raises(KeyboardInterrupt, match="^stop$"):  # the handler's message is kept
        wb.sweep([1], lambda _: signal.signal(signal.SIGINT, stop) and os.kill(os.getpid(), signal.SIGINT))


def stop(*_):
    signal.signal(signal.SIGINT, signal.default_int_handler)
    raise KeyboardInterrupt("stop")


FRAMES = """import dpworkbench as wb
def family(e):
    return {}[e] if how == "own" else wb.laplace(wb.graphs(3).count("edge"), -1)
how = HOW
import threading
wb.ln(-1) if how == "plain" else threading.Thread(target=lambda: wb.ln(-1)).start() if how == "thread" else wb.ln(3).sice if how == "attribute" else wb.ln(3) / 0 if how == "operator" else wb.calibrate(family, 1)
"""


RAISED = [
    ("plain", 1, "dpworkbench.ParameterError: ln: x"),
    ("thread", 3, "dpworkbench.ParameterError: ln: x"),
    ("attribute", 1, "dpworkbench.NoAttribute: evidence has no .sice"),
    ("operator", 1, "dpworkbench.ParameterError: division by"),
    ("callback", 2, "dpworkbench.ParameterError: laplace: eps = -1"),
    ("own", 2, "KeyError: "),
]


@pytest.mark.parametrize("how, lines, last", RAISED)
def test_tracebacks_hold_no_frames_of_the_package(how, lines, last):
    said = python(FRAMES.replace("HOW", repr(how))).stderr
    assert said.count("File ") == lines and "dpworkbench/" not in said and said.splitlines()[-1].startswith(last), said


@posix
def test_interrupt_in_a_callback(session):
    def family(e):
        os.kill(os.getpid(), signal.SIGINT)
        raise AssertionError("the interrupt comes first")

    with pytest.raises(KeyboardInterrupt, match="^interrupted"):
        wb.calibrate(family, 1)
    assert wb.ln(3).kind == "exact"

    def objective(d):
        if seen.append(d) or len(seen) == 5:
            signal.raise_signal(signal.SIGINT)
        return d.element_sd

    seen = []
    with pytest.raises(KeyboardInterrupt, match=r'^interrupted after \d trials; evaluate\("_"\) is the best so far'):
        wb.mvg_search(wb.box_sensitivity(2, 100, [1, 10]), 1, 1e-5, objective, trials=60, axes="given")
    assert 5 < float(wb.evaluate("_").design.element_sd) < 100


@posix
def test_interrupt_of_a_study_is_no_failed_trial(session):
    seen = []

    def objective(t):
        seen.append(t.suggest_float("x", 0, 1))
        os.kill(os.getpid(), signal.SIGINT)
        return 1.0

    with pytest.raises(KeyboardInterrupt):
        wb.study("a").optimize(objective, trials=1000)
    assert len(seen) == 1


def test_interrupt_from_another_thread(session):
    def strike(_):
        threading.Thread(target=session.interrupt).start()
        return 1

    with pytest.raises(KeyboardInterrupt):
        session.evaluate("f(0)\nwhile True: pass", f=strike)
    assert wb.ln(3).kind == "exact"


def test_exit_from_a_callback(session):
    def leave(_):
        sys.exit(3)

    with pytest.raises(SystemExit) as e:
        wb.calibrate(leave, 1)
    assert e.value.code == 3
    assert wb.ln(3).kind == "exact"


@posix
def test_death(session):
    g = wb.graphs(3)
    os.kill(session._worker.process.pid, signal.SIGKILL)
    with pytest.raises(wb.WorkerError, match="SIGKILL"):
        g.size
    with pytest.raises(wb.EndedError):
        g.size
    assert "ended" in repr(g)
    assert wb.graphs(3).size == 4
    with pytest.raises(wb.EndedError):
        wb.purest(g, 1)


@posix
def test_death_in_a_callback(session):
    def strike(e):
        os.kill(session._worker.process.pid, signal.SIGKILL)
        return wb.laplace(q, e)

    q = wb.graphs(3).count("edge")
    with pytest.raises(wb.WorkerError):
        wb.calibrate(strike, 1)
    assert wb.graphs(3).size == 4


def test_frames_that_are_none_end_the_process(session):
    worker = (wb.ln(3), session._worker)[1]
    worker.to.write(b"\xff" * 13)
    with pytest.raises(wb.WorkerError):
        wb.ln(3)
    assert wb.ln(3).kind == "exact"


@posix
def test_fork(session):
    g = wb.graphs(3)
    r, w = os.pipe()
    child = os.fork()
    if not child:
        said = "nothing"
        try:
            g.size
        except wb.EndedError as e:
            said = str(e)
        try:
            said += f"; {wb.graphs(4).size}"
        except BaseException as e:
            said += repr(e)
        os.write(w, said.encode())
        wb._session._end()
        os._exit(0)
    os.close(w)
    with os.fdopen(r) as f:
        said = f.read()
    os.waitpid(child, 0)
    assert said == f"this object belongs to the workbench of process {os.getpid()}, of which this one is a fork: make it anew here; 11"
    assert g.size == 4


def test_threads(session):
    out, threads = [], []

    def work(i):
        q = session.call("graphs", 3).count("edge")
        for _ in range(50):
            out.append((i, session.call("purest", q, 1).distortion(0).value))

    for i in range(4):
        threads.append(threading.Thread(target=work, args=(i,)))
        threads[-1].start()
    for t in threads:
        t.join()
    assert len(out) == 200 and len({v for _, v in out}) == 1


def test_a_session_in_a_with_statement():
    with wb.Session(seed=5) as s:
        first = wb.uniform(3)
        assert first == s.evaluate("uniform(3)") == wb.uniform(3, seed=5)
    assert wb.uniform(3) != first
    with pytest.raises(wb.EndedError, match="closed"):
        s.evaluate("1")


def test_objects_of_two_sessions():
    with wb.Session():
        q = wb.graphs(3).count("edge")
        with wb.Session():
            assert q.size == 4  # of its own session
            assert wb.purest(q, 1).query.size == 4
            with pytest.raises(wb.EndedError, match="no value of another"):
                wb.current().call("purest", q, 1)


def test_a_folder_that_changes(session, folder):
    wb.ln(3)
    (folder / "a").mkdir()
    os.chdir(folder / "a")
    wb.matrix([[1, 2]]).save("m.csv")
    assert (folder / "a" / "m.csv").read_text() == "1.0,2.0\n"
    assert wb.read_csv(folder / "a" / "m.csv") == [[1.0, 2.0]]
    with pytest.raises(FileNotFoundError):
        wb.read_csv("missing.csv")


# Callbacks


def test_functions(session):
    q = wb.graphs(3).count("triangle")
    seen = []
    m = wb.delta_neighborhood(q, 1, lambda x: seen.append(x) or 0)
    assert seen == [0, 1, 2, 3]
    assert m.distortions() == wb.purest(q, 1).distortions()
    two = wb.finite_query({"a": 0, "b": 2}, edges=lambda x, y: True)
    assert two.neighbors("a") == ["b"]
    t = wb.finite_mechanism(two, lambda x, r: "2/3" if r == two.values[two.index(x)] else "1/3")
    assert t.smallest_epsilon.exact == "ln(2)"
    assert wb.sweep([1, 2], lambda e: wb.purest(q, e).smallest_epsilon) == [wb.purest(q, e).smallest_epsilon for e in (1, 2)]


def test_nested_callbacks(session):
    q = wb.graphs(4).count("triangle")

    def depth(n):
        if n == 0:
            return wb.purest(q, 1).distortion(10).value
        return wb.sweep([0], lambda _: depth(n - 1))[0]

    assert depth(5) == wb.purest(q, 1).distortion(10).value
    with pytest.raises(RecursionError, match="inside each other"):
        depth(100)
    assert depth(5) == wb.purest(q, 1).distortion(10).value


def test_an_error_keeps_its_traceback(session):
    class Mine(Exception):
        pass

    def inner(e):
        raise Mine(e)

    def outer(e):
        return wb.calibrate(inner, e)

    with pytest.raises(Mine) as x:
        wb.calibrate(outer, 1)
    assert {"inner", "outer"} <= {f.name for f in x.traceback}
    with pytest.raises(wb.ParameterError, match="laplace: eps = -1"):
        wb.calibrate(lambda e: wb.laplace(wb.graphs(3).count("edge"), -1), 1)


def test_what_is_caught_inside_is_no_error(session):
    def family(e):
        try:
            wb.laplace(q, -1)
        except wb.ParameterError:
            return wb.laplace(q, e)

    q = wb.graphs(3).count("edge")
    assert wb.calibrate(family, 1).smallest_epsilon.hi <= 1


def test_a_wrong_answer(session):
    with pytest.raises(wb.Error, match="calibrate"):
        wb.calibrate(lambda e: object, 1)
    with pytest.raises(TypeError, match="no counterpart"):
        wb.calibrate(lambda e: 1j, 1)


def test_workers_call_in_one_thread(session):
    here, busy = set(), []

    def objective(trial):
        assert not busy
        busy.append(1)
        here.add(threading.get_ident())
        x = trial.suggest_float("x", -1, 1)
        y = wb.ln(3).value * x * x
        busy.pop()
        return y

    s = wb.study("a", sampler="random", seed=3)
    s.optimize(objective, trials=30, workers=4)
    assert here == {threading.get_ident()} and len(s.trials) == 30
    assert s.best_value == pytest.approx(1.0986 * s.best_params["x"] ** 2, rel=1e-4)


def test_functions_come_back_as_they_are(session):
    def f(x):
        return x + 1

    assert session.evaluate("g", g=f) is f
    assert session.evaluate("[h(x) for x in range(3)]", h=f) == [1, 2, 3]
    double = session.evaluate("lambda x, y=2: x * y")
    assert double(4) == 8 and double(4, y=3) == 12 and double.__name__ == "lambda"
    assert isinstance(double, wb.Function)


# Calls from elsewhere


def elsewhere(ask):
    """Returns the result or the exception of a call in another thread."""
    out = []

    def work():
        try:
            out.append(ask())
        except Exception as e:
            out.append(e)

    t = threading.Thread(target=work, name="helper")
    t.start()
    t.join()
    return out[0]


FUNCTIONS = {
    "an objective": lambda q, f: wb.study("a", sampler="random").optimize(lambda t: f() or t.suggest_float("x", 0, 1), trials=1),
    "an objective of several workers": lambda q, f: wb.study("a", sampler="random").optimize(lambda t: f() or 1, trials=2, workers=2),
    "a family": lambda q, f: wb.calibrate(lambda e: f() or wb.laplace(q, e), 1),
    "a radius": lambda q, f: wb.delta_neighborhood(q, 1, lambda x: f() or 0),
    "a rule of neighbors": lambda q, f: wb.finite_query({"a": 0, "b": 2}, edges=lambda x, y: not f()),
    "a table": lambda q, f: wb.finite_mechanism(q, lambda x, r: f() or "1/2"),
    "a query of records": lambda q, f: wb.verify(wb.record_query(value=lambda x: f() or max(x), distance=lambda x, r: 1), records=2, values=[0, 1]),
    "a distance of records": lambda q, f: wb.verify(wb.record_query(value=max, distance=lambda x, r: f() or 1), records=2, values=[0, 1]),
    "a sweep": lambda q, f: wb.sweep([1], lambda e: f() or e),
    "a program": lambda q, f: wb.program([0, 1], lambda x, noise: f() or x, neighbors=[(0, 1)]).prob(0),
    "a script": lambda q, f: wb.evaluate("f()", f=f),
    "a function in a function": lambda q, f: wb.sweep([1], lambda e: wb.sweep([1], lambda _: f() or e)),
    "an argument": lambda q, f: wb.sweep((f() or e for e in [1]), lambda e: e),
    "what shows output": lambda q, f: wb.evaluate("print(1)"),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_that_waits_for_another_thread(session, monkeypatch, name):
    monkeypatch.setattr(wb._session, "PATIENCE", 0.01)
    q = wb.graphs(3).count("edge")
    said = []

    def f(*_):
        said.append(elsewhere(lambda: session.call("ln", 3)))

    if name == "what shows output":
        monkeypatch.setattr(sys, "stdout", type("Waiting", (), {"write": f, "flush": lambda _: None})())
    try:
        FUNCTIONS[name](q, f)
    except wb.Error:
        pass  # the function's result does not matter
    monkeypatch.undo()
    assert said and all(type(e) is wb.Error for e in said)
    assert "runs in the thread MainThread" in str(said[0]) and "the thread helper is refused" in str(said[0])
    assert elsewhere(lambda: session.call("ln", 3).kind) == "exact"
    assert wb.ln(3).kind == "exact" and q.size == 4


def test_pools_and_tasks(session, monkeypatch):
    monkeypatch.setattr(wb._session, "PATIENCE", 0.01)

    def ask():
        return session.call("ln", 3).kind

    def own():
        with wb.Session() as s:
            return s.call("ln", 3).kind

    async def apart():
        return await asyncio.to_thread(ask)

    async def here():
        return ask()

    with ThreadPoolExecutor(1) as pool:
        pool.submit(ask).result()  # a thread that exists already
        for f in lambda: pool.submit(ask).result(), lambda: asyncio.run(apart()):
            with pytest.raises(wb.Error, match="until it returns"):
                wb.sweep([1], lambda _: f())
        assert wb.sweep([1, 2], lambda _: asyncio.run(here())) == ["exact"] * 2
        assert wb.sweep([1, 2], lambda _: pool.submit(own).result()) == ["exact"] * 2


def test_threads_wait_for_functions_that_return(session, monkeypatch):
    monkeypatch.setattr(wb._session, "PATIENCE", 600)
    running, out = threading.Event(), []

    def other():
        running.wait()
        out.append(session.call("sweep", [1, 2], lambda _: session.call("ln", 3).kind))

    t = threading.Thread(target=other)
    t.start()
    assert wb.sweep(list(range(50)), lambda _: running.set() or wb.ln(3).kind) == ["exact"] * 50
    t.join()
    assert out == [["exact"] * 2]


class Struck:
    """What waits for frames, struck by a signal as it does."""

    def __init__(self, real):
        self.real, self.times = real, 0

    def poll(self):
        self.times += 1
        if self.times == 1:
            signal.raise_signal(signal.SIGUSR1)
        return self.real.poll()


@posix
@pytest.mark.parametrize("caught", [True, False])
def test_a_signal_handler_that_calls(session, caught):
    q, said = wb.graphs(3).count("edge"), []

    def handler(*_):
        try:
            said.append(wb.ln(3).kind)
        except wb.Error as e:
            said.append(str(e))
            if not caught:
                raise

    before = signal.signal(signal.SIGUSR1, handler)
    worker = session._worker
    try:
        assert wb.sweep([1], lambda e: signal.raise_signal(signal.SIGUSR1) or e) == [1]
        worker.arrival = Struck(worker.arrival)
        if caught:
            assert q.size == 4
        else:
            with pytest.raises(wb.Error, match="under way in this thread"):
                session.evaluate("while True: pass")
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert said[0] == "exact" and "under way in this thread" in said[1] and len(said) == 2
    assert q.size == 4 and session._worker is worker


def test_an_error_in_a_frame_ends_the_process(session, monkeypatch):
    q = wb.graphs(3).count("edge")

    def read(*_):
        raise RuntimeError("a handler's")

    monkeypatch.setattr(os, "read", read)
    with pytest.raises(RuntimeError, match="handler's"):
        q.size
    monkeypatch.undo()
    with pytest.raises(wb.EndedError, match="broken off"):
        q.size
    assert wb.graphs(3).size == 4


# Lifetime of objects


def held(session):
    session._show(None, "text")
    return len(session._worker.objects)


def test_objects_are_let_go(session):
    q = wb.graphs(3).count("edge")
    many = [wb.purest(q, 1) for _ in range(200)]
    ids = {m._number for m in many}
    assert len(ids) == 200 and held(session) == 201
    del many
    gc.collect()
    assert len(session._worker.released) == 200
    assert held(session) == 1 and not session._worker.released


def test_one_value_is_one_object(session):
    m = wb.purest(wb.graphs(3).count("edge"), 1)
    assert m.query is m.query
    number = m.query._number
    for _ in range(5):
        q = m.query
        del q
    assert m.query.size == 4, number


def test_functions_are_let_go(session):
    class Heavy:
        def __call__(self, x):
            return 0

    f = Heavy()
    gone = weakref.ref(f)
    for _ in range(20):
        wb.delta_neighborhood(wb.graphs(3).count("edge"), 1, f)
    del f
    for _ in range(200):  # until the workbench's garbage collector has run
        if gone() is None:
            break
        session.evaluate("[[i] for i in range(100000)] and None")
    assert gone() is None


def test_a_failed_argument_leaves_nothing(session):
    wb.ln(3)
    before = len(session._worker.functions)
    for _ in range(10):
        with pytest.raises(TypeError):
            wb.calibrate(lambda e: e, object())
    assert len(session._worker.functions) == before


def again(x):
    return pickle.loads(pickle.dumps(x))


def test_objects_pickle_as_the_calls_that_make_them(session):
    q = wb.graphs(4).count("triangle")
    values = [
        q, wb.purest(q, wb.ln(3)), wb.purest(q, 1).query, wb.compare(wb.purest(q, 1), wb.ladder(q, 2)), wb.compose([(wb.laplace(q, "1/3"), 2), wb.laplace(q, 1)]),
        3 * wb.symbol("eps") / 2, wb.table([["a", wb.ln(3)]]), wb.mvg(wb.l2_sensitivity(2, 2, 1, 1), 1, "1/1000", theta=np.array([0.6, 0.4])), wb.claims(), wb.claims()[3],
        wb.evaluate("purest(graphs(3).count('edge'), 1)"), wb.calibrate(lambda e: wb.purest(q, e), 1), wb.calibrate(lambda e: wb.smooth_sensitivity(q, e), 1), wb.purest(q, wb.ladder(q, 1).smallest_epsilon), wb.line_plot({"a": [1, 2]}, x=[0, 1]),
    ]  # fmt: skip
    kept = pickle.dumps(values)
    with wb.Session():
        for x, y in zip(values, pickle.loads(kept)):
            assert type(x) is type(y) and str(again(y)) == str(y) == str(x)
    m, lazy = values[1], again(values[1])
    assert not lazy._placed() and again(lazy).smallest_epsilon == m.smallest_epsilon and lazy.distortion(3) == m.distortion(3)
    assert wb.compare(lazy, m).max == 1 and "layers" in dir(lazy) and copy.deepcopy(lazy) is lazy
    with wb.Session():  # the session of the operand that is computed already
        assert wb.compare(again(m), m).max == 1 and again(wb.ln(2)) < m.claimed_epsilon


def test_a_pickle_keeps_the_session_s_seed():
    with wb.Session(seed=7):
        p = wb.projection(6, 2)
        kept, matrix = pickle.dumps(p), p.matrix.tolist()
    with wb.Session():
        assert pickle.loads(kept).matrix.tolist() == matrix != wb.projection(6, 2).matrix.tolist()


def test_what_cannot_be_pickled(session):
    q, lazy = wb.graphs(3).count("edge"), wb.study("a")
    holds = wb.delta_neighborhood(q, 1, lambda x: 1)
    refused = {
        "a mechanism that holds your function lambda cannot be pickled": holds, "a query that holds your function ne": wb.finite_query({"a": 0, "b": 1}, edges=operator.ne),
        "a released cannot be pickled: made anew it would be another draw": wb.purest(q, 1).release(1), "a study cannot": lazy, "a budget cannot": wb.budget(1),
        "a function cannot": wb.evaluate("lambda x: x"),
    }  # fmt: skip
    for text, x in refused.items():
        for y in x, [x]:
            with pytest.raises(wb.Error, match=text):
                pickle.dumps(y)
    with pytest.raises(wb.Error, match="holds your function"):
        pickle.dumps(wb.compare(holds, holds))
    with pytest.raises(wb.Error, match="it ends with its objective"):
        wb.study("a").optimize(lambda t: pickle.dumps(t), trials=1)


@pytest.mark.parametrize("how", ["fork", "spawn", "loky"])
def test_pools_of_processes(session, how):
    q = wb.graphs(4).count("triangle")
    ms = [wb.purest(q, 1), wb.ladder(q, 2), wb.geometric(q, wb.ln(3))]
    ask = operator.attrgetter("smallest_epsilon", "query")
    if how == "loky":
        joblib = pytest.importorskip("joblib")
        found = joblib.Parallel(n_jobs=2)(joblib.delayed(ask)(m) for m in ms)
    elif how in multiprocessing.get_all_start_methods():
        with multiprocessing.get_context(how).Pool(2) as pool:
            found = pool.map(ask, ms)
            with pytest.raises(wb.ParameterError, match="decay = -1"):
                pool.apply(wb.purest, (q, -1))
            # in a function the pool's threads cannot ask the session
            with pytest.raises(wb.Error, match="is refused"):
                wb.sweep([1], lambda _: pool.apply(ask, (ms[0],)))
    else:
        pytest.skip(f"no {how} here")
    for m, (e, again) in zip(ms, found):
        assert (repr(e), e.lo, e.hi, e.source) == (repr(m.smallest_epsilon), m.smallest_epsilon.lo, m.smallest_epsilon.hi, m.smallest_epsilon.source)
        assert e == m.smallest_epsilon and again.values == q.values


def test_errors_pickle(session):
    for e in [wb.Error("a"), wb.ParameterError("a"), wb.MemoryBound("a"), wb.FileMissing("a"), wb.ScriptError("a", "trace"), wb.UndecidedError("a")]:
        f = again(e)
        assert type(f) is type(e) and str(f) == str(e) and f.args == e.args


@pytest.fixture
def shell(session):
    """IPython, with a universe of graphs in it."""
    interactive = pytest.importorskip("IPython.core.interactiveshell")
    shell = interactive.InteractiveShell.instance(colors="nocolor")
    wb._ipython.install()
    shell.user_ns |= {"wb": wb, "u": wb.graphs(3), "compare": wb.compare, "m": wb.purest(wb.graphs(3).count("edge"), 1)}
    return shell


COMPLETIONS = {
    "m.smal": "smallest_epsilon", "wb.pure": "purest", "wb.purest(de": "decay=", 'wb.graphs(4).count("': "2-star 3-star 4-clique 4-cycle edge triangle",
    "print('é')\nu.count('4-": "4-clique 4-cycle", 'x = [wb.optimal(m.query, 1, objective="': "mean pareto worst", 'compare(m, m, at="sm': "smallest", "wb.claim('analytic.prop": None,
}  # fmt: skip


@pytest.mark.parametrize("begun", COMPLETIONS)
def test_completion(shell, begun):
    from IPython.core.completer import provisionalcompleter

    with provisionalcompleter():
        found = [(c.text.lstrip("."), begun[c.start :]) for c in shell.Completer.completions(begun, len(begun))]
    words, want = [word for word, _ in found], COMPLETIONS[begun]
    if "'" in begun or '"' in begun:
        assert words == want.split() if want else len(words) > 2, words
        assert {word[: len(rest)] for word, rest in found} == {found[0][1]}
    else:
        assert want in words


@pytest.mark.parametrize("begun", ["open('", "u.distance('", "'u.", "'''wb.graphs(4).count(\"", "wb.read_csv('"])
def test_completion_of_other_strings(shell, begun):
    assert wb._ipython._complete(begun, shell.user_ns)["completions"] == []


def test_tracebacks_in_ipython(shell, capsys):
    m = shell.user_ns["m"]
    assert "layers" in dir(m) and "layers" not in dir(wb.laplace(m.query, 1))
    for code, last in [("wb.ln(-1)", "ParameterError: ln: x"), ("wb.calibrate(lambda e: 1 / 0, 1)", "ZeroDivisionError: division by zero")]:
        shell.run_cell(code)
        out = capsys.readouterr().out
        assert "Cell In[" in out and "dpworkbench" not in out and last in out.splitlines()[-1]


def test_output(session, capsys):
    session.evaluate("print('a', 1)\nprint(table([[1]]))")
    assert capsys.readouterr().out == "a 1\n1\n"


def test_many_calls(session):
    g = wb.graphs(3)
    for i in range(2000):
        assert g.distance(0, 3) == 3
    assert len(session._worker.functions) == 0 and held(session) == 1
