import { fileURLToPath } from 'node:url';
import { replayPolicy } from '../../src/pipeline/replay-policy.ts';
import { digestOfJson } from '../../src/platform/base/digest.ts';
import { newId } from '../../src/platform/base/ids.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { openDatabase } from '../../src/platform/db/open-database.ts';
import type { DecisionContext } from '../../src/stages/policy/context.ts';
import { decide } from '../../src/stages/policy/decide.ts';
import { savePolicy } from '../../src/stages/policy/decision-store.ts';
import { openPolicies } from '../../src/stages/policy/load-policy.ts';
import type { Policy } from '../../src/stages/policy/policy-file.ts';
import { caseContext } from '../../src/stages/policy/run-cases.ts';
import { startPostgres } from '../../test/support/postgres-server.ts';
import { type Aim, aimOf, percentiles, type Row, round2 } from './measure.ts';
import { benchFullQueue } from './queue-page.ts';
import { benchReviewQueue } from './review-queue.ts';

const FOLDER = fileURLToPath(new URL('../../policies', import.meta.url));
const DECISIONS = 20_000;
const STORED = 100_000;
const PER_STATEMENT = 1_000;

/**
 * How fast the shipped policies decide on one core, over contexts of which one in ten has something odd, and how long it takes to replay a
 * policy over 100,000 stored decisions in PostgreSQL (`fsync` off), each compared with its digest; and what a page of a queue with 10,000 open cases
 * costs, as the store gives it and as a reviewer gets it.
 */
export async function benchPolicy(rounds: number): Promise<{ rows: readonly Row[]; aims: readonly Aim[] }> {
  const policies = openPolicies(FOLDER);
  const rows: Row[] = [];
  for (const name of await policies.list()) rows.push(timeDecisions(await policies.find(name), rounds));
  const perSecond = rows.find(({ name }) => name === nameOf('default'))?.perSecond ?? 0;
  const aims = [
    aimOf('decisions per second and core, default policy', { value: perSecond, unit: '1/s' }, { least: 20_000 }),
  ];
  const postgres = await startPostgres();
  if (postgres === null) throw new Error('PostgreSQL is needed: bash scripts/setup.sh --server');
  try {
    const database = await openDatabase({ url: postgres.localUrl });
    try {
      await fill(database, await policies.find('default'));
      const startedMs = performance.now();
      const cpuStarted = process.cpuUsage();
      const report = await replayPolicy(
        { database, policies },
        { policy: 'training', against: null, since: new Date(0) },
      );
      const wallMs = performance.now() - startedMs;
      const spentMs = cpuSince(cpuStarted);
      if (report.decisions !== STORED) throw new Error(`${report.decisions} decisions were replayed`);
      rows.push({
        ...{ name: `replay of ${STORED} stored decisions, training`, inFlight: 1, n: 1, ratioToBare: null },
        ...{ p50Ms: round2(wallMs), p95Ms: round2(wallMs), perSecond: round2((STORED / wallMs) * 1_000) },
        cpuMs: round2(spentMs / STORED),
      });
      aims.push(aimOf(`replay of ${STORED} stored decisions`, { value: wallMs / 1_000, unit: 's' }, { most: 30 }));
    } finally {
      await database.close();
    }
  } finally {
    await postgres.dispose();
  }
  for (const bench of [benchReviewQueue, benchFullQueue]) {
    const measured = await bench(rounds);
    rows.push(...measured.rows);
    aims.push(...measured.aims);
  }
  return { rows, aims };
}

const nameOf = (policy: string) => `${DECISIONS} decisions, policy ${policy}`;

