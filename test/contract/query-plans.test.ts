import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeWork, findDueSteps, findLastFailure, listOpen } from '../../src/pipeline/work-store.ts';
import type { Database, Queryable } from '../../src/platform/db/database.ts';
import { openDatabase } from '../../src/platform/db/open-database.ts';
import { findArtifact, findHandedIn } from '../../src/stages/artifact/artifact-store.ts';
import { appendEvidence, findEvidence, listEvidence } from '../../src/stages/evidence/evidence-store.ts';
import { findLatestGrade } from '../../src/stages/grade/grade-store.ts';
import { findDecision, findDecisionContext, pageDecisions } from '../../src/stages/policy/decision-store.ts';
import { countRunShares } from '../../src/stages/policy/guard-store.ts';
import { pageShadows } from '../../src/stages/policy/shadow-store.ts';
import { countOpened, listAudit } from '../../src/stages/review/audit-store.ts';
import { listJudged } from '../../src/stages/review/judged-store.ts';
import { listGroup, listQueue } from '../../src/stages/review/queue-store.ts';
import { findCase, findCasesOf } from '../../src/stages/review/review-store.ts';
import { findRulings, listLabels } from '../../src/stages/review/ruling-store.ts';
import { listRequested } from '../../src/stages/reward/reward-item-store.ts';
import { findLatestReward, findRewarded } from '../../src/stages/reward/reward-store.ts';
import { countAttempts, findSiblings } from '../../src/stages/reward/sibling-store.ts';
import { claimMessages } from '../../src/stages/reward/webhook-store.ts';
import { countRecent, countRun } from '../../src/stages/run/run-facts-store.ts';
import { findRunPlace } from '../../src/stages/run/run-store.ts';
import { findScreening } from '../../src/stages/signal/screening-store.ts';
import { findTaskDigest } from '../../src/stages/task/task-store.ts';
import { findLatestVerdict, findStandingVerdict, findVerdict } from '../../src/stages/verdict/verdict-store.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';

const postgres = await startPostgres();

