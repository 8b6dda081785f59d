/** Notes, calendar and files, with folders of their own; and what is said where there are none. */

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accessible, browser, connected, daemon, open, OUT, SCRIPT_NAME, show, type Daemon } from './harness';

const folder = mkdtempSync(join(tmpdir(), 'hark-personal-'));
const [notes, calendar, files] = ['notes', 'calendar', 'files'].map((name) => join(folder, name)) as [string, string, string];
let hark: Daemon;
let chromium: Browser;

/** A day so many days from today, as `20261201`. */
function inDays(days: number): string {
  const at = new Date();
  at.setDate(at.getDate() + days);
  return at.toLocaleDateString('sv-SE').replaceAll('-', '');
}

function event(uid: string, title: string, begins: string, place = ''): string {
  const lines = ['BEGIN:VEVENT', `UID:${uid}`, 'DTSTAMP:20260101T000000Z', `SUMMARY:${title}`, begins];
  return [...lines, ...(place === '' ? [] : [`LOCATION:${place}`]), 'END:VEVENT'].join('\r\n');
}

beforeAll(async () => {
  for (const one of [notes, calendar, files, join(files, 'letters')]) mkdirSync(one);
  writeFileSync(join(notes, 'Boiler.md'), `Press the red button twice.\n${SCRIPT_NAME}\n`);
  writeFileSync(join(notes, 'Garden.md'), 'Water the roses on Sundays.\n');
  const events = [
    event('1', 'Dentist', `DTSTART:${inDays(1)}T100000\r\nDTEND:${inDays(1)}T103000`, 'Main street 5'),
    event('2', 'Bin day', `DTSTART;VALUE=DATE:${inDays(2)}\r\nRRULE:FREQ=WEEKLY`),
    event('3', SCRIPT_NAME, `DTSTART:${inDays(3)}T180000\r\nDTEND:${inDays(3)}T190000`),
    event('4', 'Far away', `DTSTART:${inDays(60)}T180000\r\nDTEND:${inDays(60)}T190000`),
  ];
  const ics = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test//EN', ...events, 'END:VCALENDAR', ''].join('\r\n');
  writeFileSync(join(calendar, 'home.ics'), ics);
  writeFileSync(join(files, 'readme.txt'), `The meter is in the cellar.\n${SCRIPT_NAME}\n`);
  writeFileSync(join(files, 'long.txt'), Array.from({ length: 40_000 }, (_, line) => `line ${line}`).join('\n'));
  writeFileSync(join(files, 'letters', 'bank.txt'), 'Dear bank, the account is closed.\n');
  symlinkSync('/etc/passwd', join(files, 'out.txt'));
  const settings = [`personal.notes_folder=${notes}`, `personal.calendar_path=${calendar}`, `tools.file_roots=["${files}"]`];
  [hark, chromium] = await Promise.all([daemon({ settings }), browser()]);
});

afterAll(async () => {
  await chromium?.close();
  await hark?.end();
  rmSync(folder, { recursive: true, force: true });
});

it.each(['desktop', 'phone'] as const)('notes are read, taken and added to on a %s', async (size) => {
  const { context, page, problems } = await open(chromium, hark.page, { size });
  await connected(page);
  await show(page, 'notes');
  await page.getByRole('button', { name: 'Open the note Boiler' }).focus();
  await page.keyboard.press('Enter');
  await page.locator('pre').filter({ hasText: SCRIPT_NAME }).waitFor();
  const title = `Holiday ${size}`;
  await page.getByLabel(/^Title/).fill(title);
  await page.getByLabel('Text', { exact: true }).fill('Passports\n"two" of them');
  await page.getByRole('button', { name: 'Take the note' }).click();
  await page.getByRole('button', { name: `Open the note ${title}` }).waitFor();
  expect(readFileSync(join(notes, `${title}.md`), 'utf8')).toBe('Passports\n"two" of them\n');
  await page.getByRole('button', { name: `Open the note ${title}` }).click();
  await page.getByLabel(`Add a line to ${title}`).fill('sun cream');
  await page.keyboard.press('Enter');
  await page.locator('pre').filter({ hasText: 'sun cream' }).waitFor();
  expect(readFileSync(join(notes, `${title}.md`), 'utf8')).toBe('Passports\n"two" of them\nsun cream\n');
  await page.getByRole('button', { name: `Close the note ${title}` }).click();
  await page.getByLabel('Words of the title or the text').fill('roses');
  await page.keyboard.press('Enter');
  await page.getByText('Water the roses on Sundays.').waitFor();
  await page.getByRole('button', { name: 'Open the note Boiler' }).waitFor({ state: 'detached' });
  await page.getByLabel('Words of the title or the text').fill('');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Open the note Garden' }).click();
  await accessible(page, `notes, ${size}`);
  await page.screenshot({ path: join(OUT, `${size}-notes.png`), fullPage: true });
  expect(await page.title()).toContain('Notes');
  expect(problems).toEqual([]);
  await context.close();
});

