#!/usr/bin/env python3
"""Reference values of gallery problems, from formulations that share nothing with the gallery.

Each problem is written down in minimal coordinates (angles, quadratures, the underlying ODE) and integrated in
25-digit arithmetic by extrapolation of the modified midpoint rule, once with N and once with 2N steps. Printed
are the coordinates of the finer run and the number of digits in which the two agree.

    tools/references.py            all problems (some minutes)
    tools/references.py four-bar   one of them

Needs mpmath. The printed values are the ones in gallery/*.c.
"""
import sys

from mpmath import asin, cos, findroot, log10, lu_solve, matrix, mp, mpf, pi, quad, sin, sqrt

mp.dps = 25
G = mpf("9.81")


def midpoint(f, t, y, H, n):
    """n modified midpoint steps over H"""
    h = H / n
    a, b = y, [yi + h * k for yi, k in zip(y, f(t, y))]
    for i in range(1, n):
        a, b = b, [ai + 2 * h * k for ai, k in zip(a, f(t + i * h, b))]
    return [(ai + bi + h * k) / 2 for ai, bi, k in zip(a, b, f(t + H, b))]


def integrate(f, y, t0, t1, steps, columns=9):
    """y(t1) by extrapolation to order 2*columns with `steps` equal steps"""
    H = (mpf(t1) - t0) / steps
    for s in range(steps):
        t, row = t0 + s * H, []
        for k in range(columns):
            new = [midpoint(f, t, y, H, 2 * (k + 1))]
            for j in range(1, k + 1):
                c = (mpf(k + 1) / (k + 1 - j)) ** 2 - 1
                new.append([x + (x - o) / c for x, o in zip(new[j - 1], row[j - 1])])
            row = new
        y = row[-1]
    return y


def solve(name, f, y0, times, steps, show=lambda t, y: y):
    """prints show(t, y) at each time; `steps` per unit of time in the coarse run"""
    t, coarse, fine = mpf(0), list(y0), list(y0)
    for end in times:
        n = max(1, int((end - t) * steps + mpf("0.5")))
        coarse, fine = integrate(f, coarse, t, end, n), integrate(f, fine, t, end, 2 * n)
        t = mpf(end)
        a, b = show(t, coarse), show(t, fine)
        digits = min(-log10(abs(x - y) / max(abs(y), mpf("1e-3")) + mpf("1e-25")) for x, y in zip(a, b))
        print(name, "t =", end, "digits", mp.nstr(digits, 3))
        print("   ", ", ".join(mp.nstr(x, 18) for x in b), flush=True)


class Jet:
    """value, first and second derivative with respect to one angle"""

    def __init__(self, v, d=0, e=0):
        self.v, self.d, self.e = mpf(v), mpf(d), mpf(e)

    def __add__(a, b):
        b = b if isinstance(b, Jet) else Jet(b)
        return Jet(a.v + b.v, a.d + b.d, a.e + b.e)

    def __neg__(a):
        return Jet(-a.v, -a.d, -a.e)

    def __sub__(a, b):
        return a + (-b if isinstance(b, Jet) else -mpf(b))

    def __mul__(a, b):
        b = b if isinstance(b, Jet) else Jet(b)
        return Jet(a.v * b.v, a.d * b.v + a.v * b.d, a.e * b.v + 2 * a.d * b.d + a.v * b.e)

    __radd__, __rmul__ = __add__, __mul__

    def of(a, f, f1, f2):
        """chain rule"""
        return Jet(f, f1 * a.d, f2 * a.d * a.d + f1 * a.e)

    def inverse(a):
        return a.of(1 / a.v, -1 / a.v**2, 2 / a.v**3)

    def root(a):
        r = sqrt(a.v)
        return a.of(r, 1 / (2 * r), -1 / (4 * r**3))


def turn(angle, factor=1):
    """(cos, sin) of factor*angle as jets in angle"""
    k = mpf(factor)
    c, s = cos(k * angle), sin(k * angle)
    return Jet(c, -k * s, -k * k * c), Jet(s, k * c, -k * k * s)


def swing(points, masses, rate):
    """angle'' of one degree of freedom: I a'' + I' a'^2/2 = -g sum m y'"""
    I = sum(m * (x.d**2 + y.d**2) for m, (x, y) in zip(masses, points))
    half = sum(m * (x.d * x.e + y.d * y.e) for m, (x, y) in zip(masses, points))
    slope = G * sum(m * y.d for m, (x, y) in zip(masses, points))
    return -(half * rate**2 + slope) / I


