/* libFuzzer target: any bytes as a model; built by clang only (fuzz.sh, long tests) */
#include <stddef.h>
#include <stdint.h>

#include <daedal/model.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  dae_model *m;
  dae_model_options o = {
      .compiler = "", .max_size = 200000, .model_memory = 200, .model_seconds = 3};
  if (dae_model_read_text(&m, "fuzz.mo", (const char *)data, size, &o) == DAE_OK)
    dae_model_build(m);
  dae_model_free(m);
  return 0;
}
