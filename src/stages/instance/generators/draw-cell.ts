import { ProctorError } from '../../../platform/base/errors.ts';
import { POWERS_OF_TEN, wholeRange } from '../../task/cell-schema.ts';
import type { CellSpec } from '../../task/parameters.ts';
import type { Scalar } from '../instance.ts';
import type { RandomStream } from '../random-stream.ts';
import { WORDS } from '../word-list.ts';
import { drawDatetime } from './draw-datetime.ts';
import { numberDrawer, weightedDrawer } from './draw-number.ts';
import { drawPerson } from './draw-person.ts';
import { drawProse } from './draw-prose.ts';
import { drawName } from './identifiers.ts';

type DrawCell = (stream: RandomStream) => Scalar;

/** What draws the cells of a specification; what can be computed once for all of them is. */
export function cellDrawer(spec: CellSpec): DrawCell {
  switch (spec.type) {
    case 'integer':
      return numberDrawer(spec);
    case 'decimal':
      return decimalDrawer(spec);
    case 'choice':
      return choiceDrawer(spec);
    case 'name':
      return (stream) => drawName(spec.style, stream);
    case 'text':
      return (stream) => Array.from({ length: spec.words }, () => stream.pick(WORDS)).join(' ');
    case 'person':
      return (stream) => drawPerson(spec, stream);
    case 'prose':
      return (stream) => drawProse(spec.sentences, stream);
    case 'datetime':
      return (stream) => drawDatetime(spec, stream);
  }
}

/** One division by a power of ten is rounded alike on every machine. */
function decimalDrawer(spec: Extract<CellSpec, { type: 'decimal' }>): DrawCell {
  const range = wholeRange(spec);
  if (range === null) throw new ProctorError('task-invalid', 'a decimal has more places than it may have');
  const draw = numberDrawer(range);
  return (stream) => draw(stream) / scaleOf(spec);
}

/** How many units of the last place make one. */
export function scaleOf(spec: CellSpec): number {
  return spec.type === 'decimal' ? (POWERS_OF_TEN[spec.places] ?? 1) : 1;
}

function choiceDrawer({ of, weights }: Extract<CellSpec, { type: 'choice' }>): DrawCell {
  if (weights === undefined) return (stream) => stream.pick(of);
  const drawIndex = weightedDrawer(weights);
  return (stream) => of[drawIndex(stream)] as Scalar;
}
