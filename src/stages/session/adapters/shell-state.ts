import type { ShellState } from '../session.ts';

/** What is carried over at most, in bytes, and in one value. */
const MOST_BYTES = 131_072;
const LONGEST_VALUE = 65_536;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** What bash makes anew for every command. */
const OWN = ['_', 'SHLVL', 'PWD', 'OLDPWD'];

/**
 * Reads what a shell said of itself: its folder, then its variables, each ended by a zero byte. Null when it said nothing or not
 * this: then the next command goes on from where this one began. It is the agent's word, and used for nothing but its commands.
 */
export function readShellState(told: Buffer): ShellState | null {
  const fields = told.toString('utf8').split('\0');
  const cwd = fields.shift() ?? '';
  const isWhole = fields.pop() === '' && told.length <= MOST_BYTES;
  if (!isWhole || !cwd.startsWith('/') || cwd.length > 4_096) return null;
  const variables = fields.map(split).filter((pair) => pair !== null);
  return { cwd, env: Object.fromEntries(variables.filter(([name]) => !OWN.includes(name))) };
}

/** Null for what no program could be given, or nobody needs: functions that bash exports, values without end. */
function split(field: string): readonly [string, string] | null {
  const at = field.indexOf('=');
  const name = field.slice(0, at);
  const value = field.slice(at + 1);
  return at > 0 && NAME.test(name) && value.length <= LONGEST_VALUE ? [name, value] : null;
}