it.each(['desktop', 'phone'] as const)('events are read and added on a %s', async (size) => {
  const { context, page, problems } = await open(chromium, hark.page, { size, scheme: size === 'phone' ? 'light' : 'dark' });
  await connected(page);
  await show(page, 'calendar');
  await page.getByText('10:00–10:30 · Main street 5').waitFor();
  expect(await page.getByText('Far away').count()).toBe(0);
  const title = `Piano lesson ${size}`;
  await page.getByLabel('What it is').fill(title);
  await page.getByLabel(/^Begins/).fill('16:30');
  await page.getByLabel('Minutes', { exact: true }).fill('45');
  await page.getByLabel('Reminder').selectOption('15');
  await page.getByRole('button', { name: 'Add the event' }).click();
  await page.locator('.fact').filter({ hasText: title }).getByText('16:30–17:15').waitFor();
  const written = readdirSync(calendar).map((name) => readFileSync(join(calendar, name), 'utf8')).join('\n');
  expect(written).toContain(`SUMMARY:${title}`);
  expect(written).toContain('TRIGGER:-PT15M');
  await accessible(page, `calendar, ${size}`);
  await page.screenshot({ path: join(OUT, `${size}-calendar.png`), fullPage: true });
  await page.getByLabel(/^Or by words/).fill('far');
  await page.keyboard.press('Enter');
  await page.getByText('Far away').waitFor();
  expect(await page.title()).toContain('Calendar');
  expect(problems).toEqual([]);
  await context.close();
});

it.each(['desktop', 'phone'] as const)('a note is renamed, written anew and put into the trash on a %s', async (size) => {
  const title = `Attic ${size}`;
  writeFileSync(join(notes, `${title}.md`), 'Boxes\n');
  const { context, page, problems } = await open(chromium, hark.page, { size });
  await connected(page);
  await show(page, 'notes');
  await page.getByRole('button', { name: `Open the note ${title}` }).click();
  const named = `Cellar ${size}`;
  await page.getByLabel(`Another title for ${title}`).fill(named);
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('button', { name: `Open the note ${named}` }).waitFor();
  expect(existsSync(join(notes, `${title}.md`))).toBe(false);
  await page.getByRole('button', { name: `Open the note ${named}` }).click();
  await page.getByLabel(`The whole text of ${named}`).fill('Shelves\nand boxes');
  await page.getByRole('button', { name: 'Write it anew' }).click();
  await page.locator('pre').filter({ hasText: 'Shelves' }).waitFor();
  expect(readFileSync(join(notes, `${named}.md`), 'utf8')).toBe('Shelves\nand boxes\n');
  const remove = page.getByRole('button', { name: `Delete the note ${named}` });
  await remove.click();
  await accessible(page, `a note before it is deleted, ${size}`);
  await page.screenshot({ path: join(OUT, `${size}-note-sure.png`), fullPage: true });
  await page.getByRole('button', { name: 'Keep it' }).click();
  expect(existsSync(join(notes, `${named}.md`))).toBe(true);
  await remove.click();
  await page.getByRole('button', { name: 'Into the trash' }).click();
  await page.getByRole('button', { name: `Close the note ${named}` }).waitFor({ state: 'detached' });
  expect(existsSync(join(notes, `${named}.md`))).toBe(false);
  expect(readFileSync(join(notes, '.trash', `${named}.md`), 'utf8')).toBe('Shelves\nand boxes\n');
  expect(problems).toEqual([]);
  await context.close();
});

