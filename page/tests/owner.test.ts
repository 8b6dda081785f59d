/** Conversations, voices, names and a restart, with a daemon of their own. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accessible, browser, connected, daemon, open, OUT, SCRIPT_NAME, show, unlock, writeSpoken, type Daemon } from './harness';

let hark: Daemon;
let chromium: Browser;

beforeAll(async () => {
  [hark, chromium] = await Promise.all([daemon(), browser()]);
});

afterAll(async () => {
  await chromium?.close();
  await hark?.end();
});

it.each(['desktop', 'phone'] as const)('conversations are read and cleared on a %s', async (size) => {
  const name = `desk of ${size}`;
  await hark.ask('what time is it', name);
  await hark.ask(`remember that ${SCRIPT_NAME} is odd`, name);
  const { context, page, problems } = await open(chromium, hark.page, { size });
  await connected(page);
  await show(page, 'sessions');
  await page.getByRole('link', { name }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name }).waitFor();
  await page.getByText(`remember that ${SCRIPT_NAME} is odd`, { exact: true }).waitFor();
  await accessible(page, `conversations, ${size}`);
  await page.screenshot({ path: join(OUT, `${size}-sessions.png`), fullPage: true });
  await page.getByRole('button', { name: 'Clear' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('Clear this conversation?').waitFor();
  await page.getByRole('button', { name: 'Clear' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name }).waitFor({ state: 'detached' });
  expect(await page.title()).toContain('Chats');
  expect(problems).toEqual([]);
  await context.close();
});

it('names are written into the file of the home by the operator', async () => {
  const { context, page, problems } = await open(chromium, hark.page);
  await connected(page);
  const rename = async (name: string, aliases: string) => {
    await show(page, 'home');
    await page.getByLabel('Search').fill('desk lamp');
    const details = page.getByRole('button', { name: 'Details of Desk lamp' });
    if ((await page.getByLabel('Name of light.desk', { exact: true }).count()) === 0) await details.click();
    await page.getByLabel('Name of light.desk', { exact: true }).fill(name);
    await page.getByLabel('Other names of light.desk, with commas').fill(aliases);
    await page.keyboard.press('Enter');
  };
  await rename('Reading lamp', '');
  await page.getByText('only the operator may change names').waitFor();
  await page.getByText("Unlock it with the operator's token under Settings, then try again.").waitFor();
  await unlock(page, hark);
  await rename('Reading lamp', 'lantern, old lamp');
  await page.getByText("Written to the home's file.").waitFor();
  await accessible(page, 'names');
  await page.screenshot({ path: join(OUT, 'desktop-names.png') });
  expect(readFileSync(hark.home, 'utf8')).toContain('name = "Reading lamp"\narea = "room_0"\naliases = ["lantern", "old lamp"]');
  expect((await hark.ask('turn on the lantern')).outcome).toBe('done');
  expect(problems.filter((one) => !one.includes('403'))).toEqual([]);
  await context.close();
});

it('a voice is enrolled by the microphone of the browser, and forgotten', async () => {
  const file = join(OUT, 'voice.wav');
  writeSpoken('good morning, I would like to know what the weather will be like today', file);
  const flags = ['--use-fake-ui-for-media-stream', '--use-fake-device-for-media-stream'];
  const listening = await browser([...flags, `--use-file-for-fake-audio-capture=${file}`]);
  try {
    const { context, page, problems } = await open(listening, hark.page);
    await connected(page);
    await unlock(page, hark);
    await show(page, 'people');
    await page.getByText(/^Nobody's voice is known yet/).waitFor();
    await page.getByLabel('Whose voice it is').fill('Anna');
    await page.getByRole('button', { name: 'Record' }).click();
    await page.getByText(/^Speak now/).waitFor();
    await page.getByText('Anna is known; utterances: 1.').waitFor({ timeout: 60_000 });
    await accessible(page, 'voices');
    await page.screenshot({ path: join(OUT, 'desktop-people.png') });
    await page.getByRole('button', { name: 'Forget the voice of Anna' }).click();
    await page.getByRole('button', { name: 'Forget the voice of Anna' }).click();
    await page.getByText(/^Nobody's voice is known yet/).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  } finally {
    await listening.close();
  }
}, 120_000);

it('starts Hark again, and finds it', async () => {
  const { context, page } = await open(chromium, hark.page, { locale: 'de-DE', size: 'phone', scheme: 'light' });
  await connected(page);
  await page.evaluate((token) => sessionStorage.setItem('hark.token', token), hark.operatorToken());
  await page.reload();
  await connected(page);
  await show(page, 'health');
  await page.getByRole('heading', { name: 'Neu starten' }).waitFor();
  await accessible(page, 'restart');
  await page.getByRole('button', { name: 'Hark neu starten' }).click();
  await page.screenshot({ path: join(OUT, 'phone-restart.png'), fullPage: true });
  const uptime = async () => ((await (await fetch(`${hark.api}/health`)).json()) as { uptime_s: number }).uptime_s;
  const before = await uptime();
  await page.getByRole('button', { name: 'Hark neu starten' }).click();
  await page.getByText('Er startet neu; die Seite findet ihn von selbst.').waitFor();
  await expect.poll(async () => await uptime().catch(() => before), { timeout: 60_000 }).toBeLessThan(before);
  await page.locator('.bar.bad').waitFor({ state: 'detached', timeout: 60_000 });
  await context.close();
}, 120_000);
