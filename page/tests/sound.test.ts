/** Level and echo, wake words that were nearly heard, and a wake word that is trained. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accessible, browser, connected, daemon, open, OUT, SCRIPT_NAME, show, unlock, type Daemon } from './harness';

let hark: Daemon;
let chromium: Browser;

beforeAll(async () => {
  [hark, chromium] = await Promise.all([daemon(), browser()]);
});

afterAll(async () => {
  await chromium?.close();
  await hark?.end();
});

/** A daemon with a microphone and a loudspeaker, as far as the page sees: the tests' machine has neither. */
async function withSound(page: Page): Promise<{ asked: string[] }> {
  const asked: string[] = [];
  await page.route('**/api/v1/health', async (route) => {
    const answer = await route.fetch();
    const health = (await answer.json()) as { parts: { name: string; state: string }[] };
    for (const part of health.parts) if (['microphone', 'speaker'].includes(part.name)) part.state = 'well';
    await route.fulfill({ response: answer, json: health });
  });
  await page.route('**/api/v1/wake/heard', (route) =>
    route.fulfill({
      json: {
        heard: [
          { at: new Date().toISOString(), word: 'hey_jarvis', score: 0.42, why: SCRIPT_NAME },
          { at: new Date().toISOString(), word: 'hey_jarvis', score: 0.91, why: null },
        ],
      },
    }),
  );
  await page.routeWebSocket(/\/ws$/, (socket) => {
    const server = socket.connectToServer();
    let timer: ReturnType<typeof setInterval> | undefined;
    let level = -60;
    socket.onMessage((text) => {
      const message = JSON.parse(String(text)) as { type: string; on?: boolean };
      if (message.type !== 'meter') return server.send(text);
      asked.push(`meter ${message.on}`);
      clearInterval(timer);
      if (message.on !== true) return;
      timer = setInterval(() => {
        level = level >= -10 ? -60 : level + 5;
        const echo = { erle_db: 31.26, delay_ms: 40, drift_ppm: -2.5, is_learning: false, age_s: 3 };
        const data = { is_open: true, level_dbfs: level, speech: 0.75, wake: 0.3, echo };
        socket.send(JSON.stringify({ type: 'meter', data }));
      }, 100);
    });
  });
  return { asked };
}

it.each([
  ['desktop', 'dark'],
  ['phone', 'light'],
] as const)('shows level and echo on a %s, %s', async (size, scheme) => {
  const { context, page, problems } = await open(chromium, 'about:blank', { size, scheme });
  const { asked } = await withSound(page);
  await page.goto(hark.page);
  await connected(page);
  await show(page, 'health');
  await page.getByText('31.3 dB').waitFor();
  await page.getByText('measured 0:03 ago').waitFor();
  await page.getByRole('meter', { name: 'Level' }).waitFor();
  await accessible(page, `sound, ${size}`);
  await page.screenshot({ path: join(OUT, `${size}-sound.png`), fullPage: true });
  await show(page, 'now');
  await page.getByRole('heading', { name: 'Signal' }).waitFor();
  await page.waitForTimeout(1500);
  await page.screenshot({ path: join(OUT, `${size}-signal.png`) });
  await show(page, 'turns');
  await page.getByText('Wake words and near misses').click();
  await page.getByText(`did not wake: ${SCRIPT_NAME}`).waitFor();
  await accessible(page, 'near misses');
  await page.screenshot({ path: join(OUT, `${size}-near-misses.png`) });
  await page.waitForTimeout(300);
  // It is asked for while it is shown, and no longer.
  expect(asked[0]).toBe('meter true');
  expect(asked.at(-1)).toBe('meter false');
  expect(problems).toEqual([]);
  await context.close();
});

it('asks the daemon for the level, which has no microphone', async () => {
  const { context, page } = await open(chromium, 'about:blank');
  const told = new Promise<string>((resolve) =>
    page.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => {
        if (String(payload).includes('"type":"meter"')) resolve(String(payload));
      }),
    ),
  );
  await page.goto(hark.page);
  await connected(page);
  await show(page, 'now');
  const { data } = JSON.parse(await told) as { data: { is_open: boolean; echo: unknown } };
  expect(data).toMatchObject({ is_open: false, echo: null });
  await context.close();
});