def four_bar():
    ground, crank, coupler, rocker = 4, 1, 3, 2

    def points(angle):
        c, s = turn(angle)
        ax, ay = crank * c, crank * s
        dx, dy = -ax + ground, -ay
        e2 = dx * dx + dy * dy
        u = (Jet(coupler**2 - rocker**2) + e2) * (e2 * 2).inverse()
        # height over the diagonal: ((b+c)^2 - e^2) = 4 a d cos^2(angle/2) has a smooth root at the change point
        h = turn(angle, mpf(1) / 2)[0] * (crank * ground * (e2 - (coupler - rocker) ** 2)).root() * e2.inverse()
        return (ax, ay), (ax + u * dx - h * dy, ay + u * dy + h * dx)

    def f(t, y):
        return [y[1], swing(points(y[0]), (1, 1), y[1])]

    def show(t, y):
        (a, b) = points(y[0])
        return [y[0], y[1], b[0].v, b[1].v, b[0].d * y[1], b[1].d * y[1]]

    solve("four-bar (angle, rate, x2, y2, x2', y2')", f, [mpf(1), mpf(6)], [mpf("0.2"), 1, 2], 120, show)


def double_slider():
    m, m3 = mpf(3), mpf("1.5")

    def f(t, y):
        s, c = sin(y[0]), cos(y[0])
        return [y[1], -((m - m3) * s * c * y[1] ** 2 + m3 * G * c) / (m * s * s + m3 * c * c)]

    solve("double-slider (angle, rate)", f, [mpf("-0.7"), mpf(0)], [1, 5], 12)


def strandbeest():
    px, py = Jet(mpf("-3.80")), Jet(mpf("-0.78"))

    def join(a, la, b, lb, side):
        la, lb = mpf(la), mpf(lb)
        dx, dy = b[0] - a[0], b[1] - a[1]
        d2 = dx * dx + dy * dy
        u = (d2 + (la * la - lb * lb)) * (2 * d2).inverse()
        h = (la * la * d2.inverse() - u * u).root() * side
        return a[0] + u * dx - h * dy, a[1] + u * dy + h * dx

    def points(angle):
        c, s = turn(angle)
        p = (px, py)
        crank = (mpf("1.5") * c, mpf("1.5") * s)
        top = join(crank, "5.00", p, "4.15", -1)
        middle = join(crank, "6.19", p, "3.93", 1)
        back = join(top, "5.58", p, "4.01", -1)
        heel = join(back, "3.94", middle, "3.67", -1)
        foot = join(heel, "6.57", middle, "4.90", -1)
        return crank, top, back, middle, heel, foot

    def f(t, y):
        return [y[1], swing(points(y[0]), [1] * 6, y[1])]

    def show(t, y):
        foot = points(y[0])[5]
        return [y[0], y[1], foot[0].v, foot[1].v]

    solve("strandbeest (angle, rate, foot)", f, [mpf("0.5"), mpf(8)], [1, 4], 40, show)


def stiff_loop():
    m1, m2, m3, L = mpf(1), mpf("0.5"), mpf("1.5"), mpf("1.6")
    k, c, rest, base = mpf(10) ** 8, mpf(10) ** 4, mpf("1.7"), mpf("1.2")

    def f(t, y):
        a, b, g, ar, br, gr = y
        ca, sa, cb, sb, cg, sg = cos(a), sin(a), cos(b), sin(b), cos(g), sin(g)
        dx, dy = base + cg - ca - L * cb, sg - sa - L * sb
        vx, vy = -sg * gr + sa * ar + L * sb * br, cg * gr - ca * ar - L * cb * br
        r = sqrt(dx * dx + dy * dy)
        pull = (k * (r - rest) + c * (dx * vx + dy * vy) / r) / r
        fx, fy = pull * dx, pull * dy
        # (m1+m2) a'' + m2 L cos(a-b) b'' + m2 L sin(a-b) b'^2 = torque, and so on
        cd, sd = ca * cb + sa * sb, sa * cb - ca * sb
        A, B, D = m1 + m2, m2 * L * cd, m2 * L * L
        ra = -(m1 + m2) * G * ca - sa * fx + ca * fy - m2 * L * sd * br**2
        rb = -m2 * G * L * cb + L * (-sb * fx + cb * fy) + m2 * L * sd * ar**2
        rg = (-m3 * G * cg + sg * fx - cg * fy) / m3
        det = A * D - B * B
        return [ar, br, gr, (ra * D - rb * B) / det, (A * rb - B * ra) / det, rg]

    def show(t, y):
        a, b, g, ar, br, gr = y
        ca, sa, cb, sb, cg, sg = cos(a), sin(a), cos(b), sin(b), cos(g), sin(g)
        return [ca, sa, ca + L * cb, sa + L * sb, base + cg, sg, -sa * ar, ca * ar,
                -sa * ar - L * sb * br, ca * ar + L * cb * br, -sg * gr, cg * gr]

    a, g = mpf("2.1"), mpf("0.6")
    dx, dy = base + cos(g) - cos(a), sin(g) - sin(a)
    d2 = dx * dx + dy * dy
    u = ((L * L - rest * rest) / d2 + 1) / 2
    h = sqrt(L * L / d2 - u * u)
    b = mp.atan2(u * dy + h * dx, u * dx - h * dy)
    solve("stiff-loop (z)", f, [a, b, g, mpf(0), mpf(0), mpf(0)], [mpf("0.5"), 1], 4000, show)


