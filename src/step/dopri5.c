/* Dormand and Prince 1980, order 5(4), seven stages, the last one shared with the next step */
#include <math.h>

#include "step/explicit.h"

static const double c[] = {0, 0.2, 0.3, 0.8, 8. / 9, 1, 1};

static const double a[] = {
    0.2,
    3. / 40, 9. / 40,
    44. / 45, -56. / 15, 32. / 9,
    19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729,
    9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656,
    35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84};

static const double e[] = {71. / 57600,      0,         -71. / 16695, 71. / 1920,
                           -17253. / 339200, 22. / 525, -1. / 40};

/* Shampine's interpolant of order 4: the quartic that matches z and z' at both ends and one more
   condition */
static void dense(double x, double *w) {
  static const double d[] = {-12715105075. / 11282082432., 0, 87487479700. / 32700410799.,
                             -10690763975. / 1880347072., 701980252875. / 199316789632.,
                             -1453857185. / 822651844., 69997945. / 29380423.};
  double u = 1 - x;
  for (int i = 0; i < 7; i++) {
    double b = i < 6 ? a[15 + i] : 0, first = i == 0, last = i == 6;
    /* z0 + x (dz + u (bspl + x (-(h k_last) + dz - bspl + u d))) in Horner form, dz = h sum b k */
    double bspl = first - b;
    w[i] = x * (b + u * (bspl + x * (b - last - bspl + u * d[i])));
  }
}

const dae_explicit_tableau dae_step_dopri5 = {
    .method = {.name = "dopri5", .order = 5, .order_y = 5, .stage_order = 1, .stages = 7,
               .estimate = 4, .r_infinity = NAN, .view = DAE_VIEW_ODE,
               .when = "nonstiff problems with events or output at short intervals"},
    .c = c, .a = a, .e = e, .dense = dense};
