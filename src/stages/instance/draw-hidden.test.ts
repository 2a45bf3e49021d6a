import { expect, test } from 'vitest';
import { writtenTask } from '../../../test/support/written-tree.ts';
import { digestOf } from '../../platform/base/digest.ts';
import { drawHidden } from './draw-hidden.ts';
import { makeInstance } from './make-instance.ts';

const FILES = {
  'task.toml': `[task]
name = "late/task"
[proctor]
grader = "stdio"
[proctor.stdio]
command = ["true"]
[proctor.parameters.early]
type = "integer"
min = 1
max = 1000000
[proctor.parameters.secret]
type = "integer"
min = 1
max = 1000000
late = true
`,
  'instruction.md': '{{early}}\n',
  'environment/a': '',
  'tests/oracle.py': '',
};
const [one, two] = [digestOf('one'), digestOf('two')];
const stored = async (draw: Parameters<typeof makeInstance>[1]) => {
  const task = await writtenTask(FILES);
  return { task, row: { id: 'inst_00000000000000000000000000', ...makeInstance(task, draw) } };
};

test('what is drawn late is in no instance, and others for each artifact', async () => {
  const { task, row } = await stored({ seed: 'one' });
  expect(Object.keys(row.parameters)).toEqual(['early']);
  const drawn = [one, two].map((artifact) => drawHidden(task, row, artifact));
  expect(drawn.map(({ parameters }) => parameters.early)).toEqual([row.parameters.early, row.parameters.early]);
  expect(new Set(drawn.map(({ parameters }) => parameters.secret)).size).toBe(2);
  expect(new Set(drawn.map(({ seed }) => seed)).size).toBe(2);
});

test('the same artifact of the same instance meets the same again', async () => {
  const { task, row } = await stored({ seed: 'one' });
  expect(drawHidden(task, row, one)).toEqual(drawHidden(task, row, one));
});

test('who knows the seed and the artifact does not know what is drawn under a secret of the service', async () => {
  const [a, b] = [await stored({ seed: 'one', drawSecret: 'a' }), await stored({ seed: 'one', drawSecret: 'b' })];
  expect(a.row.digest).toBe(b.row.digest);
  expect(drawHidden(a.task, a.row, one).seed).not.toBe(drawHidden(b.task, b.row, one).seed);
});

test('a tool that is given a seed can repeat its run, and a drawn seed has a secret of its own', async () => {
  const task = await writtenTask(FILES);
  expect(makeInstance(task, { seed: 'one' }).drawSecret).toBe(makeInstance(task, { seed: 'one' }).drawSecret);
  const { seed, drawSecret } = makeInstance(task);
  expect(makeInstance(task, { seed }).drawSecret).not.toBe(drawSecret);
});

test('an instance of format 1 is graded as it was', async () => {
  const { task, row } = await stored({ seed: 'one' });
  const { seed, parameters } = drawHidden(task, { ...row, drawSecret: null }, one);
  expect({ seed, parameters }).toEqual({ seed: 'hidden/one', parameters: row.parameters });
});
