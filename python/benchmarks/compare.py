"""Traced functions beside the same problems in C and as text, and beside SciPy at equal error; how
often functions that are called back are called.

Processor time in ms, the best of many calls that take turns; everything that a call costs once the
function is known and its code compiled. SciPy gets the hand-reduced ODE and the loosest tolerance
whose error is not larger than twice ours.
"""

import time

import numpy as np
from scipy import integrate

import daedal

GRAVITY = 9.81


def best(*calls, count=15):
    """Least time of each call in ms, and what it gave."""
    least, results = [np.inf] * len(calls), [None] * len(calls)
    for _ in range(count):
        for i, call in enumerate(calls):
            start = time.process_time()
            results[i] = call()
            least[i] = min(least[i], time.process_time() - start)
    return [1e3 * t for t in least], results


def scipy_at(error, limit, solve, tolerances=10.0 ** -np.arange(3, 13)):
    """(ms, error) of the first tolerance that is good enough."""
    for tol in tolerances:
        (ms,), (r,) = best(lambda: solve(float(tol)), count=3)
        if error(r) <= 2 * limit:
            break
    return ms, error(r)


def row(name, ours, error, references=(), reduced=()):
    """references: (label, call)."""
    times, results = best(ours, *(call for _, call in references))
    ms, r = times[0], results[0]
    text = f"{name:12s} traced {ms:7.2f} ms  error {error(r):.0e}"
    for (label, _), other in zip(references, times[1:]):
        text += f"  {label} {other:7.2f} (ratio {ms / other:.2f})"
    for label, solve in reduced:
        other, off = scipy_at(error, error(r), solve)
        text += f"  {label} {other:8.1f} error {off:.0e} ({other / ms:.0f} times)"
    print(text, flush=True)


def as_text(name, end, tol):
    """The model of the gallery."""
    model = daedal.Model(daedal.gallery()[name]["model"])
    return "text", lambda: model.run(stop=end, tol=tol)


def called_back(name, *functions, **more):
    """Calls of the functions of a mechanism for each evaluation of the method."""
    count = [0]

    def counted(f):
        def call(*args):
            count[0] += 1
            return f(*args)
        return call if callable(f) else f

    force, g, mass, *rest = functions
    r = daedal.solve_mechanical(counted(force), counted(g), *rest, mass=counted(mass),
                                functions="python", **more)
    print(f"{name:12s} called back: {count[0] / r.nfev:.2f} calls an evaluation", flush=True)


def pendulum(end=300.0):
    def reduced(method):
        return method, lambda tol: integrate.solve_ivp(
            lambda t, a: [a[1], -GRAVITY * np.sin(a[0])], (0, end), [np.pi / 2, 0], method,
            rtol=tol, atol=tol)

    exact = reduced("DOP853")[1](3e-14).y[0, -1]

    def error(r):
        q = r.y[:2, -1] if len(r.y) == 4 else [np.sin(r.y[0, -1]), -np.cos(r.y[0, -1])]
        return np.abs(q - np.array([np.sin(exact), -np.cos(exact)])).max()

    problem = daedal.gallery_problem("pendulum", g=GRAVITY)
    row("pendulum", lambda: daedal.solve_mechanical(
        lambda t, q, v: np.array([0, -GRAVITY]), lambda t, q: q @ q - 1, [1, 0], [0, 0], (0, end)),
        error, [("C", lambda: problem.solve((0, end), [1, 0, 0, 0]))],
        [reduced("DOP853"), reduced("Radau")])
    called_back("pendulum", lambda t, q, v: np.array([0, -GRAVITY]), lambda t, q: q @ q - 1, None,
                [1, 0], [0, 0], (0, 30))


def slider_crank(end=10.0):
    J1, J2, m2, r, l, l1 = 10.0, 1.0, 1.0, 1.0, 3.0, 2.0

    def force(t, q, v):
        return np.array([np.sin(t) - v[0], 0, -m2 * GRAVITY, 0])

    def g(t, q):
        theta, x, y, psi = q
        return np.array([x - r * np.cos(theta) - l1 * np.cos(psi),
                         r * np.sin(theta) - l * np.sin(psi), y - (l - l1) * np.sin(psi)])

    problem = daedal.gallery_problem("slider-crank")
    q0, v0 = [0, r + l1, 0, 0], [-1, 0, -(l - l1) * r / l, -r / l]
    exact = problem.solve((0, end), rtol=1e-13, atol=1e-13).y[0, -1]
    row("slider-crank", lambda: daedal.solve_mechanical(force, g, q0, v0, (0, end),
                                                        mass=[J1, m2, m2, J2], rtol=1e-8, atol=1e-8),
        lambda r: abs(r.y[0, -1] - exact),
        [("C", lambda: problem.solve((0, end), [*q0, *v0], rtol=1e-8, atol=1e-8)),
         as_text("slider-crank", end, 1e-8)] if end == 10 else
        [("C", lambda: problem.solve((0, end), [*q0, *v0], rtol=1e-8, atol=1e-8))])
    if end == 10:
        called_back("slider-crank", force, g, [J1, m2, m2, J2], q0, v0, (0, end))


