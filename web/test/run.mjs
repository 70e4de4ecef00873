/*
 * node test/run.mjs DAEDAL: pages in headless Chromium. No console error and no request to anywhere, as many series as were
 * asked for, zoom changes the axis, two frames of a motion differ, hostile names stay text; large runs open fast.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Table } from '../src/decode.js';
import { accessible, curveColours } from './access.mjs';
import { browser, open, path } from './browser.mjs';

const daedal = process.argv[2] && resolve(process.argv[2]);
if (!daedal || !path) {
  console.error(path ? 'usage: node test/run.mjs DAEDAL' : 'no Chromium was found');
  process.exit(2);
}
const gallery = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'gallery');
const work = mkdtempSync(join(tmpdir(), 'daedal-web-'));
let checks = 0, failed = 0;
const truth = (what, good) => {
  checks++;
  if (!good) {
    failed++;
    console.log(`FAILED: ${what}`);
  }
};
const run = (...args) => execFileSync(daedal, args, { cwd: work, stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 26 });
const quiet = (page, what) => {
  truth(`${what}: console ${page.errors.join(' | ').slice(0, 300)}`, page.errors.length === 0);
  truth(`${what}: requests ${page.requests.join(' ')}`, page.requests.length === 0);
};
const picture = (page) => page.evaluate(() => document.querySelector('canvas.motion').toDataURL());
const move = (page, part) => page.evaluate((v) => {
  const s = document.querySelector('.controls input[type=range]');
  s.value = v;
  s.dispatchEvent(new Event('input'));
}, 1000 * part);
// what the axis of the first plot shows now: the curve under the pointer at its left end
const axis = async (page) => {
  await page.locator('.u-over').first().scrollIntoViewIfNeeded();
  const box = await page.locator('.u-over').first().boundingBox();
  await page.mouse.move(box.x + 40, box.y + 10);
  await page.mouse.move(box.x + 3, box.y + box.height / 2);
  await page.waitForTimeout(60);
  return page.locator('#plots > .note').first().textContent();
};

const started = Date.now();

// the numbers of a page: those of the run, thinned or not
const stored = (...args) => {
  run('run', ...args, '--report', 'n.json', '--quiet');
  const data = JSON.parse(readFileSync(join(work, 'n.json'), 'utf8'));
  return { data, table: new Table(data.solution) };
};
writeFileSync(join(work, 'wave.mo'), `model Wave
  Real x(start = 0, fixed = true), y;
equation
  der(x) = 2000*cos(2000*time); y = time^2;
  annotation(experiment(StopTime = 100));
end Wave;
`);
for (const points of [1000, 20000, 50001]) {
  const { data, table } = stored('pendulum', '--stop', '10', '--points', String(points));
  truth(`${points} points: ${table.points}, rows ${table.rows}`, table.points === points && table.rows <= 20001 && table.rows >= Math.min(points, 5000));
  truth(`${points}: the first and the last time`, table.time[0] === 0 && table.time[table.rows - 1] === 10);
  // stored as they are: few numbers have all their digits
  data.solution.columns.forEach((c, i) => truth(`${points}: end of ${c.name}`, Math.abs(table.column(i).value[table.rows - 1] - data.summary.final[c.name]) <= 1e-6 * (1 + Math.abs(data.summary.final[c.name]))));
}
{
  const { table } = stored('wave.mo', '--tol', '1e-8', '--points', '100000');
  const x = table.column(0), y = table.column(1);
  truth('a fast curve has a band from -1 to 1', x.low && Math.min(...x.low.slice(1)) < -0.999 && Math.max(...x.high) > 0.999);
  // 8 points of the run lie between two rows, 2 rad apart: on a circle they leave gaps of 1.72 rad, cos(1.72/2) = 0.65
  truth('the band reaches both ends between any two rows', x.low.slice(2, -1).every((v) => v < -0.64) && x.high.slice(2, -1).every((v) => v > 0.64));
  truth('a smooth one has none and is exact', !y.low && y.value.every((v, i) => Math.abs(v - table.time[i] ** 2) <= 1e-6 * (1 + v)));
}

// forces of the constraints: a pendulum that falls from the horizontal pulls with 3 g at its lowest point, where v^2 = 2 g
{
  const { data } = stored('pendulum', '--stop', '2', '--tol', '1e-9');
  const t = new Table(data.draw.table), [s] = data.draw.shapes.filter((q) => q.k === 'force');
  const [fx, fy] = s.a.slice(2).map((c) => t.column(c).value), y = t.column(s.a[1]).value, lowest = y.indexOf(Math.min(...y));
  const g = data.parameters.find((p) => p.name === 'g').value;
  truth(`pull ${fy[lowest]} at y = ${y[lowest]}`, Math.abs(fy[lowest] - 3 * g) < 1e-3 * g && Math.abs(fx[lowest]) < 0.2 * g);
}
// a text says the same as the problem in C: lambda enters there by hand, here as -G' lambda
for (const name of ['andrews', 'stiff-loop', 'slider-crank', 'car-axis', 'bead-bounce']) {
  const end = (model) => {
    run('run', model, '--stop', '0.02', '--animate', 'n.json', '--quiet');
    const { draw } = JSON.parse(readFileSync(join(work, 'n.json'), 'utf8')), t = new Table(draw.table);
    return draw.shapes.filter((s) => s.k === 'force').map((s) => s.a.slice(draw.dims).map((c) => t.column(c).value[t.rows - 1]));
  };
  const [c, text] = [end(name), end(join(gallery, `${name}.mo`))].map((l) => l.flat());
  truth(`${name}: forces ${c} and ${text}`, c.length > 0 && c.every((v, i) => Math.abs(v - text[i]) < 1e-4 * (1 + Math.abs(v))));
}

const b = await browser();

// a mechanism: series, zoom by mouse and by key, motion, themes
run('run', 'four-bar', '--report', 'a.html', '--show', 'x1,y1 | lambda1 / x2 | x1:y1');
let page = await open(b, join(work, 'a.html'));
quiet(page, 'four-bar');
truth('three panels', (await page.locator('#plots figure').count()) === 3);
const names = await page.locator('#plots figure').evaluateAll((f) => f.map((x) => x.querySelectorAll('.curve').length));
truth(`series as asked: ${names}`, names.join() === '2,2,1');
truth('marks of singular positions', (await page.locator('#plots').textContent()).includes('singular position'));
const whole = await axis(page);
await page.locator('#plots .stage').first().focus();
await page.keyboard.press('+');
const keyed = await axis(page);
truth(`the key zooms: ${whole} / ${keyed}`, whole !== keyed && keyed.includes('='));
await page.getByRole('button', { name: 'show the whole run' }).click();
const again = await axis(page);
truth(`all is shown again: ${whole} / ${again}`, again === whole);
await page.locator('.u-over').first().scrollIntoViewIfNeeded();
const over = await page.locator('.u-over').first().boundingBox();
await page.mouse.move(over.x + over.width * 0.4, over.y + 50);
await page.mouse.down();
await page.mouse.move(over.x + over.width * 0.6, over.y + 60, { steps: 4 });
await page.mouse.up();
truth('dragging zooms', (await axis(page)) !== whole);
await move(page, 0.1);
const first = await picture(page);
await move(page, 0.5);
const still = await picture(page);
truth('two frames differ', first !== still);
await page.getByLabel('forces').check();
truth('forces are arrows on request', still !== (await picture(page)));
await page.getByRole('button', { name: 'Light or dark' }).click();
truth('the theme changes', await page.evaluate(() => document.documentElement.dataset.theme === 'dark'));
truth('landmarks', (await page.locator('main').count()) === 1 && (await page.locator('nav').count()) === 1 && (await page.locator('header').count()) === 1);
truth('a heading for each section', await page.evaluate(() => [...document.querySelectorAll('section')].every((s) => s.querySelector('h2') && s.getAttribute('aria-labelledby'))));
truth('buttons and fields have names', await page.evaluate(() => [...document.querySelectorAll('button, input, select')].every((n) => n.textContent.trim() || n.getAttribute('aria-label') || n.labels?.length)));
quiet(page, 'four-bar after use');
await page.context().close();

// boundary values, a motion in space, an early end, a text with equations, on a phone
run('run', 'bvp-pendulum', '--report', 'b.html');
run('run', 'heavy-top', '--stop', '2', '--animate', 'c.html');
try { run('run', 'pendulum', '--max-steps', '5', '--report', 'd.html'); } catch { /* it stops early: that is the point */ }
writeFileSync(join(work, 'e.mo'), `model E "swing"
  parameter Real L = 1.5 "length";
  Real x(start = 1.5, fixed = true, unit = "m"), y, vx, vy(start = 0, fixed = true), F;
equation
  der(x) = vx; der(y) = vy; der(vx) = -F*x/L; der(vy) = -F*y/L - 9.81; x^2 + y^2 = L^2;
  annotation(experiment(StopTime = 2), __Daedal(draw = {ground({0, 0}), line({0, 0}, {x, y}), circle({x, y}, 0.1)}));
end E;
`);
run('run', 'e.mo', '--report', 'e.html');
for (const [name, want] of Object.entries({ b: 'Mesh', c: 'Motion', d: 'Early end', e: 'Hidden constraints' })) {
  page = await open(b, join(work, `${name}.html`), { viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
  quiet(page, name);
  const text = await page.locator('body').innerText();
  truth(`${name}: '${want}'`, name === 'd' ? text.includes('early end') : text.includes(want));
  truth(`${name}: nothing is wider than the phone`, await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  if (name === 'c') {
    const before = await picture(page);
    await page.locator('canvas.motion').focus();
    await page.keyboard.press('ArrowRight');
    truth('a key turns the view', before !== (await picture(page)));
  }
  if (name === 'e') truth('formulas', (await page.locator('#equations math').count()) >= 5 && (await page.locator('#equations .math code').count()) === 0);
  await page.context().close();
}

// a run without length, back in time, with huge values, with an event at each step, with a second logarithmic axis
writeFileSync(join(work, 'huge.mo'), `model Huge
  Real u(start = 1e200, fixed = true), w(start = 1, fixed = true); Integer n(start = 0, fixed = true);
equation
  der(u) = 1e200; der(w) = 0;
  when sample(0, 0.001) then n = pre(n) + 1; end when;
  annotation(experiment(StopTime = 1));
end Huge;
`);
run('run', 'pendulum', '--stop', '0', '--report', 'p0.html');
run('run', 'pendulum', '--stop', '-2', '--report', 'p1.html');
run('run', 'huge.mo', '--report', 'p2.html');
run('run', 'slider-crank', '--stop', '1', '--report', 'p3.html', '--show', 'x2 / log(abs(lambda3)) | 0/0');
const drawn = (name) => page.locator('#plots canvas').nth(name).evaluate((c) => new Set(new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer)).size);
for (const name of ['p0', 'p1', 'p2', 'p3']) {
  page = await open(b, join(work, `${name}.html`));
  quiet(page, name);
  // a grid without a curve has shades of grey only; antialiased curves bring many colours
  truth(`${name}: something is drawn`, (await drawn(0)) > 30);
  if (name === 'p0') truth('the values at the start', (await page.locator('#final').innerText()).includes('time = 0'));
  await page.context().close();
}

// a sweep: a click chooses another run
run('sweep', 'four-bar', '--set', 'rate=4:8:6', '--set', 'coupler=3.1:3.5:3', '--stop', '0.5', '--output', 's.csv', '--report', 's.html', '--quiet');
page = await open(b, join(work, 's.html'));
quiet(page, 'sweep');
const one = await page.locator('#run').innerText();
const sheet = await page.locator('#map canvas').boundingBox();
await page.locator('#map canvas').click({ position: { x: sheet.width - 104, y: 32 } });
const curveOf = () => page.locator('#run canvas').first().evaluate((c) => c.toDataURL());
truth('a click chooses another run', one !== (await page.locator('#run').innerText()));
truth('its curves are shown', (await page.locator('#run .curve').count()) === 8);
const seen = await curveOf();
await page.locator('#lines canvas').focus();
await page.keyboard.press('ArrowUp');
await page.waitForTimeout(100);
truth('and those of the next', seen !== (await curveOf()));
quiet(page, 'sweep after use');
await page.context().close();

// hostile names stay text
const evil = "'</script><script>document.title=1</script>'";
writeFileSync(join(work, 'h.mo'), `model H "</title><img src=x onerror=alert(1)>"
  Real ${evil}(start = 1, fixed = true) "<svg onload=alert(2)>";
  Real v${'a'.repeat(10000)}(start = 1, fixed = true);
equation
  der(${evil}) = 1; der(v${'a'.repeat(10000)}) = 2;
end H;
`);
run('run', 'h.mo', '--report', 'h.html');
page = await open(b, join(work, 'h.html'));
quiet(page, 'hostile names');
truth('the text is there as text', (await page.locator('h1').textContent()).includes('<img src=x'));
truth('no element came of it', (await page.locator('img, svg').count()) === 0);
truth('nor is the page too wide', await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
await page.context().close();

// contrasts, colours and names of all kinds of pages, light and dark
run('run', 'pendulum-chain', '--stop', '0.2', '--report', 'ten.html', '--show', 'x1,x2,x3,x4,x5,x6,x7,x8,x9,x10');
for (const colorScheme of ['light', 'dark'])
  for (const name of ['ten', 'a', 'b', 'c', 'd', 'e', 's']) {
    page = await open(b, join(work, `${name}.html`), { colorScheme });
    const rules = await accessible(page, `${name} ${colorScheme}`, truth);
    if (name === 'ten') {
      const [least, distance] = await curveColours(page, colorScheme, truth);
      console.log(`${colorScheme}: contrast of curves at least ${least.toFixed(1)}, distance in CIELAB for all eyes at least ${distance.toFixed(0)}, ${rules} rules of axe-core hold`);
    }
    await page.context().close();
  }

// 1,000 variables and 100,000 points
run('run', 'pendulum-chain', '--set', 'n=200', '--stop', '1', '--points', '100000', '--report', 'l.html', '--quiet');
const size = statSync(join(work, 'l.html')).size;
truth(`1,000 variables x 100,000 points in ${size} bytes`, size < 20e6);
const begun = Date.now();
page = await open(b, join(work, 'l.html'));
console.log(`large page: ${(size / 1e6).toFixed(1)} MB, opened in ${Date.now() - begun} ms`);
quiet(page, 'large page');
truth('it says that it was thinned', (await page.locator('#plots').innerText()).includes('100000 points'));
await page.context().close();

await b.close();
rmSync(work, { recursive: true });
console.log(`${checks} checks, ${failed} failures, ${((Date.now() - started) / 1000).toFixed(0)} s`);
process.exit(failed ? 1 : 0);
