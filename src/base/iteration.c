/* what is left of an iteration by its rate of convergence */
#include <math.h>

#include "base/iteration.h"

double dae_base_left(double rate, double ceiling) {
  return rate < ceiling ? rate / (1 - rate) : INFINITY;
}

bool dae_base_hopeless(double rate, double left, double size, int more, double enough) {
  if (more < 0) return !(left * size * pow(rate, more) <= enough);
  double rest = left * size;
  for (int i = 0; i < more; i++) rest *= rate;
  return !(rest <= enough);
}
