"""Bad input: a ValueError or TypeError that names what is wrong, and never a crash."""

import numpy as np
import pytest

import daedal


def f(t, y):
    return -y


def force(t, q, v):
    return np.array([0.0, -1.0])


def g(t, q):
    return np.array([q @ q - 1])


def F(t, x, xdot):
    return xdot + x


def ivp(*args, **kwargs):
    return lambda: daedal.solve_ivp(*args, **kwargs)


def mech(**changes):
    whole = dict(force=force, g=g, q0=[1, 0], v0=[0, 0], t_span=(0, 1)) | changes
    return lambda: daedal.solve_mechanical(**whole)


def dae(*args, **kwargs):
    return lambda: daedal.solve_dae(*args, **kwargs)


def bvp(**changes):
    whole = dict(fun=lambda x, y: np.vstack((y[1], -y[0])), x=[0.0, 0.5, 1.0], y=np.ones((2, 3)),
                 bc=lambda a, b: np.array([a[0], b[0] - 1])) | changes
    return lambda: daedal.solve_bvp(**whole)


def with_attribute(**attributes):
    def event(t, y):
        return y[0]
    for key, value in attributes.items():
        setattr(event, key, value)
    return event


class Strange:
    def __array__(self, dtype=None):
        raise RuntimeError("no array")


