import { generateKeyPairSync } from 'node:crypto';
import { digestOf, digestOfJson } from '../../src/platform/base/digest.ts';
import type { Database } from '../../src/platform/db/database.ts';
import type { ArtifactRow, Manifest } from '../../src/stages/artifact/artifact.ts';
import { saveArtifact } from '../../src/stages/artifact/artifact-store.ts';
import type { EvidenceRecord } from '../../src/stages/evidence/evidence.ts';
import { type Sealed, type Sealer, sealEvidence } from '../../src/stages/evidence/seal-evidence.ts';
import { signingKey } from '../../src/stages/evidence/signing-key.ts';
import { type GradeBody, type GradeRow, gradeDigest, type MeasuredGrade } from '../../src/stages/grade/grade.ts';
import { saveInstance } from '../../src/stages/instance/instance-store.ts';
import { judge } from '../../src/stages/verdict/judge.ts';
import type { VerdictRow } from '../../src/stages/verdict/verdict.ts';

const AT = new Date('2026-01-02T03:04:05.678Z');
const id = (kind: string, number: number) => `${kind}_0mabc1234${String(number).padStart(20, '0')}`;

export const MANIFEST: Manifest = {
  format: 'proctor/artifact/1',
  files: [
    { path: 'a.py', mode: 0o644, size: 10, blob: digestOf('a') },
    { path: 'dir/ä b.py', mode: 0o755, size: 32, blob: digestOf('b') },
  ],
  leftBehind: [{ path: '"conftest.py"', reason: 'steering', detail: '""' }],
  counts: { steering: 1 },
  refusal: null,
};

export const MEASURED: MeasuredGrade = {
  kind: 'measured',
  inputs: {
    ...{ task: digestOf('task'), instance: digestOf('instance'), artifact: digestOfJson(MANIFEST) },
    snapshot: { name: 'python', digest: digestOf('snapshot'), pinned: true },
    grader: { name: 'function', digest: digestOf('grader') },
  },
  ...{ assurance: 'oracle', refusal: null, score: 0.5, passed: false, stderrTail: '' },
  cases: [
    { id: 'case-1', status: 'passed', note: '', wallMs: 1 },
    { id: 'case-2', status: 'failed', note: 'no', wallMs: 2 },
  ],
  resources: { cpuMs: 1, memoryPeakBytes: 1 },
  phases: { prepareMs: 28.8, runMs: 65.2 },
};

/** A key of its own and what a test's service says of itself. */
export function testSealer(): Sealer {
  return {
    key: signingKey(generateKeyPairSync('ed25519').privateKey),
    service: { name: 'proctor', version: '0.0.0', driver: 'none', worker: id('wrk', 1) },
  };
}

/** The rows behind one verdict. */
export function rowsOf(number: number, body: GradeBody = MEASURED): Omit<Sealed, 'place'> {
  const artifact: ArtifactRow = {
    ...{ id: id('sub', number), instanceId: id('inst', number), manifest: MANIFEST },
    ...{ digest: digestOfJson(MANIFEST), createdAt: AT },
  };
  const grade: GradeRow = {
    ...{ id: id('grade', number), artifactId: artifact.id, round: 1, body, digest: gradeDigest(body), createdAt: AT },
  };
  const verdictBody = judge({ artifact, grade, screening: null, scoring: 'all' });
  const verdict: VerdictRow = {
    ...{ id: id('ver', number), artifactId: artifact.id, gradeId: grade.id, body: verdictBody },
    ...{ digest: digestOfJson(verdictBody), createdAt: AT, amends: null, rulingId: null },
  };
  return { artifact, grade, verdict, createdAt: AT };
}

/** The first `length` records of a chain. */
export function chainOf(length: number, sealer: Sealer = testSealer()): EvidenceRecord[] {
  const records: EvidenceRecord[] = [];
  for (let position = 1; position <= length; position++) {
    const place = { position, previous: records.at(-1)?.digest ?? null };
    records.push(sealEvidence(sealer, { ...rowsOf(position), place }));
  }
  return records;
}

/** A hand-in for a task of nothing: rows alone, of which nothing needs a sandbox. */
export async function storedHandIn(database: Database): Promise<string> {
  const task = digestOf('task');
  await database.query(
    `INSERT INTO tasks (digest, name, files) VALUES ($1, 'test/none', '[]'::jsonb) ON CONFLICT (digest) DO NOTHING`,
    [task],
  );
  const drawn = { taskDigest: task, seed: 's', seedDrawn: false, parameters: {}, digest: digestOf('instance') };
  const made = { format: 2, drawSecret: null, draws: { difficulty: null, tries: 1, generated: null } };
  const seen = { instruction: '', files: [], environment: {}, decoys: [] };
  const { id: instanceId } = await saveInstance(database, { ...drawn, ...made, ...seen });
  return (await saveArtifact(database, { instanceId, manifest: MANIFEST, idempotencyKey: null })).id;
}