/** By the process's own CPU time: a decision waits for nothing, so that is what one core gives, whatever else the machine does. */
function timeDecisions(policy: Policy, rounds: number): Row {
  const contexts = Array.from({ length: 1_000 }, (_, n) => contextOf(n));
  const spentMs = Array.from({ length: rounds + 1 }, () => {
    const started = process.cpuUsage();
    for (let n = 0; n < DECISIONS; n++) decide(contexts[n % contexts.length] as DecisionContext, policy);
    return cpuSince(started);
  })
    .slice(1) // the first one warms up
    .sort((one, other) => one - other);
  const { p50Ms, p95Ms } = percentiles(spentMs);
  const perSecond = round2((DECISIONS / p50Ms) * 1_000);
  return {
    ...{ name: nameOf(policy.rules.id), inFlight: 1, n: rounds, p50Ms, p95Ms, perSecond, ratioToBare: null },
    cpuMs: round2(p50Ms / DECISIONS),
  };
}

function cpuSince(started: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1_000;
}

/** Ordinary work for the most part: four signals of which none weighs, a profile, a session, a run. */
function contextOf(n: number): DecisionContext {
  const isOdd = n % 10 === 0;
  const notes = ['unread-code', 'decoy-opened', 'native-exit', 'own-tests'].map((kind) => ({
    kind,
    severity: 'note' as const,
  }));
  const context = caseContext({
    ...{
      outcome: n % 3 === 0 ? 'failed' : 'passed',
      assurance: 'oracle',
      fault: 'none',
      cases_passed: 7,
      cases_total: 9,
    },
    integrity: isOdd ? ((['suspect', 'violated', 'clean'] as const)[(n / 10) % 3] ?? 'clean') : 'clean',
    signals: isOdd ? [{ kind: 'decoy-used', severity: 'suspect' }, ...notes] : notes,
    profile: isOdd
      ? { p: 0.0004, weight: 0.4, leading: 'R', review: true, reason: 'odd' }
      : { p: 0.4, reason: 'ordinary' },
    session: { outcome: 'finished', steps: 20, recorded: true },
    task: { name: 'proctor/bench', tags: ['python', 'bench'], grader: 'function' },
    run: { id: 'bench', step: n, policy_version: 'model-7', state: 'active' },
  });
  return { ...context, artifactId: newId('sub') };
}

async function fill(database: Database, policy: Policy): Promise<void> {
  await savePolicy(database, policy);
  await database.script(`
    INSERT INTO tasks (digest, name, files) VALUES ('t', 'proctor/bench', '[]');
    INSERT INTO instances (id, task_digest, seed, seed_drawn, parameters, digest) VALUES ('i', 't', 's', true, '{}', 'd')`);
  for (let from = 0; from < STORED; from += PER_STATEMENT) {
    const rows = Array.from({ length: PER_STATEMENT }, (_, n) => rowOf(contextOf(from + n), policy));
    const of = JSON.stringify(rows);
    await database.query(
      `WITH r AS (SELECT * FROM jsonb_to_recordset($1::jsonb) AS r(artifact text, grade text, verdict text, decision text, body jsonb, digest text, context jsonb, context_digest text)),
       a AS (INSERT INTO artifacts (id, instance_id, manifest, digest) SELECT artifact, 'i', '{}', 'd' FROM r),
       g AS (INSERT INTO grades (id, artifact_id, round, body, digest) SELECT grade, artifact, 1, '{}', 'd' FROM r),
       v AS (INSERT INTO verdicts (id, artifact_id, grade_id, body, digest) SELECT verdict, artifact, grade, '{}', 'd' FROM r)
       INSERT INTO decisions (id, verdict_id, policy_digest, body, digest, context, context_digest)
       SELECT decision, verdict, $2, body, digest, context, context_digest FROM r`,
      [of, policy.digest],
    );
  }
  await database.script('ANALYZE');
}

function rowOf(context: DecisionContext, policy: Policy) {
  const body = decide(context, policy);
  const ids = { artifact: context.artifactId, grade: newId('grade'), verdict: newId('ver'), decision: newId('dec') };
  return { ...ids, body, digest: digestOfJson(body), context, context_digest: digestOfJson(context) };
}