NAN, INF = float("nan"), float("inf")
CALLS = [
    # solve_ivp: the function
    ("fun", ivp(None, (0, 1), [1.0])), ("fun", ivp(3.5, (0, 1), [1.0])),
    ("fun", ivp("f", (0, 1), [1.0])), ("fun", ivp(lambda t, y: None, (0, 1), [1.0])),
    ("fun", ivp(lambda t, y: "text", (0, 1), [1.0])),
    ("fun", ivp(lambda t, y: [1, 2], (0, 1), [1.0])),
    ("fun", ivp(lambda t, y: np.zeros((2, 2)), (0, 1), [1.0, 2.0])),
    ("fun", ivp(lambda t, y: [], (0, 1), [1.0])),
    ("fun", ivp(lambda t, y: [None], (0, 1), [1.0])),
    ("fun", ivp(lambda t, y: {"a": 1}, (0, 1), [1.0])),
    ("fun", ivp(lambda t, y: 1j * y, (0, 1), [1.0])),
    ("fun", ivp(lambda t, y: [object()], (0, 1), [1.0], functions="python")),
    ("fun", ivp(lambda t, y: [[1], [2, 3]], (0, 1), [1.0, 2.0])),
    ("argument", ivp(lambda t: t, (0, 1), [1.0])),
    ("address", ivp(-5, (0, 1), [1.0])), ("fun", ivp(True, (0, 1), [1.0])),
    # t_span
    ("t_span", ivp(f, 1, [1.0])), ("t_span", ivp(f, (0,), [1.0])),
    ("t_span", ivp(f, (0, 1, 2), [1.0])), ("t_span", ivp(f, (0, NAN), [1.0])),
    ("t_span", ivp(f, (0, INF), [1.0])), ("t_span", ivp(f, ("a", "b"), [1.0])),
    ("t_span", ivp(f, (None, 1), [1.0])), ("t_span", ivp(f, (0, 1j), [1.0])),
    ("t_span", ivp(f, ([0], 1), [1.0])),
    # y0
    ("y0", ivp(f, (0, 1), None)), ("y0", ivp(f, (0, 1), "abc")), ("y0", ivp(f, (0, 1), [])),
    ("y0", ivp(f, (0, 1), [[1.0]])), ("y0", ivp(f, (0, 1), [NAN])),
    ("y0", ivp(f, (0, 1), [1.0, INF])), ("y0", ivp(f, (0, 1), [1.0, "a"])),
    ("y0", ivp(f, (0, 1), [object()])), ("y0", ivp(f, (0, 1), [None])),
    ("y0", ivp(f, (0, 1), 1.0)), ("y0", ivp(f, (0, 1), np.array(["2020-01-01"], "M8[D]"))),
    ("y0", ivp(f, (0, 1), [[1], [2, 3]])), ("y0", ivp(f, (0, 1), [complex(NAN, 1)])),
    ("y0", ivp(f, (0, 1), np.ones((1, 2), complex))),
    # method and options
    ("method", ivp(f, (0, 1), [1.0], "RK46")), ("method", ivp(f, (0, 1), [1.0], 5)),
    ("rtol", ivp(f, (0, 1), [1.0], rtol="small")), ("rtol", ivp(f, (0, 1), [1.0], rtol=-1.0)),
    ("rtol", ivp(f, (0, 1), [1.0], rtol=NAN)), ("atol", ivp(f, (0, 1), [1.0], atol=[])),
    ("atol", ivp(f, (0, 1), [1.0], atol=-1)), ("atol", ivp(f, (0, 1), [1.0], atol="x")),
    ("max_step", ivp(f, (0, 1), [1.0], max_step=-1)),
    ("max_step", ivp(f, (0, 1), [1.0], max_step="1")),
    ("first_step", ivp(f, (0, 1), [1.0], first_step=0)),
    ("form", ivp(f, (0, 1), [1.0], form="nonsense")), ("form", ivp(f, (0, 1), [1.0], form=3)),
    ("max_steps", ivp(f, (0, 1), [1.0], max_steps=1.5)),
    ("audit", ivp(f, (0, 1), [1.0], audit="yes")),
    ("max_stepp.*max_step", ivp(f, (0, 1), [1.0], max_stepp=1)),
    ("functions", ivp(f, (0, 1), [1.0], functions="numba")),
    ("functions", ivp(lambda t, y: 1j * y, (0, 1), [1j], functions="trace")),
    # t_eval, events, args, fixed, hit
    ("t_eval", ivp(f, (0, 1), [1.0], t_eval=[0, 2])),
    ("t_eval", ivp(f, (0, 1), [1.0], t_eval=[1, 0])),
    ("t_eval", ivp(f, (0, 1), [1.0], t_eval=[[0, 1]])),
    ("t_eval", ivp(f, (0, 1), [1.0], t_eval="abc")),
    ("t_eval", ivp(f, (0, 1), [1.0], t_eval=[NAN])),
    ("events", ivp(f, (0, 1), [1.0], events=3)), ("events", ivp(f, (0, 1), [1.0], events=[3])),
    ("terminal", ivp(f, (0, 1), [1.0], events=with_attribute(terminal="no"))),
    ("terminal", ivp(f, (0, 1), [1.0], events=with_attribute(terminal=-2))),
    ("direction", ivp(f, (0, 1), [1.0], events=with_attribute(direction="up"))),
    ("events", ivp(f, (0, 1), [1.0], events=lambda t, y: [1.0, 2.0])),
    ("events", ivp(f, (0, 1), [1.0], events=lambda t, y: "no")),
    ("events", ivp(f, (0, 1), [1.0], events=[f] * 65)),
    ("args", ivp(f, (0, 1), [1.0], args=3)),
    ("fixed", ivp(f, (0, 1), [1.0], fixed=[7])),
    ("fixed", ivp(f, (0, 1), [1.0], fixed=["a"])),
    ("hit", ivp(f, (0, 1), [1.0], hit=[0.5, 0.2])), ("hit", ivp(f, (0, 1), [1.0], hit="x")),
    # mass, invariants, jac
    ("mass", ivp(f, (0, 1), [1.0], mass=[1, 2])), ("mass", ivp(f, (0, 1), [1.0], mass="m")),
    ("mass", ivp(f, (0, 1), [1.0], mass=[NAN])), ("mass", ivp(f, (0, 1), [1.0], mass=f)),
    ("mass", ivp(f, (0, 1), [1.0], mass=np.zeros((1, 1, 1)))),
    ("invariants", ivp(f, (0, 1), [1.0], invariants=3)),
    ("jac", ivp(f, (0, 1), [1.0], jac=[[1, 2]], functions="python")),
    ("jac", ivp(f, (0, 1), [1.0], "Radau", jac=lambda t, y: [1, 2], functions="python")),
    ("jac_sparsity", ivp(f, (0, 1), [1.0], jac_sparsity=np.ones((2, 2)))),
    # solve_mechanical
    ("force", mech(force=3.5)), ("force", mech(force=lambda t, q, v: [1.0])),
    ("force", mech(force=lambda t, q, v: [1.0], functions="python")),
    ("g", mech(g="g")), ("g", mech(g=lambda t, q: np.zeros((2, 2)), functions="python")),
    ("q0", mech(q0=[])), ("q0", mech(q0=None)), ("q0", mech(q0=[[1, 0]])),
    ("q0", mech(q0=[1, NAN])), ("v0", mech(v0=[0])), ("v0", mech(v0="ab")),
    ("v0", mech(v0=[0, INF])), ("mass", mech(mass=[1, 2, 3])), ("mass", mech(mass=[1, -1])),
    ("mass", mech(mass=[[1, 2], [3, 4]])), ("mass", mech(mass=lambda t, q: [1, 2, 3])),
    ("mass", mech(mass=0)), ("fixed", mech(fixed=[9])),
    ("velocity_constraints", mech(velocity_constraints=3)),
    ("affine", mech(g=None, functions="python", velocity_constraints=lambda t, q, v: [v @ v])),
    ("forcee|option", mech(forces=force)), ("jac", mech(jac=3, functions="python")),
    # solve_dae
    ("F", dae(3, (0, 1), [1.0])), ("F", dae(lambda t, x, d: [1, 2], (0, 1), [1.0])),
    ("F", dae(lambda t, x, d: "no", (0, 1), [1.0])), ("x0", dae(F, (0, 1), [])),
    ("xdot0", dae(F, (0, 1), [1.0], [1.0, 2.0])), ("xdot0", dae(F, (0, 1), [1.0], [NAN])),
    ("t_span", dae(F, (0, "1"), [1.0])), ("rtool", dae(F, (0, 1), [1.0], rtool=1)),
    ("jac", dae(F, (0, 1), [1.0], jac=3)), ("invariants", dae(F, (0, 1), [1.0], invariants=3)),
    ("functions", dae(F, (0, 1), [1.0], functions="no")),
    # one atol for each variable, and no other number of them
    ("atol", ivp(f, (0, 1), [1.0], atol=[1e-6, 1e-6])), ("atol", mech(atol=[1e-6] * 3)),
    ("atol", ivp(f, (0, 1), [1.0], atol=[1e-6, 1e-6], functions="python")),
    ("atol", ivp(f, (0, 1), [1j], atol=[1e-6, 1e-6])), ("atol", dae(F, (0, 1), [1.0], atol=[1, 2])),
    ("atol", lambda: daedal.Solver(f, 0, [1.0], 1, atol=[1e-6, 1e-6])),
    ("atol", lambda: daedal.gallery_problem("pendulum").solve(atol=[1e-6, 1e-6])),
    # boundary values
    ("fun_jac", bvp(fun_jac=3)), ("bc_jac", bvp(bc_jac=3)),
    ("fun_jac", bvp(fun_jac=lambda x, y: np.eye(2))),
    ("fun_jac", bvp(fun_jac=lambda x, y: np.ones((2, 2, x.size)))),
    ("fun_jac", bvp(fun_jac=lambda x, y: np.ones((2, 2)), functions="python")),
    ("bc_jac", bvp(bc_jac=lambda a, b: np.eye(2))),
    ("bc_jac", bvp(bc_jac=lambda a, b: (np.eye(2), np.eye(3)))),
    ("bc_jac", bvp(bc_jac=lambda a, b: (np.eye(2), np.eye(2)))),
    ("bc_jac", bvp(bc_jac=lambda a, b: (np.eye(3), np.eye(3)), functions="python")),
    # models and solvers
    ("model", lambda: daedal.Model(3)), ("model", lambda: daedal.Model(None)),
    ("no\\b|expected|model", lambda: daedal.Model("nothing\nhere\n").run()),
    ("t0", lambda: daedal.Solver(f, "a", [1.0], 1)),
    ("t_bound", lambda: daedal.Solver(f, 0, [1.0], NAN)),
    ("y0", lambda: daedal.Solver(f, 0, [], 1)), ("fun", lambda: daedal.Solver(3.5, 0, [1.0], 1)),
    ("state", lambda: daedal.Solver(f, 0, [1.0], 1).restore(3)),
    ("option", lambda: daedal.Solver(f, 0, [1.0], 1, nothing=3)),
    ("t", lambda: daedal.solve_ivp(f, (0, 1), [1.0], dense_output=True).sol("a")),
    ("t", lambda: daedal.solve_ivp(f, (0, 1), [1.0], dense_output=True).sol([[0.5]])),
    ("t", lambda: daedal.solve_ivp(f, (0, 1), [1.0], dense_output=True).sol(NAN)),
]


