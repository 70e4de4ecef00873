/*
 * node test/playground.mjs DAEDAL PLAYGROUND.html: ten models of the gallery give what the command gives, a slider changes the
 * curve, an error stands at its place, a run without end is ended, no request leaves the page.
 */
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { accessible } from './access.mjs';
import { browser, open } from './browser.mjs';

const [daedal, file] = process.argv.slice(2);
const gallery = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'gallery');
let checks = 0, failed = 0;
const truth = (what, good) => {
  checks++;
  if (!good) {
    failed++;
    console.log(`FAILED: ${what}`);
  }
};
const b = await browser();
const page = await open(b, file);
const count = () => page.evaluate(() => Number(document.documentElement.dataset.ran || 0));
// how many runs the page has seen; asked again and again, as the page forbids to evaluate text
const ran = async (n) => {
  for (let i = 0; i < 600; i++) {
    if ((await count()) > n) return;
    await page.waitForTimeout(100);
  }
  throw new Error('the run has no end');
};
const after = async (act) => {
  const n = await count();
  await act();
  await ran(n);
};
await ran(0);

// both take the same steps: they differ by roundings of other libraries for linear algebra only
for (const name of ['pendulum', 'slider-crank', 'four-bar', 'strandbeest', 'andrews', 'kepler', 'heavy-top', 'two-link-robot', 'driven-arm', 'bvp-pendulum']) {
  await after(() => page.selectOption('#model', name === 'pendulum' ? 'linear-index2' : 'pendulum'));
  await after(() => page.selectOption('#model', name));
  const here = await page.evaluate(() => window.daedal.summary.final);
  const native = JSON.parse(execFileSync(daedal, ['run', join(gallery, `${name}.mo`), '--json'], { stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 26 })).final;
  const worst = Math.max(...Object.keys(native).map((k) => Math.abs(native[k] - here[k]) / (1 + Math.abs(native[k]))));
  truth(`${name} differs by ${worst}`, worst <= 1e-10 && Object.keys(native).length === Object.keys(here).length);
  console.log(`${name}: ${worst.toExponential(1)}`);
}

// a slider changes the curve, and what is drawn
await after(() => page.selectOption('#model', 'four-bar'));
const curve = () => page.evaluate(() => document.querySelector('#plots canvas').toDataURL());
const before = await curve();
await after(() => page.evaluate(() => {
  const s = document.getElementById('slider-rate');
  s.value = 8;
  s.dispatchEvent(new Event('input'));
}));
truth('a slider changes the curve', before !== (await curve()));
const frame = () => page.evaluate(() => document.querySelector('canvas.motion').toDataURL());
const still = await frame();
await page.evaluate(() => { const s = document.querySelector('.controls input[type=range]'); s.value = 700; s.dispatchEvent(new Event('input')); });
truth('two frames differ', still !== (await frame()));

// an error at its place
await after(() => page.fill('#text', 'model M\n  Real x(start = 1);\nequation\n  der(x) = yy;\nend M;\n'));
truth('the message names its place', (await page.locator('.messages').innerText()).includes('line 4, column 12'));
truth('a mark stands there', (await page.locator('.caret.error').count()) === 1);

// endless work is ended
await after(() => page.selectOption('#model', 'pendulum'));
await page.fill('#stop', '1e5');
await page.locator('#stop').press('Tab');
await page.waitForTimeout(700);
await after(() => page.getByRole('button', { name: 'End' }).click());
truth('a run can be ended', (await page.locator('.state').innerText()).includes('ended'));
await after(async () => { await page.fill('#stop', ''); await page.locator('#stop').press('Tab'); });
truth('and the next one runs', (await page.locator('.state').innerText()).includes('solved'));

for (const scheme of ['light', 'dark']) {
  await page.emulateMedia({ colorScheme: scheme });
  await accessible(page, `playground ${scheme}`, truth);
}

truth(`console: ${page.errors.join(' | ').slice(0, 300)}`, page.errors.length === 0);
truth(`requests: ${page.requests.join(' ')}`, page.requests.length === 0);
await b.close();
console.log(`${checks} checks, ${failed} failures`);
process.exit(failed ? 1 : 0);
