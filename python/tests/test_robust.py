"""Exceptions, interrupts, threads, forks, memory."""

import gc
import os
import resource
import signal
import subprocess
import sys
import textwrap
import threading
import time
import traceback

import numpy as np
import pytest

import daedal


class Mine(Exception):
    pass


@pytest.mark.parametrize("where", ["fun", "jac", "events", "invariants", "force", "g", "mass",
                                   "velocity"])
def test_exceptions_come_back_unchanged(where):
    error = Mine(where)

    def thrower(*args):
        if len(args[1]) and args[0] > 0.01:
            raise error
        return good(*args)

    calls = {
        "fun": lambda: daedal.solve_ivp(thrower, (0, 1), [1.0], functions="python"),
        "jac": lambda: daedal.solve_ivp(lambda t, y: -y, (0, 1), [1.0], "Radau", jac=thrower,
                                        functions="python"),
        "events": lambda: daedal.solve_ivp(lambda t, y: -y, (0, 1), [1.0], events=thrower),
        "invariants": lambda: daedal.solve_ivp(lambda t, y: -0 * y, (0, 1), [1.0],
                                               invariants=thrower, functions="python"),
        "force": lambda: mech(force=thrower), "g": lambda: mech(g=thrower),
        "mass": lambda: mech(mass=thrower), "velocity": lambda: mech(g=None, velocity=thrower)}
    good = {"fun": lambda t, y: -y, "jac": lambda t, y: [[-1.0]], "events": lambda t, y: 1.0,
            "invariants": lambda t, y: y, "force": lambda t, q, v: -q,
            "g": lambda t, q: [q @ q - 1], "mass": lambda t, q: [1.0, 1.0],
            "velocity": lambda t, q, v: [v[0]]}[where]

    def mech(force=lambda t, q, v: -q, g=lambda t, q: [q @ q - 1], mass=None, velocity=None):
        return daedal.solve_mechanical(force, g, [1.0, 0.0], [0.0, 0.5], (0, 1), mass=mass,
                                       velocity_constraints=velocity, functions="python")

    with pytest.raises(Mine) as caught:
        calls[where]()
    assert caught.value is error
    assert any(frame.name == "thrower" for frame in traceback.extract_tb(caught.tb))


def test_nested_solves():
    def outer(t, y):
        inner = daedal.solve_ivp(lambda s, z: -z, (0, 1), [y[0]], functions="python")
        return [-inner.y[0, -1] * np.e]

    r = daedal.solve_ivp(outer, (0, 1), [1.0], functions="python", rtol=1e-5)
    assert abs(r.y[0, -1] - np.exp(-1)) < 1e-3


def test_a_solver_is_not_used_by_its_own_function():
    box = []

    def fun(t, y):
        if box:
            box[0].step()
        return -y

    s = daedal.Solver(fun, 0, [1.0], 1, functions="python")
    box.append(s)
    with pytest.raises(RuntimeError, match="at work"):
        s.step()


INTERRUPT = textwrap.dedent("""
    import os, signal, threading, time
    import numpy as np, daedal
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        daedal.solve_ivp(lambda t, y: np.array([y[1], -y[0]]), (0, 1e7), [0, 1.0], functions={!r},
                         t_eval=[0.0])
    except KeyboardInterrupt:
        print("interrupted")
""")


@pytest.mark.parametrize("functions", ["trace", "python"])
def test_interrupt(functions):
    done = subprocess.run([sys.executable, "-c", INTERRUPT.format(functions)], timeout=60,
                          capture_output=True, text=True)
    assert done.stdout.strip() == "interrupted", done.stderr


def solve_long(n=30):
    return daedal.solve_ivp(lambda t, y: np.array([y[1], -np.sin(y[0])]), (0, n), [1.0, 0.0],
                            rtol=1e-10, atol=1e-10, functions="trace")


