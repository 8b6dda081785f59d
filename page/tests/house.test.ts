/** Settings, checks, lists, documents and automations, with a daemon of their own. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accessible, browser, CONFIG, connected, daemon, IMAGE_NAME, open, OUT, SCRIPT_NAME, show, unlock, type Daemon } from './harness';

let hark: Daemon;
let chromium: Browser;
const manuals = mkdtempSync(join(tmpdir(), 'hark-manuals-'));

beforeAll(async () => {
  [hark, chromium] = await Promise.all([daemon(), browser()]);
});

afterAll(async () => {
  await chromium?.close();
  await hark?.end();
  rmSync(manuals, { recursive: true, force: true });
});

const file = () => readFileSync(hark.config, 'utf8');

it('lets nobody but the operator change settings', async () => {
  const { context, page, problems } = await open(chromium, hark.page);
  await connected(page);
  await show(page, 'settings');
  await page.getByLabel('Search settings').fill('silence_ms');
  expect(await page.getByLabel('silence_ms', { exact: true }).isDisabled()).toBe(true);
  await page.getByLabel("Operator's token").fill('wrong-wrong-wrong');
  await page.getByRole('button', { name: 'Unlock' }).click();
  await page.getByText("That is not the operator's token.").waitFor();
  await accessible(page, 'settings, locked');
  await page.screenshot({ path: join(OUT, 'settings-locked.png') });
  // Not by going round the page either.
  const refused = await page.evaluate(async () => {
    const body = JSON.stringify({ changes: { 'home.demo': true } });
    const answer = await fetch('api/v1/config', { method: 'PATCH', headers: { 'Content-Type': 'application/json' }, body });
    return answer.status;
  });
  expect(refused).toBe(403);
  expect(file()).toBe(CONFIG);
  expect(problems.filter((one) => !one.includes('403'))).toEqual([]);
  await context.close();
});

it.each(['desktop', 'phone'] as const)('settings are found, checked and written on a %s', async (size) => {
  writeFileSync(hark.config, CONFIG);
  const { context, page, problems } = await open(chromium, hark.page, { size, scheme: size === 'phone' ? 'light' : 'dark' });
  await connected(page);
  await unlock(page, hark);
  await page.getByText(/^\d+ of \d+ keys$/).waitFor();
  await page.getByLabel('Search settings').fill('threshold');
  const threshold = page.locator('#key-vad-threshold');
  await page.getByText('line 3 of the file').waitFor();
  // Too low for what goes with it: refused with the reason beside the key, and nothing is written.
  await threshold.fill('0.3');
  await threshold.press('Tab');
  await page.getByRole('button', { name: 'Save', exact: true }).first().click();
  await page.locator('#key-vad-threshold_off-wrong').filter({ hasText: 'must be lower than vad.threshold' }).waitFor();
  await accessible(page, `settings with a mistake, ${size}`);
  await page.screenshot({ path: join(OUT, `${size}-settings-mistake.png`) });
  expect(file()).toBe(CONFIG);
  await threshold.fill('0.7');
  await threshold.press('Tab');
  await page.getByRole('button', { name: 'Save', exact: true }).first().click();
  await page.getByText(/^Saved in/).waitFor();
  await page.getByText(/^Takes effect after a restart of Hark: .*vad\.threshold/).waitFor();
  expect(file()).toBe(CONFIG.replace('0.6', '0.7'));
  await page.locator('.key', { has: threshold }).getByText('waits for a restart').waitFor();
  await accessible(page, `settings saved, ${size}`);
  await page.screenshot({ path: join(OUT, `${size}-settings.png`) });
  // In force at once, a choice, and a list with markup in it.
  await page.getByLabel('Search settings').fill('silence_ms');
  await page.locator('#key-endpoint-silence_ms').fill(size === 'phone' ? '910' : '920');
  await page.locator('#key-endpoint-silence_ms').press('Tab');
  await page.getByLabel('Search settings').fill('allowed_hosts');
  await page.locator('#key-dashboard-allowed_hosts').fill(`hark.local\n${SCRIPT_NAME}`);
  await page.locator('#key-dashboard-allowed_hosts').press('Tab');
  await page.getByRole('button', { name: 'Save', exact: true }).first().click();
  await page.getByText(/^(Saved in|Nothing was saved)/).first().waitFor();
  if ((await page.getByText('Nothing was saved').count()) > 0) {
    await page.locator('#key-dashboard-allowed_hosts').fill('hark.local');
    await page.locator('#key-dashboard-allowed_hosts').press('Tab');
    await page.getByRole('button', { name: 'Save', exact: true }).first().click();
  }
  await page.locator('.bar.save').waitFor({ state: 'hidden' });
  expect(file()).toContain('# loud');
  expect(file()).toContain(`silence_ms = ${size === 'phone' ? 910 : 920}`);
  const config = (await (await fetch(`${hark.api}/config`)).json()) as { config: { endpoint: { silence_ms: number } } };
  expect(config.config.endpoint.silence_ms).toBe(size === 'phone' ? 910 : 920);
  await page.getByLabel('Search settings').fill('vad.threshold');
  await page.getByRole('button', { name: 'Back to the default: vad.threshold', exact: true }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).first().click();
  await page.locator('.bar.save').waitFor({ state: 'hidden' });
  expect(file()).toContain('# loud\n');
  expect(file()).not.toContain('threshold =');
  // Everything open, the tools too.
  await page.getByLabel('Search settings').fill('.');
  await page.getByText('Tools and what they may do').click();
  await page.getByRole('rowheader', { name: 'home.turn_on' }).waitFor();
  await accessible(page, `every setting and tool, ${size}`);
  await page.screenshot({ path: join(OUT, `${size}-settings-all.png`), fullPage: true });
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  expect(problems.filter((one) => !one.includes('422'))).toEqual([]);
  await context.close();
});

it('settings are changed by keyboard alone', async () => {
  writeFileSync(hark.config, CONFIG);
  const { context, page } = await open(chromium, hark.page);
  await connected(page);
  await unlock(page, hark);
  await page.getByLabel('Search settings').focus();
  await page.keyboard.type('volume_percent');
  const focused = () => page.evaluate(() => document.activeElement?.id ?? '');
  for (let press = 0; press < 20 && (await focused()) !== 'key-speaking-volume_percent'; press += 1) await page.keyboard.press('Tab');
  expect(await focused()).toBe('key-speaking-volume_percent');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('35');
  await page.keyboard.press('Enter');
  await page.getByText(/^Saved in/).waitFor();
  expect(file()).toContain('volume_percent = 35');
  await context.close();
});

it('checks every part, lists devices and makes a bundle', async () => {
  const { context, page, problems } = await open(chromium, hark.page);
  await connected(page);
  await hark.ask('remember that the safe is behind the picture');
  await show(page, 'health');
  await page.getByRole('button', { name: 'Run the checks' }).click();
  await page.getByText(/\d+ checks (passed|failed)/).waitFor({ timeout: 90_000 });
  await page.getByRole('button', { name: 'Look for devices' }).click();
  await page.getByRole('heading', { name: 'Speakers' }).waitFor({ timeout: 30_000 });
  await accessible(page, 'checks');
  await page.screenshot({ path: join(OUT, 'desktop-checks.png'), fullPage: true });
  const download = page.waitForEvent('download', { timeout: 90_000 });
  await page.getByRole('button', { name: 'Download' }).click();
  const path = await (await download).path();
  const text = readFileSync(path, 'utf8');
  const bundle = JSON.parse(text) as { version: string; turns: unknown[]; doctor: { findings: unknown[] } | null };
  expect(bundle.turns.length).toBeGreaterThan(0);
  expect(bundle.doctor?.findings.length).toBeGreaterThan(5);
  expect(text).not.toContain('safe');
  expect(text).not.toContain(hark.operatorToken());
  expect(problems).toEqual([]);
  await context.close();
}, 240_000);

it('puts things on a list and checks them off', async () => {
  const { context, page, problems } = await open(chromium, hark.page, { size: 'phone' });
  await connected(page);
  await hark.ask('add eggs to the shopping list');
  await hark.ask(`add ${IMAGE_NAME} to the shopping list`);
  await show(page, 'lists');
  await page.locator('.fact').filter({ hasText: 'eggs' }).waitFor();
  const field = page.getByLabel(/^Put on .*shopping/i);
  await field.fill('oat milk');
  await field.press('Enter');
  await page.locator('.fact').filter({ hasText: 'oat milk' }).waitFor();
  await accessible(page, 'lists');
  await page.screenshot({ path: join(OUT, 'phone-lists.png') });
  await page.getByRole('button', { name: 'Check off: oat milk' }).click();
  await page.locator('.fact').filter({ hasText: 'oat milk' }).getByText('done').waitFor();
  expect(await page.locator('main img').count()).toBe(0);
  expect(problems).toEqual([]);
  await context.close();
});

it('keeps documents, finds in them and lets them go', async () => {
  mkdirSync(manuals, { recursive: true });
  writeFileSync(join(manuals, 'boiler.md'), `# Boiler\n\nError E5 means that the pressure is too low. ${SCRIPT_NAME}\n`);
  const { context, page, problems } = await open(chromium, hark.page);
  await connected(page);
  await show(page, 'documents');
  const add = page.getByLabel('Whole path on the machine Hark runs on');
  await add.fill(manuals);
  await add.press('Enter');
  // Outside the open folders it takes the operator's token.
  await page.getByText(/knowledge\.folders/).waitFor();
  await unlock(page, hark);
  await show(page, 'documents');
  await add.fill(manuals);
  await add.press('Enter');
  await page.locator('.fact').filter({ hasText: 'Boiler' }).waitFor({ timeout: 60_000 });
  await page.getByLabel('What are you looking for?').fill('what does error E5 mean');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.locator('.passage').filter({ hasText: 'the pressure is too low' }).first().waitFor();
  await accessible(page, 'documents');
  await page.screenshot({ path: join(OUT, 'desktop-documents-found.png') });
  await page.getByRole('button', { name: /Remove from the index/ }).click();
  await page.getByRole('button', { name: /Remove from the index/ }).click();
  await page.locator('.fact').filter({ hasText: 'Boiler' }).waitFor({ state: 'detached', timeout: 30_000 });
  expect(problems.filter((one) => !one.includes('422'))).toEqual([]);
  await context.close();
}, 120_000);

it('shows what is done when something happens, and takes it away', async () => {
  const { context, page, problems } = await open(chromium, hark.page);
  await connected(page);
  await show(page, 'timers');
  const words = page.getByLabel(/^An alarm, a reminder/);
  await words.fill('turn on the desk lamp at sunset every day');
  await words.press('Enter');
  await page.waitForTimeout(500);
  await words.fill('when the front door is unlocked turn on the desk lamp');
  await words.press('Enter');
  const one = page.locator('#automations ~ ul .fact, section:has(#automations) .fact').filter({ hasText: 'desk lamp' }).first();
  await one.waitFor();
  await accessible(page, 'automations');
  await page.screenshot({ path: join(OUT, 'desktop-automations.png') });
  const before = await page.locator('section:has(#automations) .fact').count();
  await one.getByRole('button', { name: /^Remove/ }).click();
  await page.waitForFunction(
    (count) => document.querySelectorAll('section:has(#automations) .fact').length < count,
    before,
  );
  expect(problems).toEqual([]);
  await context.close();
});
