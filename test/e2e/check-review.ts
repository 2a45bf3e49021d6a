import type { Page } from 'playwright-core';
import { login, type Watched } from './browser.ts';
import type { Checks } from './checks.ts';
import type { Seeded } from './seed.ts';

const body = (page: Page) => page.locator('main').innerText();
const settled = (page: Page, press: () => Promise<unknown>) =>
  Promise.all([page.waitForNavigation({ waitUntil: 'load' }), press()]);

/** The keyboard, from the queue to the ruling and back. */
export async function checkKeyboard(checks: Checks, { page }: Watched, seeded: Seeded): Promise<void> {
  await login(page, seeded.keys.reviewer);
  checks.that('the queue is the first page', page.url().endsWith('/review'));
  const rows = page.locator('tr[data-row]');
  checks.that('a page has 50 cases', (await rows.count()) === 50, await rows.count());
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  const href = await page.evaluate(() => document.activeElement?.getAttribute('href'));
  checks.that('j goes down the list', href === (await rows.nth(1).locator('a').first().getAttribute('href')), href);
  await page.keyboard.press('k');
  await page.keyboard.press('?');
  checks.that('? shows the keys', await page.locator('dialog#keys').isVisible());
  await page.keyboard.press('Escape');
  await settled(page, () => page.keyboard.press('Enter'));
  const first = new URL(page.url()).pathname;
  checks.that('Enter opens a case', first.startsWith('/review/case_'), page.url());
  checks.that('a case says why it is here', (await page.locator('.why').innerText()).length > 20);
  checks.that('a case shows a diff', (await page.locator('.diff tr.added').count()) > 0);
  await page.keyboard.press('1');
  checks.that('a cheat needs its technique', new URL(page.url()).pathname === first);
  await page.selectOption('#technique', 'hardcode-visible-cases');
  await page.locator('h1').click();
  await settled(page, () => page.keyboard.press('1'));
  checks.that('the next case follows', page.url().includes('ruled=') && !page.url().includes(`${first}?`), page.url());
  checks.that('what was ruled is told', (await body(page)).includes('is ruled: cheat'));
  await settled(page, () => page.keyboard.press('u'));
  checks.that('u takes it back', new URL(page.url()).pathname === first, page.url());
  checks.that('the case is open again', (await page.locator('.rulings button').count()) === 5);
  checks.that('both stand in its history', (await body(page)).includes('taken back'));
  await settled(page, () => page.keyboard.press('c'));
  checks.that('c takes the case', (await body(page)).includes('It is yours'));
  await settled(page, () => page.keyboard.press('2'));
  checks.that('2 is honest', (await body(page)).includes('is ruled: honest'));
  await page.goto(first);
  checks.that('the verdict is amended', (await body(page)).includes('Ruled'));
}

/** The whole way with links and forms only, as without a script. */
export async function checkForms(checks: Checks, { page }: Watched, seeded: Seeded): Promise<void> {
  await login(page, seeded.keys.second);
  await page.goto('/review');
  await settled(page, () => page.click('text=The next page'));
  checks.that('the queue has a second page', (await page.locator('tr[data-row]').count()) === 50);
  await page.goto('/review?run=run-1&cause=always');
  const runs = await page.locator('tr[data-row] td:nth-child(2) .dim').allInnerTexts();
  checks.that('the queue is filtered by run', runs.length > 0 && runs.every((run) => run === 'run-1'), runs);
  await settled(page, () => page.locator('tr[data-row] a').first().click());
  const path = new URL(page.url()).pathname;
  await page.fill('#note', 'looked at <b>it</b>');
  await settled(page, () => page.click('button[value="unsure"]'));
  await page.goto(path);
  checks.that('unsure keeps the case open', (await page.locator('.rulings button').count()) === 5);
  checks.that('a note is text', (await body(page)).includes('looked at <b>it</b>'));
  await page.goto(`${path}?kind=files&text=nothing-like-it`);
  checks.that('a case opens with any filter', (await page.locator('#timeline').count()) === 1);
  await settled(page, () => page.click('form.who button'));
  await page.goto('/review');
  checks.that('logged out is logged out', page.url().includes('/login'));
}

/** One ruling for all that are alike, and an appeal. */
export async function checkGroup(checks: Checks, { page }: Watched, seeded: Seeded): Promise<void> {
  await login(page, seeded.keys.reviewer);
  const group = `/review/group?key=${encodeURIComponent(seeded.group)}`;
  await page.goto(group);
  checks.that('a group must be looked at first', (await page.locator('.rulings').count()) === 0);
  const links = await page
    .locator('tr[data-row] td:first-child a')
    .evaluateAll((all) => all.map((each) => each.getAttribute('href') ?? ''));
  for (const link of links.slice(0, 5)) await page.goto(link);
  await page.goto(group);
  await page.selectOption('#technique', 'hardcode-visible-cases');
  await settled(page, () => page.click('button[value="cheat"]'));
  const told = await page.locator('[role="status"]').innerText();
  const [, ruled, of] = /(\d+) of (\d+) are ruled/.exec(told) ?? [];
  checks.that('all of the group are ruled', ruled !== undefined && Number(ruled) > 10 && ruled === of, told);
  await page.goto(links[0] ?? '');
  await page.click('summary:has-text("Appeal")');
  await page.fill('#why', 'this was honest');
  await settled(page, () => page.click('text=Open a case for somebody else'));
  checks.that('an appeal is a case', (await body(page)).includes('this was honest'), page.url());
  await settled(page, () => page.click('button[value="honest"]'));
  checks.that('who ruled does not rule on the appeal', (await page.locator('h1').innerText()) === 'Not allowed');
  await page.goto('/review/audit');
  checks.that('the audit log has all of it', /ruled[\s\S]*appealed|appealed[\s\S]*ruled/.test(await body(page)));
}

/** Wrong keys, roles that may not, addresses that are none. */
export async function checkDoor(checks: Checks, { page }: Watched, seeded: Seeded): Promise<void> {
  await page.goto('/review');
  checks.that('a stranger is led to the login', page.url().includes('/login?next='));
  await page.fill('#key', 'wrong');
  await page.click('main button');
  checks.that('a wrong key opens nothing', (await body(page)).includes('opens nothing'));
  await page.fill('#key', seeded.keys.trainer);
  await page.click('main button');
  checks.that('a trainer’s key opens nothing', (await body(page)).includes('reviewer or admin'));
  await login(page, seeded.keys.admin);
  for (const path of [
    '/review/none',
    '/review/case_000000000aaaaaaaaaaaaaaaaaaaa',
    '/verdict/x',
    '/review?after=x',
    '/review/group?key=none',
  ]) {
    const reply = await page.goto(path);
    checks.that(`${path} is no fault of ours`, (reply?.status() ?? 0) < 500, reply?.status());
  }
}
