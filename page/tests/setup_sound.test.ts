/** The spoken steps of setting up, in the browser: speaker and microphone by ear, the wake word, a request. The daemon has a virtual
 * sound card, and a synthetic person speaks in front of its microphone. */

import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accessible, browser, connected, daemon, open, OUT, show, unlock, type Daemon } from './harness';
import { say, soundCard, soundCardIsPossible, type SoundCard } from './sound_card';

const LOUD = 0.02;

let card: SoundCard;
let hark: Daemon;
let chromium: Browser;

beforeAll(async () => {
  if (!soundCardIsPossible()) return;
  card = await soundCard();
  [hark, chromium] = await Promise.all([daemon({ bare: true, sound: true, environment: card.environment }), browser()]);
});

afterAll(async () => {
  await chromium?.close();
  await hark?.end();
  card?.end();
});

it.skipIf(!soundCardIsPossible())('speaker, voice, microphone, wake word and a spoken request are tried by ear', async () => {
  const sentence = say('the quick brown fox jumps over the lazy dog, and then it sleeps for a while', join(OUT, 'sentence.wav'));
  const word = say('hey jarvis', join(OUT, 'word.wav'));
  const request = say('hey jarvis, what time is it', join(OUT, 'request.wav'));
  const { context, page, problems } = await open(chromium, hark.page);
  await connected(page);
  await unlock(page, hark);
  const result = (text: string) => page.locator('.result').filter({ hasText: text }).waitFor();

  await show(page, 'setup/speaker');
  await page.getByRole('radio', { name: /^what the system prefers/ }).check();
  let heard = await card.listenToSpeaker();
  await page.getByRole('button', { name: 'Play two tones' }).click();
  await page.getByText('Do you hear it?').waitFor();
  expect(await heard(), 'two tones').toBeGreaterThan(LOUD);
  await page.getByRole('button', { name: 'Yes', exact: true }).click();
  await result('auto');

  await show(page, 'setup/voice');
  await page.getByRole('radio', { name: /^espeak/ }).check();
  heard = await card.listenToSpeaker();
  await page.getByRole('button', { name: 'Hear it' }).click();
  await page.getByText('It speaks.').waitFor();
  await page.waitForTimeout(2000);
  expect(await heard(), 'the voice').toBeGreaterThan(LOUD);

  await show(page, 'setup/microphone');
  await page.getByRole('radio', { name: /^what the system prefers/ }).check();
  heard = await card.listenToSpeaker();
  await page.getByRole('button', { name: 'Record for four seconds' }).click();
  await page.getByText('Speak now …').waitFor();
  await card.playIntoRoom(sentence);
  await page.getByText(/^Heard: peak -\d+ dBFS\.$/).waitFor();
  await page.getByText('Was that you, clearly?').waitFor();
  expect(await heard(), 'it is played back').toBeGreaterThan(LOUD);
  await accessible(page, 'microphone by ear');
  await page.screenshot({ path: join(OUT, 'desktop-by-ear.png') });
  await page.getByRole('button', { name: 'Yes', exact: true }).click();
  await result('auto');

  await show(page, 'setup/wake');
  await page.getByRole('radio', { name: 'hey jarvis' }).check();
  await page.getByRole('button', { name: 'Take it and try it' }).click();
  await page.getByText('Say “hey jarvis” twice').waitFor();
  for (let time = 1; time <= 2; time += 1) {
    await card.playIntoRoom(word);
    await expect.poll(() => page.getByText(/^heard \(score/).count(), { timeout: 10_000 }).toBeGreaterThanOrEqual(time);
  }
  await result('“hey jarvis”, heard');
  await page.screenshot({ path: join(OUT, 'desktop-wake-heard.png') });

  await show(page, 'setup/test');
  await page.getByText('Say: “hey jarvis, what time is it”').waitFor();
  heard = await card.listenToSpeaker();
  await card.playIntoRoom(request);
  await page.getByText('understood: “what time is it”').waitFor();
  await page.getByText('answer: “').waitFor();
  await page.waitForTimeout(3000);
  expect(await heard(), 'the answer').toBeGreaterThan(LOUD);
  await page.getByText('Did you get the answer?').waitFor();
  await page.screenshot({ path: join(OUT, 'desktop-spoken-test.png') });
  await page.getByRole('button', { name: 'Yes', exact: true }).click();
  await result('answered “');

  const times: number[] = [];
  for (let run = 0; run < 5; run += 1) {
    const from = performance.now();
    expect((await fetch(`${hark.api}/devices`)).status).toBe(200);
    times.push(performance.now() - from);
  }
  console.log('devices, ms:', times.map(Math.round).join(' '));
  expect(Math.min(...times)).toBeLessThan(1000);

  // The same devices are tried under Health, and the level is shown there.
  await show(page, 'health');
  await page.getByRole('meter', { name: 'Level' }).waitFor();
  await page.getByRole('button', { name: 'Look for devices' }).click();
  heard = await card.listenToSpeaker();
  await page.getByRole('button', { name: /^Try .*: play two tones$/ }).first().click();
  await page.getByText('Two tones were played.').waitFor();
  expect(await heard(), 'two tones of Health').toBeGreaterThan(LOUD);
  await page.getByRole('button', { name: /^Try .*: record four seconds/ }).first().click();
  await card.playIntoRoom(sentence);
  await page.getByText(/^Heard: peak -\d+ dBFS\./).waitFor();
  await accessible(page, 'devices tried');

  // What is taken out of its own voice, of a real canceller.
  card.echo();
  await page.getByRole('button', { name: 'Measure it now' }).click();
  const erle = page.locator('.facts > div').filter({ hasText: 'Taken out (ERLE)' }).locator('dd');
  const figure = async () => Number.parseFloat((await erle.textContent({ timeout: 30_000 })) ?? '0');
  console.log('ERLE without an echo, dB:', await figure());
  await expect.poll(figure, { timeout: 60_000 }).toBeGreaterThan(10);
  console.log('ERLE, dB:', await figure());
  await page.screenshot({ path: join(OUT, 'desktop-erle.png'), fullPage: true });
  expect(problems).toEqual([]);
  await context.close();
}, 180_000);
