import { describe, expect, test } from 'vitest';
import { targetOf } from './target.ts';

const HEX = `${'0'.repeat(9)}${'a'.repeat(20)}`;

describe('what a label names', () => {
  test('an id names what its prefix says', () => {
    expect(targetOf(` inst_${HEX}\n`)).toEqual({ instance_id: `inst_${HEX}`, phase: 'train' });
    expect(targetOf(`sub_${HEX}`)).toMatchObject({ submission_id: `sub_${HEX}` });
    expect(targetOf(`sess_${HEX}`)).toMatchObject({ session_id: `sess_${HEX}` });
  });

  test('an object, as it is or as JSON text, may say more; unknown fields are ignored', () => {
    const label = { task: 'proctor/wordtool', seed: 7, file: 'wordtool.py', run_id: 3, group_id: 'g', answer: 42 };
    const named = { task: 'proctor/wordtool', seed: '7', file: 'wordtool.py', run_id: '3', group_id: 'g' };
    expect(targetOf(label)).toMatchObject(named);
    expect(targetOf(JSON.stringify(label))).toEqual(targetOf(label));
  });

  test.each([
    ['nothing', null],
    ['a number', 7],
    ['an answer of another data set', '42'],
    ['an id that is none', 'inst_nonsense'],
    ['two things at once', { instance_id: `inst_${HEX}`, task: 'x' }],
    ['no thing', { file: 'x.py' }],
    ['JSON that is cut off', '{"task": "x"'],
    ['JSON with a trap', '{"__proto__": {"task": "x"}}'],
    ['text that no database takes', { task: 'a\0b' }],
  ])('%s is refused', (_name, label) => {
    expect(() => targetOf(label)).toThrow(expect.objectContaining({ code: 'bad-request' }));
  });
});
