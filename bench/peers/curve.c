/* reading a work-precision curve */
#include <math.h>

#include "peers.h"

/* does another run reach at least this error in at most this time? */
static bool beaten(int count, const double *error, const double *time, int i) {
  for (int j = 0; j < count; j++) {
    if (j == i || !isfinite(error[j])) continue;
    bool better = error[j] < error[i] || time[j] < time[i];
    if (better && error[j] <= error[i] && time[j] <= time[i]) return true;
  }
  return false;
}

/* log time, linear in log error between the two runs of the front around the target */
double curve_time(int count, const double *error, const double *time, double target) {
  int above = -1, below = -1; /* nearest errors on both sides */
  for (int i = 0; i < count; i++) {
    if (!isfinite(error[i]) || beaten(count, error, time, i)) continue;
    if (error[i] <= target && (below < 0 || error[i] > error[below])) below = i;
    if (error[i] > target && (above < 0 || error[i] < error[above])) above = i;
  }
  if (below < 0) return NAN;
  if (above < 0 || error[below] <= 0) return time[below];
  double s = log(target / error[above]) / log(error[below] / error[above]);
  return time[above] * pow(time[below] / time[above], s);
}
