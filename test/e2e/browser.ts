import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import type { Checks } from './checks.ts';

const CHROMIUM = '/usr/bin/chromium';
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Debian's Chromium, without a window. */
export function openBrowser(): Promise<Browser> {
  const args = ['--disable-gpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])];
  return chromium.launch({ executablePath: CHROMIUM, args });
}

/** What a page did that it must never do. */
export interface Watched {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Dialogs, errors, requests to elsewhere, violations of the policy of contents. */
  readonly misdeeds: string[];
}

/** A visitor of their own, whose pages are watched. */
export async function visitor(
  browser: Browser,
  address: string,
  { script = true, dark = false, bypass = false }: { script?: boolean; dark?: boolean; bypass?: boolean } = {},
): Promise<Watched> {
  const context = await browser.newContext({
    ...{ javaScriptEnabled: script, colorScheme: dark ? 'dark' : 'light', bypassCSP: bypass, baseURL: address },
    viewport: { width: 1440, height: 900 },
  });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const misdeeds: string[] = [];
  page.on('dialog', async (dialog) => {
    misdeeds.push(`dialog: ${dialog.message()}`);
    await dialog.dismiss();
  });
  page.on('pageerror', ({ message }) => misdeeds.push(`error: ${message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text()))
      misdeeds.push(`console: ${message.text()}`);
  });
  context.on('request', (request) => {
    if (!request.url().startsWith(address)) misdeeds.push(`request: ${request.url().slice(0, 200)}`);
  });
  context.on('page', (opened) => {
    if (opened !== page) misdeeds.push(`window: ${opened.url()}`);
  });
  return { page, context, misdeeds };
}

/** Logs in through the form. */
export async function login(page: Page, key: string): Promise<void> {
  await page.goto('/login');
  await page.fill('#key', key);
  await Promise.all([page.waitForURL('**/review'), page.click('main button')]);
}

/** No serious or critical violation on the page, by axe. */
export async function checkAxe(checks: Checks, page: Page, name: string): Promise<void> {
  await page.evaluate(await readFile(AXE, 'utf8'));
  const violations = await page.evaluate(async () => {
    // biome-ignore lint/suspicious/noExplicitAny: axe puts itself there
    const found = await (globalThis as any).axe.run();
    return found.violations
      .filter(({ impact }: { impact: string }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }: { id: string; nodes: { html: string }[] }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`);
  });
  checks.that(`${name} is accessible`, violations.length === 0, violations.join(' | '));
}
