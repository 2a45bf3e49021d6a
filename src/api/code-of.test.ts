import { expect, test } from 'vitest';
import { codeOf } from './code-of.ts';

test.each([
  ['text without a block is taken whole', 'x = 1\n', 'x = 1\n'],
  ['the last block counts', 'First:\n```\nx = 1\n```\nBetter:\n```python\nx = 2\n```\nDone.', 'x = 2\n'],
  ['a block that was cut off reaches to the end', 'Here:\n```python\nx = 1\ny = 2', 'x = 1\ny = 2\n'],
  ['a longer fence holds shorter ones', '````md\n```\ninner\n```\n````\n', '```\ninner\n```\n'],
  ['tildes are fences', '~~~\nx = `y`\n~~~', 'x = `y`\n'],
  ['an empty answer is an empty file', '', ''],
])('%s', (_, response, code) => {
  expect(codeOf(response)).toBe(code);
});

test('a hostile text of many fences is read in time that grows with its length', () => {
  expect(codeOf('```\n'.repeat(100_001))).toBe('\n');
});
