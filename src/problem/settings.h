/*
 * settings: the options behind the door (choose/settings.c). Numbers as they were given, words by
 * their place among those that an option may be, names by their place in a table: no text of the
 * user is kept, and nothing is compared by name any more.
 */
#ifndef DAE_SETTINGS_H
#define DAE_SETTINGS_H

#include "problem/problem.h"
#include <daedal/method.h>
#include <daedal/options.h>

/* the forms, in the order of their table (form/form.c) */
typedef enum dae_form_kind {
  DAE_FORM_AUTO = -1,
  DAE_FORM_DIRECT,
  DAE_FORM_INDEX1,
  DAE_FORM_INDEX2,
  DAE_FORM_BAUMGARTE,
  DAE_FORM_ATTRACT,
  DAE_FORM_GGL,
  DAE_FORM_INVARIANT,
  DAE_FORM_INVARIANT_ALL,
  DAE_FORM_INVARIANT_BALANCED,
  DAE_FORM_STATE_SPACE,
  DAE_FORM_EMBED,
  DAE_FORM_PI1,
  DAE_FORM_PI1_PLUS,
  DAE_FORM_PI2,
  DAE_FORM_SRM,
  DAE_FORMS
} dae_form_kind;

/* the stabilizers, in the order of their table (stabilize/stabilize.c) */
typedef enum dae_stabilizer_kind {
  DAE_STAB_AUTO = -1,
  DAE_STAB_NONE,
  DAE_STAB_POST,
  DAE_STAB_FORWARD,
  DAE_STAB_BACKWARD,
  DAE_STAB_PROJECT,
  DAE_STABILIZERS
} dae_stabilizer_kind;

/* words, in the order in which the table of options (daedal/options.h) lists them */
enum { DAE_WEIGHTING_INVERSE, DAE_WEIGHTING_PLAIN };
enum { DAE_LEVEL_BOTH, DAE_LEVEL_POSITION, DAE_LEVEL_VELOCITY };
enum { DAE_SCHUR_FACTOR, DAE_SCHUR_SOR };
enum {
  DAE_PROJECT_AUTO,
  DAE_PROJECT_NONE,
  DAE_PROJECT_VELOCITY,
  DAE_PROJECT_POSITION,
  DAE_PROJECT_BOTH,
  DAE_PROJECT_ALL
};
enum { DAE_PASSAGE_AUTO, DAE_PASSAGE_OFF };
enum { DAE_WEIGHT_INVERSE, DAE_WEIGHT_IDENTITY, DAE_WEIGHT_TRANSPOSE };
enum {
  DAE_VARIANT_AUTO,
  DAE_VARIANT_STANDARD,
  DAE_VARIANT_SINGULAR,
  DAE_VARIANT_INVARIANT,
  DAE_VARIANT_FREE
};
enum { DAE_CARRY_MESH, DAE_CARRY_STAGE, DAE_CARRY_WAVEFORM };
enum {
  DAE_MULTIPLIER_AUTO,
  DAE_MULTIPLIER_INTERPOLATE,
  DAE_MULTIPLIER_RECURSION,
  DAE_MULTIPLIER_INDEX1
};

/* numbers of a text "a,b,.."; count 0: none were given */
typedef struct dae_list {
  int count;
  double value[DAE_ORDER_MAX + 1];
} dae_list;

/* of a text "a,b;c,d"; rows 0: none was given */
typedef struct dae_rows {
  int rows, columns;
  const double *value;
} dae_rows;

#define DAE_SETTING_REAL(field) double field;
#define DAE_SETTING_COUNT(field) int field;
#define DAE_SETTING_FLAG(field) int field;
#define DAE_SETTING_WORD(field) int field;
#define DAE_SETTING_NAME(field)

typedef struct dae_settings {
#define DAE_SETTING(type, field, value, meaning) DAE_SETTING_##type(field)
  DAE_OPTION_LIST(DAE_SETTING)
#undef DAE_SETTING
  const dae_method *method; /* NULL: auto */
  dae_form_kind form;
  int form_levels; /* K of invariant:K; 0: none was given */
  dae_stabilizer_kind stabilize;
  dae_direction_choice direction;
  dae_list coefficients, srm_alpha;
  dae_rows rtilde;
  const double *atols; /* of each entry of z; NULL: all have atol, which is the smallest of them */
  dae_allocator allocator;
  dae_log log;
  /* the user's own, NULL: none; a method of theirs is `method` */
  const dae_own_linear *linear;
  const dae_own_norm *norm;
  const dae_own_form *own_form; /* with form attract, which it takes over */
} dae_settings;

#endif
