/** A task that is handed to another program: a script that behaves as Claude Code does, in a real sandbox (`tests/data/delegates`). */

import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accessible, browser, connected, daemon, IMAGE_NAME, open, OUT, show, type Daemon } from './harness';

const SCRIPT = fileURLToPath(new URL('../../tests/data/delegates/program.py', import.meta.url));
const hasSandbox = spawnSync('bwrap', ['--unshare-all', '--ro-bind', '/', '/', '/bin/true']).status === 0;
if (!hasSandbox) console.log('skipped: bubblewrap is not installed, or may make no sandbox here');

let folder: string;
let hark: Daemon;
let chromium: Browser;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hark-task-'));
  mkdirSync(join(folder, 'work', 'website'), { recursive: true });
  const program = join(folder, 'claude');
  copyFileSync(SCRIPT, program);
  chmodSync(program, 0o755);
  const settings = [`delegation.workspaces=${join(folder, 'work')}`, `delegation.claude_program=${program}`];
  [hark, chromium] = await Promise.all([daemon({ settings }), browser()]);
});

afterAll(async () => {
  await chromium?.close();
  await hark?.end();
  rmSync(folder, { recursive: true, force: true });
});

/** Hands a task on, after a yes. */
async function begin(goal: string): Promise<void> {
  const asked = await hark.ask(`ask claude to ${goal}`, 'desk');
  expect(asked.outcome).toBe('awaiting_approval');
  await hark.ask('yes', 'desk');
}

it.skipIf(!hasSandbox).each(['desktop', 'phone'] as const)('a task is shown, answered and stopped on a %s', async (size) => {
  const { context, page, problems } = await open(chromium, hark.page, { size });
  await connected(page);
  await show(page, 'timers');
  await begin(`write a web server for ${IMAGE_NAME}`);
  const panel = page.locator('section, .panel').filter({ hasText: 'Handed to another program' }).first();
  await panel.getByText('asks', { exact: true }).waitFor();
  await panel.getByText(IMAGE_NAME).first().waitFor();
  await panel.locator('blockquote').filter({ hasText: 'Which port shall it listen on?' }).waitFor();
  await panel.locator('pre').filter({ hasText: 'I begin.' }).filter({ hasText: 'I can do that.' }).waitFor();
  await accessible(page, `a task that asks, ${size}`);
  await page.screenshot({ path: join(OUT, `${size}-task-asks.png`) });
  await page.getByLabel('Answer', { exact: true }).fill('port eighty');
  await page.keyboard.press('Enter');
  await panel.getByText('done', { exact: true }).waitFor();
  await panel.locator('pre').filter({ hasText: 'I begin.' }).filter({ hasText: 'I wrote the port port eighty' }).waitFor();
  await begin('take long');
  await panel.getByText('at work', { exact: true }).waitFor();
  await panel.locator('pre').filter({ hasText: 'I begin.' }).waitFor();
  await expect.poll(() => existsSync(join(folder, 'work', 'scratch', 'begun.txt'))).toBe(true);
  await accessible(page, `a task at work, ${size}`);
  await page.screenshot({ path: join(OUT, `${size}-task.png`) });
  await page.getByRole('button', { name: 'Stop the task' }).click();
  await panel.getByText('stopped', { exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'Stop the task' }).count()).toBe(0);
  expect(problems).toEqual([]);
  await context.close();
});
