/* what a page does not have: other programs, the graphics library, pages of the gallery */
#include <errno.h>
#include <spawn.h>

#include "record.h"
#include "report.h"

int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]) {
  (void)pid, (void)file, (void)actions, (void)attributes, (void)argv, (void)envp;
  return ENOSYS; /* so that equations are interpreted */
}

int cli_caption_plot(const struct cli_record *record, const cli_result *r, const char *file) {
  (void)record, (void)r;
  return cli_fail(CLI_USAGE, "%s: no pictures here", file);
}

const char *cli_page_find(const char *name) {
  (void)name;
  return NULL;
}

const char *cli_asset_find(const char *name) {
  (void)name;
  return "";
}