def test_threads_give_the_same():
    expected = solve_long().y[:, -1]
    found = [None] * 8

    def work(i):
        found[i] = [solve_long().y[:, -1] for _ in range(3)]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert all(np.array_equal(y, expected) for three in found for y in three)


def test_the_lock_is_released():
    """While a traced problem runs, this thread goes on counting."""
    counts, done = [0], threading.Event()

    def work():
        solve_long(20000)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        counts[0] += 1
        time.sleep(0.001)
    thread.join()
    assert counts[0] > 3


def test_fork():
    before = solve_long().y[:, -1]
    child = os.fork()
    if child == 0:
        ok = False
        try:
            ok = np.array_equal(solve_long().y[:, -1], before)
        finally:
            os._exit(0 if ok else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def grown(action, count):
    """Kilobytes that the largest resident size grew by, over the second half of the calls."""
    for _ in range(count // 2):
        action()
    gc.collect()
    before = resident()
    for _ in range(count // 2):
        action()
    gc.collect()
    return resident() - before


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 1024


@pytest.mark.parametrize("functions", ["trace", "python"])
def test_no_leak(functions, request):
    count = 10000 if request.config.getoption("--long") else 300

    def action():
        daedal.solve_ivp(lambda t, y: np.array([y[1], -y[0]]), (0, 1), [0, 1.0],
                         functions=functions, dense_output=True, events=lambda t, y: y[0] - 0.5)

    # less than a hundred bytes a solve, and what the allocator keeps
    assert grown(action, count) < 0.05 * count + 1000


def test_no_leak_of_failures(request):
    count = 10000 if request.config.getoption("--long") else 300

    def throws(t, y):
        raise Mine

    def action():
        with pytest.raises(Mine):
            daedal.solve_ivp(throws, (0, 1), [1.0], functions="python")
        with pytest.raises(ValueError):
            daedal.solve_ivp(lambda t, y: [1, 2], (0, 1), [1.0], functions="python")

    assert grown(action, count) < 0.05 * count + 1000


def test_signal_handler_is_kept():
    before = signal.getsignal(signal.SIGINT)  # a shell may have it ignored
    solve_long()
    assert signal.getsignal(signal.SIGINT) is before


def test_c_functions():
    import ctypes

    pointer = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_double, ctypes.POINTER(ctypes.c_double),
                               ctypes.POINTER(ctypes.c_double), ctypes.c_void_p)

    @pointer
    def decay(t, y, dy, user):
        dy[0] = -y[0]
        return 0

    r = daedal.solve_ivp(decay, (0, 1), [1.0], rtol=1e-9, atol=1e-9)
    assert abs(r.y[0, -1] - np.exp(-1)) < 1e-8
    address = ctypes.cast(decay, ctypes.c_void_p).value
    r = daedal.solve_ivp(address, (0, 1), [1.0], rtol=1e-9, atol=1e-9)
    assert abs(r.y[0, -1] - np.exp(-1)) < 1e-8


def test_numba():
    numba = pytest.importorskip("numba")
    types = numba.types
    signature = types.int32(types.float64, types.CPointer(types.float64),
                            types.CPointer(types.float64), types.voidptr)

    @numba.cfunc(signature)
    def oscillator(t, y, dy, user):
        dy[0] = y[1]
        dy[1] = -y[0]
        return 0

    r = daedal.solve_ivp(oscillator, (0, 10), [0.0, 1.0], rtol=1e-9, atol=1e-9)
    assert abs(r.y[0, -1] - np.sin(10)) < 1e-7


def test_few_calls():
    """Callbacks: fewer than three Python calls for each evaluation of the method."""
    calls = [0]

    def force(t, q, v):
        calls[0] += 1
        return np.array([0.0, -9.81])

    def g(t, q):
        calls[0] += 1
        return np.array([q @ q - 1])

    r = daedal.solve_mechanical(force, g, [1, 0], [0, 0], (0, 10), rtol=1e-8, atol=1e-8,
                                functions="python")
    assert r.success and calls[0] < 3 * r.nfev
