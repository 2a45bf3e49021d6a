import { dim, green, onScreen, table, yellow } from '../output.ts';
import type { Replay } from './replay-session.ts';

/** Prints a replay for people: each step, then and now. */
export function printReplay({ sessionId, replayId, steps }: Replay): void {
  const rows = steps.map(({ step, action, then, now, differs, same }) => [
    ...[String(step), action, onScreen(then), onScreen(now)],
    same ? green('the same') : yellow(`differs: ${differs.join(', ')}`),
  ]);
  console.log(table([['step', 'action', 'then', 'now', ''], ...rows]));
  const differing = steps.filter(({ same }) => !same).length;
  console.log(`\n${steps.length} steps of ${sessionId}, ${differing} of them differ`);
  console.log(dim(`the second time is recorded as ${replayId}`));
}
