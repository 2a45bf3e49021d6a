import { describe, expect, test } from 'vitest';
import { visible, visibleLine } from './visible.ts';

describe('hostile text is made visible', () => {
  test.each([
    ['\u001b[31mred\u001b[0m', '␛[31mred␛[0m'],
    ['a\u0000b\u0007\u007f', 'a␀b␇␡'],
    ['over\rwritten', 'over␍written'],
    ['admin\u202Etxt.exe', 'admin⟦U+202E⟧txt.exe'],
    ['zero\u200bwidth\ufeff\u2060\u00ad', 'zero⟦U+200B⟧width⟦U+FEFF⟧⟦U+2060⟧⟦U+00AD⟧'],
    ['\u0085\u009b31m', '⟦U+0085⟧⟦U+009B⟧31m'],
    ['lone\ud800and\udc00', 'lone⟦U+D800⟧and⟦U+DC00⟧'],
    ['\u{e0041}\u{e0001}', '⟦U+E0041⟧⟦U+E0001⟧'],
    ['\u3164\u115f\u2800', '⟦U+3164⟧⟦U+115F⟧⟦U+2800⟧'],
    ['no\u00a0break\u3000\u2028', 'no⟦U+00A0⟧break⟦U+3000⟧⟦U+2028⟧'],
    ['plain text, ünïcödé, 漢字, 😀 and\n\ttabs', 'plain text, ünïcödé, 漢字, 😀 and\n\ttabs'],
  ])('%j', (given, shown) => {
    expect(visible(given, 1_000)).toBe(shown);
  });

  test('marks that are stacked on a letter are counted instead', () => {
    expect(visible(`a${'\u0301'.repeat(104)}b`, 1_000)).toBe(`a${'\u0301'.repeat(4)}⟦100 more marks⟧b`);
  });

  test('a line of a megabyte is cut with a note, and quickly', () => {
    const begunMs = performance.now();
    expect(visible('x'.repeat(1_048_576), 100)).toBe(`${'x'.repeat(100)} … ⟦1,048,476 more characters⟧`);
    expect(performance.now() - begunMs).toBeLessThan(100);
  });

  test('a character of two units is not parted', () => {
    expect(visible('ab😀cd', 3)).toBe('ab … ⟦4 more characters⟧');
  });

  test('a name stays in one line', () => {
    expect(visibleLine('a\nb\tc', 100)).toBe('a␊b␉c');
  });
});
