import { expect, test } from 'vitest';
import { chainOf, MANIFEST, MEASURED, rowsOf, testSealer } from '../../../test/support/evidence-rows.ts';
import { digestOf, digestOfJson } from '../../platform/base/digest.ts';
import { evidenceRecordSchema } from './evidence.ts';
import { sealEvidence } from './seal-evidence.ts';
import { verifyRecord } from './verify-evidence.ts';

const FIRST = { position: 1, previous: null };

test('a record says what was copied, what it was graded against, by whom, and how long that took', () => {
  const sealer = testSealer();
  const { content } = sealEvidence(sealer, { ...rowsOf(1), place: FIRST });
  const { artifact, grade, verdict } = rowsOf(1);
  expect(content).toEqual({
    ...{ position: 1, previous: null, createdAt: '2026-01-02T03:04:05.678Z' },
    verdict: {
      id: verdict.id,
      digest: verdict.digest,
      outcome: 'failed',
      integrity: 'unknown',
      fault: 'subject',
      score: 0,
    },
    submission: { id: artifact.id, instanceId: artifact.instanceId },
    artifact: { stored: artifact.digest, graded: artifact.digest, files: 2, bytes: 42, manifest: MANIFEST },
    inputs: {
      ...{ task: digestOf('task'), instance: digestOf('instance') },
      snapshot: { name: 'python', digest: digestOf('snapshot'), pinned: true },
      grader: { name: 'function', digest: digestOf('grader') },
    },
    grade: { id: grade.id, digest: grade.digest, phases: { prepareMs: 28.8, runMs: 65.2 } },
    ...{ screening: null, service: sealer.service },
  });
});

test('the same rows at the same place give the same bytes', () => {
  const sealer = testSealer();
  expect(chainOf(2, sealer)).toEqual(chainOf(2, sealer));
});

test('a record fits its schema and passes its own checks, also after its way through JSON', () => {
  const record = sealEvidence(testSealer(), { ...rowsOf(1), place: FIRST });
  const read = JSON.parse(JSON.stringify(record));
  expect(evidenceRecordSchema.parse(read)).toEqual(record);
  expect(verifyRecord(read)).toMatchObject({ signedBy: record.signature.keyId, failures: [] });
});

test('of what was not graded it says so instead of guessing', () => {
  const body = {
    kind: 'ungraded',
    inputs: null,
    fault: 'platform',
    code: 'sandbox-failed',
    message: '/a/path',
  } as const;
  const record = sealEvidence(testSealer(), { ...rowsOf(1, body), place: FIRST });
  expect(record.content).toMatchObject({ inputs: null, artifact: { graded: null }, grade: { phases: null } });
  expect(JSON.stringify(record)).not.toContain('/a/path');
  expect(verifyRecord(record).failures).toEqual([]);
});

test('a refused hand-in keeps its refusal, and a grade without a snapshot is a record too', () => {
  const rows = rowsOf(1, { ...MEASURED, inputs: { ...MEASURED.inputs, snapshot: null } });
  const manifest = { ...MANIFEST, files: [], refusal: { reason: 'too-large', detail: 'more than 1 byte' } as const };
  const artifact = { ...rows.artifact, manifest, digest: digestOfJson(manifest) };
  const record = sealEvidence(testSealer(), { ...rows, artifact, place: FIRST });
  expect(record.content).toMatchObject({ inputs: { snapshot: null }, artifact: { files: 0, bytes: 0 } });
  expect(verifyRecord(record).failures.map(({ check }) => check)).toEqual(['artifact']);
});

test('the private key is not in the record', () => {
  const record = JSON.stringify(chainOf(1)[0]);
  expect(record).not.toContain('PRIVATE');
  expect(Object.keys(testSealer().key)).toEqual(['keyId', 'publicKey', 'sign']);
});
