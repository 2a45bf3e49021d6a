import { describe, expect, test } from 'vitest';
import { codeOf, responseIn } from './code-of.ts';

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

describe('the program in an answer', () => {
  test('is the last fenced block', () => {
    expect(codeOf('First:\n```python\na = 1\n```\nBetter:\n```py\nb = 2\n```\nDone.')).toBe('b = 2\n');
    expect(codeOf('~~~\na\n```\nb\n~~~')).toBe('a\n```\nb\n');
    expect(codeOf('````\n```\nnested\n```\n````')).toBe('```\nnested\n```\n');
  });

  test('is the whole text where there is no block, without what a tokenizer writes at its end', () => {
    expect(codeOf('a = 1')).toBe('a = 1\n');
    expect(codeOf('a = 1<|im_end|>\n</s>')).toBe('a = 1\n');
    expect(codeOf('')).toBe('');
  });

  test('goes to the end where the block is cut off, as by a token limit', () => {
    expect(codeOf('Here:\n```python\nwhile True:\n    pa')).toBe('while True:\n    pa\n');
  });

  test('is found in time linear in the text, whatever is written', () => {
    const started = performance.now();
    codeOf('```'.repeat(300_000));
    codeOf('<|'.repeat(300_000));
    codeOf('```\n'.repeat(200_000));
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

test('an answer is what follows the prompt, also after a first token of the model’s', () => {
  expect(responseIn('<s>Write it.Here it is', 'Write it.')).toBe('Here it is');
  expect(responseIn('something else', 'Write it.')).toBe('something else');
  expect(responseIn('text', '')).toBe('text');
});
