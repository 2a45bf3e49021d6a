import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { scratchFolder } from '../../../test/support/test-service.ts';
import { decide } from './decide.ts';
import { openPolicies, openStoredPolicy, parsePolicy } from './load-policy.ts';
import { caseContext } from './run-cases.ts';

const PLAIN = { outcome: 'passed', integrity: 'clean', assurance: 'oracle', fault: 'none', signals: [] } as const;

const rule = (id: string, when: string, decided = 'action: accept, weight: 1') =>
  `  - { id: ${id}, about: x, when: ${JSON.stringify(when)}, decide: { ${decided} } }`;
const CASE = '  - { name: plain, given: { outcome: passed, integrity: clean }, expect: { action: accept, weight: 1 } }';
const policy = (rules: readonly string[], head = '', cases = CASE) =>
  ['id: p', 'version: 1', 'about: x', head, 'rules:', ...rules, 'cases:', cases, ''].join('\n');

function faultsOf(source: string): string {
  try {
    parsePolicy(source, 'p.yaml');
  } catch (thrown) {
    expect(thrown).toMatchObject({ code: 'policy-invalid' });
    return (thrown as Error).message;
  }
  throw new Error('the policy loaded');
}

test.each([
  [
    'a typo in a condition',
    [rule('a', 'verdict.integrty == "clean"')],
    '',
    /^p\.yaml: rules\.0\.when: No such key: integrty .*"integrity"\?$/,
  ],
  [
    'a judge alone that decides',
    [rule('a', 'judge.known && judge.suspicion > 0.9', 'action: down-weight, weight: 0.5')],
    '',
    /^p\.yaml: rules\.0\.when: rests on a judge alone/,
  ],
  ['a wrong type', [rule('a', 'verdict.score > "x"')], '', /^p\.yaml: rules\.0\.when: no such overload/],
  [
    'a typo in a weight',
    [rule('a', 'profile.known', 'action: accept, weight: profile.wieght')],
    '',
    /^p\.yaml: rules\.0\.decide\.weight: .*"weight"\?$/,
  ],
  [
    'a typo in a key',
    [rule('a', 'profile.known', 'action: accept, wieght: 1')],
    '',
    /rules\.0\.decide: .*did you mean "weight"\?/,
  ],
  ['a typo at the top', [rule('a', 'profile.known')], 'applys_to: { phase: eval }', /did you mean "applies_to"\?/],
  [
    'a typo in a guard',
    [rule('a', 'profile.known')],
    'guard: { maskedd: { share: 0.5, do: pause } }',
    /did you mean "masked"\?/,
  ],
  ['one name twice', [rule('a', 'profile.known'), rule('a', 'session.known')], '', /two rules are called "a"/],
  [
    'a contradiction, however it is written',
    [
      rule('a', 'profile.known && session.known'),
      rule('b', '(session.known) && profile.known', 'action: quarantine, weight: 0'),
    ],
    '',
    /"a" \(accept\) and "b" \(quarantine\) contradict/,
  ],
  [
    'a rule that is shadowed',
    [rule('a', 'profile.known'), rule('b', 'profile.known', 'action: accept, weight: 0.5')],
    '',
    /"b" is shadowed: "a"/,
  ],
  ['what is never so', [rule('a', 'profile.known && !profile.known')], '', /"a" cannot be reached: no case/],
  ['what a law decides', [rule('a', 'verdict.outcome == "ungraded"')], '', /"a" cannot be reached/],
  [
    'a soft rule that rejects',
    ['  - { id: a, about: x, kind: soft, when: profile.known, decide: { action: reject, weight: 0 } }'],
    '',
    /a soft rule does not reject/,
  ],
  ['a base that is not given', [rule('a', 'profile.known')], 'extends: other', /extends: "other" is not given/],
])('%s does not load, and the error says where', (...[, rules, head, message]) => {
  expect(faultsOf(policy(rules, head))).toMatch(message);
});

test('a rule that no case reaches loads where a context is found in which it fires', () => {
  const found = [
    rule('a', 'verdict.score < 0.25 && verdict.cases_total > 7'),
    rule('b', 'signals.exists(s, s.kind == "decoy-used" && s.severity == "suspect")'),
    rule('c', '"python" in task.tags && run.id.startsWith("night-")'),
    rule('d', 'session.known && session.outcome == "abandoned" && session.steps > 100'),
  ];
  expect(parsePolicy(policy(found), 'p.yaml').compiled).toHaveLength(4);
});

