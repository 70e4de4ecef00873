# cmake -DOUTPUT=pages.c -DFILES="a.md;b.md" -DFUNCTION=cli_page_find -DKEY=NAME_WE -P embed.cmake: files as C strings, and the
# function that finds one by its name (KEY: NAME, or NAME_WE without the ending)
set(code "/* made by cmake/embed.cmake */\n#include \"report.h\"\n\n#include <string.h>\n\n")
string(APPEND code "static const struct {\n  const char *name, *text;\n} list[] = {\n")
foreach(file IN LISTS FILES)
  get_filename_component(name "${file}" ${KEY})
  file(READ "${file}" text)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "?" "\\?" text "${text}") # no trigraphs
  string(REPLACE "\n" "\\n\"\n   \"" text "${text}")
  string(APPEND code "  {\"${name}\",\n   \"${text}\"},\n")
endforeach()
string(APPEND code "  {NULL, NULL},\n};\n\nconst char *${FUNCTION}(const char *name) {\n"
                   "  for (int i = 0; list[i].name; i++)\n"
                   "    if (strcmp(list[i].name, name) == 0) return list[i].text;\n"
                   "  return NULL;\n}\n")
file(WRITE "${OUTPUT}" "${code}")