def chain(end=2.0, n=20):
    shared = (n - np.maximum.outer(np.arange(n), np.arange(n))).astype(float)

    def angles(t, z):
        q, v = z[:n], z[n:]
        d = q[:, None] - q[None]
        right = -(shared * np.sin(d)) @ v**2 - GRAVITY * np.diag(shared) * np.cos(q)
        return np.concatenate([v, np.linalg.solve(shared * np.cos(d), right)])

    def reduced(method):
        return method, lambda tol: integrate.solve_ivp(angles, (0, end), start, method, rtol=tol,
                                                       atol=tol)

    start = np.zeros(2 * n)
    start[:n] = -np.pi / 2 + 0.3 / np.arange(1, n + 1)
    place = lambda q: np.stack([np.cumsum(np.cos(q)), np.cumsum(np.sin(q))], 1).ravel()  # noqa: E731
    exact = place(reduced("DOP853")[1](1e-12).y[:n, -1])

    def g(t, q):
        joints = np.concatenate([np.zeros((1, 2)), q.reshape(n, 2)])
        return np.sum(np.diff(joints, axis=0)**2, axis=1) - 1

    def error(r):
        q = r.y[:2 * n, -1] if len(r.y) == 4 * n else place(r.y[:n, -1])
        return np.abs(q - exact).max()

    problem = daedal.gallery_problem("pendulum-chain", n=n, length=n, mass=n, g=GRAVITY)
    q0, v0 = place(start[:n]), np.zeros(2 * n)
    force = lambda t, q, v: np.tile([0, -GRAVITY], n)  # noqa: E731
    row(f"chain, {end:g} s", lambda: daedal.solve_mechanical(force, g, q0, v0, (0, end)), error,
        [("C", lambda: problem.solve((0, end), [*q0, *v0]))],
        [reduced("DOP853"), reduced("Radau")])
    called_back(f"chain, {end:g} s", force, g, None, q0, v0, (0, end))


