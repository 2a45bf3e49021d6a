import { login, type Watched } from './browser.ts';
import type { Checks } from './checks.ts';
import type { Seeded } from './seed.ts';

/** What a case says of behaviour, decision and opinion, and the dashboard over time; all without a script. */
export async function checkParts(checks: Checks, { page }: Watched, seeded: Seeded): Promise<void> {
  await login(page, seeded.keys.reviewer);
  if (seeded.cases.session !== null) {
    await page.goto(`/review/${seeded.cases.session}`);
    const text = (await page.locator('main').textContent()) ?? '';
    checks.that('a case shows the profile that was stored', text.includes('The profile as it was stored'));
    checks.that('its map has this session on it', (await page.locator('.map svg').count()) === 1);
    checks.that('the map says where', text.includes('This session is in'));
    const near = page.locator('.neighbours a').first();
    const href = (await near.getAttribute('href')) ?? '';
    checks.that('a neighbour can be opened', /^\/(review\/case|verdict\/ver)_/.test(href), href);
    await near.click();
    checks.that('it is another session', page.url().endsWith(href), page.url());
  }
  await page.goto(`/review/${seeded.cases.hostile}`);
  const told = (await page.locator('main').textContent()) ?? '';
  checks.that('an opinion says that it decides nothing', told.includes('What it says decides nothing'));
  checks.that('a task without groups says how to make them', told.includes('proctor profile cluster'));
  checks.that('rules say what they saw', (await page.locator('th:has-text("what it saw")').count()) === 1);
  for (const by of ['rule', 'run', 'task']) {
    await page.goto('/dashboard');
    await page.selectOption('#by', by);
    await page.click('form.filters button');
    const charts = await page.locator('#over-time svg').count();
    const tables = await page.locator('#over-time table').count();
    checks.that(`shares over time by ${by} are drawn, each with its numbers`, charts > 0 && charts === tables, charts);
  }
}
