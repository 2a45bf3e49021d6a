import type { Instance } from '../instance/instance.ts';
import type { Task } from '../task/task.ts';

/** Recognises a task's hidden files in a text. */
export interface HiddenText {
  isIn(text: string): boolean;
}

/** A line of so many characters that only hidden files have is one of theirs; so are three in a row that have as many together. */
const TELLING_CHARS = 60;
const ROW = 3;
const HIDDEN = 'tests/';
/** Of one hidden file; those that are larger are data. */
const MOST_FILE_CHARS = 1_000_000;

const keptTasks = new WeakMap<Task, readonly (readonly string[])[]>();

/** What of a task's hidden files would give them away: lines and rows of lines that stand in nothing that the subject was shown. */
export function hiddenTextOf(task: Task, { files, instruction }: Pick<Instance, 'files' | 'instruction'>): HiddenText {
  const shown = new Set([instruction, ...files.map(({ bytes }) => bytes.toString('utf8'))].flatMap(linesOf));
  const telling = new Set<string>();
  for (const lines of hiddenLines(task)) {
    lines.forEach((line, index) => {
      if (line.length >= TELLING_CHARS && !shown.has(line)) telling.add(line);
      const row = lines.slice(index, index + ROW);
      const isTelling =
        row.length === ROW && row.join('').length >= TELLING_CHARS && row.some((each) => !shown.has(each));
      if (isTelling) telling.add(row.join('\n'));
    });
  }
  return { isIn: (text) => telling.size > 0 && hasTelling(linesOf(text), telling) };
}

function hiddenLines(task: Task): readonly (readonly string[])[] {
  const known = keptTasks.get(task);
  if (known !== undefined) return known;
  const hidden = task.files.filter(({ path }) => path.startsWith(HIDDEN));
  const lines = hidden.map(({ bytes }) => linesOf(bytes.toString('utf8').slice(0, MOST_FILE_CHARS)));
  keptTasks.set(task, lines);
  return lines;
}

function hasTelling(lines: readonly string[], telling: ReadonlySet<string>): boolean {
  return lines.some(
    (line, index) =>
      (line.length >= TELLING_CHARS && telling.has(line)) || telling.has(lines.slice(index, index + ROW).join('\n')),
  );
}

/** Lines without what is around them; empty ones do not count. Line breaks that are written out, as in JSON, are line breaks too. */
function linesOf(text: string): string[] {
  return text
    .split(/\r?\n|\\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
