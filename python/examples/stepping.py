"""The solver one step at a time, with a checkpoint, for those who own the loop."""

import numpy as np

import daedal

s = daedal.Solver.mechanical(lambda t, q, v: np.array([0, -9.81]), lambda t, q: [q @ q - 1],
                             [1, 0], [0, 0], 0, 5, rtol=1e-8, atol=1e-8)
kept = None
while s.status == "running":
    s.step()
    if kept is None and s.t > 1:
        kept = s.save()
print(f"t = {s.t}, {s.stats['steps']} steps by {s.method}, drift {s.drift()}")
first = s.y.copy()
s.restore(kept)
s.advance(5.0)
print("again from", kept, "difference", f"{np.abs(s.y - first).max():.1e}")
print("nearest point of (3, 4):", s.project([3, 4, 0, 0])[:2])
assert np.abs(s.y - first).max() < 1e-6
