// The bundles of the pages: dist/report.js, dist/report.css and dist/LICENSES.txt, which cmake puts into the command.
// `node build.mjs` writes them; `node build.mjs --check` fails when those in the tree are not what the sources give.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle, here } from './bundle.mjs';

const check = process.argv.includes('--check');

const uplot = readFileSync(join(here, 'node_modules/uplot/LICENSE'), 'utf8').trim();
const files = {
  'report.js': await bundle('report.js'),
  'report.css': await bundle('style.css'),
  'LICENSES.txt': `The pages contain uPlot (https://github.com/leeoniya/uPlot).\n\n${uplot}\n`,
};

let stale = 0;
mkdirSync(join(here, 'dist'), { recursive: true });
for (const [name, text] of Object.entries(files)) {
  const path = join(here, 'dist', name);
  const same = existsSync(path) && readFileSync(path, 'utf8') === text;
  if (check && !same) {
    console.error(`web/dist/${name} is not what its sources give: run 'npm run build' in web/`);
    stale++;
  }
  if (!check && !same) writeFileSync(path, text);
}
process.exit(stale ? 1 : 0);
