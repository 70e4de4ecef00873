#include "model/model.h"
bool dae_model_analyse(dae_model *m) { (void)m; return true; }
bool dae_model_make_plan(dae_model *m) { (void)m; return true; }
void dae_model_plan_free(dae_model *m) { (void)m; }