test.each([
  ['a missing value', 'signals[0].kind == "x"', /held: .*index out of bounds/],
  ['a division by zero', 'ratio(verdict.cases_passed, verdict.cases_total) < 0.5', /held: .*division by zero/],
  ['a whole division by zero', '1 / verdict.cases_total == 1', /held: .*division by zero/],
])('%s while a rule is evaluated is quarantined for a person, and never passes', (_name, when, error) => {
  const held =
    '  - { name: x, given: { outcome: passed, integrity: clean }, expect: { action: quarantine, weight: 0 } }';
  const first = rule('held', when);
  const witness = [first, rule('harsh', 'verdict.score >= 0.0', 'action: reject, weight: 1')];
  const loaded = openStoredPolicy(policy(witness, '', held));
  expect(decide(caseContext({ ...PLAIN, signals: [] }), loaded)).toMatchObject({
    ...{ action: 'quarantine', weight: 0, mask: true, review: 'always' },
    rules: [{ id: 'law:rule-failed', error: expect.stringMatching(error) }],
  });
});

test('a case whose rule cannot be evaluated says why', () => {
  expect(faultsOf(policy([rule('a', 'signals[0].kind == "x"')]))).toMatch(
    /\(law:rule-failed\): a: .*index out of bounds/,
  );
});

test.each([
  ['brackets', `rules: ${'['.repeat(10_000)}`],
  ['braces', `rules: ${'{a: '.repeat(10_000)}`],
  ['blocks', `a:\n${Array.from({ length: 1_000 }, (_, depth) => `${' '.repeat(depth + 1)}a:`).join('\n')}`],
  ['a text without end', `about: ${'x'.repeat(5_000_000)}`],
])('endless %s in the file is a fault of it, in bounded time', (_name, source) => {
  const startedMs = performance.now();
  expect(faultsOf(source)).toMatch(/^p\.yaml: /);
  expect(performance.now() - startedMs).toBeLessThan(10_000);
});

test('10,000 rules load in bounded time and decide', () => {
  const many = Array.from({ length: 10_000 }, (_, n) => rule(`r${n}`, `run.step == ${n} && verdict.score < 0.5`));
  const startedMs = performance.now();
  const loaded = parsePolicy(policy(many), 'p.yaml');
  expect(performance.now() - startedMs).toBeLessThan(60_000);
  const decided = decide(caseContext({ ...PLAIN, outcome: 'failed', signals: [], run: { step: 9_999 } }), loaded);
  expect(decided.rules.map(({ id }) => id)).toEqual(['r9999']);
});

test('a policy has what it extends, in order, and replaces rules by their names', async () => {
  const scratch = await scratchFolder();
  onTestFinished(scratch.dispose);
  const folder = join(scratch.path, 'policies');
  await mkdir(folder);
  const write = (name: string, text: string) => writeFile(join(folder, `${name}.yaml`), text);
  await write(
    'base',
    policy([rule('a', 'profile.known'), rule('b', 'session.known')], 'unadmitted: pay\nvalues: { timeout: left-out }'),
  );
  await write(
    'child',
    policy(
      [rule('b', 'verdict.pinned'), rule('c', 'session.recorded')],
      'extends: base\nvalues: { confirmed_cheat: left-out }',
    ),
  );
  await write('ring', policy([rule('a', 'profile.known')], 'extends: gnir'));
  await write('gnir', policy([rule('a', 'profile.known')], 'extends: ring'));
  await write('lost', policy([rule('a', 'profile.known')], 'extends: nobody'));
  const policies = openPolicies(folder);
  const child = await policies.find('child');
  expect(child.compiled.map(({ id, when }) => `${id}: ${when.text}`)).toEqual([
    'a: profile.known',
    'b: verdict.pinned',
    'c: session.recorded',
  ]);
  expect(child.rules).toMatchObject({
    unadmitted: 'pay',
    values: { timeout: 'left-out', confirmed_cheat: 'left-out' },
  });
  await expect(policies.find('ring')).rejects.toThrow('ring.yaml: extends: goes in a circle: ring → gnir → ring');
  await expect(policies.find('lost')).rejects.toThrow(`there is no policy file ${join(folder, 'nobody.yaml')}`);
  // what is stored of it is enough to derive its decisions again
  const stored = openStoredPolicy(child.source);
  expect(stored.digest).toBe(child.digest);
  expect(stored.compiled.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
});
