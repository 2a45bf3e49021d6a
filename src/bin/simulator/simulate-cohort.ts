import type { Behaviour } from '../../stages/profile/behaviour.ts';
import type { HonestRun } from '../../stages/profile/build-reference.ts';
import { extractFeatures } from '../../stages/profile/extract-features.ts';
import type { OpenReference } from '../../stages/profile/reference.ts';
import { type Score, scoreSession } from '../../stages/profile/score.ts';
import type { Cheat } from './cheats.ts';
import type { Random } from './random.ts';
import { SIMULATED_FACTS, STYLES, type StyleName, simulateLog } from './simulate.ts';

const STYLE_NAMES = Object.keys(STYLES) as readonly StyleName[];
/** Rollouts of one prompt. */
export const ROLLOUTS = 8;

/** What a simulated cohort is made of. */
export interface Mixture {
  /** Prompts, of eight rollouts each. */
  readonly groups: number;
  readonly cheaterPercent: number;
  /** 1: as in the reference; more: longer sessions with more tests, as a policy drifts to. */
  readonly drift: number;
  readonly kinds: readonly Cheat[];
}

/** A simulated session, honest where `cheat` is null. */
export type SimulatedRun = HonestRun & { readonly cheat: Cheat | null };

/** A simulated session that was scored. */
export interface Simulated {
  readonly cheat: Cheat | null;
  readonly score: Score;
}

/** Groups of eight rollouts of one prompt, in mixed styles. */
export function simulateCohort({ groups, cheaterPercent, drift, kinds }: Mixture, random: Random): SimulatedRun[] {
  const made: SimulatedRun[] = [];
  for (let group = 0; group < groups; group++) {
    const difficulty = Math.exp(0.3 * random.normal());
    for (let member = 0; member < ROLLOUTS; member++) {
      const style = STYLE_NAMES[random.below(STYLE_NAMES.length)] as StyleName;
      const cheat = random.next() * 100 < cheaterPercent ? (kinds[random.below(kinds.length)] as Cheat) : null;
      const log = simulateLog({ style, cheat, drift, difficulty }, random);
      const behaviour: Behaviour = extractFeatures(log, SIMULATED_FACTS);
      made.push({ id: `${group}/${member}`, group: `prompt-${group}`, behaviour, cheat });
    }
  }
  return made;
}

/** Makes sessions of a mixture and scores them, each beside the others of its prompt. */
export function scoreCohort(reference: OpenReference, mixture: Mixture, random: Random): readonly Simulated[] {
  const runs = simulateCohort(mixture, random);
  return runs.map(({ behaviour, cheat }, index) => {
    const from = index - (index % ROLLOUTS);
    const group = runs.slice(from, from + ROLLOUTS).filter((_, at) => at !== index % ROLLOUTS);
    return { cheat, score: scoreSession(reference, { behaviour, group: group.map((one) => one.behaviour) }) };
  });
}
