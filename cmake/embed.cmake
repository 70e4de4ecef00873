# cmake -DOUTPUT=pages.c -DPAGES="a.md;b.md" -P embed.cmake: the pages of the gallery as C strings
set(code "/* made from the pages of the gallery by cmake/embed.cmake */\n#include \"cli.h\"\n\n#include <string.h>\n\n")
string(APPEND code "static const struct {\n  const char *name, *text;\n} page[] = {\n")
foreach(file IN LISTS PAGES)
  get_filename_component(name "${file}" NAME_WE)
  file(READ "${file}" text)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "\n" "\\n\"\n   \"" text "${text}")
  string(APPEND code "  {\"${name}\",\n   \"${text}\"},\n")
endforeach()
string(APPEND code "  {NULL, NULL},\n};\n\nconst char *cli_page_find(const char *name) {\n"
                   "  for (int i = 0; page[i].name; i++)\n"
                   "    if (strcmp(page[i].name, name) == 0) return page[i].text;\n"
                   "  return NULL;\n}\n")
file(WRITE "${OUTPUT}" "${code}")
