import { describe, expect, test } from 'vitest';
import { compileCondition, compileWeight, evaluationFault } from './compile-condition.ts';
import { seenContext } from './condition-types.ts';
import { caseContext } from './run-cases.ts';

const PLAIN = { outcome: 'passed', integrity: 'clean', assurance: 'oracle', fault: 'none', signals: [] } as const;
const SEEN = seenContext(
  caseContext({
    ...{ ...PLAIN, cases_passed: 3, cases_total: 4 },
    signals: [
      { kind: 'decoy-used', severity: 'suspect' },
      { kind: 'unread-code', severity: 'note' },
    ],
    profile: { p: 0.0004, weight: 0.4, leading: 'A', test_p: { a: 0.0004 } },
    task: { tags: ['python'] },
    run: { id: 'night-7', step: 12 },
  }),
);
const NOTHING = seenContext(caseContext({ ...PLAIN, signals: [] }));

function faultOf(text: string): string {
  try {
    compileCondition(text);
  } catch (thrown) {
    expect(thrown).toMatchObject({ code: 'policy-invalid' });
    return (thrown as Error).message;
  }
  throw new Error('it compiled');
}

test.each([
  ['verdict.integrity == "clean" && verdict.assurance in ["oracle", "witnessed"]', true],
  ['signals.exists(s, s.kind == "decoy-used" && s.severity == "suspect")', true],
  ['signals.filter(s, s.severity == "violation").size() > 0', false],
  ['profile.known && profile.p <= 0.001 && profile.test_p.a < 0.001', true],
  ['ratio(verdict.cases_passed, verdict.cases_total) < 0.5', false],
  ['"python" in task.tags && run.id.startsWith("night-") && run.step >= 10', true],
  ['session.known', false],
  ['verdict.cases_passed / 2 == 1', true],
])('%s is %s', (text, expected) => {
  expect(compileCondition(text).of(SEEN)).toBe(expected);
});

test('what is not known is seen as nothing odd, and not as an error', () => {
  expect(compileCondition('profile.p < 1.0 || profile.known || session.recorded').of(NOTHING)).toBe(false);
});

describe('mistakes are told when a policy loads', () => {
  test.each([
    ['a typo in a field', 'verdict.integrty == "violated"', /No such key: integrty .*did you mean "integrity"\?/],
    ['a typo in a variable', 'verdit.score > 0.5', /Unknown variable: verdit.*did you mean "verdict"\?/],
    ['a typo in a value', 'verdict.integrity == "violatd"', /never "violatd"; did you mean "violated"\?/],
    ['a typo in an item', 'signals.exists(s, s.sverity == "note")', /No such key: sverity.*did you mean "severity"\?/],
    ['a value of an item', 'signals.exists(s, s.severity == "violaton")', /did you mean "violation"\?/],
    ['a function', 'verdict.reason.startswith("x")', /did you mean "startsWith"\?/],
    ['a wrong type', 'verdict.score == "high"', /no such overload: double == string/],
    ['a number without a point', 'verdict.score == 1', /no such overload: double == int/],
    ['a value that is no flag', 'verdict.outcome', /gives string, and bool is needed/],
    ['what is always the same', '1 < 2', /names no field/],
    ['half an expression', 'verdict.outcome ==', /character/],
    ['division that hides a zero', 'verdict.score / 0.0 > 1.0', /write ratio\(a, b\)/],
    ['a pattern', 'verdict.reason.matches("(a+)+$")', /a pattern can take for ever/],
    ['a way around the types', 'dyn(verdict).score > 1', /dyn\(\) is not for conditions/],
    ['a text that is taken for a number', 'double(verdict.reason) > 0.5', /double\(\) is for whole numbers/],
    ['every pair', 'signals.exists(s, signals.exists(t, s.kind == t.kind))', /write it flat/],
    ['a field of the language', 'verdict.constructor == "x"', /No such key: constructor/],
  ])('%s', (_name, text, message) => {
    expect(faultOf(text)).toMatch(message);
  });

  test.each([
    ['parentheses', `${'('.repeat(900)}verdict.pinned${')'.repeat(900)}`],
    ['negations', `${'!'.repeat(1_900)}verdict.pinned`],
    ['a long text', `verdict.reason == "${'x'.repeat(3_000)}"`],
    ['indexes', `signals${'[0]'.repeat(600)}.kind == "x"`],
  ])('endless nesting of %s is refused at once', (_name, text) => {
    const startedMs = performance.now();
    expect(faultOf(text)).toMatch(/Exceeded max|longer than/);
    expect(performance.now() - startedMs).toBeLessThan(500);
  });
});

test.each([
  ['signals[0].kind == "x"', /index out of bounds/],
  ['verdict.cases_passed / verdict.cases_total > 0', /division by zero/],
  ['ratio(verdict.cases_passed, verdict.cases_total) > 0.5', /division by zero/],
])('%s has no value where something is missing, and says so', (text, message) => {
  const condition = compileCondition(text);
  expect(() => condition.of(NOTHING)).toThrow(
    expect.toSatisfy((thrown: unknown) => message.test(evaluationFault(thrown))),
  );
});

test('conditions that say the same have one key', () => {
  const same = [
    'verdict.pinned && (profile.known && session.known)',
    '(session.known && verdict.pinned) && profile.known',
  ];
  const keys = same.map((text) => compileCondition(text).key);
  expect(keys[0]).toBe(keys[1]);
  expect(compileCondition('verdict.pinned || (profile.known && session.known)').key).not.toBe(keys[0]);
});

test('a weight is a number from 0 to 1, whatever its expression gives', () => {
  expect(compileWeight('profile.weight').of(SEEN)).toBe(0.4);
  expect(() => compileWeight('profile.weight - 1.0').of(SEEN)).toThrow('not between 0 and 1');
  expect(() => compileWeight('verdict.cases_passed')).toThrow('gives int, and double is needed');
});