def test_there_are_a_hundred():
    assert len(CALLS) >= 100


@pytest.mark.parametrize("case", range(len(CALLS)))
def test_named(case):
    word, call = CALLS[case]
    with pytest.raises((ValueError, TypeError), match=word):
        call()


@pytest.mark.parametrize("y0", [
    [1, 2], (1, 2), np.array([1, 2], dtype=np.int8), np.array([1, 2], dtype=np.float32),
    np.array([1.0, 2.0])[::-1][::-1], np.asfortranarray([1.0, 2.0]), range(1, 3),
    np.array([1.0, 0, 2.0])[::2], np.array([True, False])])
def test_good_arrays_of_all_kinds(y0):
    values = np.array(y0, dtype=float)
    keep = np.array(y0, copy=True)
    if isinstance(y0, np.ndarray):
        y0.flags.writeable = False
    r = daedal.solve_ivp(lambda t, y: -y, (0, 1), y0, rtol=1e-9, atol=1e-9)
    assert np.allclose(r.y[:, -1], values * np.exp(-1), atol=1e-8)
    assert np.array_equal(np.asarray(y0), keep)


def test_results_of_all_kinds():
    """Lists, tuples, columns, other types and orders of memory; inputs that are changed or kept."""
    kept = []

    def keeps(t, y):
        kept.append(y)
        return -y

    def changes(t, y):
        out = -y.copy()
        y[:] = 99
        return out

    for fun in (lambda t, y: list(-y), lambda t, y: tuple(-y), lambda t, y: (-y)[:, None],
                lambda t, y: (-y).astype(np.float32).astype(object), keeps, changes,
                lambda t, y: np.asfortranarray(np.vstack([-y, -y]).T)[:, 0]):
        r = daedal.solve_ivp(fun, (0, 1), [1.0, 2.0], functions="python", rtol=1e-6, atol=1e-6)
        assert np.allclose(r.y[:, -1], np.exp(-1) * np.array([1, 2]), atol=1e-4)
    assert len({id(a) for a in kept}) > 1


def test_large_array():
    n = 20000
    r = daedal.solve_ivp(lambda t, y: -y, (0, 1), np.ones(n), functions="python", rtol=1e-4)
    assert r.success and np.allclose(r.y[:, -1], np.exp(-1), atol=1e-3)
