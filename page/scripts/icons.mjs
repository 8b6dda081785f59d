// Draws the icons from the figure of the page: `node scripts/icons.mjs`. Their files are kept, so that a build needs no browser.

import { writeFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { createServer } from 'vite';

const server = await createServer({ server: { middlewareMode: true }, appType: 'custom', logLevel: 'error' });
const { frames, WIDTH, HEIGHT } = await server.ssrLoadModule('/src/sprites.ts');
const side = 48;
const left = (side - WIDTH) / 2;
const top = (side - HEIGHT) / 2 + 1;
const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges"><path fill="#07120b" d="M0 0h${side}v${side}H0z"/><path fill="#4dff88" transform="translate(${left} ${top})" d="${frames('ready')[0].path}"/></svg>\n`;
writeFileSync('public/icon.svg', svg);
await server.close();

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
for (const size of [192, 512]) {
  const page = await browser.newPage({ viewport: { width: size, height: size } });
  await page.setContent(`<style>html,body{margin:0}svg{display:block;width:${size}px;height:${size}px}</style>${svg}`);
  await page.screenshot({ path: `public/icon-${size}.png` });
}
await browser.close();
