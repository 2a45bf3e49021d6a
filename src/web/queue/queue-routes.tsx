import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { idPattern } from '../../platform/base/ids.ts';
import { countOpened, listAudit } from '../../stages/review/audit-store.ts';
import { listGroup, listGroups, listQueue } from '../../stages/review/queue-store.ts';
import { CAUSES, RULINGS } from '../../stages/review/review.ts';
import { countQueue, findCase } from '../../stages/review/review-store.ts';
import { neededOpened } from '../../stages/review/ruled.ts';
import { rulingForm, viewerOf } from '../case/case-routes.tsx';
import { readFields } from '../form.ts';
import { sendPage, visitOf } from '../render.ts';
import type { WebParts } from '../web-parts.ts';
import { AuditPage } from './audit-page.tsx';
import { GroupPage, type GroupResult } from './group-page.tsx';
import { QueuePage } from './queue-page.tsx';

const PAGE_CASES = 50;
const GROUPS = 15;
const AUDIT_ROWS = 100;

const text = z
  .string()
  .max(300)
  .transform((given) => (given === '' ? undefined : given))
  .optional();
const queueQuery = z.object({
  ...{ task: text, run: text, after: text },
  cause: text.pipe(z.enum(CAUSES).optional()).catch(undefined),
  ruling: text.pipe(z.enum(RULINGS).optional()).catch(undefined),
  mine: text,
  ruled: z.string().regex(idPattern('case')).optional().catch(undefined),
});
const groupKey = z.object({ key: z.string().min(1).max(1_000) });
const auditQuery = z.object({ subject: text, before: z.coerce.number().int().min(0).optional() });

/** Groups and counts go through all open cases: they are counted at most so often, and may be so old. */
const OVERVIEW_MS = 2_000;

/** The queue, its groups, and the audit log. */
export function queueRoutes(app: FastifyInstance, parts: WebParts): void {
  const { database, reviews } = parts;
  const overview = keepFor(OVERVIEW_MS, async () => ({
    groups: await listGroups(database, GROUPS),
    counts: await countQueue(database),
  }));

  app.get('/review', async (request, reply) => {
    const { mine, ruled, ...given } = readFields(queueQuery, request.query);
    const filter = { ...given, mine: mine === undefined ? undefined : viewerOf(request).name };
    const page = await listQueue(database, { ...filter, limit: PAGE_CASES });
    const { groups, counts } = await overview();
    const shown = { cases: page.cases, groups, counts, filter };
    const next = page.next === null ? null : addressOf('/review', { ...given, mine, after: page.next });
    const last = ruled === undefined ? null : await findCase(database, ruled);
    return sendPage(reply, <QueuePage visit={visitOf(request)} {...shown} next={next} ruled={last} />);
  });

  const groupProps = async (group: string, reviewer: string, results: readonly GroupResult[] | null) => {
    const cases = await listGroup(database, group, PAGE_CASES);
    const waiting = cases[0]?.waiting ?? 0;
    const opened = await countOpened(database, group, reviewer);
    return { group, cases, waiting, opened, needed: neededOpened(waiting), results };
  };

  app.get('/review/group', async (request, reply) => {
    const { key } = readFields(groupKey, request.query);
    const props = await groupProps(key, viewerOf(request).name, null);
    return sendPage(reply, <GroupPage visit={visitOf(request)} {...props} />);
  });

  app.post('/review/group', async (request, reply) => {
    const { key } = readFields(groupKey, request.body);
    const { name } = viewerOf(request);
    const results = await reviews.ruleGroup({ ...readFields(rulingForm, request.body), group: key, reviewer: name });
    return sendPage(reply, <GroupPage visit={visitOf(request)} {...(await groupProps(key, name, results))} />);
  });

  app.get('/review/audit', async (request, reply) => {
    const { subject, before } = readFields(auditQuery, request.query);
    const rows = await listAudit(database, { subject, before, limit: AUDIT_ROWS });
    const last = rows.length === AUDIT_ROWS ? rows.at(-1)?.seq : undefined;
    const next = last === undefined ? null : addressOf('/review/audit', { subject, before: String(last) });
    return sendPage(reply, <AuditPage visit={visitOf(request)} {...{ rows, subject, next }} />);
  });
}

function addressOf(path: string, fields: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
  return `${path}?${new URLSearchParams(given)}`;
}

/** The same answer for a while; what failed is asked again. */
function keepFor<T>(keptMs: number, ask: () => Promise<T>): () => Promise<T> {
  let kept: { readonly atMs: number; readonly answer: Promise<T> } | null = null;
  return () => {
    if (kept !== null && performance.now() - kept.atMs < keptMs) return kept.answer;
    const answer = ask();
    kept = { atMs: performance.now(), answer };
    answer.catch(() => {
      kept = null;
    });
    return answer;
  };
}
