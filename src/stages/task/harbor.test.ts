import { expect, test } from 'vitest';
import { harborSchema, unknownHarborFields } from './harbor.ts';

test('an empty definition gets Harbor’s defaults and no internet', () => {
  expect(harborSchema.parse({})).toMatchObject({
    agent: { timeout_sec: 600 },
    verifier: { timeout_sec: 60 },
    environment: { cpus: 1, memory_mb: 512, storage_mb: 256, allow_internet: false },
    artifacts: [],
  });
});

test('fields that Proctor does not use are kept as they are', () => {
  const parsed = harborSchema.parse({
    environment: { gpus: 2, cpus: 4 },
    solution: { env: { A: '1' } },
    source: 'hub',
  });
  expect(parsed).toMatchObject({ environment: { gpus: 2, cpus: 4 }, solution: { env: { A: '1' } }, source: 'hub' });
});

test.each([
  ['a name with spaces', { task: { name: 'my task' } }, ['task', 'name']],
  ['a name of three parts', { task: { name: 'a/b/c' } }, ['task', 'name']],
  ['no time at all', { verifier: { timeout_sec: 0 } }, ['verifier', 'timeout_sec']],
  ['more than a day', { agent: { timeout_sec: 86_401 } }, ['agent', 'timeout_sec']],
  ['a time that is a text', { agent: { timeout_sec: '60' } }, ['agent', 'timeout_sec']],
  ['memory in fractions', { environment: { memory_mb: 100.5 } }, ['environment', 'memory_mb']],
  ['too little memory', { environment: { memory_mb: 15 } }, ['environment', 'memory_mb']],
  ['internet by text', { environment: { allow_internet: 'no' } }, ['environment', 'allow_internet']],
])('%s is refused at its field', (_name, raw, path) => {
  expect(harborSchema.safeParse(raw).error?.issues.map((issue) => issue.path)).toEqual([path]);
});

test('fields that nobody knows are named with their table', () => {
  expect(
    unknownHarborFields({
      ...{ schema_version: '1.0', titel: 'x', proctor: { anything: 1 }, metadata: { free: 1 } },
      ...{ task: { name: 'a', nmae: 'b' }, environment: { memory: '1G', colour: 'red' }, verifier: { env: {} } },
    }),
  ).toEqual(['titel', 'task.nmae', 'environment.colour']);
});

test('a table that is no table is left to the schema', () => {
  expect(unknownHarborFields({ task: 'text', agent: null })).toEqual([]);
});
