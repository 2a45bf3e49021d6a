import type { Database } from '../../src/platform/db/database.ts';

/**
 * Copies a case with all that it is about, for volume: the copies spread over so many groups and some runs. Gives the key of the largest
 * group. Nothing of them was run.
 */
export async function cloneCases(
  database: Database,
  { caseId, count, groups }: { readonly caseId: string; readonly count: number; readonly groups: number },
): Promise<string> {
  const id = (kind: string) => `'${kind}_' || lpad(n::text, 9, '0') || substr(md5(n::text), 1, 20)`;
  const group = `'clones of ' || c.task || ' · ' || (floor(sqrt(n % ${groups * groups})))::int`;
  const from = `FROM generate_series(1, $2) n, review_cases c JOIN artifacts a ON a.id = c.artifact_id
    JOIN verdicts v ON v.id = c.verdict_id JOIN grades g ON g.id = v.grade_id JOIN decisions d ON d.id = c.decision_id
    JOIN rewards w ON w.decision_id = d.id WHERE c.id = $1`;
  const given = [caseId, count];
  await database.query("INSERT INTO runs (id) SELECT 'run-' || n FROM generate_series(0, 3) n ON CONFLICT DO NOTHING");
  const statements = [
    `INSERT INTO artifacts (id, instance_id, manifest, digest, run_id, labels)
     SELECT ${id('sub')}, a.instance_id, a.manifest, a.digest, 'run-' || n % 4, a.labels ${from}`,
    `INSERT INTO grades (id, artifact_id, round, body, digest) SELECT ${id('grade')}, ${id('sub')}, 1, g.body, g.digest ${from}`,
    `INSERT INTO verdicts (id, artifact_id, grade_id, body, digest) SELECT ${id('ver')}, ${id('sub')}, ${id('grade')}, v.body, v.digest ${from}`,
    `INSERT INTO decisions (id, verdict_id, policy_digest, body, digest)
     SELECT ${id('dec')}, ${id('ver')}, d.policy_digest, d.body, d.digest ${from}`,
    `INSERT INTO rewards (id, artifact_id, decision_id, body, digest, created_at)
     SELECT ${id('rew')}, ${id('sub')}, ${id('dec')}, w.body, w.digest, now() - n % 20 * interval '1 day' ${from}`,
    `INSERT INTO review_groups (key, waiting) SELECT ${group}, count(*) ${from} GROUP BY 1`,
    `INSERT INTO review_cases
       (id, artifact_id, verdict_id, decision_id, run_id, task, cause, why, severity, uncertainty, group_key, opened_at, priority)
     SELECT ${id('case')}, ${id('sub')}, ${id('ver')}, ${id('dec')}, 'run-' || n % 4, c.task,
       (ARRAY['always', 'sampled', 'control'])[1 + n % 3], c.why, c.severity, c.uncertainty, ${group},
       now() - n * interval '7 minutes', c.severity * c.uncertainty * (1 + n % 5) ${from}`,
  ];
  for (const statement of statements) await database.query(statement, given);
  const [row] = await database.query(
    'SELECT group_key AS key FROM review_cases WHERE closed_at IS NULL GROUP BY 1 ORDER BY count(*) DESC LIMIT 1',
  );
  return String(row?.key);
}
