// Says how large the build is, compressed as it is sent, and fails when that is too much.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const LARGEST_BYTES = 200_000;
const PACKAGES = ['preact', '@preact/signals', '@preact/signals-core', 'uplot'];

const licences = PACKAGES.map((name) => `${name}\n\n${readFileSync(`node_modules/${name}/LICENSE`, 'utf8').trim()}\n`);
writeFileSync('dist/licenses.txt', licences.join(`\n${'-'.repeat(72)}\n\n`));

let sum = 0;
for (const name of readdirSync('dist').sort()) {
  const bytes = readFileSync(`dist/${name}`);
  const packed = gzipSync(bytes, { level: 9 }).length;
  sum += packed;
  console.log(`${name.padEnd(24)} ${String(bytes.length).padStart(8)} ${String(packed).padStart(8)} compressed`);
}
console.log(`${'together'.padEnd(24)} ${' '.repeat(8)} ${String(sum).padStart(8)}`);
if (sum > LARGEST_BYTES) throw new Error(`more than ${LARGEST_BYTES} bytes`);
