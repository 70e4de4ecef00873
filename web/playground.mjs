// node playground.mjs FOLDER: FOLDER/playground.html from FOLDER/daedal.js, the bundle and the models of the gallery
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle, here, inside } from './bundle.mjs';

const folder = process.argv[2];
const read = (...parts) => readFileSync(join(...parts), 'utf8');
const gallery = join(here, '..', 'gallery');
const first = ['pendulum', 'slider-crank', 'four-bar', 'strandbeest', 'andrews', 'pendulum-chain', 'kepler', 'heavy-top', 'car-axis', 'bead-bounce'];
const names = readdirSync(gallery).filter((f) => f.endsWith('.mo')).map((f) => f.slice(0, -3));
names.sort((a, b) => (first.includes(a) ? first.indexOf(a) : 99) - (first.includes(b) ? first.indexOf(b) : 99) || a.localeCompare(b));
const models = Object.fromEntries(names.map((n) => [n, read(gallery, `${n}.mo`)]));

writeFileSync(join(folder, 'playground.html'), `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src blob:; style-src 'unsafe-inline'; img-src data:; connect-src data: blob:">
<link rel="icon" href="data:,">
<title>Daedal playground</title>
<style>
${await bundle('style.css')}${await bundle('playground.css')}</style>
</head>
<body>
<noscript>The playground needs JavaScript and WebAssembly.</noscript>
<script type="application/json" id="models">${JSON.stringify(models).replace(/</g, '\\u003c')}</script>
<script type="text/plain" id="licenses">${read(here, 'dist/LICENSES.txt')}</script>
<script type="text/plain" id="worker">${inside(read(here, 'wasm/worker.js'))}</script>
<script type="text/plain" id="daedal">${inside(read(folder, 'daedal.js'))}</script>
<script>
${await bundle('playground.js')}</script>
</body>
</html>
`);
