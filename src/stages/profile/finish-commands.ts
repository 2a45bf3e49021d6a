import type { Tally } from './behaviour.ts';
import type { CommandSums } from './note-command.ts';

/** What can be said of commands only when all are known. `steps` is their number; nothing is said of none. */
export function finishCommands(tally: Tally, sums: CommandSums, steps: number): void {
  const { byKind, kinds, literal, written, firstWrite } = sums;
  const all = byKind.read + byKind.write + byKind.execute + byKind.none;
  tally.setShare('read_share', byKind.read, all);
  tally.setShare('write_share', byKind.write, all);
  tally.setShare('execute_share', byKind.execute, all);
  tally.setShare('literal_share', literal, written);
  if (all === 0) return;
  tally.set('tool_entropy', entropyBits([...kinds.values()], all));
  // a session that wrote nothing wrote nothing within all of its steps
  tally.set('steps_before_write', firstWrite === null ? steps : firstWrite - 1);
}

function entropyBits(counts: readonly number[], all: number): number {
  return counts.reduce((sum, count) => sum - (count / all) * Math.log2(count / all), 0);
}
