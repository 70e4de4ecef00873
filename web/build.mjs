// The bundles of the pages: dist/report.js, dist/report.css and dist/LICENSES.txt, which cmake puts into the command.
// `node build.mjs` writes them; `node build.mjs --check` fails when those in the tree are not what the sources give.
import { build } from 'esbuild';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const check = process.argv.includes('--check');

async function bundle(entry, extra = {}) {
  const result = await build({
    entryPoints: [join(here, 'src', entry)],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: 'es2020',
    charset: 'ascii',
    legalComments: 'none',
    absWorkingDir: here,
    ...extra,
  });
  // a page holds it between <script> and </script>
  return result.outputFiles[0].text.replace(/<\/(script|style)/gi, '<\\/$1').replace(/<!--/g, '<\\!--');
}

const uplot = readFileSync(join(here, 'node_modules/uplot/LICENSE'), 'utf8').trim();
const files = {
  'report.js': await bundle('report.js'),
  'report.css': await bundle('style.css'),
  'playground.js': await bundle('playground.js'),
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
