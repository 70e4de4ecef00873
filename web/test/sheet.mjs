// node test/sheet.mjs OUT.png FILE.html..: the motions of pages at 60 percent of their time, side by side
import { basename } from 'node:path';
import { writeFileSync } from 'node:fs';
import { browser, open } from './browser.mjs';

const [out, ...files] = process.argv.slice(2);
const b = await browser();
const shots = [];
for (const file of files) {
  const page = await open(b, file, { viewport: { width: 520, height: 600 } });
  await page.evaluate(() => { const s = document.querySelector('.controls input[type=range]'); s.value = 600; s.dispatchEvent(new Event('input')); });
  shots.push([basename(file, '.html'), (await page.locator('canvas.motion').screenshot()).toString('base64'), page.errors]);
  await page.context().close();
}
for (const [name, , errors] of shots) if (errors.length) console.log(name, errors);
writeFileSync(`${out}.html`, `<body style="display:grid;grid-template-columns:repeat(4,1fr);gap:8px;font:14px sans-serif">${shots.map(([n, d]) => `<div>${n}<br><img width=300 src="data:image/png;base64,${d}"></div>`).join('')}`);
const page = await (await b.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
await page.goto(`file://${out}.html`);
await page.screenshot({ path: out, fullPage: true });
await b.close();