def chain(name, n, times, steps):
    L, m, start = mpf(1) / n, mpf(1) / n, mpf("0.5")

    def f(t, y):
        A, r = matrix(n, n), matrix(n, 1)
        c, s = [cos(x) for x in y[:n]], [sin(x) for x in y[:n]]
        for i in range(n):
            r[i] = -G * (n - i) * m * s[i]
            for j in range(n):
                mu = (n - max(i, j)) * m * L
                A[i, j] = mu * (c[i] * c[j] + s[i] * s[j])
                r[i] -= mu * (s[i] * c[j] - c[i] * s[j]) * y[n + j] ** 2
        return list(y[n:]) + list(lu_solve(A, r))

    solve(name + " (angles, rates)", f, [start] * n + [mpf(0)] * n, times, steps)


def ring_redundant():
    n, m = 10, mpf(1) / 10
    L, rate = mpf(2) / n, mpf(3)

    # rod k has the angle y[k] to the x-axis; joints are sums of rods, and all rods add up to zero
    def f(t, y):
        c, s = [cos(x) for x in y[:n]], [sin(x) for x in y[:n]]
        A, r = matrix(n + 2, n + 2), matrix(n + 2, 1)
        for i in range(n):
            r[i] = -G * (n - 1 - i) * m * L * c[i]
            for j in range(n):
                mu = (n - 1 - max(i, j)) * m * L * L
                A[i, j] = mu * (c[i] * c[j] + s[i] * s[j])
                r[i] -= mu * (s[i] * c[j] - c[i] * s[j]) * y[n + j] ** 2
            A[i, n] = A[n, i] = -s[i]
            A[i, n + 1] = A[n + 1, i] = c[i]
            r[n] += c[i] * y[n + i] ** 2
            r[n + 1] += s[i] * y[n + i] ** 2
        return list(y[n:]) + list(lu_solve(A, r))[:n]

    # the polygon starts at the top and goes round to the right and down
    y0 = [-2 * pi * (k + mpf("0.5")) / n for k in range(n)]
    solve("ring-redundant (angles, rates)", f, y0 + [rate] * n, [mpf("0.3"), 1], 200)


