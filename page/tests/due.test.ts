/** Alarms, reminders, routines, lists and memory: made, changed and taken away on the page, with fields instead of sentences. */

import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accessible, browser, connected, daemon, open, OUT, SCRIPT_NAME, show, write, type Daemon } from './harness';

let hark: Daemon;
let chromium: Browser;

beforeAll(async () => {
  [hark, chromium] = await Promise.all([daemon(), browser()]);
});

afterAll(async () => {
  await chromium?.close();
  await hark?.end();
});

it('an alarm and a reminder are set, moved and taken away', async () => {
  const { context, page, problems } = await open(chromium, hark.page);
  await connected(page);
  await show(page, 'timers');
  const alarms = page.getByRole('region', { name: 'New alarm' });
  await alarms.getByLabel('Time', { exact: true }).fill('06:45');
  await alarms.getByLabel('Name (may be empty)').fill('school');
  await alarms.getByLabel('Monday').check();
  await alarms.getByLabel('Wednesday').check();
  await alarms.getByRole('button', { name: 'Set it' }).click();
  await page.getByText('The alarm is set for 06:45.').waitFor();
  const alarm = page.locator('.timer').filter({ hasText: 'school' });
  await alarm.filter({ hasText: 'Mon, Wed 06:45' }).waitFor();
  await alarm.getByRole('button', { name: 'Change school' }).click();
  await alarm.getByLabel('Time', { exact: true }).fill('07:15');
  await alarm.getByRole('button', { name: 'Save' }).click();
  await alarm.filter({ hasText: 'Mon, Wed 07:15' }).waitFor();

  const reminders = page.getByRole('region', { name: 'New reminder' });
  await reminders.getByLabel('Of what').fill(SCRIPT_NAME);
  await reminders.getByLabel('Day', { exact: true }).fill('2027-03-01');
  await reminders.getByLabel('Time', { exact: true }).fill('18:30');
  await reminders.getByLabel('Repeats').selectOption('monthly');
  await reminders.getByRole('button', { name: 'Remind me' }).click();
  const monthly = page.locator('.timer').filter({ hasText: SCRIPT_NAME });
  await monthly.filter({ hasText: /repeats/ }).waitFor();
  await reminders.getByLabel('Of what').fill('the tax form');
  await reminders.getByLabel('Repeats').selectOption('once');
  await reminders.getByRole('button', { name: 'Remind me' }).click();
  const once = page.locator('.timer').filter({ hasText: 'the tax form' });
  await once.filter({ hasText: '18:30' }).waitFor();
  await once.getByRole('button', { name: 'Change the tax form' }).click();
  await once.getByLabel('Day', { exact: true }).fill('2027-03-02');
  await once.getByLabel('Time', { exact: true }).fill('08:00');
  await accessible(page, 'a reminder is moved');
  await page.screenshot({ path: join(OUT, 'desktop-due.png'), fullPage: true });
  await once.getByRole('button', { name: 'Save' }).click();
  await once.filter({ hasText: '08:00' }).waitFor();
  // In the past there is nothing to be reminded of.
  await reminders.getByLabel('Of what').fill('yesterday');
  await reminders.getByLabel('Day', { exact: true }).fill('2020-01-01');
  await reminders.getByRole('button', { name: 'Remind me' }).click();
  await reminders.getByRole('status').filter({ hasText: /\w/ }).waitFor();
  expect(await page.locator('.timer').filter({ hasText: 'yesterday' }).count()).toBe(0);
  for (const [row, name] of [[alarm, 'school'], [monthly, SCRIPT_NAME], [once, 'the tax form']] as const) {
    await row.getByRole('button', { name: `Cancel ${name}` }).click();
    await row.waitFor({ state: 'detached' });
  }
  expect(problems).toEqual([]);
  await context.close();
});

