import type { Instance } from '../instance/instance.ts';
import type { Secret } from './leaks/leak.ts';

/** Seeds that a caller chose may be words; those that are shorter occur by chance. */
const SHORTEST_SEED = 16;
/** Texts that are shorter are soon found by chance. */
const SHORTEST_VALUE = 10;

/** What nobody outside may have of an instance, and what only somebody has who took it from a decoy. */
export function secretsOf(instance: Instance): readonly Secret[] {
  const { seed, drawSecret, decoys } = instance;
  return [
    ...(seed.length < SHORTEST_SEED ? [] : [{ kind: 'seed', name: 'seed', value: seed } as const]),
    ...(drawSecret === null ? [] : [{ kind: 'draw-secret', name: 'draw secret', value: drawSecret } as const]),
    ...decoys.flatMap((decoy) => decoy.values.map((value) => ({ kind: 'decoy', name: decoy.kind, value }) as const)),
    ...hiddenValues(instance).map(([name, value]) => ({ kind: 'hidden-value', name, value }) as const),
  ];
}

/** Texts among the parameters that nothing shows to the subject. */
function hiddenValues({ parameters, instruction, files }: Instance): readonly (readonly [string, string])[] {
  const texts = Object.entries(parameters).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1].length >= SHORTEST_VALUE,
  );
  return texts.filter(([, value]) => !instruction.includes(value) && !files.some(({ bytes }) => bytes.includes(value)));
}
