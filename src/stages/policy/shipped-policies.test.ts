import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { choosePolicy } from './choose-policy.ts';
import type { DecisionContext } from './context.ts';
import { decide } from './decide.ts';
import { loadPolicy, openPolicies } from './load-policy.ts';
import { caseContext } from './run-cases.ts';

const FOLDER = fileURLToPath(new URL('../../../policies', import.meta.url));
const shipped = openPolicies(FOLDER);
const PLAIN = { outcome: 'passed', integrity: 'clean', assurance: 'oracle', fault: 'none', signals: [] } as const;

test('four policies ship, and each passes its own cases', async () => {
  expect(await shipped.list()).toEqual(['default', 'observe', 'strict', 'training']);
  for (const name of await shipped.list()) expect((await shipped.find(name)).rules.id).toBe(name);
  expect(await readdir(FOLDER)).toHaveLength(4);
});

test('the example of the page on policies loads', async () => {
  const page = await readFile(fileURLToPath(new URL('../../../docs/policy.md', import.meta.url)), 'utf8');
  const source = /```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  const example = await loadPolicy(FOLDER, { file: 'next.yaml', source });
  expect(example.compiled.map(({ id }) => id)).toContain('decoy-in-a-hurry');
});

test('observe changes no reward, whatever rules find', async () => {
  const observe = await shipped.find('observe');
  for (const integrity of ['clean', 'suspect', 'violated'] as const) {
    for (const profile of [undefined, { p: 0.0001, weight: 0.1, review: true }]) {
      const decided = decide(caseContext({ ...PLAIN, integrity, signals: [], profile }), observe);
      expect(decided).toMatchObject({ action: 'accept', weight: 1, mask: false });
    }
  }
});

test('where a policy does not apply, the one that it extends decides', async () => {
  const inPhase = (phase: 'train' | 'eval'): DecisionContext =>
    caseContext({ ...PLAIN, integrity: 'suspect', signals: [], run: { phase } });
  expect((await choosePolicy(shipped, 'strict', inPhase('eval'))).rules.id).toBe('strict');
  expect((await choosePolicy(shipped, 'strict', inPhase('train'))).rules.id).toBe('default');
  expect((await choosePolicy(shipped, 'training', inPhase('train'))).rules.id).toBe('training');
});