it.each(['desktop', 'phone'] as const)('events are changed, and removed after a yes, on a %s', async (size) => {
  const file = join(calendar, `${size}.ics`);
  const title = `Choir ${size}`;
  const events = [
    event(`c-${size}`, title, `DTSTART:${inDays(4)}T180000\r\nDTEND:${inDays(4)}T193000`, 'Church hall'),
    event(`d-${size}`, `Yoga ${size}`, `DTSTART:${inDays(1)}T070000\r\nDTEND:${inDays(1)}T080000\r\nRRULE:FREQ=DAILY`),
  ];
  writeFileSync(file, ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test//EN', ...events, 'END:VCALENDAR', ''].join('\r\n'));
  const { context, page, problems } = await open(chromium, hark.page, { size });
  await connected(page);
  await show(page, 'calendar');
  await page.getByRole('button', { name: `Change ${title}`, exact: true }).click();
  const form = page.getByRole('form', { name: `Change of ${title}` });
  await accessible(page, `an event that is changed, ${size}`);
  await page.screenshot({ path: join(OUT, `${size}-calendar-change.png`), fullPage: true });
  expect(await form.getByRole('button', { name: 'Save the change' }).isDisabled()).toBe(true);
  await form.getByLabel('Begins').fill('19:00');
  await form.getByLabel('Minutes', { exact: true }).fill('60');
  await form.getByLabel(/^Where/).fill('Town hall');
  await form.getByRole('button', { name: 'Save the change' }).click();
  await page.locator('.fact').filter({ hasText: title }).getByText('19:00–20:00 · Town hall').waitFor();
  const moved = readFileSync(file, 'utf8');
  expect(moved).toContain(`DTSTART:${inDays(4)}T190000`);
  expect(moved).toContain('LOCATION:Town hall');
  await page.getByRole('button', { name: `Delete ${title}`, exact: true }).click();
  await page.getByRole('alert').filter({ hasText: `Shall I take ${title}` }).waitFor();
  await page.getByRole('button', { name: 'No', exact: true }).click();
  await page.getByRole('alert').filter({ hasText: 'Shall I take' }).waitFor({ state: 'detached' });
  expect(readFileSync(file, 'utf8')).toContain(title);
  await page.getByRole('button', { name: `Delete ${title}`, exact: true }).click();
  await page.getByRole('alert').filter({ hasText: `Shall I take ${title}` }).waitFor();
  await page.getByRole('button', { name: 'Yes, do it' }).click();
  await page.getByRole('button', { name: `Delete ${title}`, exact: true }).waitFor({ state: 'detached' });
  expect(readFileSync(file, 'utf8')).not.toContain(title);
  // One time of a series, then all of it.
  const yoga = page.getByRole('button', { name: `Delete this one: Yoga ${size}`, exact: true });
  await yoga.first().waitFor();
  const before = await yoga.count();
  await yoga.first().click();
  await page.getByRole('alert').filter({ hasText: 'only this time' }).waitFor();
  await page.getByRole('button', { name: 'Yes, do it' }).click();
  await page.waitForFunction(
    ([name, count]) => document.querySelectorAll(`[aria-label="${name}"]`).length === count,
    [`Delete this one: Yoga ${size}`, before - 1] as const,
  );
  expect(readFileSync(file, 'utf8')).toContain(`EXDATE:${inDays(1)}T070000`);
  await page.getByRole('button', { name: `Delete all: Yoga ${size}` }).first().click();
  await page.getByRole('alert').filter({ hasText: 'every time' }).waitFor();
  await page.getByRole('button', { name: 'Yes, do it' }).click();
  await yoga.first().waitFor({ state: 'detached' });
  expect(existsSync(file)).toBe(false);
  expect(problems).toEqual([]);
  await context.close();
});

it.each(['desktop', 'phone'] as const)('files are found and read, and nothing outside the folders, on a %s', async (size) => {
  const { context, page, problems } = await open(chromium, hark.page, { size });
  await connected(page);
  await show(page, 'files');
  await page.getByRole('link', { name: files }).click();
  await page.getByRole('link', { name: 'letters' }).waitFor();
  await accessible(page, `files, ${size}`);
  await page.screenshot({ path: join(OUT, `${size}-files.png`), fullPage: true });
  await page.getByRole('link', { name: 'readme.txt' }).click();
  await page.locator('pre').filter({ hasText: SCRIPT_NAME }).waitFor();
  await accessible(page, `a file, ${size}`);
  await page.screenshot({ path: join(OUT, `${size}-file.png`), fullPage: true });
  await page.getByRole('navigation', { name: 'Folders above' }).getByRole('link', { name: files, exact: true }).click();
  await page.getByRole('link', { name: 'long.txt' }).click();
  await page.getByRole('button', { name: /^Read on/ }).click();
  await page.waitForFunction(() => (document.querySelector('main pre')?.textContent?.length ?? 0) > 100_000);
  await show(page, 'files');
  await page.getByLabel('By').selectOption('words');
  await page.getByLabel('What is looked for').fill('account is closed');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByText('line 1: Dear bank, the account is closed.').waitFor();
  await page.getByRole('link', { name: /bank\.txt$/ }).click();
  await page.locator('pre').filter({ hasText: 'Dear bank' }).waitFor();
  // Neither by a path nor by a link.
  for (const outside of ['/etc/passwd', `${files}/../../../etc/passwd`, `${files}/out.txt`]) {
    await show(page, `files/${encodeURIComponent(outside)}`);
    await page.locator('main [role=alert]').first().waitFor();
    expect(await page.locator('main').textContent()).not.toContain('root:');
  }
  expect(problems).toEqual([]);
  await context.close();
});

it('says in German what is missing and how it is got', async () => {
  const bare = await daemon();
  try {
    for (const size of ['desktop', 'phone'] as const) {
      const { context, page, problems } = await open(chromium, bare.page, { size, locale: 'de-DE' });
      await connected(page);
      for (const [view, fix] of [
        ['notes', 'personal.notes_folder'],
        ['calendar', 'personal.calendar_path'],
        ['files', 'tools.file_roots'],
      ] as const) {
        await show(page, view);
        // The key in the daemon's own words, and what it is about in those of the page.
        await page.locator('main .panel').filter({ hasText: fix }).filter({ hasText: /^Noch / }).waitFor();
        await page.getByRole('link', { name: 'Unter Einstellungen wählen' }).waitFor();
        expect(await page.locator('main form').count()).toBe(0);
        await accessible(page, `${view} without a backend, ${size}`);
        await page.screenshot({ path: join(OUT, `${size}-${view}-missing-german.png`) });
      }
      expect(problems).toEqual([]);
      await context.close();
    }
  } finally {
    await bare.end();
  }
});
