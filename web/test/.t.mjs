import { browser, open } from '/work/w/web/web/test/browser.mjs';
const b = await browser();
for (const f of process.argv.slice(2)) { const t=Date.now(); try { const p = await open(b, f); console.log(f, Date.now()-t, p.errors, p.requests); await p.context().close(); } catch(e) { console.log(f, String(e).slice(0,200)); } }
await b.close();
