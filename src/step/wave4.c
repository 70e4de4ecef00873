/*
 * wave4: order 4, ten stages, the last one shared with the next step, for oscillations that are
 * much faster than what is to be seen of the motion. Explicit steps are then as long as stability
 * on the imaginary axis allows, and nine evaluations reach 7.5 (classical: four reach 2.8).
 *
 *   R(z) = sum_{k<=4} z^k/k! + 0.974 z^5/5! + 0.843 z^6/6! + 0.785 z^7/7! + 0.422 z^8/8!
 *          + 0.377 z^9/9!
 *
 * has |R(iy)| <= 1 for 0 <= y <= 7.5 with the coefficient of z^5 as near to 1 as that allows (a
 * linear program). The tableau was found by a least squares search: all conditions of order 4 and
 * 5 hold but the one that R excludes, b A^3 c = 1/5!; of what is then free, the error terms of
 * order 6 are small. The error estimate is of order 4: a combination of the stages that vanishes on
 * all conditions up to that order and has small coefficients.
 */
#include <math.h>

#include "step/explicit.h"

static const double c[] = {
    0, 0.190824752215219, 0.28224915001859341, 0.34035307684629501, 0.52099078532268328,
    0.70607452733070586, 0.75779010386727752, 0.78075505459726846, 0.90899764118533821, 1};

static const double a[] = {
    0.190824752215219,
    -0.0047718448737292373, 0.28702099489232263,
    0.065257817105113705, 0.064843487151695162, 0.2102517725894861,
    0.044955812473218996, 0.15422113628047449, 0.039385997906964079, 0.28242783866202575,
    0.1169653105755061, 0.099070877240981403, 0.14954386200282904, 0.10856830931206254,
    0.23192616819932682,
    0.068473434944531758, 0.17050242887856229, 0.18800012075563449, 0.10230380057556145,
    -0.0081065654848229644, 0.23661688419781052,
    0.062669410488638805, 0.089002590420155583, 0.095318150516151612, 0.13977815639014077,
    0.11349246635171574, 0.070118975317544005, 0.21037530511292199,
    0.076835512063585854, 0.12520882603849942, 0.077818423371433035, 0.17061410572841543,
    0.088205346399949411, 0.15946676127704876, 0.060950716989434182, 0.14989794931697215,
    0.083426188478025853, 0.12643022238862994, 0.046276521080609624, 0.21837599124790244,
    0.15127677060112935, 0.01491757168530106, 0.22128142304996881, -0.04678905039293154,
    0.18480436186136451};

static const double e[] = {
    0.0076116530858273751, -0.0074988377253097111, -0.011476600448502142, -0.0088040774020955569,
    0.022082906463870716, 0.037172618138264536, -0.041497967284949748, 0.039207554436871732,
    -0.082938418730338637, 0.046141169466361424};

const dae_explicit_tableau dae_step_wave4 = {
    .method = {.name = "wave4", .order = 4, .order_y = 4, .stage_order = 1, .stages = 10,
               .estimate = 4, .r_infinity = NAN, .view = DAE_VIEW_ODE,
               .when = "fast waves in large mechanisms, low accuracy"},
    .c = c, .a = a, .e = e};
