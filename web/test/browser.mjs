// Debian's Chromium, with everything that would look for a network switched off; console errors and requests are collected.
import { chromium } from 'playwright-core';
import { existsSync } from 'node:fs';

const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--allow-file-access-from-files'];
export const path = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((p) => existsSync(p));

export async function browser() {
  return chromium.launch({ executablePath: path, headless: true, args: flags });
}

// a page with `errors` and `requests`: what it must not have
export async function open(b, file, options = {}) {
  const context = await b.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  page.errors = [];
  page.requests = [];
  page.on('console', (m) => { if (['error', 'warning'].includes(m.type())) page.errors.push(m.text()); });
  page.on('pageerror', (e) => page.errors.push(String(e.stack || e)));
  page.on('dialog', (d) => { page.errors.push(`dialog: ${d.message()}`); d.dismiss(); });
  page.on('request', (r) => { if (!/^(file|data|blob):/.test(r.url())) page.requests.push(r.url()); });
  await page.goto(`file://${file}`);
  await page.waitForSelector('html[data-ready=yes]', { timeout: 30000 });
  return page;
}
