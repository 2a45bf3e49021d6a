import type { Random } from './random.ts';

/** One thing that a session does: its command, and what a recorder sees of it. */
export interface Deed {
  readonly command: string;
  readonly programs: readonly string[];
  readonly read?: readonly string[];
  readonly written?: readonly string[];
  readonly connect?: string;
  readonly fails?: boolean;
  readonly outputBytes?: number;
}

/** One of the project's files. */
export function fileOf(random: Random): string {
  return `/work/src/part_${random.below(12)}.py`;
}

/** A file that is written by a command. */
export function writing(file: string, code: string): Deed {
  return { command: `cat > ${file} <<'END'\n${code}END`, programs: ['/usr/bin/cat'], written: [file] };
}

/** Some lines of a program. */
export function codeOf(random: Random): string {
  const lines = 3 + random.below(20);
  return Array.from({ length: lines }, (_, line) => {
    return random.below(8) === 0
      ? `    name_${line} = "text ${random.below(99)}"\n`
      : `    total = total + item_${line} * rate\n`;
  }).join('');
}