def andrews(end=0.03):
    m = [0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498]
    I = [2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5]
    xa, ya, xb, yb, xc, yc = -0.06934, -0.00227, -0.03635, 0.03273, 0.014, 0.072
    d, da, e, ea, rr, ra, ss, sa, sb, sc, sd = (0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092,
                                                0.035, 0.01874, 0.01043, 0.018, 0.02)
    ta, tb, u, ua, ub, zf, zt, fa = 0.02308, 0.00916, 0.04, 0.01228, 0.00449, 0.02, 0.04, 0.01421
    mom, c0, l0 = 0.033, 4530.0, 0.07785

    def mass(t, q):
        M = np.zeros((7, 7))
        th = m[1] * da * rr * np.cos(q[1])
        ph = m[3] * zt * (e - ea) * np.sin(q[3])
        om = m[5] * u * (zf - fa) * np.sin(q[5])
        eh, fh = m[3] * (e - ea)**2, m[5] * (zf - fa)**2
        M[0, 0] = m[0] * ra**2 + m[1] * (rr**2 + da**2) - 2 * th + I[0] + I[1]
        M[0, 1] = M[1, 0] = m[1] * da**2 - th + I[1]
        M[1, 1] = m[1] * da**2 + I[1]
        M[2, 2] = m[2] * (sa**2 + sb**2) + I[2]
        M[3, 3] = eh + I[3]
        M[3, 4] = M[4, 3] = eh + ph + I[3]
        M[4, 4] = m[3] * zt**2 + 2 * ph + eh + m[4] * (ta**2 + tb**2) + I[3] + I[4]
        M[5, 5] = fh + I[5]
        M[5, 6] = M[6, 5] = fh - om + I[5]
        M[6, 6] = fh - 2 * om + m[5] * u**2 + m[6] * (ua**2 + ub**2) + I[5] + I[6]
        return M

    def force(t, q, v):
        sth = m[1] * da * rr * np.sin(q[1])
        cph = m[3] * zt * (e - ea) * np.cos(q[3])
        com = m[5] * u * (zf - fa) * np.cos(q[5])
        xd = sd * np.cos(q[2]) + sc * np.sin(q[2]) + xb - xc
        yd = sd * np.sin(q[2]) - sc * np.cos(q[2]) + yb - yc
        pull = -c0 * (1 - l0 / np.sqrt(xd**2 + yd**2))
        return np.array([
            mom - sth * v[1] * (v[1] + 2 * v[0]), sth * v[0]**2,
            pull * (xd * (sc * np.cos(q[2]) - sd * np.sin(q[2]))
                    + yd * (sd * np.cos(q[2]) + sc * np.sin(q[2]))),
            cph * v[4]**2, -cph * v[3] * (v[3] + 2 * v[4]),
            -com * v[6]**2, com * v[5] * (v[5] + 2 * v[6])])

    def g(t, q):
        xp = rr * np.cos(q[0]) - d * np.cos(q[0] + q[1])
        yp = rr * np.sin(q[0]) - d * np.sin(q[0] + q[1])
        return np.array([
            xp - ss * np.sin(q[2]) - xb, yp + ss * np.cos(q[2]) - yb,
            xp - e * np.sin(q[3] + q[4]) - zt * np.cos(q[4]) - xa,
            yp + e * np.cos(q[3] + q[4]) - zt * np.sin(q[4]) - ya,
            xp - zf * np.cos(q[5] + q[6]) - u * np.sin(q[6]) - xa,
            yp - zf * np.sin(q[5] + q[6]) + u * np.cos(q[6]) - ya])

    q0 = [-0.0617138900142764, 0, 0.45527981916307, 0.222668390165886, 0.487364979543843,
          -0.222668390165886, 1.23054744454982]
    problem = daedal.gallery_problem("andrews")
    # the reference of the test set for initial value problems
    exact = 15.81077119629904
    row("andrews", lambda: daedal.solve_mechanical(force, g, q0, np.zeros(7), (0, end), mass=mass,
                                                   rtol=1e-9, atol=1e-9),
        lambda r: abs(r.y[0, -1] - exact),
        [("C", lambda: problem.solve((0, end), rtol=1e-9, atol=1e-9)),
         as_text("andrews", end, 1e-9)])
    called_back("andrews", force, g, mass, q0, np.zeros(7), (0, end), rtol=1e-9, atol=1e-9)


def boundary_values():
    """SciPy's own examples."""
    x, at = np.linspace(0, 1, 5), np.linspace(0, 1, 101)
    fun = lambda x, y: np.vstack((y[1], -np.exp(y[0])))  # noqa: E731
    bc = lambda a, b: np.array([a[0], b[0]])  # noqa: E731
    for name, height, c in (("bratu low", 0.0, 1.5171645990508), ("bratu high", 3.0, 10.938702772)):
        guess = np.vstack([np.full(5, height), np.zeros(5)])
        exact = -2 * np.log(np.cosh((at - 0.5) * c / 2) / np.cosh(c / 4))
        error = lambda r: np.abs(r.sol(at)[0] - exact).max()  # noqa: E731
        row(name, lambda: daedal.solve_bvp(fun, bc, x, guess), error, (),
            [("SciPy", lambda tol: integrate.solve_bvp(fun, bc, x, guess, tol=tol,
                                                       max_nodes=10**5))])
    y = np.zeros((2, 5))
    y[0, 1], y[0, 3] = 1, -1
    fun_p = lambda x, y, p: np.vstack((y[1], -p[0]**2 * y[0]))  # noqa: E731
    bc_p = lambda a, b, p: np.array([a[0], b[0], a[1] - p[0]])  # noqa: E731
    row("eigenvalue", lambda: daedal.solve_bvp(fun_p, bc_p, x, y, p=[6]),
        lambda r: abs(r.p[0] - 2 * np.pi), (),
        [("SciPy", lambda tol: integrate.solve_bvp(fun_p, bc_p, x, y, p=[6], tol=tol,
                                                   max_nodes=10**5))])


if __name__ == "__main__":
    pendulum()
    slider_crank()
    slider_crank(100.0)
    chain()
    chain(6.0)
    andrews()
    boundary_values()
