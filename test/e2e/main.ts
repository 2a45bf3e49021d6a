// Drives the reviewers' pages in a real browser against a real service: `npm run e2e`, `-- --out FOLDER` for its pictures.

import { mkdir } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { checkAxe, login, openBrowser, visitor } from './browser.ts';
import { checkHostile } from './check-hostile.ts';
import { checkParts } from './check-parts.ts';
import { checkDoor, checkForms, checkGroup, checkKeyboard } from './check-review.ts';
import { type Checks, countChecks } from './checks.ts';
import { type Seeded, seed } from './seed.ts';
import { startService } from './start.ts';

const { values } = parseArgs({ options: { out: { type: 'string', default: '.cache/e2e' } } });
const checks = countChecks();
await mkdir(values.out, { recursive: true });
const running = await startService();
const browser = await openBrowser();
try {
  const seeded = await seed(running.service, running.scratch);
  if (seeded.cases.session === null) console.log('no workspaces on this machine: no recorded session is shown');
  await runAll(browser, running.address, seeded);
} finally {
  await browser.close();
  await running.stop();
}
if (!checks.tell()) process.exitCode = 1;

async function runAll(on: Browser, address: string, seeded: Seeded): Promise<void> {
  const parts = [
    ['the door', checkDoor, {}],
    ['hostile', checkHostile, {}],
    ['hostile, without script', checkStillText, { script: false }],
    ['what a case tells, without script', checkParts, { script: false }],
    ['the keyboard', checkKeyboard, {}],
    ['forms, without script', checkForms, { script: false }],
    ['a group', checkGroup, {}],
    ['a group, without script', checkGroupForms, { script: false }],
  ] as const;
  for (const [name, check, options] of parts) {
    const watched = await visitor(on, address, options);
    await checks.part(name, async () => {
      await check(checks, watched, seeded);
      checks.that('nothing else happened', watched.misdeeds.length === 0, watched.misdeeds.join(' | '));
    });
    await watched.context.close();
  }
  for (const dark of [false, true])
    await checks.part(dark ? 'dark' : 'light', () => look(on, address, { seeded, dark }));
}

async function checkStillText(
  all: Checks,
  { page }: Awaited<ReturnType<typeof visitor>>,
  seeded: Seeded,
): Promise<void> {
  await login(page, seeded.keys.admin);
  const reply = await page.goto(`/review/${seeded.cases.hostile}`);
  all.that('the hostile case answers', reply?.status() === 200);
  all.that('it is whole', (await page.locator('main section#files, main #timeline').count()) === 1);
}

async function checkGroupForms(
  all: Checks,
  { page }: Awaited<ReturnType<typeof visitor>>,
  seeded: Seeded,
): Promise<void> {
  await login(page, seeded.keys.second);
  await page.locator('aside a').first().click();
  all.that('a group opens', (await page.locator('tr[data-row]').count()) > 0, page.url());
}

/** Pictures of every page, and whether everybody can use it. */
async function look(on: Browser, address: string, { seeded, dark }: { seeded: Seeded; dark: boolean }): Promise<void> {
  const { page, context, misdeeds } = await visitor(on, address, { dark, bypass: true });
  const scheme = dark ? 'dark' : 'light';
  const shoot = async (name: string) => {
    await page.screenshot({ path: `${values.out}/${name}-${scheme}.png` });
    await checkAxe(checks, page, name);
  };
  await page.goto('/login');
  await shoot('login');
  await login(page, seeded.keys.admin);
  await shoot('queue');
  const pages = {
    case: `/review/${seeded.cases.session ?? seeded.cases.submission}`,
    work: `/review/${seeded.cases.submission}`,
    hostile: `/review/${seeded.cases.hostile}`,
    verdict: `/verdict/${seeded.hostileVerdict}`,
    group: '/review/group?key=none',
    audit: '/review/audit',
    dashboard: '/dashboard',
    account: '/account',
    missing: '/review/none',
  };
  for (const [name, path] of Object.entries(pages)) {
    await page.goto(path);
    await shoot(name);
  }
  await page.goto(`${pages.case}#profile`);
  await page.screenshot({ path: `${values.out}/profile-${scheme}.png` });
  await page.goto(`${pages.case}#map`);
  await page.screenshot({ path: `${values.out}/map-${scheme}.png` });
  await page.goto(`${pages.dashboard}?by=run#over-time`);
  await page.screenshot({ path: `${values.out}/over-time-${scheme}.png` });
  await page.goto(`${pages.case}#timeline`);
  await page.screenshot({ path: `${values.out}/timeline-${scheme}.png` });
  checks.that('nothing else happened', misdeeds.length === 0, misdeeds.join(' | '));
  await context.close();
}