it('a timer is halted and goes on, and what rings is put off', async () => {
  const { context, page, problems } = await open(chromium, hark.page, { size: 'phone' });
  await connected(page);
  await hark.ask('set a pasta timer for nine minutes');
  await show(page, 'timers');
  const pasta = page.locator('.timer').filter({ hasText: 'pasta' });
  await pasta.getByRole('button', { name: 'Pause pasta' }).click();
  await pasta.filter({ hasText: 'paused' }).waitFor();
  await pasta.getByRole('button', { name: 'Go on with pasta' }).click();
  await pasta.filter({ hasText: /8:\d\d left/ }).waitFor();
  await hark.ask('set an egg timer for one second');
  const bar = page.locator('.bar.ringing').filter({ hasText: 'egg is ringing' });
  await bar.waitFor();
  await accessible(page, 'ringing, with a later');
  await page.screenshot({ path: join(OUT, 'phone-ringing.png') });
  await bar.getByRole('button', { name: '10 min later' }).click();
  await page.getByText('It rings again in 10 minutes.').waitFor();
  await bar.waitFor({ state: 'detached' });
  await page.locator('.timer').filter({ hasText: 'egg' }).filter({ hasText: /9:\d\d left/ }).waitFor();
  await page.getByRole('button', { name: 'Cancel all: Timers' }).click();
  await page.getByRole('button', { name: 'Cancel all', exact: true }).click();
  await page.getByText('All of them are cancelled.').waitFor();
  await expect.poll(() => page.locator('.timer').count()).toBe(0);
  expect(problems).toEqual([]);
  await context.close();
});

it.each(['desktop', 'phone'] as const)('a routine is made, run, changed and forgotten on a %s', async (size) => {
  const { context, page, problems } = await open(chromium, hark.page, { size });
  await connected(page);
  await show(page, 'timers');
  const make = async (words: string, what: string) => {
    await page.getByLabel('When somebody says').fill(words);
    await page.getByLabel('Hark does this').fill(what);
    await page.getByRole('button', { name: 'Keep it' }).click();
  };
  await hark.ask('turn off the desk lamp');
  await make('movie time', 'turn on the desk lamp');
  const routines = page.locator('section:has(#routines)');
  const row = routines.locator('.fact').filter({ hasText: 'movie time' });
  await row.filter({ hasText: 'turn on the desk lamp' }).waitFor();
  await row.getByRole('button', { name: 'Run now: movie time' }).click();
  await page.locator('.notices').getByText('Turned on the desk lamp').waitFor();
  await row.getByRole('button', { name: /^Change: / }).click();
  await row.getByLabel('As it shall be, in words').fill('when I say movie time, turn off the desk lamp');
  await accessible(page, `a routine is changed, ${size}`);
  await page.screenshot({ path: join(OUT, `${size}-routine.png`), fullPage: true });
  await row.getByRole('button', { name: 'Save' }).click();
  await row.filter({ hasText: 'turn on the desk lamp' }).waitFor({ state: 'detached' });
  await expect.poll(() => row.count()).toBe(1);
  await row.filter({ hasText: 'turn off the desk lamp' }).waitFor();
  // What is no routine changes nothing, and is told.
  await row.getByRole('button', { name: /^Change: / }).click();
  await row.getByLabel('As it shall be, in words').fill('what time is it');
  await row.getByRole('button', { name: 'Save' }).click();
  await row.getByRole('status').filter({ hasText: /\w/ }).waitFor();
  expect(await row.count()).toBe(1);
  await row.getByRole('button', { name: /^Remove: / }).click();
  await row.waitFor({ state: 'detached' });

  // What is dangerous in one is asked about when it is made, and each time it runs.
  await make('let the cat in', 'unlock the front door');
  await page.locator('.question').waitFor();
  await page.getByRole('button', { name: 'Yes, do it' }).click();
  await page.locator('.question').waitFor({ state: 'detached' });
  const cat = routines.locator('.fact').filter({ hasText: 'let the cat in' });
  await cat.getByRole('button', { name: 'Run now: let the cat in' }).click();
  await page.locator('.question').waitFor();
  await page.getByRole('button', { name: 'No', exact: true }).click();
  await page.locator('.question').waitFor({ state: 'detached' });
  await cat.getByRole('button', { name: /^Remove: / }).click();
  await cat.waitFor({ state: 'detached' });
  expect(problems).toEqual([]);
  await context.close();
});

