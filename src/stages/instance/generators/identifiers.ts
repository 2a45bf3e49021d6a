import type { NameStyle } from '../../task/cell-schema.ts';
import type { RandomStream } from '../random-stream.ts';
import { WORDS } from '../word-list.ts';

/** Distinct words, in the order drawn. */
export function drawWords(count: number, stream: RandomStream): string[] {
  const drawn = new Set<string>();
  while (drawn.size < count) drawn.add(stream.pick(WORDS));
  return [...drawn];
}

/** An identifier of two words. */
export function drawName(style: NameStyle, stream: RandomStream): string {
  return styled(drawWords(2, stream), style);
}

/** An identifier that is not among those taken; it is among them afterwards. */
export function drawNewName(style: NameStyle, taken: Set<string>, stream: RandomStream): string {
  for (;;) {
    const name = drawName(style, stream);
    if (taken.has(name)) continue;
    taken.add(name);
    return name;
  }
}

/** Words as one identifier. */
function styled(words: readonly string[], style: NameStyle): string {
  const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
  switch (style) {
    case 'snake':
      return words.join('_');
    case 'kebab':
      return words.join('-');
    case 'pascal':
      return words.map(capital).join('');
    case 'camel':
      return words.map((word, index) => (index === 0 ? word : capital(word))).join('');
  }
}
