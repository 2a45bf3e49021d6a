import { expect, test } from 'vitest';
import { screened } from '../../../../test/support/screened.ts';
import type { LeftBehind } from '../../artifact/artifact.ts';
import { forgedReport } from './forged-report.ts';

const detect = (leftBehind: LeftBehind[]) =>
  forgedReport.detect(screened({ 'reward.txt': '1' }, { manifest: { leftBehind } }));

test('a reward that was planted in the workspace is suspect, each with its place', () => {
  const [signal, ...more] = detect([
    { path: '"logs/verifier/reward.txt"', reason: 'report-file', detail: '""' },
    { path: '"ctrf.json"', reason: 'report-file', detail: '""' },
  ]);
  expect(more).toEqual([]);
  expect(signal).toMatchObject({
    severity: 'suspect',
    evidence: [
      { path: '"logs/verifier/reward.txt"', detail: 'report-file' },
      { path: '"ctrf.json"', detail: 'report-file' },
    ],
  });
});

test('a report that the task asked for, and so crossed, is not', () => {
  expect(detect([{ path: '"reward.log"', reason: 'not-declared', detail: '""' }])).toEqual([]);
});
