import { createKey } from '../../src/api/keys.ts';
import { createMetrics } from '../../src/api/metrics.ts';
import { appOver } from '../../src/bin/api.ts';
import type { Service } from '../../src/bin/open-service.ts';
import type { Config } from '../../src/config.ts';
import { cloneCases } from '../../test/e2e/clone-cases.ts';
import { startService } from '../../test/e2e/start.ts';
import { reviewable } from '../../test/support/review-rows.ts';
import { type Aim, aimOf, type Row, round2 } from './measure.ts';

/** What the page of the queue costs. */
export interface QueuePageRow {
  readonly name: string;
  readonly cases: number;
  readonly pages: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  /** Of the first, for which groups and counts are counted anew; those that follow within two seconds have them already. */
  readonly firstMs: number;
  /** Of the process, for each page. */
  readonly cpuMs: number;
}

const OPEN_CASES = 10_000;
const PAGES_PER_ROUND = 40;

/** The pages of the queue of a service with 10,000 open cases in its embedded database, which keeps no statistics of its own accord. */
export async function benchFullQueue(rounds: number): Promise<{ rows: readonly Row[]; aims: readonly Aim[] }> {
  const { service, config, stop } = await startService();
  try {
    const { caseId } = await reviewable(service.parts.database);
    const given = { caseId, cases: OPEN_CASES, pages: PAGES_PER_ROUND * rounds };
    const { name, pages, p50Ms, p95Ms, firstMs, cpuMs } = await benchQueuePage(service, config, given);
    const of = (p50: number, p95: number) => ({ p50Ms: p50, p95Ms: p95, perSecond: round2(1_000 / p50) });
    const all = { inFlight: 1, cpuMs, ratioToBare: null };
    return {
      rows: [
        { ...all, name, n: pages, ...of(p50Ms, p95Ms) },
        { ...all, name: `${name}, the first one`, n: 1, ...of(firstMs, firstMs) },
      ],
      aims: [aimOf('queue page', { value: p95Ms, unit: 'ms' }, { most: 100 })],
    };
  } finally {
    await stop();
  }
}

/**
 * Times the pages of the review queue, each from the request to the last byte of HTML without a socket: the first page, pages that follow, and
 * filtered ones in turn. `caseId` is a case of a graded hand-in, which is copied until there are so many open ones.
 */
export async function benchQueuePage(
  service: Service,
  config: Config,
  given: { readonly caseId: string; readonly cases: number; readonly pages: number },
): Promise<QueuePageRow> {
  const { cases, pages, caseId } = given;
  await cloneCases(service.parts.database, { caseId, count: cases - 1, groups: 40 });
  const app = await appOver(service, config, createMetrics());
  try {
    const cookie = await cookieOf(
      app,
      (await createKey(service.parts.database, { name: 'bench', role: 'reviewer' })).text,
    );
    const times: number[] = [];
    const cpuStarted = process.cpuUsage();
    let next = '/review';
    for (let page = 0; page < pages; page++) {
      const url = page % 4 === 3 ? '/review?run=run-1&cause=always' : next;
      const begunMs = performance.now();
      const { body, statusCode } = await app.inject({ url, headers: { cookie } });
      times.push(performance.now() - begunMs);
      if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}`);
      next = /href="([^"]+)">The next page/.exec(body)?.[1]?.replaceAll('&amp;', '&') ?? '/review';
    }
    const { user, system } = process.cpuUsage(cpuStarted);
    const sorted = times.toSorted((one, other) => one - other);
    const at = (share: number) => Math.round((sorted[Math.ceil(share * sorted.length) - 1] ?? 0) * 10) / 10;
    return {
      ...{
        name: `queue page with ${cases} open cases`,
        cases,
        pages,
        p50Ms: at(0.5),
        p95Ms: at(0.95),
        firstMs: round2(times[0] ?? 0),
      },
      cpuMs: round2((user + system) / 1_000 / pages),
    };
  } finally {
    await app.close();
  }
}

async function cookieOf(app: Awaited<ReturnType<typeof appOver>>, key: string): Promise<string> {
  const form = await app.inject({ url: '/login' });
  const jar = (cookies: typeof form.cookies) => cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const csrf = /name="csrf" value="([^"]+)"/.exec(form.body)?.[1] ?? '';
  const headers = { 'content-type': 'application/x-www-form-urlencoded', cookie: jar(form.cookies) };
  const payload = new URLSearchParams({ csrf, key }).toString();
  return jar((await app.inject({ method: 'POST', url: '/login', headers, payload })).cookies);
}
