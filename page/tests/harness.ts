/** A daemon of its own with a home of its own, a browser, and what every test looks at.
 *
 * HARK_BIN         the program; ../target/debug/hark
 * HARK_MODELS_DIR  its models; ../models
 * HARK_PAGE        `daemon`: the page comes from the daemon itself; else from the build, by scripts/serve.mjs
 * CHROMIUM         /usr/bin/chromium
 */

import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import axe from 'axe-core';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { expect } from 'vitest';
// @ts-expect-error a script without types
import { serve } from '../scripts/serve.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));
export const OUT = join(HERE, 'out');
mkdirSync(OUT, { recursive: true });

export const VIEWS = [
  'now',
  'turns',
  'home',
  'timers',
  'lists',
  'calendar',
  'notes',
  'memory',
  'documents',
  'files',
  'sessions',
  'people',
  'models',
  'health',
  'settings',
] as const;
export const SCRIPT_NAME = "<script>document.title='broken'</script>";
export const IMAGE_NAME = '<img src=x onerror=alert(1)> lamp';

async function freePort(): Promise<number> {
  return await new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

/** A home of 500 things in 20 rooms; two of them have names that are markup. */
function home(): string {
  const lines: string[] = [];
  for (let area = 0; area < 20; area += 1) lines.push('[[area]]', `id = "room_${area}"`, `name = "Room ${area}"`, '');
  const domains = ['light', 'switch', 'cover', 'sensor', 'fan'];
  for (let index = 0; index < 497; index += 1) {
    const domain = domains[index % domains.length];
    lines.push('[[entity]]', `id = "${domain}.thing_${index}"`, `name = "Thing ${index}"`, `area = "room_${index % 20}"`, '');
  }
  lines.push('[[entity]]', 'id = "light.desk"', 'name = "Desk lamp"', 'area = "room_0"', '');
  lines.push('[[entity]]', 'id = "lock.front"', 'name = "Front door"', 'area = "room_0"', 'state = "locked"', '');
  lines.push('[[entity]]', 'id = "light.script"', `name = ${JSON.stringify(SCRIPT_NAME)}`, 'area = "room_1"', '');
  lines.push('[[entity]]', 'id = "light.image"', `name = ${JSON.stringify(IMAGE_NAME)}`, 'area = "room_1"', '');
  return lines.join('\n');
}

/** The configuration file at the start. */
export const CONFIG = '# The house of the tests.\n[vad]\nthreshold = 0.6 # loud\n';

export interface Daemon {
  /** Address of the page. */
  page: string;
  api: string;
  /** Its configuration file, and that of its home. */
  config: string;
  home: string;
  operatorToken(): string;
  ask(text: string, session?: string): Promise<{ reply: string; outcome: string }>;
  stop(): Promise<void>;
  start(): Promise<void>;
  end(): Promise<void>;
}

export interface DaemonOptions {
  token?: string;
  /** The address it listens on; this machine's alone. */
  listen?: string;
  prefix?: string;
  pin?: string;
  /** Nothing is set on the command line that setting up would write. */
  bare?: boolean;
  /** A bare one takes the devices of its environment, such as a virtual sound card. */
  sound?: boolean;
  /** `section.key=value` besides. */
  settings?: string[];
  environment?: Record<string, string>;
}

export async function daemon(options: DaemonOptions = {}): Promise<Daemon> {
  const state = mkdtempSync(join(tmpdir(), 'hark-page-'));
  const [port, broker] = [await freePort(), await freePort()];
  if (options.bare !== true) writeFileSync(join(state, 'home.toml'), home());
  const config = join(state, 'hark.toml');
  const silence = '\n[audio]\ninput_device = "none"\noutput_device = "none"\n';
  writeFileSync(config, options.bare === true && options.sound !== true ? CONFIG + silence : CONFIG);
  const settings = [
    `paths.state_dir=${join(state, 'state')}`,
    `mqtt.embedded_port=${broker}`,
    `mqtt.node=page-${port}`,
    `dashboard.listen=${options.listen ?? '127.0.0.1'}:${port}`,
    'dashboard.requests_per_minute=60000',
    ...(options.settings ?? []),
  ];
  if (options.bare !== true) {
    settings.push('audio.input_device=none', 'audio.output_device=none', `home.file=${join(state, 'home.toml')}`);
  }
  if (options.token !== undefined) {
    writeFileSync(join(state, 'token'), options.token);
    settings.push(`dashboard.token_file=${join(state, 'token')}`);
  }
  if (options.pin !== undefined) {
    writeFileSync(join(state, 'pin'), options.pin, { mode: 0o600 });
    settings.push('permissions.pin=["unlock"]', `permissions.pin_file=${join(state, 'pin')}`);
  }
  const headers: Record<string, string> = { 'Content-Type': 'application/json' };
  if (options.token !== undefined) headers['Authorization'] = `Bearer ${options.token}`;
  const api = `http://127.0.0.1:${port}/api/v1`;
  let child: ChildProcess | null = null;
  let log = '';
  const start = async () => {
    const program = process.env['HARK_BIN'] ?? join(HERE, '../../target/debug/hark');
    const environment = {
      ...process.env,
      HARK_MODELS_DIR: process.env['HARK_MODELS_DIR'] ?? join(HERE, '../../models'),
      XDG_CONFIG_HOME: join(state, 'config'),
      ...options.environment,
    };
    const started = spawn(program, ['--config', config, 'run', ...settings.flatMap((one) => ['--set', one])], { env: environment });
    started.stdout.on('data', (data) => (log += String(data)));
    started.stderr.on('data', (data) => (log += String(data)));
    child = started;
    for (let attempt = 0; attempt < 300; attempt += 1) {
      if (started.exitCode !== null) break;
      const answer = await fetch(`${api}/health`, { headers }).catch(() => null);
      if (answer?.ok) return;
      await new Promise((done) => setTimeout(done, 100));
    }
    throw new Error(`the daemon did not start:\n${log}`);
  };
  const stop = async () => {
    const running = child;
    child = null;
    if (!running || running.exitCode !== null) return;
    const ended = new Promise((done) => running.once('exit', done));
    running.kill('SIGTERM');
    await ended;
  };
  await start();
  const isOwn = process.env['HARK_PAGE'] === 'daemon';
  const server = isOwn ? null : await serve({ daemon: `127.0.0.1:${port}`, prefix: options.prefix ?? '' });
  return {
    page: isOwn ? `http://127.0.0.1:${port}/` : server.url,
    api,
    config,
    home: join(state, 'home.toml'),
    operatorToken: () => readFileSync(join(state, 'state', 'operator-token'), 'utf8').trim(),
    ask: async (text, session) => {
      const body = JSON.stringify({ text, ...(session === undefined ? {} : { session_id: session }) });
      const answer = await fetch(`${api}/ask`, { method: 'POST', headers, body });
      if (!answer.ok) throw new Error(await answer.text());
      return (await answer.json()) as { reply: string; outcome: string };
    },
    start,
    stop,
    end: async () => {
      server?.close();
      await stop();
      rmSync(state, { recursive: true, force: true });
    },
  };
}

export async function browser(args: string[] = []): Promise<Browser> {
  return await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', ...args],
  });
}

