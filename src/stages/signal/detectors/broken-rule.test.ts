import { expect, test } from 'vitest';
import { said } from '../../../../test/support/screened.ts';
import { brokenRule } from './broken-rule.ts';

const enforced = (severity: string, step = 2) => ({
  ...{ type: 'rule.enforced', step, outcome: 'end' },
  detail: { rule: 'no-memory', about: 'Not yours.', severity },
});

test('a rule that was enforced weighs as the policy says, with its place in the log', () => {
  expect(said(brokenRule, {}, { events: [enforced('violation'), enforced('suspect', 3)] })).toEqual([
    'violation session/step 2, event 1 no-memory: Not yours.',
    'suspect session/step 3, event 2 no-memory: Not yours.',
  ]);
});

test('an agent that writes of rules, and one without a session, break none', () => {
  const talk = { type: 'step.began', step: 1, detail: { parameters: { command: 'echo rule.enforced' } } };
  expect(said(brokenRule, {}, { events: [talk] })).toEqual([]);
  expect(said(brokenRule, {}, {})).toEqual([]);
});
