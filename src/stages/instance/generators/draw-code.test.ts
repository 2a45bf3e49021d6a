import { expect, test } from 'vitest';
import { drawOne, type RawParameter } from '../../../../test/support/draw-one.ts';

const FRAGMENT = 'def $run($item):\n    price = "$$5"\n    return $run($item_count)\n';
const code = (raw: Partial<Extract<RawParameter, { type: 'code' }>>, seed = 'golden') => {
  const { x, x_symbols } = drawOne({ type: 'code', fragments: [FRAGMENT], ...raw }, seed);
  return { text: String(x), symbols: x_symbols as { symbol: string; name: string }[] };
};

test('putting the symbols back gives the fragment, so each has one name in all its places', () => {
  for (let seed = 0; seed < 100; seed++) {
    const { text, symbols } = code({}, `seed-${seed}`);
    expect(symbols.map(({ symbol }) => symbol)).toEqual(['run', 'item', 'item_count']);
    const back = symbols.reduce(
      (now, { symbol, name }) => now.replaceAll(name, `$${symbol}`),
      text.replace('$', '$$$$'),
    );
    expect(back).toBe(FRAGMENT);
  }
});

test.each([
  ['snake', /^[a-z]+_[a-z]+$/],
  ['camel', /^[a-z]+[A-Z][a-z]+$/],
  ['pascal', /^[A-Z][a-z]+[A-Z][a-z]+$/],
] as const)('names are distinct and in %s style', (style, pattern) => {
  const { symbols } = code({ style });
  expect(symbols.filter(({ name }) => !pattern.test(name))).toEqual([]);
  expect(new Set(symbols.map(({ name }) => name)).size).toBe(3);
});

test('each fragment is drawn at times, and only its own symbols are told', () => {
  const drawn = Array.from({ length: 40 }, (_, seed) => code({ fragments: ['a $x', 'b $y $z'] }, `seed-${seed}`));
  expect(new Set(drawn.map(({ text }) => text.charAt(0)))).toEqual(new Set(['a', 'b']));
  for (const { text, symbols } of drawn) {
    expect(symbols.map(({ symbol }) => symbol)).toEqual(text.startsWith('a') ? ['x'] : ['y', 'z']);
  }
});

test('a name that stands in the fragment already is not given to a symbol', () => {
  const { symbols } = code({ fragments: ['$x'] });
  const taken = symbols[0]?.name ?? '';
  const { symbols: others } = code({ fragments: [`$x = ${taken}`] });
  expect(taken).toMatch(/_/);
  expect(others[0]?.name).not.toBe(taken);
});

test('a dollar sign that starts no symbol stays', () => {
  expect(code({ fragments: ['$x $1 $(a) $'] }).text).toMatch(/^[a-z]+_[a-z]+ \$1 \$\(a\) \$$/);
});
