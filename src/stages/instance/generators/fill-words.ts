import type { RandomStream } from '../random-stream.ts';
import { WORDS } from '../word-list.ts';

/** Fills a pattern from left to right: `{w}` a word, `{W}` a word with a capital, `{n}` a number from 2 to 99. */
export function fillWords(pattern: string, stream: RandomStream): string {
  return pattern.replace(/\{([wWn])\}/g, (_, kind: string) => {
    if (kind === 'n') return String(2 + stream.below(98));
    const word = stream.pick(WORDS);
    return kind === 'w' ? word : word.charAt(0).toUpperCase() + word.slice(1);
  });
}
