/* an outside program: prints the version of the library it runs with */
#include <stdio.h>

#include <daedal/daedal.h>

int main(void) {
  printf("%s %s\n", dae_version(), dae_status_name(DAE_OK));
  return 0;
}
