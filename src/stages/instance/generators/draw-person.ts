import { LOCALES } from '../../task/cell-schema.ts';
import type { CellSpec } from '../../task/parameters.ts';
import type { RandomStream } from '../random-stream.ts';
import { PERSON_NAMES } from './person-names.ts';

/** A name as its language writes it. Both parts are drawn whichever is asked for, so that `part` changes no draw. */
export function drawPerson(spec: Extract<CellSpec, { type: 'person' }>, stream: RandomStream): string {
  const { order, given, family } = PERSON_NAMES[spec.locale === 'any' ? stream.pick(LOCALES) : spec.locale];
  const parts = { given: stream.pick(given), family: stream.pick(family) };
  if (spec.part !== 'full') return parts[spec.part];
  return order === 'given-first' ? `${parts.given} ${parts.family}` : `${parts.family} ${parts.given}`;
}