export interface Opened {
  context: BrowserContext;
  page: Page;
  /** What went wrong in the page so far. */
  problems: string[];
  /** Addresses that are not of the page. */
  foreign: string[];
}

export const SIZES = {
  desktop: { viewport: { width: 1360, height: 860 } },
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 },
} as const;

export async function open(
  of: Browser,
  base: string,
  options: { size?: keyof typeof SIZES; scheme?: 'dark' | 'light'; locale?: string; still?: boolean } = {},
): Promise<Opened> {
  const context = await of.newContext({
    ...SIZES[options.size ?? 'desktop'],
    colorScheme: options.scheme ?? 'dark',
    locale: options.locale ?? 'en-GB',
    reducedMotion: options.still === false ? 'no-preference' : 'reduce',
    permissions: ['microphone'],
  });
  const page = await context.newPage();
  const problems: string[] = [];
  const foreign: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  const origin = base === 'about:blank' ? '' : new URL(base).origin;
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !url.startsWith('blob:') && !url.startsWith('data:')) foreign.push(url);
  });
  await page.goto(base);
  return { context, page, problems, foreign };
}

export async function show(page: Page, view: string): Promise<void> {
  await page.evaluate((name) => (location.hash = `#/${name}`), view);
  await page.waitForFunction((name) => document.querySelector(`main.view-${name.split('/')[0]}`) !== null, view);
}

export async function connected(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector('.bar.bad') === null && document.querySelector('main[class]') !== null);
  await page.locator('button.main').first().waitFor();
}

/** Gives the page the operator's token. */
export async function unlock(page: Page, hark: Daemon): Promise<void> {
  await show(page, 'settings');
  await page.getByLabel("Operator's token").fill(hark.operatorToken());
  await page.getByRole('button', { name: 'Unlock' }).click();
  await page.getByLabel("Operator's token").waitFor({ state: 'detached' });
}

/** Has Hark say something into a file, with a pause before and behind it. */
export function writeSpoken(text: string, file: string): void {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const given = process.env['HARK_SPOKEN_WAV'];
  const program = process.env['HARK_BIN'] ?? join(root, 'target/debug/hark');
  if (given === undefined) {
    const environment = { HARK_MODELS_DIR: join(root, 'models'), ...process.env };
    execFileSync(program, ['say', text, '--out', file, '--set', `paths.state_dir=${join(OUT, 'state')}`], { env: environment });
  }
  const sound = readFileSync(given ?? file);
  const data = sound.indexOf('data') + 8;
  const rate = sound.readUInt32LE(24);
  const pause = Buffer.alloc(rate * 2 * 1.5);
  const all = Buffer.concat([sound.subarray(0, data), pause, sound.subarray(data), pause]);
  all.writeUInt32LE(all.length - 8, 4);
  all.writeUInt32LE(all.length - data, data - 4);
  writeFileSync(file, all);
}

export async function write(page: Page, text: string): Promise<void> {
  await page.locator('#ask').fill(text);
  await page.locator('#ask').press('Enter');
}

/** No violation of WCAG 2.2 AA, nor of what axe calls best practice. */
export async function accessible(page: Page, what: string): Promise<void> {
  // What the bar at the top covers is no target.
  await page.evaluate(() => scrollTo(0, 0));
  await page.evaluate(axe.source);
  const found = await page.evaluate(async () => {
    const run = (window as unknown as { axe: { run(options: object): Promise<{ violations: unknown[] }> } }).axe.run;
    const values = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const { violations } = await run({ runOnly: { type: 'tag', values } });
    return (violations as { id: string; help: string; nodes: { html: string; failureSummary: string }[] }[]).map((one) => ({
      id: one.id,
      help: one.help,
      nodes: one.nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} ${node.failureSummary}`),
    }));
  });
  expect(found, what).toEqual([]);
}
