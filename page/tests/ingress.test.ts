/** The page behind Home Assistant's Ingress, as `ingress.ts` has it: in a frame of Home Assistant's page, under its prefix, from
 * the daemon itself. */

import { join } from 'node:path';
import type { Browser, FrameLocator } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { browser, daemon, OUT, VIEWS, type Daemon } from './harness';
import { ingress, type Ingress } from './ingress';

const NAME = 'homeassistant.local';
const TOKEN = '0123456789abcdef0123456789abcdef';

let hark: Daemon;
let house: Ingress;
let chromium: Browser;
let base = '';

beforeAll(async () => {
  // As an add-on listens: on every address, so that it asks for a token, and known by Home Assistant's name.
  hark = await daemon({ token: TOKEN, listen: '0.0.0.0', settings: [`dashboard.allowed_hosts=["${NAME}"]`] });
  house = await ingress(new URL(hark.api).host);
  base = `http://${NAME}:${house.port}`;
  chromium = await browser([`--host-resolver-rules=MAP ${NAME} 127.0.0.1,MAP elsewhere.example 127.0.0.1`]);
});

afterAll(async () => {
  await chromium?.close();
  house?.close();
  await hark?.end();
});

async function enter(frame: FrameLocator): Promise<void> {
  await frame.getByLabel('Token', { exact: true }).fill(TOKEN);
  await frame.getByRole('button', { name: 'Enter' }).click();
  await frame.locator('#ask').waitFor();
}

it('answers, shows every view and saves settings in a frame of Home Assistant', async () => {
  const context = await chromium.newContext({ viewport: { width: 1360, height: 860 }, locale: 'en-GB', reducedMotion: 'reduce' });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  await page.goto(`${base}/hark`);
  const frame = page.frameLocator('iframe');
  await enter(frame);
  await frame.locator('#ask').fill('turn on the desk lamp');
  await frame.locator('#ask').press('Enter');
  await frame.locator('.exchange .bubble.hark').last().filter({ hasText: 'Turned on the desk lamp' }).waitFor();
  await page.screenshot({ path: join(OUT, 'ingress.png') });

  const inside = page.frames().find((one) => one !== page.mainFrame());
  for (const view of VIEWS) {
    await inside?.evaluate((name) => (location.hash = `#/${name}`), view);
    await frame.locator(`main.view-${view}`).waitFor();
  }
  // What changes something goes through as well: PATCH, DELETE, and the operator's token.
  await frame.getByLabel("Operator's token").fill(hark.operatorToken());
  await frame.getByRole('button', { name: 'Unlock' }).click();
  await frame.getByLabel("Operator's token").waitFor({ state: 'detached' });
  await frame.getByLabel('Search settings').fill('endpoint.silence_ms');
  await frame.getByRole('spinbutton').first().fill('650');
  await frame.getByRole('spinbutton').first().press('Tab');
  await frame.getByRole('button', { name: 'Save all' }).click();
  await frame.getByText(/^Saved in /).waitFor();

  expect(house.passed()).toMatchObject({ 'X-Ingress-Path': house.prefix, host: `${NAME}:${house.port}` });
  expect(house.strays, 'addresses outside of the prefix').toEqual([]);
  // The first answers are those that ask for a token.
  expect(problems.filter((one) => !one.includes('401'))).toEqual([]);
  await context.close();
}, 120_000);

it('waits while the session of Home Assistant is over, and goes on with a new one', async () => {
  const context = await chromium.newContext({ locale: 'en-GB', reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto(`${base}/hark`);
  const frame = page.frameLocator('iframe');
  await enter(frame);
  house.expire(true);
  await frame.getByText('Hark is away. Trying again').waitFor();
  // It is no token of Hark's that is missing, after some attempts either.
  await page.waitForTimeout(2500);
  expect(await frame.getByLabel('Token', { exact: true }).count()).toBe(0);
  house.expire(false);
  await frame.getByText('Hark is away. Trying again').waitFor({ state: 'detached', timeout: 30_000 });
  await frame.locator('#ask').fill('turn off the desk lamp');
  await frame.locator('#ask').press('Enter');
  await frame.locator('.exchange .bubble.hark').last().filter({ hasText: 'Turned off the desk lamp' }).waitFor();
  await context.close();
}, 90_000);

it('is framed by Home Assistant alone, and answers to no other name', async () => {
  const context = await chromium.newContext();
  const page = await context.newPage();
  await page.goto(`${base}/hark`);
  await page.frameLocator('iframe').getByLabel('Token', { exact: true }).waitFor();
  // The same server by another name stands for a page of another origin; its cookie is the other host's.
  await page.route('http://elsewhere.example/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: `<iframe src="${new URL(hark.api).origin}/"></iframe>` }),
  );
  await page.goto('http://elsewhere.example/');
  // What is not let into a frame is a page of the browser's own there.
  await expect.poll(() => page.frames().map((one) => one.url())).toContain('chrome-error://chromewebdata/');
  const foreign = await page.evaluate(async (api) => {
    const asked = await fetch(`${api}/ask`, { method: 'POST', body: '{"text":"unlock the front door"}' }).then(
      (answer) => answer.status,
      () => 'refused',
    );
    const socket = new WebSocket(api.replace('http', 'ws').replace('/api/v1', '/ws'), ['hark', 'hark.bearer.0123456789abcdef0123456789abcdef']);
    const opened = await new Promise((done) => {
      socket.onopen = () => done('open');
      socket.onerror = () => done('refused');
    });
    return { asked, opened };
  }, hark.api);
  expect(foreign).toEqual({ asked: 'refused', opened: 'refused' });
  await context.close();
}, 60_000);
