import { expect, test } from 'vitest';
import { digestOf } from '../../platform/base/digest.ts';
import { type AuditedTest, type AuditReport, type AuditRun, ruleOn } from './admission.ts';

const run = (kind: AuditRun['kind'], reward: number): AuditRun => ({
  ...{ kind, name: kind, technique: null },
  ...{ outcome: reward > 0 ? 'passed' : 'failed', reward, passed: [], total: 1 },
});
const strong: AuditedTest = { id: 'a', assurance: 'oracle', words: {}, results: {}, weak: [] };
const found = (rest: Partial<AuditReport> = {}) => ({
  ...{ task: 't', digest: digestOf('t'), grader: 'pytest', hidden: [], problems: [], tests: [strong] },
  ...{ runs: [run('nothing', 0), run('hollow', 0), run('reference', 1), run('attack', 0)] },
  ...rest,
});

test('a task that pays only for its reference is admitted', () => {
  expect(ruleOn(found())).toMatchObject({ gate: 'admitted', score: 100, why: [] });
});

test.each([
  ['nothing that is rewarded', { runs: [run('nothing', 1), run('reference', 1)] }, 'nothing nothing is rewarded'],
  ['an attack that is rewarded', { runs: [run('attack', 1), run('reference', 1)] }, 'attack attack is rewarded'],
  ['a reference that is not', { runs: [run('reference', 0)] }, 'reference reference is not rewarded'],
  [
    'an honest variant that is not',
    { runs: [run('reference', 1), run('variant', 0)] },
    'variant variant is not rewarded',
  ],
  ['no reference', { runs: [run('nothing', 0)] }, 'no reference was graded'],
  ['something hidden that shows', { hidden: ['/work/x is a hidden file'] }, '/work/x is a hidden file'],
  ['an error', { problems: [{ severity: 'error' as const, file: 'tests', message: 'm' }] }, 'tests: m'],
])('%s keeps a task out', (_, rest, reason) => {
  expect(ruleOn(found(rest))).toMatchObject({ gate: 'needs work', why: [reason] });
});

test('weak tests lower the score and not the gate', () => {
  const weak: AuditedTest = { ...strong, id: 'b', weak: ['passes for nothing'] };
  expect(ruleOn(found({ tests: [strong, weak] }))).toMatchObject({ gate: 'admitted', score: 50 });
});
