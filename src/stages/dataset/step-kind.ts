import { digestOf } from '../../platform/base/digest.ts';
import type { Move } from '../profile/quality-moves.ts';
import type { EpisodeStep } from './episode.ts';

/** Characters of a command that are read. */
const MOST_CHARS = 4_096;
/** Programs that run tests, and scripts whose names say that they check. */
const TEST_RUN =
  /\b(?:pytest|unittest|nosetests|vitest|jest|mocha|tox|(?:npm|yarn|pnpm)(?: run)? test|node --test|go test|cargo test|make (?:test|check)|python3? (?:\S{0,200}\/)?(?:test|check)\w{0,60}\.py)\b/;

/** Whether a step did what it says, as far as its exit code or its status tells. */
export function isRight({ observation }: EpisodeStep): boolean {
  return observation.exitCode === null ? observation.status === 'ok' : observation.exitCode === 0;
}

/** How a run of the agent's own tests ended; null where the step is none. */
export function testRunOf(step: EpisodeStep): 'green' | 'red' | null {
  const { command } = step.action.parameters;
  if (typeof command !== 'string' || !TEST_RUN.test(command.slice(0, MOST_CHARS))) return null;
  return isRight(step) ? 'green' : 'red';
}

/** Actions on files whose effect is known without a recorder. */
const CHANGES: Readonly<Record<string, boolean>> = {
  ...{ 'files.write': true, 'files.patch': true, 'files.remove': true, 'files.read': false, 'files.list': false },
};

/** Steps as far as their worth is concerned; whether a command changed something is not known here. */
export function movesOfSteps(steps: readonly EpisodeStep[]): readonly Move[] {
  return steps.map((step) => {
    const { action, observation } = step;
    const name = `${action.environment}.${action.action}`;
    const known = CHANGES[name];
    const changed = known === undefined ? null : known && isRight(step);
    const shown = observation.outputs.reduce((sum, { bytes }) => sum + bytes, observation.text.length);
    return { action: digestOf(JSON.stringify([name, action.parameters])), changed, shownBytes: shown };
  });
}

/** What a step does as one text: the command, or the action with its parameters. */
export function actionText({ action }: EpisodeStep): string {
  const { command } = action.parameters;
  return typeof command === 'string'
    ? command
    : `${action.environment}.${action.action} ${JSON.stringify(action.parameters)}`;
}
