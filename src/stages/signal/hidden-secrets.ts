import type { Instance } from '../instance/instance.ts';
import type { ParameterSpec } from '../task/parameters.ts';
import { findLeaks } from './leaks/find-leaks.ts';
import type { Secret } from './leaks/leak.ts';

/** Texts that are drawn from many words; those that an author lists are words that anybody may use. */
const FREE_TEXTS: readonly ParameterSpec['type'][] = ['name', 'text', 'prose', 'code'];
/** Shorter texts, and single words, are soon found by chance; longer ones are not what somebody takes. */
const [SHORTEST, LONGEST] = [12, 500];
/** Of what a workspace gives, for what it shows: where that is more, nothing is called hidden. */
const MOST_GIVEN_BYTES = 4 * 1024 * 1024;
const TWO_WORDS = /[\p{L}\d][\s_-]+[\p{L}\d]|\p{Ll}\p{Lu}/u;

/** What nobody outside may have of an instance, and what only somebody has who took it from a decoy. */
export function secretsOf(instance: Instance, specs: Readonly<Record<string, ParameterSpec>>): readonly Secret[] {
  const { seed, seedDrawn, drawSecret, decoys } = instance;
  return [
    // a seed that a caller chose may be any word
    ...(seedDrawn ? [{ kind: 'seed', name: 'seed', value: seed } as const] : []),
    ...(drawSecret === null ? [] : [{ kind: 'draw-secret', name: 'draw secret', value: drawSecret } as const]),
    ...decoys.flatMap((decoy) => decoy.values.map((value) => ({ kind: 'decoy', name: decoy.kind, value }) as const)),
    ...unshown(instance, hiddenTexts(instance, specs)),
  ];
}

function hiddenTexts({ parameters }: Instance, specs: Readonly<Record<string, ParameterSpec>>): readonly Secret[] {
  return Object.entries(parameters).flatMap(([name, value]): Secret[] => {
    const spec = Object.hasOwn(specs, name) ? specs[name] : undefined;
    if (spec === undefined || !FREE_TEXTS.includes(spec.type) || typeof value !== 'string') return [];
    const isTelling = value.length >= SHORTEST && value.length <= LONGEST && TWO_WORDS.test(value);
    return isTelling ? [{ kind: 'hidden-value', name, value }] : [];
  });
}

/** Those that nothing shows to the subject: in no text, file or name, however it is written there. */
function unshown({ instruction, files }: Instance, texts: readonly Secret[]): readonly Secret[] {
  const left = texts.filter(
    ({ value }) => !instruction.includes(value) && !files.some(({ bytes }) => bytes.includes(value)),
  );
  if (left.length === 0) return [];
  const names = files.map(({ path }) => path).join('\n');
  const shown = [
    { name: 'instruction', bytes: Buffer.from(`${instruction}\n${names}`) },
    ...files.map(({ path, bytes }) => ({ name: path, bytes })),
  ];
  const { leaks, cut } = findLeaks(left, shown, { maxBytes: MOST_GIVEN_BYTES });
  // what was not all looked through may show any of them
  return cut ? [] : left.filter((secret) => !leaks.some((leak) => leak.secret === secret));
}