/** So many hand-ins, each with all that follows it; one in a hundred is still open, half have an open case and a quarter a closed one. */
const HAND_INS = 20_000;
const FILL = `
INSERT INTO tasks (digest, name, files) SELECT 'task-' || n, 'test/' || n, '[]' FROM generate_series(1, 200) n;
INSERT INTO task_registrations (name, task_digest) SELECT name, digest FROM tasks, generate_series(1, 20);
INSERT INTO instances (id, task_digest, seed, seed_drawn, parameters, digest)
  SELECT 'inst-' || n, 'task-' || 1 + n % 200, 's', true, '{}', 'd' FROM generate_series(1, ${HAND_INS}) n;
INSERT INTO runs (id) SELECT 'run-' || n FROM generate_series(1, 200) n;
INSERT INTO artifacts (id, instance_id, idempotency_key, manifest, digest, run_id, labels, created_at)
  SELECT 'sub-' || n, 'inst-' || n, 'key-' || n, '{}', 'd', 'run-' || (1 + n % 200), jsonb_build_object('group', 'g-' || n % 2000),
    now() + n * interval '1 second'
  FROM generate_series(1, ${HAND_INS}) n;
INSERT INTO screenings (artifact_id, detectors, signals, digest) SELECT id, '[]', '[]', 'd' FROM artifacts;
INSERT INTO grades (id, artifact_id, round, body, digest)
  SELECT 'grd-' || n, 'sub-' || n, 1, '{}', 'd' FROM generate_series(1, ${HAND_INS}) n;
INSERT INTO verdicts (id, artifact_id, grade_id, body, digest)
  SELECT 'ver-' || n, 'sub-' || n, 'grd-' || n, '{}', 'd' FROM generate_series(1, ${HAND_INS}) n;
INSERT INTO evidence (position, verdict_id, previous, record, digest)
  SELECT n, 'ver-' || n, CASE WHEN n > 1 THEN 'rec-' || n - 1 END, '{}', 'rec-' || n FROM generate_series(1, ${HAND_INS}) n;
INSERT INTO policies (digest, name, source) VALUES ('pol', 'default', '');
INSERT INTO decisions (id, verdict_id, policy_digest, body, digest)
  SELECT 'dec-' || n, 'ver-' || n, 'pol', '{}', 'd' FROM generate_series(1, ${HAND_INS}) n;
INSERT INTO policies (digest, name, source) VALUES ('pol-next', 'next', '');
INSERT INTO shadow_decisions (id, decision_id, policy_digest, body, digest)
  SELECT 'shd-' || n, 'dec-' || n, 'pol-next', '{}', 'd' FROM generate_series(1, ${HAND_INS}) n;
INSERT INTO rewards (id, artifact_id, decision_id, body, digest)
  SELECT 'rew-' || n, 'sub-' || n, 'dec-' || n, '{}', 'd' FROM generate_series(1, ${HAND_INS}) n WHERE n % 100 > 0;
INSERT INTO attempts (id, step, subject_id, error_code, message)
  SELECT 'att-' || n, 'grade', 'sub-' || n, 'sandbox-failed', 'm' FROM generate_series(1, ${HAND_INS}) n;
INSERT INTO review_groups (key, waiting) SELECT 'group-' || n, 20 FROM generate_series(0, 499) n;
INSERT INTO review_cases (id, artifact_id, verdict_id, decision_id, task, cause, why, severity, uncertainty, group_key, priority,
  ruling, closed_at, claimed_by, claimed_until)
  SELECT 'case-' || n, 'sub-' || n, 'ver-' || n, 'dec-' || n, 'test/' || n % 200, 'always', 'w', 1, 1, 'group-' || n % 500,
    (n % 97) / 97.0, CASE WHEN n % 4 = 3 THEN 'honest' END, CASE WHEN n % 4 = 3 THEN now() END,
    CASE WHEN n % 400 = 0 THEN 'a' END, now() + interval '15 minutes'
  FROM generate_series(1, ${HAND_INS}) n WHERE n % 4 > 0 OR n % 400 = 0;
INSERT INTO review_rulings (id, case_id, ruling, note, reviewer, bulk, at, digest)
  SELECT 'rul-' || id, id, 'honest', '', 'a', false, now(), 'd' FROM review_cases;
INSERT INTO audit_log (who, action, subject, detail)
  SELECT 'who-' || row_number() OVER () % 50, CASE WHEN random() < 0.5 THEN 'opened' ELSE 'ruled' END, id, '{}' FROM review_cases;
INSERT INTO reward_items (key_id, request_id, item_id, place, artifact_id, said, digest)
  SELECT 'key-' || n % 20, 'req-' || n % 500, n, 0, 'sub-' || n, '{}', 'd' FROM generate_series(1, ${HAND_INS}) n;
INSERT INTO webhooks (id, key_id, url, events, secret) SELECT 'hook-' || n, 'key-' || n, 'u', '{}', 's' FROM generate_series(1, 20) n;
INSERT INTO webhook_messages (id, webhook_id, type, body, state)
  SELECT 'msg-' || n, 'hook-' || (1 + n % 20), 't', '{}', CASE WHEN n % 100 > 0 THEN 'delivered' ELSE 'due' END
  FROM generate_series(1, ${HAND_INS}) n;
INSERT INTO work (artifact_id) SELECT 'sub-' || n FROM generate_series(1, ${HAND_INS}) n WHERE n % 100 = 0;
INSERT INTO workers (id, name) SELECT 'wrk-' || n, 'w' FROM generate_series(1, 20) n;
ANALYZE;
`;
/** Tables that grow with every hand-in: reading one from end to end is as slow as the service is old. */
const GROWING = [
  ...['instances', 'artifacts', 'screenings', 'grades', 'verdicts', 'evidence', 'decisions', 'rewards', 'attempts'],
  ...['review_cases', 'review_rulings', 'audit_log'],
  ...['reward_items', 'webhook_messages'],
  'shadow_decisions',
];

