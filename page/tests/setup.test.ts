/** The first five minutes on the page, with a daemon of its own that has neither sound nor a home. */

import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accessible, browser, CONFIG, connected, daemon, open, OUT, show, SIZES, unlock, type Daemon } from './harness';

const STEPS = ['language', 'speaker', 'voice', 'microphone', 'wake', 'home-assistant', 'broker', 'rooms', 'model', 'test'];

let hark: Daemon;
let chromium: Browser;
let ollama: Server;
let models = '';

beforeAll(async () => {
  // As much of Ollama as telling its models needs.
  ollama = createServer((request, answer) => {
    const isTags = request.url === '/api/tags';
    answer.writeHead(isTags ? 200 : 404, { 'Content-Type': 'application/json' });
    answer.end(isTags ? JSON.stringify({ models: [{ name: 'qwen3:8b', size: 5_200_000_000 }] }) : '{}');
  });
  await new Promise<void>((done) => ollama.listen(0, '127.0.0.1', done));
  models = `http://127.0.0.1:${(ollama.address() as AddressInfo).port}`;
  [hark, chromium] = await Promise.all([daemon({ bare: true }), browser()]);
});

afterAll(async () => {
  await chromium?.close();
  await hark?.end();
  ollama?.close();
});

const next = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).click();
const result = (page: Page, text: string) => page.locator('.result').filter({ hasText: text }).waitFor();

it('leads a new owner to a Hark that answers', async () => {
  const { context, page, problems, foreign } = await open(chromium, hark.page);
  await connected(page);
  await page.getByRole('link', { name: 'New here? Set Hark up in five minutes' }).click();
  await page.getByLabel("Operator's token").waitFor();
  await accessible(page, 'setup, locked');
  await page.getByLabel("Operator's token").fill(hark.operatorToken());
  await page.getByRole('button', { name: 'Unlock' }).click();

  await page.getByRole('heading', { name: 'Step 1 of 10: Language' }).waitFor();
  await page.getByRole('radio', { name: 'English' }).check();
  await page.getByRole('button', { name: 'Take it' }).click();
  await result(page, 'English');
  await next(page, 'Go on');
  // The tests' machine may have no sound: none is a choice, too.
  await page.getByRole('heading', { name: 'Step 2 of 10: Speaker' }).waitFor();
  await page.getByRole('radio', { name: 'none: answers are only shown' }).check();
  await page.getByRole('button', { name: 'Take it' }).click();
  await result(page, 'none: answers are only shown');
  await next(page, 'Go on');
  await page.getByRole('heading', { name: 'Step 3 of 10: Voice' }).waitFor();
  await page.getByRole('radio', { name: /^espeak/ }).check();
  await page.getByRole('button', { name: 'Hear it' }).click();
  await page.getByText('It is taken, and not said aloud now').waitFor();
  await next(page, 'Go on');
  await page.getByRole('heading', { name: 'Step 4 of 10: Microphone' }).waitFor();
  await next(page, 'Leave it out');
  await page.getByRole('radio', { name: 'okay nabu' }).check();
  await page.getByRole('button', { name: 'Take it' }).click();
  await result(page, '“okay nabu”, not tried');
  await next(page, 'Go on');

  // An address at which nobody is.
  await page.getByRole('heading', { name: 'Step 6 of 10: Home Assistant' }).waitFor();
  await page.getByLabel('Address').fill('127.0.0.1:9');
  await page.getByLabel('Access token').fill('not-a-token');
  await page.getByRole('button', { name: 'Connect' }).click();
  await page.locator('.step [role=alert] .bad-text').waitFor();
  await accessible(page, 'setup, Home Assistant away');
  await page.getByRole('button', { name: 'No Home Assistant' }).click();
  await result(page, 'none');
  await next(page, 'Go on');
  await page.getByRole('radio', { name: 'no MQTT' }).check();
  await page.getByRole('button', { name: 'Take it' }).click();
  await result(page, 'no MQTT');
  await next(page, 'Go on');

  await page.getByLabel('What are your rooms called? With commas between').fill('Kitchen, <b>Attic</b>');
  await page.getByRole('button', { name: 'Add rooms' }).click();
  await page.getByText('These rooms are known: Kitchen, <b>Attic</b>.').waitFor();
  await page.getByLabel('In which room does this machine stand?').selectOption('Kitchen');
  await page.getByRole('button', { name: 'Take it' }).click();
  await result(page, '2 rooms; this machine: Kitchen');
  await next(page, 'Go on');

  await page.getByLabel('Address').fill(models);
  await page.getByRole('button', { name: 'Show its models' }).click();
  await page.getByLabel('Which model?').selectOption('qwen3:8b');
  await page.getByRole('button', { name: 'Take it' }).click();
  await result(page, 'qwen3:8b');
  await next(page, 'Go on');

  await page.getByRole('heading', { name: 'Step 10 of 10: A request' }).waitFor();
  await page.getByRole('button', { name: 'Ask it' }).click();
  await page.getByText('understood: “what time is it”').waitFor();
  await page.getByRole('button', { name: 'Yes', exact: true }).click();
  await result(page, 'answered');
  await next(page, 'To the end');
  await page.getByRole('heading', { name: 'What is set now' }).waitFor();
  await accessible(page, 'setup, the end');
  await page.screenshot({ path: join(OUT, 'desktop-setup-end.png'), fullPage: true });

  const written = readFileSync(hark.config, 'utf8');
  expect(written).toContain(CONFIG.trim());
  for (const line of ['words = ["okay_nabu"]', 'area = "Kitchen"', 'broker = "none"', 'model = "qwen3:8b"', `url = "${models}"`])
    expect(written).toContain(line);
  expect(written).not.toContain('not-a-token');
  expect(problems.filter((one) => !/40\d|50\d/.test(one))).toEqual([]);
  expect(foreign).toEqual([]);

  // What waits for a restart is told, and the restart is done from here.
  await page.getByRole('button', { name: 'Restart Hark' }).click();
  await page.getByText('It starts again; the page finds it by itself.').waitFor();
  await page.locator('.bar.waits').waitFor({ state: 'detached', timeout: 60_000 });
  await context.close();
}, 180_000);

