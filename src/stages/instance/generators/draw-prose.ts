import type { RandomStream } from '../random-stream.ts';
import { fillWords } from './fill-words.ts';

/** Part of the format: a change changes instances. */
const SENTENCES: readonly string[] = [
  'The {w} {w} was moved to the {w} hall before noon.',
  'Nobody at {W} had counted the {n} {w} boxes, so the list stayed open.',
  'Please send {n} copies of the {w} report to the {w} office.',
  'Why was the {w} key left beside the {w} door?',
  'After the {w} meeting, two people asked for the {w} plan.',
  'It took {n} days to repair the {w} bridge; the {w} road stayed closed.',
  '{W} and {W} agreed on the {w} price.',
  'The old {w} machine still works, but it is slow.',
  'A note on the {w} wall said: do not touch the {w} switch!',
  'Every {w} ticket costs {n} crowns, except on {w} days.',
  'We found the {w} map under the {w} chair.',
  'If the {w} lamp is off, call the {w} desk.',
  'There were {n} {w} boats in the bay that morning.',
  'Who ordered the {w} paint?',
  'The {w} team won by {n} points, and the {w} team went home.',
  'Keep the {w} keys in the {w} drawer.',
];

/** So many sentences with single spaces between them. */
export function drawProse(sentences: number, stream: RandomStream): string {
  return Array.from({ length: sentences }, () => fillWords(stream.pick(SENTENCES), stream)).join(' ');
}
