/* units: values as displayUnit asks for them */
#include <string.h>

#include "panel.h"

/* one of the unit is `factor` of the base, plus offset: 1 degC = 1 K + 273.15 */
static const struct {
  const char *name, *base;
  double factor, offset;
} unit_table[] = {
    {"rad", "rad", 1, 0},
    {"deg", "rad", 0.017453292519943295, 0},
    {"rad/s", "rad/s", 1, 0},
    {"deg/s", "rad/s", 0.017453292519943295, 0},
    {"rpm", "rad/s", 0.10471975511965977, 0},
    {"1/min", "rad/s", 0.10471975511965977, 0},
    {"rev/min", "rad/s", 0.10471975511965977, 0},
    {"Hz", "Hz", 1, 0},
    {"K", "K", 1, 0},
    {"degC", "K", 1, 273.15},
    {"degF", "K", 1 / 1.8, 459.67 / 1.8},
    {"Pa", "Pa", 1, 0},
    {"bar", "Pa", 1e5, 0},
    {"atm", "Pa", 101325, 0},
    {"m", "m", 1, 0},
    {"m/s", "m/s", 1, 0},
    {"km/h", "m/s", 1 / 3.6, 0},
    {"s", "s", 1, 0},
    {"min", "s", 60, 0},
    {"h", "s", 3600, 0},
    {"d", "s", 86400, 0},
    {"kg", "kg", 1, 0},
    {"g", "kg", 1e-3, 0},
    {"t", "kg", 1e3, 0},
    {"N", "N", 1, 0},
    {"N.m", "N.m", 1, 0},
    {"J", "J", 1, 0},
    {"W.h", "J", 3600, 0},
    {"W", "W", 1, 0},
    {"V", "V", 1, 0},
    {"A", "A", 1, 0},
    {"F", "F", 1, 0},
    {"H", "H", 1, 0},
    {"Ohm", "Ohm", 1, 0},
    {"C", "C", 1, 0},
    {"m3", "m3", 1, 0},
    {"l", "m3", 1e-3, 0},
    {"mol", "mol", 1, 0},
    {"1", "1", 1, 0},
    {"%", "1", 1e-2, 0},
};

static int find(const char *name) {
  int count = (int)(sizeof unit_table / sizeof *unit_table);
  for (int i = 0; i < count; i++)
    if (strcmp(unit_table[i].name, name) == 0) return i;
  return -1;
}

/* the name itself, or a prefix and the name: mm, kPa */
static int find_prefixed(const char *name, double *prefix) {
  static const struct {
    const char *name;
    double value;
  } prefix_table[] = {{"k", 1e3},  {"M", 1e6},  {"G", 1e9}, {"m", 1e-3},
                      {"u", 1e-6}, {"n", 1e-9}, {"c", 1e-2}};
  *prefix = 1;
  int i = find(name);
  for (size_t k = 0; i < 0 && k < sizeof prefix_table / sizeof *prefix_table; k++) {
    if (name[0] != prefix_table[k].name[0]) continue;
    i = find(name + 1);
    /* no prefix stands before what has a factor already */
    if (i >= 0 && (unit_table[i].factor != 1 || unit_table[i].offset != 0)) i = -1;
    *prefix = i >= 0 ? prefix_table[k].value : 1;
  }
  return i;
}

bool cli_unit_convert(const char *from, const char *to, double *factor, double *offset) {
  double p, q;
  int a = find_prefixed(from, &p), b = find_prefixed(to, &q);
  *factor = 1;
  *offset = 0;
  if (strcmp(from, to) == 0) return true;
  if (a < 0 || b < 0 || strcmp(unit_table[a].base, unit_table[b].base) != 0) return false;
  *factor = p * unit_table[a].factor / (q * unit_table[b].factor);
  *offset = (unit_table[a].offset - unit_table[b].offset) / (q * unit_table[b].factor);
  return true;
}