it.each(['desktop', 'phone'] as const)('a wake word is trained and the training ended on a %s', async (size) => {
  const { context, page, problems } = await open(chromium, hark.page, { size });
  await connected(page);
  await show(page, 'people');
  await page.getByRole('textbox', { name: 'Wake word' }).fill('hey house');
  await page.getByRole('button', { name: 'Train it' }).click();
  await page.getByText('only the operator may train wake words').waitFor();
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await unlock(page, hark);
  await show(page, 'people');
  await page.getByRole('textbox', { name: 'Wake word' }).fill('hey house');
  await page.getByRole('button', { name: 'Train it' }).click();
  await page.getByRole('progressbar', { name: 'Training' }).waitFor();
  await page.getByText(/^[1-9]\d? %: speakers say it$/).waitFor({ timeout: 100_000 });
  await accessible(page, `training, ${size}`);
  await page.screenshot({ path: join(OUT, `${size}-training.png`), fullPage: true });
  await page.getByRole('button', { name: 'End the training' }).click();
  await page.getByText('“hey house”: the training was ended.').waitFor();
  expect(problems.filter((one) => !one.includes('403'))).toEqual([]);
  await context.close();
}, 150_000);

it('what was counted of a word is shown, and it is used', async () => {
  const { context, page, problems } = await open(chromium, hark.page, { locale: 'de-DE' });
  const word = { file: '/state/wake/hey_house.json', missed: 3, said: 108, near_wakes: 2, near: 90, false_wakes: 1, other_speech_hours: 0.25 };
  await page.route('**/api/v1/wake/training', (route) =>
    route.fulfill({ json: { state: 'done', phrase: 'hey house', progress: null, word, message: null } }),
  );
  await connected(page);
  await show(page, 'people');
  await page.getByText('3 von 108 (2,8 %)').waitFor();
  await page.getByText('1-mal in 0,25 Stunden').waitFor();
  await accessible(page, 'a trained word');
  await page.screenshot({ path: join(OUT, 'desktop-trained.png'), fullPage: true });
  // Only the operator may, and a file that is not there is refused: nothing is written.
  await page.getByRole('button', { name: 'Neben den anderen benutzen' }).click();
  await page.locator('.notices .bad').first().waitFor();
  expect(readFileSync(hark.config, 'utf8')).not.toContain('hey_house');
  expect(problems.filter((one) => !/403|422/.test(one))).toEqual([]);
  await context.close();
});

it('rooms are renamed in the file of the home', async () => {
  const { context, page, problems } = await open(chromium, hark.page);
  await connected(page);
  await unlock(page, hark);
  await show(page, 'home');
  await page.getByText('Names of rooms and floors').click();
  await page.getByLabel('Name of room_3', { exact: true }).fill('Studio');
  await page.getByLabel('Other names of room_3, with commas').fill('workshop');
  await page.keyboard.press('Enter');
  await page.getByText("Written to the home's file.").waitFor();
  await accessible(page, 'names of rooms');
  await page.screenshot({ path: join(OUT, 'desktop-rooms.png') });
  expect(readFileSync(hark.home, 'utf8')).toContain('id = "room_3"\nname = "Studio"\naliases = ["workshop"]');
  await page.getByRole('heading', { name: 'Studio' }).waitFor();
  await page.getByLabel('More rooms, with commas between').fill('Attic, Cellar');
  await page.getByRole('button', { name: 'Add rooms' }).click();
  await page.getByText('Attic, Cellar: added').waitFor();
  await page.getByLabel('Name of cellar', { exact: true }).waitFor();
  expect(readFileSync(hark.home, 'utf8')).toContain('name = "Cellar"');
  expect(problems).toEqual([]);
  await context.close();
});
