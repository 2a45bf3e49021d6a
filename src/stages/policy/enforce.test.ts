import { expect, test } from 'vitest';
import { houseRulesOf } from './enforce.ts';
import { parsePolicy } from './load-policy.ts';

const REST = `rules:
  - { id: violated, about: x, when: { integrity: violated }, decide: { action: reject, weight: 1 } }
cases:
  - { name: x, given: { outcome: passed, integrity: clean }, expect: { action: accept, weight: 1 } }
`;
const policy = (enforce: string) => parsePolicy(`id: p\nversion: 1\nabout: x\nenforce:\n${enforce}${REST}`, 'p.yaml');
const rules = houseRulesOf(
  policy(`  - { id: told, about: x, on: { action: 'shell.*', contains: 'a "b"' }, do: refuse }
  - { id: seen, about: x, on: { event: 'file.*', outcome: ok, path: '/proc/*/mem' }, do: end }
  - { id: mild, about: x, on: { event: 'egress.*' }, do: end, severity: suspect }
`),
);
const run = (command: string, action = 'run') => ({ environment: 'shell', action, parameters: { command } });
const event = (type: string, path: unknown, outcome = 'ok') => ({ type, outcome, detail: { path } });

test('an action breaks a rule by its name and the text that it holds, as it was written', () => {
  expect(rules.ofAction(run('x a "b" c'))).toMatchObject({ rule: 'told', enforcement: 'refuse', severity: 'suspect' });
  expect(rules.ofAction(run('a b'))).toBeNull();
  expect(rules.ofAction({ ...run('a "b"'), environment: 'files' })).toBeNull();
  expect(rules.ofAction({ ...run(''), parameters: undefined })).toBeNull();
});

test('what was recorded breaks a rule by type, outcome and path, the first of the policy first', () => {
  const broken = [event('egress.attempt', null), event('file.read', '/proc/9/mem')];
  expect(rules.ofEvents(broken)).toMatchObject({ rule: 'seen', enforcement: 'end', severity: 'violation' });
  expect(rules.ofEvents([event('egress.attempt', null)])).toMatchObject({ rule: 'mild', severity: 'suspect' });
  expect(rules.ofEvents([event('file.read', '/proc/9/mem', 'EACCES'), event('file.read', 7)])).toBeNull();
});

test.each([
  [
    'what has happened is refused',
    "on: { event: 'file.*' }, do: refuse",
    /enforce\.0\.do: what was recorded has happened/,
  ],
  ['an action without a text', "on: { action: 'shell.*' }, do: refuse", /enforce\.0\.on/],
  ['a text that is in everything', "on: { action: 'shell.*', contains: a }, do: refuse", /enforce\.0\.on/],
])('%s does not load', (_name, rule, message) => {
  expect(() => policy(`  - { id: a, about: x, ${rule} }\n`)).toThrow(message);
});
