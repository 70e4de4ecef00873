// node test/shots.mjs OUT FILE.html..: pictures of pages at 1280 x 800 and on a phone, light and dark
import { basename, join, resolve } from 'node:path';
import { browser, open } from './browser.mjs';

const [out, ...files] = process.argv.slice(2);
const b = await browser();
for (const file of files)
  for (const [size, viewport] of Object.entries({ wide: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } }))
    for (const colorScheme of ['light', 'dark']) {
      const page = await open(b, resolve(file), { viewport, colorScheme });
      await page.waitForTimeout(300);
      await page.screenshot({ path: join(out, `${basename(file, '.html')}-${size}-${colorScheme}.png`), fullPage: true });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (page.errors.length || page.requests.length || wide > 0) console.log(file, size, page.errors, page.requests, `too wide by ${wide}`);
      await page.context().close();
    }
await b.close();