def charged_particles():
    n, damping = 20, mpf("0.5")

    def f(t, y):
        p = [y[3 * i : 3 * i + 3] for i in range(n)]
        v = [y[3 * (n + i) : 3 * (n + i) + 3] for i in range(n)]
        a = [[-damping * x for x in w] for w in v]
        for i in range(n):
            for j in range(i):
                d = [x - z for x, z in zip(p[i], p[j])]
                c = 1 / (d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
                for k in range(3):
                    a[i][k] += c * d[k]
                    a[j][k] -= c * d[k]
        out = list(y[3 * n :])
        for i in range(n):
            lam = sum(x * b for x, b in zip(p[i], a[i])) + sum(x * x for x in v[i])
            out += [b - lam * x for x, b in zip(p[i], a[i])]
        return out

    y0 = []
    for i in range(n):
        h, phi = (2 * i + mpf(1)) / n - 1, mpf("2.2") * i + mpf("0.9") * sin(mpf("1.7") * i)
        y0 += [sqrt(1 - h * h) * cos(phi), sqrt(1 - h * h) * sin(phi), h]
    solve("charged-particles (z)", f, y0 + [mpf(0)] * (3 * n), [2], 8)


def bead_bounce():
    """x'^2 = g (A^2 - x^2)/(1 + x^2) between bounces: times are integrals, with x = A sin(s)"""
    wall, e = mpf("0.5"), mpf("0.8")

    def time(A, x0, x1):
        return quad(lambda s: sqrt((1 + (A * sin(s)) ** 2) / G), [asin(x0 / A), asin(x1 / A)])

    def speed(A, x):
        return sqrt(G * (A * A - x * x) / (1 + x * x))

    A, t = mpf(1), time(mpf(1), mpf(-1), wall)
    print("bead-bounce, first bounce at", mp.nstr(t, 18))
    while True:
        A = sqrt(wall**2 + (e * speed(A, wall)) ** 2 * (1 + wall**2) / G)
        left, back = time(A, -A, wall), time(A, -A, wall)
        if t + left + back > 3:
            break
        t += left + back
    rest = 3 - t
    sign = -1 if rest < left else 1
    gap = abs(rest - left)  # from the turning point on the left
    s = findroot(lambda s: quad(lambda q: sqrt((1 + (A * sin(q)) ** 2) / G), [-pi / 2, s]) - gap, mpf(0))
    x = A * sin(s)
    v = sign * speed(A, x)
    print("bead-bounce (x, y, x', y') t = 3, last bounce at", mp.nstr(t, 18))
    print("   ", ", ".join(mp.nstr(c, 18) for c in (x, x * x / 2, v, x * v)))


def heavy_top():
    I1, I3, weight, tilt, spin, rate = mpf(1), mpf("0.4"), mpf(2), mpf("0.6"), mpf(12), mpf("0.3")
    momentum = I3 * spin * cos(tilt)

    # Euler angles: precession, nutation, spin
    def precession(th):
        return (momentum - I3 * spin * cos(th)) / (I1 * sin(th) ** 2)

    def f(t, y):
        phi, th, psi, r = y
        w = precession(th)
        return [w, r, spin - w * cos(th), (I1 * w * w * cos(th) - I3 * spin * w + weight) * sin(th) / I1]

    def show(t, y):
        phi, th, psi, r = y
        w, c, s = precession(th), cos(th / 2), sin(th / 2)
        return [c * cos((phi + psi) / 2), s * cos((phi - psi) / 2), s * sin((phi - psi) / 2),
                c * sin((phi + psi) / 2), w * sin(th) * sin(psi) + r * cos(psi),
                w * sin(th) * cos(psi) - r * sin(psi), spin]

    solve("heavy-top (z)", f, [mpf(0), tilt, mpf(0), rate], [1, 10], 12, show)


def phase_lock_torus():
    def f(t, y):
        a, b = y
        return [1 + mpf("0.4") * cos(a), 1 + mpf("0.4") * cos(b) + mpf("1.5") * sin(a - b)]

    def show(t, y):
        a, b = y
        return [cos(a), sin(a), cos(b), sin(b), 1 + sin(b) / 2, cos(a) * cos(b)]

    solve("phase-lock-torus (z, lambda)", f, [mpf(0), mpf(1)], [1, 10], 8, show)


def gradient_flow():
    def slopes(u):
        p = [u[0] + mpf("0.3"), 2 * u[1] - mpf("0.2"), 4 * u[2] + mpf("0.1")]
        d = [u[0], 2 * u[1], 3 * u[2]]
        return p, d, -sum(x * y for x, y in zip(p, d)) / sum(x * x for x in d)

    def f(t, u):
        p, d, lam = slopes(u)
        return [-x - lam * y for x, y in zip(p, d)]

    solve("gradient-flow (z, lambda)", f, [mpf("0.2"), sqrt(mpf("0.24")), mpf("0.4")], [1, 5, 20], 6,
          lambda t, u: list(u) + [slopes(u)[2]])


ALL = {
    "four-bar": four_bar,
    "double-slider": double_slider,
    "strandbeest": strandbeest,
    "stiff-loop": stiff_loop,
    "pendulum-chain": lambda: chain("pendulum-chain", 10, [mpf("0.3"), 1], 60),
    "rod-net": lambda: chain("rod-net", 5, [mpf("0.3"), 1], 50),
    "ring-redundant": ring_redundant,
    "charged-particles": charged_particles,
    "bead-bounce": bead_bounce,
    "heavy-top": heavy_top,
    "phase-lock-torus": phase_lock_torus,
    "gradient-flow": gradient_flow,
}

if __name__ == "__main__":
    for key in sys.argv[1:] or ALL:
        ALL[key]()
