/* call: what the files of built-in functions share */
#ifndef DAE_MODEL_CALL_H
#define DAE_MODEL_CALL_H

#include "model/model.h"

/* a built-in function of `count` evaluated arguments; `op` tells which of several */
typedef bool (*dae_builtin)(dae_model *m, const dae_ast *e, const dae_value *arg, int count, int op,
                            dae_value *out);

/* an error at the call; false */
bool dae_model_wrong_call(dae_model *m, const dae_ast *e, const char *why);

/* of arrays (call_array.c) */
/* a, b, .. of one rank, joined along dimension k (from 0) */
bool dae_model_join_along(dae_model *m, const dae_value *part, int count, int k, uint32_t place,
                          dae_value *out);
bool dae_model_call_fill(dae_model *m, const dae_ast *e, const dae_value *arg, int count, int op,
                         dae_value *out);
bool dae_model_call_diagonal(dae_model *m, const dae_ast *e, const dae_value *arg, int count,
                             int op, dae_value *out);
bool dae_model_call_linspace(dae_model *m, const dae_ast *e, const dae_value *arg, int count,
                             int op, dae_value *out);
bool dae_model_call_size(dae_model *m, const dae_ast *e, const dae_value *arg, int count, int op,
                         dae_value *out);
bool dae_model_call_transpose(dae_model *m, const dae_ast *e, const dae_value *arg, int count,
                              int op, dae_value *out);
bool dae_model_call_cross(dae_model *m, const dae_ast *e, const dae_value *arg, int count, int op,
                          dae_value *out);
bool dae_model_call_outer(dae_model *m, const dae_ast *e, const dae_value *arg, int count, int op,
                          dae_value *out);
bool dae_model_call_reshape(dae_model *m, const dae_ast *e, const dae_value *arg, int count, int op,
                            dae_value *out);
bool dae_model_call_cat(dae_model *m, const dae_ast *e, const dae_value *arg, int count, int op,
                        dae_value *out);
bool dae_model_call_matrix(dae_model *m, const dae_ast *e, const dae_value *arg, int count, int op,
                           dae_value *out);
bool dae_model_call_symmetric(dae_model *m, const dae_ast *e, const dae_value *arg, int count,
                              int op, dae_value *out);

#endif