it.each([
  ['desktop', 'light', 'en-GB'],
  ['phone', 'dark', 'de-DE'],
] as const)('every step is accessible and fits on a %s, %s, %s', async (size, scheme, locale) => {
  const { context, page, problems } = await open(chromium, hark.page, { size, scheme, locale });
  await connected(page);
  await page.evaluate((token) => sessionStorage.setItem('hark.token', token), hark.operatorToken());
  await page.reload();
  await connected(page);
  for (const step of STEPS) {
    await show(page, `setup/${step}`);
    await page.locator('.step .button').last().waitFor();
    await page.waitForTimeout(500);
    await accessible(page, `setup ${step} ${size}`);
    await page.screenshot({ path: join(OUT, `${size}-setup-${step}.png`), fullPage: true });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(wide, `${step} is wider than the window`).toBeLessThanOrEqual(0);
  }
  expect(SIZES[size].viewport.width).toBe(await page.evaluate(() => innerWidth));
  expect(problems).toEqual([]);
  await context.close();
}, 120_000);

it('goes by the keyboard alone', async () => {
  const { context, page } = await open(chromium, hark.page);
  await connected(page);
  await unlock(page, hark);
  await show(page, 'setup/broker');
  await page.getByRole('radio', { name: 'no MQTT' }).focus();
  await page.keyboard.press('ArrowUp');
  await page.getByLabel('User name (may be empty)').waitFor();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await result(page, "Hark's own, on this machine alone");
  await page.getByRole('link', { name: 'Go on', exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Step 8 of 10: Rooms' }).waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('step-title');
  await context.close();
}, 60_000);
