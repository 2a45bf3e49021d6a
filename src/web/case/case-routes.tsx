import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ProctorError } from '../../platform/base/errors.ts';
import { idPattern } from '../../platform/base/ids.ts';
import { noteOpened } from '../../stages/review/audit-store.ts';
import { listGroup, listQueue } from '../../stages/review/queue-store.ts';
import { type CaseRow, rulingRequestSchema } from '../../stages/review/review.ts';
import { claimCase, findCase, findCasesOf, releaseCase, renewClaim } from '../../stages/review/review-store.ts';
import { findRulings } from '../../stages/review/ruling-store.ts';
import { findStandingVerdict, findVerdict } from '../../stages/verdict/verdict-store.ts';
import { readFields } from '../form.ts';
import { newToken } from '../login/login-session.ts';
import type { Viewer } from '../login/login-store.ts';
import { sendPage, visitOf } from '../render.ts';
import type { WebParts } from '../web-parts.ts';
import { CasePage } from './case-page.tsx';
import { readMaterial } from './material.ts';
import { EVENT_KINDS, type EventKind, type TimelineQuery } from './timeline.ts';
import { VerdictPage } from './verdict-page.tsx';

const caseId = z.string().regex(idPattern('case'));
const caseParams = z.object({ id: caseId });
const verdictParams = z.object({ id: z.string().regex(idPattern('ver')) });
const emptyAsNone = z.string().transform((text) => (text === '' ? undefined : text));

const timelineSchema = z.object({
  kind: emptyAsNone
    .pipe(z.enum(Object.keys(EVENT_KINDS) as [EventKind, ...EventKind[]]).optional())
    .optional()
    .catch(undefined),
  text: z.string().max(200).optional(),
  after: z.coerce.number().int().min(0).max(2_000_000_000).default(0),
});
const caseQuery = timelineSchema.extend({
  from: caseId.optional().catch(undefined),
  ruled: caseId.optional().catch(undefined),
});

/** A ruling as a form sends it: no technique is an empty text. */
export const rulingForm = z
  .object({ ruling: z.string(), technique: z.string().optional(), note: z.string().optional() })
  .transform(({ technique = '', ...given }): unknown => ({ ...given, technique: technique === '' ? null : technique }))
  .pipe(rulingRequestSchema);

/** Pages of cases and verdicts, and what can be done with them. */
export function caseRoutes(app: FastifyInstance, parts: WebParts): void {
  const { database, reviews } = parts;

  app.get('/review/:id', async (request, reply) => {
    const { id } = readFields(caseParams, request.params);
    return sendPage(reply, <CasePage visit={visitOf(request)} {...(await caseProps(parts, request, id))} />);
  });

  app.post('/review/:id/ruling', async (request, reply) => {
    const { id } = readFields(caseParams, request.params);
    const { idempotency_key } = readFields(z.object({ idempotency_key: z.string().min(8).max(100) }), request.body);
    const ruling = readFields(rulingForm, request.body);
    await reviews.rule({ ...ruling, caseId: id, reviewer: viewerOf(request).name, idempotencyKey: idempotency_key });
    const next = await nextOf(parts, await findCase(database, id));
    return reply.redirect(next === null ? `/review?ruled=${id}` : `/review/${next}?from=${id}&ruled=${id}`, 303);
  });

  app.post('/review/:id/undo', async (request, reply) => {
    const { id } = readFields(caseParams, request.params);
    await reviews.undo({ caseId: id, reviewer: viewerOf(request).name });
    return reply.redirect(`/review/${id}`, 303);
  });

  app.post('/review/:id/claim', async (request, reply) => {
    const { id } = readFields(caseParams, request.params);
    await claimCase(database, id, viewerOf(request).name);
    return reply.redirect(`/review/${id}`, 303);
  });

  app.post('/review/:id/release', async (request, reply) => {
    const { id } = readFields(caseParams, request.params);
    await releaseCase(database, id, viewerOf(request).name);
    return reply.redirect(`/review/${id}`, 303);
  });

  app.get('/verdict/:id', async (request, reply) => {
    const { id } = readFields(verdictParams, request.params);
    const query = readFields(timelineSchema, request.query);
    const verdict = await findVerdict(database, id);
    const material = await readMaterial(parts, verdict, { query, maySeeReference: maySeeReference(request) });
    const cases = await findCasesOf(database, verdict.artifactId);
    const { id: standing } = await findStandingVerdict(database, id);
    return sendPage(reply, <VerdictPage visit={visitOf(request)} {...{ material, cases, standing, query }} />);
  });

  app.post('/verdict/:id/appeal', async (request, reply) => {
    const { id } = readFields(verdictParams, request.params);
    const { why } = readFields(z.object({ why: z.string().trim().min(1, 'say why').max(2_000) }), request.body);
    const opened = await reviews.appeal({ verdictId: id, why, who: viewerOf(request).name });
    return reply.redirect(`/review/${opened.id}`, 303);
  });
}

async function caseProps(parts: WebParts, request: FastifyRequest, id: string) {
  const { database } = parts;
  const { from, ruled, ...query } = readFields(caseQuery, request.query);
  const { name } = viewerOf(request);
  await findCase(database, id); // before it is noted that somebody opened it
  await noteOpened(database, id, name);
  await renewClaim(database, id, name);
  const found = await findCase(database, id);
  const verdict = await findStandingVerdict(database, found.verdictId);
  const next = await nextOf(parts, found);
  return {
    ...{ found, query: query satisfies TimelineQuery, idempotencyKey: newToken() },
    material: await readMaterial(parts, verdict, { query, maySeeReference: maySeeReference(request) }),
    rulings: await findRulings(database, id),
    related: await listGroup(database, found.group, 9),
    next: next === null ? null : `/review/${next}?from=${id}`,
    previous: from === undefined ? null : `/review/${from}`,
    ruled: ruled === undefined ? null : await findCase(database, ruled),
  };
}

/** The open case that comes after one in the queue; after the last, the first of those that are left. */
async function nextOf({ database }: WebParts, { id, priority }: CaseRow): Promise<string | null> {
  const after = await listQueue(database, { after: `${priority}:${id}`, limit: 1 });
  const found = after.cases[0] ?? (await listQueue(database, { limit: 2 })).cases.find((each) => each.id !== id);
  return found?.id ?? null;
}

/** Who asks; pages are for those who are logged in. */
export function viewerOf({ viewer }: FastifyRequest): Viewer {
  if (viewer === null) throw new ProctorError('forbidden', 'log in first');
  return viewer;
}

function maySeeReference(request: FastifyRequest): boolean {
  return viewerOf(request).role === 'admin';
}
