import { createKey } from '../../src/api/keys.ts';
import { createMetrics } from '../../src/api/metrics.ts';
import { appOver } from '../../src/bin/api.ts';
import type { Service } from '../../src/bin/open-service.ts';
import type { Config } from '../../src/config.ts';
import { cloneCases } from '../../test/e2e/clone-cases.ts';

/** What the page of the queue costs. */
export interface QueuePageRow {
  readonly name: string;
  readonly cases: number;
  readonly pages: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
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
    let next = '/review';
    for (let page = 0; page < pages; page++) {
      const url = page % 4 === 3 ? '/review?run=run-1&cause=always' : next;
      const begunMs = performance.now();
      const { body, statusCode } = await app.inject({ url, headers: { cookie } });
      times.push(performance.now() - begunMs);
      if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}`);
      next = /href="([^"]+)">The next page/.exec(body)?.[1]?.replaceAll('&amp;', '&') ?? '/review';
    }
    const sorted = times.toSorted((one, other) => one - other);
    const at = (share: number) => Math.round((sorted[Math.ceil(share * sorted.length) - 1] ?? 0) * 10) / 10;
    return { name: `queue page p95 with ${cases} open cases`, cases, pages, p50Ms: at(0.5), p95Ms: at(0.95) };
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
