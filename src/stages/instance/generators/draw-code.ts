import { SYMBOL, symbolsOf } from '../../task/structure-schema.ts';
import { randomStream } from '../random-stream.ts';
import type { DrawnValue, DrawSource, SpecOf } from './drawn-value.ts';
import { drawNewName } from './identifiers.ts';

/** A fragment with its symbols replaced, and the name of each. A name that stands in the fragment already is not taken. */
export function drawCode(spec: SpecOf<'code'>, { seed, label }: DrawSource): DrawnValue {
  const stream = randomStream(seed, label);
  const fragment = stream.pick(spec.fragments);
  const taken = new Set(fragment.match(/\w+/g));
  const names = new Map(symbolsOf(fragment).map((symbol) => [symbol, drawNewName(spec.style, taken, stream)]));
  const value = fragment.replace(SYMBOL, (_, symbol?: string) =>
    symbol === undefined ? '$' : (names.get(symbol) ?? ''),
  );
  return { value, told: [...names].map(([symbol, name]) => ({ symbol, name })) };
}