const QUERIES: Readonly<Record<string, (database: Queryable) => Promise<unknown>>> = {
  'what is due': (database) => findDueSteps(database, 100),
  'how much is open': describeWork,
  'what waits, for people': (database) => listOpen(database, { failedOnly: true, limit: 50 }),
  'the last failure of a hand-in': (database) => findLastFailure(database, 'sub-7'),
  'a hand-in': (database) => findArtifact(database, 'sub-7'),
  'a hand-in by its idempotency key': (database) => findHandedIn(database, 'key-7'),
  'its screening': (database) => findScreening(database, 'sub-7'),
  'its newest grade': (database) => findLatestGrade(database, 'sub-7'),
  'its newest verdict': (database) => findLatestVerdict(database, 'sub-7'),
  'a verdict': (database) => findVerdict(database, 'ver-7'),
  'a decision': (database) => findDecision(database, 'ver-7'),
  'what a decision rests on': (database) => findDecisionContext(database, 'dec-7'),
  'decisions to replay': (database) => pageDecisions(database, { after: 'dec-7', limit: 100 }),
  'what a shadow policy decided': (database) => pageShadows(database, { policy: 'next', after: '', limit: 100 }),
  'how a run’s last hand-ins were decided': (database) => countRunShares(database, 'run-7', 50),
  'its newest reward': (database) => findLatestReward(database, 'sub-7'),
  'which of many have a reward': (database) => findRewarded(database, ['sub-7', 'sub-8', 'sub-9']),
  'its siblings in its run': (database) => findSiblings(database, 'run-7', 'g-6'),
  'how often its instance was tried': (database) => countAttempts(database, 'sub-7'),
  'where it belongs': (database) => findRunPlace(database, 'sub-7'),
  'the newest of a run': (database) => countRecent(database, 'run-7'),
  'all of a run': (database) => countRun(database, 'run-7'),
  'what was handed in under a request id': (database) =>
    listRequested(database, { keyId: 'key-7', requestId: 'req-7', limit: 10 }),
  'messages that are due': (database) => claimMessages(database, { limit: 20, leaseSeconds: 60 }),
  'the end of the chain of evidence': (database) =>
    appendEvidence(database, 'ver-7', () => {
      throw new Error('nothing is appended here');
    }),
  'a record of evidence': (database) => findEvidence(database, 'ver-7'),
  'a part of the chain': (database) => listEvidence(database, { after: 10_000, limit: 100 }),
  'a page of the queue': (database) => listQueue(database, { limit: 50 }),
  'a later page of the queue': (database) => listQueue(database, { limit: 50, after: `0.5:case_${'0'.repeat(29)}` }),
  'what a reviewer has claimed': (database) => listQueue(database, { limit: 50, mine: 'a' }),
  'cases with a ruling': (database) => listQueue(database, { limit: 50, ruling: 'unsure' }),
  'cases that are alike': (database) => listGroup(database, 'group-7', 50),
  'a case': (database) => findCase(database, 'case-7'),
  'the cases of a hand-in': (database) => findCasesOf(database, 'sub-7'),
  'where sessions that are alike can be seen': (database) => listJudged(database, ['sess-7', 'sess-8']),
  'the rulings on a case': (database) => findRulings(database, 'case-7'),
  'what was done to a case': (database) => listAudit(database, { subject: 'case-7', limit: 50 }),
  'the end of the audit log': (database) => listAudit(database, { limit: 50 }),
  'how many of a group a reviewer has opened': (database) => countOpened(database, 'group-7', 'who-7'),
  'examples of a task': (database) => listLabels(database, { task: 'test/7', limit: 50 }),
  'the verdict that stands': (database) => findStandingVerdict(database, 'ver-7'),
  'what a task’s name stands for': (database) => findTaskDigest(database, 'test/7'),
};

function plansOn(server: PostgresServer): void {
  describe(`with ${HAND_INS} hand-ins stored`, () => {
    let database: Database;
    beforeAll(async () => {
      database = await openDatabase({ url: server.url });
      await database.script(FILL);
    });
    afterAll(async () => {
      await database.close();
      await server.dispose();
    });

    test.each(Object.entries(QUERIES))(
      '%s is found without reading a growing table from end to end',
      async (_, run) => {
        const plans: string[] = [];
        const explaining: Queryable = {
          async query(sql, parameters) {
            if (!sql.includes('pg_advisory')) {
              const rows = await database.query(`EXPLAIN ${sql}`, parameters);
              plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
            }
            return [];
          },
        };
        await run(explaining).catch(() => undefined); // it is given no rows
        expect(plans.length).toBeGreaterThan(0);
        const read = plans.join('\n').match(/Seq Scan on (\w+)/g) ?? [];
        expect(read.filter((line) => GROWING.includes(line.replace('Seq Scan on ', '')))).toEqual([]);
      },
    );

    test('a page of the queue is read in order from its index, and nothing is sorted', async () => {
      const plans: string[] = [];
      const explaining: Queryable = {
        async query(sql, parameters) {
          const rows = await database.query(`EXPLAIN ${sql}`, parameters);
          plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
          return [];
        },
      };
      await listQueue(explaining, { limit: 50 });
      await listQueue(explaining, { limit: 50, after: `0.5:case_${'0'.repeat(29)}` });
      for (const plan of plans) {
        expect(plan).toContain('review_cases_queue');
        expect(plan).not.toContain('Sort');
      }
    });
  });
}

if (postgres === null) {
  test.skip('query plans: not tried, PostgreSQL is not installed; run scripts/setup.sh --server', () => undefined);
} else {
  plansOn(postgres);
}
