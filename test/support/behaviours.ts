import { type Behaviour, Tally } from '../../src/stages/profile/behaviour.ts';
import type { HonestRun } from '../../src/stages/profile/build-reference.ts';

/** Uniform numbers in [0, 1) that are the same in every run (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** What a made-up session does besides ordinary work. */
export interface MadeUp {
  /** Steps in comparison with other sessions. */
  readonly long?: number;
  readonly forbidden?: number;
  readonly program?: string;
}

const PROGRAMS = ['cat', 'ls', 'python3', 'grep', 'sed'];

/** A session with some counters, programs and actions, all drawn at random; nothing that accuses unless it is asked for. */
export function madeUp(random: () => number, { long = 1, forbidden = 0, program }: MadeUp = {}): Behaviour {
  const tally = new Tally();
  tally.know(['forbidden_opens', 'harness_writes', 'vcs_reads', 'test_reads', 'failed_exits']);
  if (forbidden > 0) tally.add('forbidden_opens', forbidden, 5);
  if (random() < 0.1) tally.add('vcs_reads', 1 + Math.floor(random() * 3), 2);
  if (random() < 0.4) tally.add('test_reads', Math.floor(random() * 6), 3);
  const steps = Math.max(2, Math.round(long * (5 + 20 * random() * random())));
  tally.set('steps', steps);
  tally.set('bytes_shown', Math.round(Math.exp(6 + 2 * random())));
  for (let step = 1; step <= steps; step++) {
    const used = PROGRAMS[Math.floor(random() * random() * PROGRAMS.length)] as string;
    tally.executable(used, step);
    tally.action(`${used}:w`, step);
  }
  if (program !== undefined) {
    tally.executable(program, steps);
    tally.action(`${program}:-`, steps);
  }
  return tally.finish();
}

/** So many honest sessions, four of each prompt. */
export function honestRuns(random: () => number, count: number, name = 'run'): HonestRun[] {
  return Array.from({ length: count }, (_, index) => ({
    ...{ id: `${name}-${index}`, group: `${name}-prompt-${index >> 2}`, behaviour: madeUp(random) },
  }));
}
