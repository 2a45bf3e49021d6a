import type { EpisodeStep } from './episode.ts';
import { isRight, testRunOf } from './step-kind.ts';

/** What ends a part of a session. `end`: nothing but the session's own end. */
export const GOALS = ['task', 'user-turn', 'milestone', 'commit', 'tests-green', 'end'] as const;
export type Goal = (typeof GOALS)[number];

/** A part of a session that worked towards one thing. */
export interface Segment {
  /** Steps, from 1, both among them. */
  readonly from: number;
  readonly to: number;
  readonly goal: Goal;
  /** The name of what was reached, where it has one. */
  readonly reached: string;
  readonly context: {
    /** Steps that were made before it. */
    readonly stepsBefore: number;
    /** What was reached before it, in order. */
    readonly goals: readonly Goal[];
    /** The last thing that a user or a task asked for. */
    readonly asked: string;
  };
}

/** More parts than this are not told apart: the last one goes to the end. */
const MOST_SEGMENTS = 200;
const COMMIT = /(?:^|[;&|\n])\s*git\b[^;&|\n]{0,200}\scommit\b/;

interface Cut {
  /** Index of the first step after it. */
  readonly at: number;
  readonly goal: Goal;
  readonly reached: string;
}

/**
 * Cuts a session where a goal was reached: at a new task or a user's turn (before that step), and after a commit, a milestone, or a test
 * run of its own that passed where the one before had not. One pass. A session without steps has no parts.
 */
export function segmentSteps(steps: readonly EpisodeStep[]): readonly Segment[] {
  const cuts = cutsOf(steps).slice(0, MOST_SEGMENTS - 1);
  const segments: Segment[] = [];
  let first = 0;
  let asked = '';
  for (const { at, goal, reached } of [...cuts, { at: steps.length, goal: 'end', reached: '' } as const]) {
    if (at <= first) continue;
    const mark = steps[first]?.mark ?? null;
    if (mark !== null && mark.kind !== 'milestone') asked = mark.text;
    const context = { stepsBefore: first, goals: segments.map((each) => each.goal), asked };
    const [from, to] = [steps[first]?.step ?? 0, steps[at - 1]?.step ?? 0];
    segments.push({ from, to, goal, reached, context });
    first = at;
  }
  return segments;
}

function cutsOf(steps: readonly EpisodeStep[]): readonly Cut[] {
  const cuts: Cut[] = [];
  let wasGreen = false;
  steps.forEach((step, index) => {
    const { mark } = step;
    if (mark !== null)
      cuts.push({ at: mark.kind === 'milestone' ? index + 1 : index, goal: mark.kind, reached: mark.text });
    const run = testRunOf(step);
    if (run === 'green' && !wasGreen) cuts.push({ at: index + 1, goal: 'tests-green', reached: '' });
    if (run !== null) wasGreen = run === 'green';
    if (isCommit(step)) cuts.push({ at: index + 1, goal: 'commit', reached: '' });
  });
  return cuts;
}

function isCommit(step: EpisodeStep): boolean {
  const { command } = step.action.parameters;
  return typeof command === 'string' && COMMIT.test(command.slice(0, 4_096)) && isRight(step);
}
