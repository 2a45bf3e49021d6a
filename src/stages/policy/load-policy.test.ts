import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { scratchFolder } from '../../../test/support/test-service.ts';
import { digestOf } from '../../platform/base/digest.ts';
import { openPolicies, parsePolicy } from './load-policy.ts';

const SOUND = `id: strict
version: 1
about: For tests.
rules:
  - id: no-doubts
    about: Doubt is not paid.
    when: { integrity: [suspect, violated] }
    decide: { action: reject, weight: 0.5, flag: doubt }
cases:
  - name: honest work is paid
    given: { outcome: passed, integrity: clean }
    expect: { action: accept, weight: 1 }
  - name: doubt is rejected
    given: { outcome: passed, integrity: suspect }
    expect: { action: reject, weight: 0.5, rules: [no-doubts] }
`;

/** The faults of a text that is no policy, as the error tells them. */
function faultsOf(source: string): readonly string[] {
  try {
    parsePolicy(source, 'p.yaml');
  } catch (thrown) {
    expect(thrown).toMatchObject({ code: 'policy-invalid' });
    return (thrown as Error).message.split('\n');
  }
  throw new Error('the policy loaded');
}

test('a sound policy is loaded with the digest of its text', () => {
  const policy = parsePolicy(SOUND, 'p.yaml');
  expect(policy).toMatchObject({ source: SOUND, digest: digestOf(SOUND), rules: { id: 'strict', version: 1 } });
  expect(policy.rules.cases[0]?.given).toMatchObject({ assurance: 'oracle', fault: 'none' });
});

test('the policy that ships with Proctor passes its own cases', async () => {
  const shipped = openPolicies(fileURLToPath(new URL('../../../policies', import.meta.url)));
  expect((await shipped.find('default')).rules.id).toBe('default');
});

test.each(['action: reject, weight: 1', 'action: accept, weight: 0.9'])(
  'a policy that fails its own case, which expects %s, does not load',
  (expected) => {
    expect(faultsOf(SOUND.replace('action: accept, weight: 1', expected))).toEqual([
      'p.yaml: case "honest work is paid": decided accept with weight 1 (no rule)',
    ]);
  },
);

test('a case that expects a rule to fire which did not fails', () => {
  expect(faultsOf(SOUND.replace('rules: [no-doubts]', 'rules: [no-doubts, other]'))).toEqual([
    'p.yaml: case "doubt is rejected": decided reject with weight 0.5 (no-doubts)',
  ]);
});

test('every case that fails is told', () => {
  expect(faultsOf(SOUND.replace('[suspect, violated]', 'clean'))).toEqual([
    'p.yaml: case "honest work is paid": decided reject with weight 0.5 (no-doubts)',
    'p.yaml: case "doubt is rejected": decided accept with weight 1 (no rule)',
  ]);
});

test('a policy cannot lift the law that what was not graded is masked', () => {
  const source = SOUND.replace('{ outcome: passed, integrity: clean }', '{ outcome: ungraded, integrity: clean }');
  expect(faultsOf(source)).toEqual([
    'p.yaml: case "honest work is paid": decided quarantine with weight 0 (law:ungraded-is-masked)',
  ]);
});

test.each([
  ['action: reject', 'action: refuse', 'rules.0.decide.action'],
  ['weight: 0.5, flag', 'weight: 1.5, flag', 'rules.0.decide.weight'],
  ['weight: 0.5, flag', 'weight: .nan, flag', 'rules.0.decide.weight'],
  ['[suspect, violated]', '[doubtful]', 'rules.0.when.integrity'],
  ['when: {', 'when: { reward: 1,', 'rules.0.when'],
  ['{ integrity: [suspect, violated] }', '{}', 'rules.0.when'],
  ['id: no-doubts', 'id: No Doubts', 'rules.0.id'],
  ['version: 1', 'version: 0', 'version'],
  ['about: For tests.', 'about: For tests.\nextra: 1', ''],
  ['given: { outcome: passed, integrity: clean }', 'given: { outcome: passed }', 'cases.0.given.integrity'],
])('%s written as %s is refused at its field', (from, to, field) => {
  const faults = faultsOf(SOUND.replace(from, to));
  expect(faults).toHaveLength(1);
  expect(faults[0]).toMatch(new RegExp(`^p\\.yaml: ${field.replaceAll('.', '\\.')}: .`));
});

test('all faults are told at once', () => {
  const faults = faultsOf(SOUND.replace('version: 1', 'version: x').replace('action: reject', 'action: refuse'));
  expect(faults.map((fault) => fault.split(': ')[1])).toEqual(['version', 'rules.0.decide.action']);
});

test.each([
  ['rules without cases', SOUND.split('cases:')[0] ?? '', 'p.yaml: cases: '],
  ['nothing', '', 'p.yaml: : '],
  ['a list', '- 1\n', 'p.yaml: : '],
  ['broken YAML', 'id: [unclosed\n', 'p.yaml: '],
  ['a key that is set twice', `${SOUND}version: 2\n`, 'p.yaml: Map keys must be unique'],
  ['two documents', `${SOUND}---\n${SOUND}`, 'p.yaml: '],
])('%s is no policy', (_name, source, beginning) => {
  expect(faultsOf(source)[0]?.startsWith(beginning)).toBe(true);
});

test('a policy file that is not there is named', async () => {
  const scratch = await scratchFolder();
  onTestFinished(scratch.dispose);
  await expect(openPolicies(scratch.path).find('mild')).rejects.toMatchObject({
    code: 'policy-invalid',
    message: `there is no policy file ${join(scratch.path, 'mild.yaml')}`,
  });
});

test('a policy is read once, and one that did not load is tried again', async () => {
  const scratch = await scratchFolder();
  onTestFinished(scratch.dispose);
  const folder = join(scratch.path, 'policies');
  await mkdir(folder);
  const policies = openPolicies(folder);
  await writeFile(join(folder, 'strict.yaml'), 'broken');
  await expect(policies.find('strict')).rejects.toMatchObject({ code: 'policy-invalid' });
  await writeFile(join(folder, 'strict.yaml'), SOUND);
  const policy = await policies.find('strict');
  await rm(folder, { recursive: true });
  expect(await policies.find('strict')).toBe(policy);
});

test.each([
  'a: *nothing\n',
  `a: &a [1, 1]\n${Array.from({ length: 9 }, (_, n) => `x${n}: &x${n} [${`*${n === 0 ? 'a' : `x${n - 1}`}, `.repeat(9)}]`).join('\n')}\n`,
])('aliases that name nothing, or multiply, are told as a fault of the file', (source) => {
  expect(() => parsePolicy(source, 'odd.yaml')).toThrow(expect.objectContaining({ code: 'policy-invalid' }));
});
