import type { CellSpec, ParameterSpec } from '../task/parameters.ts';
import type { ParameterValue, Scalar } from './instance.ts';
import { type RandomStream, randomStream } from './random-stream.ts';
import { WORDS } from './word-list.ts';

/** Draws every parameter of a task; each has its own stream, named by the parameter. */
export function drawParameters(
  specs: Readonly<Record<string, ParameterSpec>>,
  seed: string,
): Record<string, ParameterValue> {
  const drawn = Object.entries(specs).map(([name, spec]) => [name, drawValue(spec, seed, `parameter/${name}`)]);
  return Object.fromEntries(drawn);
}

function drawValue(spec: ParameterSpec, seed: string, label: string): ParameterValue {
  const stream = randomStream(seed, label);
  switch (spec.type) {
    case 'words':
      return drawWords(spec.count, stream);
    case 'integers':
      return Array.from({ length: spec.count }, () => drawInteger(spec, stream));
    case 'table':
      return drawTable(spec, seed, label);
    default:
      return drawCell(spec, stream);
  }
}

function drawCell(spec: CellSpec, stream: RandomStream): Scalar {
  switch (spec.type) {
    case 'integer':
      return drawInteger(spec, stream);
    case 'choice':
      return stream.pick(spec.of);
    case 'name':
      return styled(drawWords(2, stream), spec.style);
    case 'text':
      return Array.from({ length: spec.words }, () => stream.pick(WORDS)).join(' ');
  }
}

function drawInteger({ min, max }: { min: number; max: number }, stream: RandomStream): number {
  return min + stream.below(max - min + 1);
}

/** Distinct words, in the order drawn. */
function drawWords(count: number, stream: RandomStream): string[] {
  const drawn = new Set<string>();
  while (drawn.size < count) drawn.add(stream.pick(WORDS));
  return [...drawn];
}

/** Each column is a stream of its own, so that adding a column or a row changes no other cell. */
function drawTable(
  spec: Extract<ParameterSpec, { type: 'table' }>,
  seed: string,
  label: string,
): Record<string, Scalar>[] {
  const columns = Object.entries(spec.columns).map(([name, cell]) => {
    const stream = randomStream(seed, `${label}/${name}`);
    return [name, Array.from({ length: spec.rows }, () => drawCell(cell, stream))] as const;
  });
  return Array.from({ length: spec.rows }, (_, row) =>
    Object.fromEntries(columns.map(([name, cells]) => [name, cells[row] as Scalar])),
  );
}

function styled(words: readonly string[], style: 'snake' | 'camel' | 'pascal' | 'kebab'): string {
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
