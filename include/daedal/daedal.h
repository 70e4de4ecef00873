/* all of Daedal */
#ifndef DAEDAL_H
#define DAEDAL_H

#include <daedal/bvp.h>
#include <daedal/check.h>
#include <daedal/extend.h>
#include <daedal/memory.h>
#include <daedal/method.h>
#include <daedal/model.h>
#include <daedal/options.h>
#include <daedal/pattern.h>
#include <daedal/problem.h>
#include <daedal/solver.h>
#include <daedal/status.h>
#include <daedal/version.h>

#endif
