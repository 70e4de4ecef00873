"""A function is traced again as soon as anything that it reads has changed."""

import functools
import threading
import types

import numpy as np
import pytest

import daedal
from daedal.trace import recall

GLOBAL = 1.0
TABLE = {"rates": [1.0, 2.0]}
HELPER = types.ModuleType("helper_of_the_user")
HELPER.rate = 1.0


class Space:
    rate = 1.0

    def __init__(self):
        self.own = 1.0

    @property
    def doubled(self):
        return 2 * self.own

    def fun(self, t, y):
        return -self.doubled * self.rate * y


def helper(y):
    return -GLOBAL * y


def end(fun, **more):
    return daedal.solve_ivp(fun, (0, 1), [1.0], rtol=1e-9, atol=1e-12, functions="trace",
                            **more).y[0, -1]


def by_global():
    global GLOBAL
    GLOBAL = 1.0
    yield lambda t, y: helper(y), 1.0
    GLOBAL = 3.0
    yield lambda t, y: helper(y), 3.0
    GLOBAL = 1.0


def by_closure():
    k = 1.0
    fun = lambda t, y: -k * y  # noqa: E731
    yield fun, 1.0
    k = 3.0
    yield fun, 3.0


def by_array():
    k = np.array([[1.0, 5.0]])
    fun = lambda t, y: -k[0, 0] * y  # noqa: E731
    yield fun, 1.0
    k[0, 0] = 3.0
    yield fun, 3.0


def by_nested_list():
    fun = lambda t, y: -TABLE["rates"][0] * y  # noqa: E731
    yield fun, 1.0
    TABLE["rates"][0] = 3.0
    yield fun, 3.0
    TABLE["rates"][0] = 1.0


def by_module():
    fun = lambda t, y: -HELPER.rate * y  # noqa: E731
    yield fun, 1.0
    HELPER.rate = 3.0
    yield fun, 3.0
    HELPER.rate = 1.0


def by_class():
    fun = lambda t, y: -Space.rate * y  # noqa: E731
    yield fun, 1.0
    Space.rate = 3.0
    yield fun, 3.0
    Space.rate = 1.0


def by_instance():
    space = Space()
    yield space.fun, 2.0
    space.own = 3.0
    yield space.fun, 6.0


def by_attribute_of_a_function():
    def fun(t, y):
        return -fun.rate * y
    fun.rate = 1.0
    yield fun, 1.0
    fun.rate = 3.0
    yield fun, 3.0


def by_default():
    def make(k):
        return lambda t, y, k=k: -k * y
    yield make(1.0), 1.0
    yield make(3.0), 3.0


def by_partial():
    def fun(k, t, y):
        return -k * y
    yield functools.partial(fun, 1.0), 1.0
    yield functools.partial(fun, 3.0), 3.0


def by_sign_of_zero():
    # 0.0 and -0.0 are equal and must not be taken for one another: arctan2 tells them
    def make(zero):
        return lambda t, y: -np.arctan2(zero, -1.0) / np.pi * y
    yield make(0.0), 1.0
    yield make(-0.0), -1.0


def by_type_of_number():
    def make(k):
        return lambda t, y: -(7 // k) * y / 3
    yield make(2), 1.0
    yield make(2.0), 1.0
    yield make(0.5), 14 / 3


@pytest.mark.parametrize("cases", [by_global, by_closure, by_array, by_nested_list, by_module,
                                   by_class, by_instance, by_attribute_of_a_function, by_default,
                                   by_partial, by_sign_of_zero, by_type_of_number])
def test_what_a_function_reads_is_read_anew(cases):
    for fun, rate in cases():
        for _ in range(2):  # the second time it is known
            assert end(fun) == pytest.approx(np.exp(-rate), rel=1e-7)


def test_arguments_are_read_anew():
    fun = lambda t, y, k: -k * y  # noqa: E731
    for k in (1.0, 3.0, 1.0):
        assert end(fun, args=(k,)) == pytest.approx(np.exp(-k), rel=1e-7)


def test_a_change_that_only_one_place_sees():
    limit = np.array([10.0])
    fun = lambda t, y: np.where(y > limit[0], 1.0, -1.0) + 0 * y  # noqa: E731
    first = daedal.solve_ivp(fun, (0, 1), [5.0]).y[0, -1]
    limit[0] = 4.0  # random points near the start may lie on either side
    assert daedal.solve_ivp(fun, (0, 1), [5.0]).y[0, -1] == pytest.approx(6.0, abs=1e-6)
    assert first == pytest.approx(4.0, abs=1e-6)


def test_what_is_known_is_not_traced_again():
    def make():
        def fun(t, y):
            return [y[1], -y[0]]
        return fun

    first = daedal.solve_ivp(make(), (0, 1), [0.0, 1.0])
    seen = recall.MEMORY.get(recall.key("ode", 2, False, False, make(), None, None))
    assert seen is not None
    second = daedal.solve_ivp(make(), (0, 1), [0.0, 1.0])
    assert np.array_equal(first.y, second.y)
    assert recall.MEMORY.get(recall.key("ode", 2, False, False, make(), None, None)) is seen


@pytest.mark.parametrize("value", [open, iter([1.0]), np.random.default_rng(1), threading.Lock(),
                                   (x for x in [1.0])])
def test_what_cannot_be_read_has_no_key(value):
    assert recall.key(lambda t, y: -y if value else y) is None


def test_functions_of_hidden_state_have_no_key():
    def late(t, y):
        import json
        return -json.loads("1") * y

    assert recall.key(late) is None
    assert recall.key(lambda t, y: eval("-y")) is None
    assert recall.key(lambda t, y: getattr(HELPER, "ra" + "te") * y) is None


def test_memory_forgets_the_oldest():
    memory = recall.Memory(2)
    for i in range(3):
        memory.put(i, str(i))
    assert [memory.get(i) for i in range(3)] == [None, "1", "2"]


def test_threads_share_what_is_known():
    g = lambda t, q: q @ q - 1  # noqa: E731
    bc = lambda a, b: np.array([a[0], b[0] - 1])  # noqa: E731
    x = np.linspace(0, 1, 5)
    found = {}

    def work(i):
        q = daedal.solve_mechanical(lambda t, q, v: np.array([0, -9.81]), g, [1, 0], [0, 0],
                                    (0, 3)).q
        y = daedal.solve_bvp(lambda x, y: np.vstack((y[1], np.sin(y[0]))), bc, x,
                             np.zeros((2, 5))).y
        found[i] = (q, y)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(found) == 8
    for q, y in found.values():
        assert np.array_equal(q, found[0][0]) and np.array_equal(y, found[0][1])
