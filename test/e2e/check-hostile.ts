import { login, type Watched } from './browser.ts';
import type { Checks } from './checks.ts';
import { PAYLOADS } from './payloads.ts';
import type { Seeded } from './seed.ts';

/** Control and direction characters, apart from line feeds and tabs. */
const UNSEEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}]/gu;

/** A part of a payload that is on the page as it is, where everything went well: no odd characters, not too long. */
function wordsOf(payload: string): string {
  return /[ -~]{4,60}/.exec(payload)?.[0].trim() ?? '';
}

/** Every payload is on the pages as text, nothing of it runs, and the pages stay whole. */
export async function checkHostile(checks: Checks, { page, misdeeds }: Watched, seeded: Seeded): Promise<void> {
  await login(page, seeded.keys.admin);
  const addresses = [
    `/review/${seeded.cases.hostile}`,
    `/verdict/${seeded.hostileVerdict}`,
    '/review?task=test/hostile',
    '/review/audit',
    '/dashboard',
  ];
  for (const address of addresses) {
    const reply = await page.goto(address);
    checks.that(`${address} answers`, reply?.status() === 200, reply?.status());
    await page.evaluate(() => {
      for (const each of Array.from(document.querySelectorAll('details'))) each.open = true;
    });
    const state = await page.evaluate(() => ({
      ran: '__ran' in window,
      active: document.querySelectorAll(
        'main script, iframe, object, embed, base, img, video, style, math, [onerror], [onload], [onclick], [style]',
      ).length,
      links: Array.from(document.querySelectorAll('a[href], form[action], [formaction]')).filter(
        (each) =>
          !/^[/#]/.test(
            each.getAttribute('href') ?? each.getAttribute('action') ?? each.getAttribute('formaction') ?? '',
          ),
      ).length,
      whole: document.querySelectorAll('main').length === 1 && document.querySelectorAll('h1').length === 1,
      wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    }));
    const text = await page.locator('main').innerText();
    const odd = text.match(UNSEEN) ?? [];
    checks.that(`${address}: nothing runs`, !state.ran);
    checks.that(`${address}: nothing of theirs is active`, state.active === 0, state.active);
    checks.that(`${address}: every link is ours`, state.links === 0, state.links);
    checks.that(`${address}: the page is whole`, state.whole && state.wide <= 0, JSON.stringify(state));
    checks.that(`${address}: nothing invisible is left`, odd.length === 0, JSON.stringify(odd.slice(0, 5)));
  }
  await page.goto(addresses[0] ?? '');
  const text = (await page.locator('main').textContent()) ?? '';
  for (const payload of PAYLOADS) {
    const words = wordsOf(payload);
    checks.that(`a payload is text: ${words}`, words === '' || text.includes(words));
  }
  const html = await page.content();
  checks.that('a long line is cut', html.includes('more characters⟧') && html.length < 3_000_000, html.length);
  checks.that('nothing went elsewhere', misdeeds.length === 0, misdeeds.join(' | '));
}