it('a list is made, emptied again, and one of the same name refused', async () => {
  const { context, page, problems } = await open(chromium, hark.page);
  await connected(page);
  await show(page, 'lists');
  await page.getByText('There is no list yet.').waitFor();
  const make = async (name: string) => {
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByRole('button', { name: 'Make it' }).click();
  };
  await make('Party');
  await page.getByText('There is a list “Party” now.').waitFor();
  const field = page.getByLabel('Put on Party');
  for (const item of ['balloons', SCRIPT_NAME]) {
    await field.fill(item);
    await field.press('Enter');
    await page.locator('.fact').filter({ hasText: item }).waitFor();
  }
  await page.getByRole('button', { name: 'Remove: balloons' }).click();
  await page.locator('.fact').filter({ hasText: 'balloons' }).waitFor({ state: 'detached' });
  await make('party');
  await page.locator('main').getByText(/there is a Party list already/).waitFor();
  await accessible(page, 'lists of one’s own');
  await page.screenshot({ path: join(OUT, 'desktop-lists-made.png') });
  await page.getByRole('button', { name: 'Empty the list Party' }).click();
  await page.getByRole('button', { name: 'Empty the list', exact: true }).click();
  await page.getByText('It is empty now.').waitFor();
  await expect.poll(() => page.locator('.fact').count()).toBe(0);
  expect(problems).toEqual([]);
  await context.close();
});

it('what is remembered is looked through by whom it is about, and what was so before', async () => {
  const { context, page, problems } = await open(chromium, hark.page);
  await connected(page);
  await hark.ask('remember that my wife is Anna');
  await hark.ask('my wife is Berta');
  await show(page, 'memory');
  await page.getByRole('textbox', { name: 'Remember this' }).fill('the safe code is in the attic');
  await page.getByLabel('Private: not told to voices that Hark does not know').check();
  await page.getByRole('button', { name: 'Remember', exact: true }).click();
  await page.locator('.fact').filter({ hasText: 'safe code' }).getByText('private', { exact: true }).waitFor();
  await page.getByRole('combobox', { name: 'About' }).selectOption('Berta');
  await page.locator('.fact').filter({ hasText: 'Berta' }).waitFor();
  await page.locator('.fact').filter({ hasText: 'safe code' }).waitFor({ state: 'detached' });
  await page.getByRole('combobox', { name: 'Show' }).selectOption('before');
  await page.locator('.fact').filter({ hasText: 'my wife is Anna' }).filter({ hasText: 'until' }).waitFor();
  await accessible(page, 'what was so before');
  await page.screenshot({ path: join(OUT, 'desktop-memory-before.png') });
  expect(problems).toEqual([]);
  await context.close();
});

it.each(['desktop', 'phone'] as const)('a turn that was taken wrongly is told what was meant on a %s', async (size) => {
  const { context, page, problems } = await open(chromium, hark.page, { size });
  await connected(page);
  await write(page, `the crumbs of ${size} are winning again`);
  await page.locator('.exchange.own').last().getByRole('link', { name: /Details/ }).click();
  await page.locator('summary').filter({ hasText: 'That was wrong' }).click();
  await page.getByLabel('I meant').fill('turn on the desk lamp');
  await page.getByRole('button', { name: 'Teach it' }).click();
  await page.getByText(`Kept: “the crumbs of ${size} are winning again” means HassTurnOn.`).waitFor();
  await accessible(page, `a lesson, ${size}`);
  await page.screenshot({ path: join(OUT, `${size}-lesson.png`), fullPage: true });
  await page.getByLabel('I meant').fill('blue fish by night');
  await page.getByRole('button', { name: 'Teach it' }).click();
  await page.getByText('Hark does not understand that either.').waitFor();
  // The browser itself notes a request that was refused, and a turn that is not kept yet.
  expect(problems.filter((one) => !/422|404/.test(one))).toEqual([]);
  await context.close();
});

it('speaks of routines in German, to a Hark that does', async () => {
  const german = await daemon({ settings: ['speaking.language=de'] });
  try {
    const { context, page } = await open(chromium, german.page, { locale: 'de-DE', size: 'phone' });
    await connected(page);
    await show(page, 'timers');
    await page.getByLabel('Wenn jemand sagt').fill('Filmabend');
    await page.getByLabel('tut Hark dies').fill('schalte Desk lamp ein');
    await page.getByRole('button', { name: 'Merken' }).click();
    const row = page.locator('section:has(#routines) .fact').filter({ hasText: 'filmabend' });
    await row.getByRole('button', { name: /^Jetzt ausführen/ }).click();
    await page.locator('.notices').getByText('Desk lamp ist an').waitFor();
    await page.screenshot({ path: join(OUT, 'phone-routine-german.png'), fullPage: true });
    await context.close();
  } finally {
    await german.end();
  }
}, 120_000);
