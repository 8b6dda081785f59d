/** Models are downloaded over HTTPS from a server of this test, which sends half and waits. */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accessible, browser, connected, daemon, open, OUT, show, unlock, type Daemon } from './harness';

const SIZE = 3_000_000;
const CONTENT = Buffer.alloc(SIZE, 'hark');
const folder = mkdtempSync(join(tmpdir(), 'hark-models-'));
const models = join(folder, 'models');
/** Ranges that were asked for, and what lets a download go on behind its half. */
const asked: string[] = [];
let goOn: (() => void) | null = null;
let isHeld = true;
let server: Server;
let hark: Daemon;
let chromium: Browser;

/** The models of the tree with two more: one that can be had, and one that is not what it says. */
function makeModels(port: number): void {
  const from = process.env['HARK_MODELS_DIR'] ?? fileURLToPath(new URL('../../models', import.meta.url));
  mkdirSync(join(models, 'cache'), { recursive: true });
  for (const name of readdirSync(from)) {
    if (name !== 'cache' && name !== 'manifest.toml') symlinkSync(join(from, name), join(models, name));
  }
  for (const name of readdirSync(join(from, 'cache'))) {
    if (name === '.verified.json') cpSync(join(from, 'cache', name), join(models, 'cache', name));
    else if (!name.startsWith('.')) symlinkSync(join(from, 'cache', name), join(models, 'cache', name));
  }
  const part = (id: string, sha256: string) =>
    [
      '',
      '[[part]]',
      `id = "${id}"`,
      `file = "${id}.bin"`,
      'role = "voice_data"',
      'purpose = "A voice of the test"',
      'licence = "CC0-1.0"',
      'version = "1"',
      'optional = true',
      `size_bytes = ${SIZE}`,
      `sha256 = "${sha256}"`,
      `sources = [{ url = "https://localhost:${port}/${id}.bin" }]`,
      '',
    ].join('\n');
  const parts = part('test_voice', createHash('sha256').update(CONTENT).digest('hex')) + part('test_wrong', '0'.repeat(64));
  writeFileSync(join(models, 'manifest.toml'), readFileSync(join(from, 'manifest.toml'), 'utf8') + parts);
}

beforeAll(async () => {
  const [key, cert, authority, authorityKey] = ['key', 'cert', 'ca', 'ca-key'].map((name) => join(folder, `${name}.pem`)) as [
    string,
    string,
    string,
    string,
  ];
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'ignore' });
  const fresh = ['-newkey', 'rsa:2048', '-nodes', '-days', '2'];
  openssl('req', '-x509', ...fresh, '-keyout', authorityKey, '-out', authority, '-subj', '/CN=test authority');
  const signed = ['-CA', authority, '-CAkey', authorityKey, '-addext', 'basicConstraints=CA:FALSE'];
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  openssl('req', '-x509', ...fresh, '-keyout', key, '-out', cert, ...name, ...signed);
  server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
    const start = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
    asked.push(`${request.url} ${start}`);
    const range = { 'Content-Range': `bytes ${start}-${SIZE - 1}/${SIZE}` };
    response.writeHead(start > 0 ? 206 : 200, { 'Content-Length': SIZE - start, ...(start > 0 ? range : {}) });
    const half = CONTENT.subarray(start, Math.max(start, SIZE / 2));
    response.write(half);
    const rest = () => response.end(CONTENT.subarray(start + half.length));
    if (isHeld) goOn = rest;
    else rest();
  });
  await new Promise<void>((done) => server.listen(0, 'localhost', done));
  makeModels((server.address() as AddressInfo).port);
  const environment = { HARK_MODELS_DIR: models, SSL_CERT_FILE: authority, NO_PROXY: 'localhost', no_proxy: 'localhost' };
  [hark, chromium] = await Promise.all([daemon({ environment }), browser()]);
});

afterAll(async () => {
  await chromium?.close();
  await hark?.end();
  server?.close();
  server?.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

it('is for the operator', async () => {
  const { context, page } = await open(chromium, hark.page);
  await connected(page);
  await show(page, 'models');
  await page.getByRole('button', { name: 'Download test_voice' }).click();
  await page.getByText("Unlock it with the operator's token under Settings, then try again.").waitFor();
  expect(asked).toEqual([]);
  await context.close();
});

it('shows how far a download is, over a reload, and goes on after a cancel', async () => {
  const { context, page, problems } = await open(chromium, hark.page);
  await connected(page);
  await unlock(page, hark);
  await show(page, 'models');
  const row = page.locator('.fact').filter({ hasText: 'test_voice' });
  await row.getByText('not installed').waitFor();
  await row.getByText('1 · CC0-1.0 · 3 MB').waitFor();
  await page.getByRole('button', { name: 'Download test_voice' }).click();
  await page.getByText('1.5 MB of 3 MB, 50 %').waitFor();
  await accessible(page, 'a download');
  await page.screenshot({ path: join(OUT, 'desktop-models-download.png') });
  // Half a file is no model, and another download waits.
  await row.getByText('not installed').waitFor();
  expect(existsSync(join(models, 'cache', 'test_voice.bin'))).toBe(false);
  expect(await page.getByRole('button', { name: 'Download test_wrong' }).isDisabled()).toBe(true);
  await page.reload();
  await page.getByText('1.5 MB of 3 MB, 50 %').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText(/^Cancelled: test_voice/).waitFor();
  await row.getByText('not installed').waitFor();
  expect(existsSync(join(models, 'cache', 'test_voice.bin'))).toBe(false);
  isHeld = false;
  await page.getByRole('button', { name: 'Download test_voice' }).click();
  await page.getByText('Here now: test_voice').waitFor();
  await row.getByText('installed', { exact: true }).waitFor();
  expect(readFileSync(join(models, 'cache', 'test_voice.bin')).equals(CONTENT)).toBe(true);
  expect(asked).toEqual(['/test_voice.bin 0', `/test_voice.bin ${SIZE / 2}`]);
  await accessible(page, 'models');
  await page.screenshot({ path: join(OUT, 'desktop-models.png') });
  expect(problems).toEqual([]);
  await context.close();
});

it('says why a download failed, on a phone and in German', async () => {
  isHeld = false;
  const { context, page, problems } = await open(chromium, hark.page, { size: 'phone', locale: 'de-DE', scheme: 'light' });
  await connected(page);
  await page.evaluate((token) => sessionStorage.setItem('hark.token', token), hark.operatorToken());
  await page.reload();
  await connected(page);
  await show(page, 'models');
  await page.getByLabel('Suchen').fill('test_');
  await page.getByRole('button', { name: 'test_wrong herunterladen' }).click();
  await page.getByRole('alert').filter({ hasText: 'sha256' }).waitFor();
  await page.getByText('Nicht heruntergeladen: test_wrong').waitFor();
  expect(existsSync(join(models, 'cache', 'test_wrong.bin'))).toBe(false);
  await accessible(page, 'a download that failed');
  await page.screenshot({ path: join(OUT, 'phone-models-failed-german.png'), fullPage: true });
  expect(problems).toEqual([]);
  await context.close();
  goOn?.();
});
