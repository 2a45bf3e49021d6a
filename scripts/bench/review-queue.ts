import { join } from 'node:path';
import { withScratchFolder } from '../../src/bin/scratch-folder.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { openDatabase } from '../../src/platform/db/open-database.ts';
import { listQueue } from '../../src/stages/review/queue-store.ts';
import { countQueue } from '../../src/stages/review/review-store.ts';
import { type Aim, aimOf, type Candidate, measure, type Row } from './measure.ts';

const CASES = 10_000;
const GROUPS = 200;
const PAGE = 50;
const ITEMS = 40;

const id = (kind: string) => `'${kind}_' || lpad(n::text, 29, '0')`;
const all = `generate_series(1, ${CASES}) n`;
const FILL = `
INSERT INTO tasks (digest, name, files) VALUES ('task', 'bench/task', '[]');
INSERT INTO instances (id, task_digest, seed, seed_drawn, parameters, digest) VALUES ('inst', 'task', 's', true, '{}', 'd');
INSERT INTO artifacts (id, instance_id, manifest, digest) SELECT ${id('sub')}, 'inst', '{}', 'd' FROM ${all};
INSERT INTO grades (id, artifact_id, round, body, digest) SELECT ${id('grade')}, ${id('sub')}, 1, '{}', 'd' FROM ${all};
INSERT INTO verdicts (id, artifact_id, grade_id, body, digest) SELECT ${id('ver')}, ${id('sub')}, ${id('grade')}, '{}', 'd' FROM ${all};
INSERT INTO policies (digest, name, source) VALUES ('sha256:${'0'.repeat(64)}', 'default', '');
INSERT INTO decisions (id, verdict_id, policy_digest, body, digest)
  SELECT ${id('dec')}, ${id('ver')}, 'sha256:${'0'.repeat(64)}', '{}', 'd' FROM ${all};
INSERT INTO review_groups (key, waiting) SELECT 'group ' || n, ${CASES / GROUPS} FROM generate_series(0, ${GROUPS - 1}) n;
INSERT INTO review_cases
  (id, artifact_id, verdict_id, decision_id, task, cause, why, severity, uncertainty, group_key, priority)
  SELECT ${id('case')}, ${id('sub')}, ${id('ver')}, ${id('dec')}, 'bench/task ' || n % 20, 'always', 'for the bench', 0.7, 0.8,
         'group ' || n % ${GROUPS}, 0.56 * (1 + n % 7) FROM ${all};
ANALYZE;
`;

/** Fills an empty database with open cases; gives how many. */
export async function fillQueue(database: Database): Promise<number> {
  await database.script(FILL);
  return CASES;
}

/** A page of the queue with its counts, with 10,000 open cases in the embedded database: the first page, one of a task, one far down. */
export async function benchReviewQueue(rounds: number): Promise<{ rows: readonly Row[]; aims: readonly Aim[] }> {
  return withScratchFolder('bench', async (scratch) => {
    const database = await openDatabase({ folder: join(scratch, 'database') });
    try {
      await fillQueue(database);
      const page = (name: string, filter: { task?: string; after?: string }): Candidate => ({
        ...{ name, bare: name === 'first page', kind: 'review' },
        async run() {
          const { cases } = await listQueue(database, { ...filter, limit: PAGE });
          await countQueue(database);
          if (cases.length !== PAGE) throw new Error(`${name}: ${cases.length} cases`);
        },
      });
      const deep = { after: `0.56:case_${'0'.repeat(29)}` };
      const pages = [
        page('first page', {}),
        page('first page of a task', { task: 'bench/task 7' }),
        page('far down', deep),
      ];
      const rows = await measure(pages, { rounds, itemsPerRound: ITEMS, inFlight: [1] });
      const slowest = Math.max(...rows.map(({ p95Ms }) => p95Ms));
      return {
        rows,
        aims: [aimOf('stored page of the review queue, p95', { value: slowest, unit: 'ms' }, { most: 100 })],
      };
    } finally {
      await database.close();
    }
  });
}
