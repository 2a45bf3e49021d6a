/** Colours only for people at a terminal that wants them. */
const coloured = process.stdout.isTTY === true && process.env.NO_COLOR === undefined;

const paint = (code: number) => (text: string) => (coloured ? `\u001b[${code}m${text}\u001b[0m` : text);
export const green = paint(32);
export const red = paint(31);
export const yellow = paint(33);
export const dim = paint(2);

/** Columns padded to their widest cell; colours do not count. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => visible(row[column] ?? ''))));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - visible(cell)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Text that may come out of a sandbox, for a terminal: what would steer it or hide in it is shown by its number. */
export function onScreen(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** Where standard error is a file or a pipe, progress is told this often at most. */
const PLAIN_PROGRESS_MS = 10_000;
let toldAtMs = performance.now();

/** Progress on standard error: a line that the next one replaces at a terminal, else a line from time to time. */
export function progress(text: string): void {
  if (process.stderr.isTTY) {
    process.stderr.write(`\r\u001b[2K${text}`);
  } else if (text !== '' && performance.now() - toldAtMs > PLAIN_PROGRESS_MS) {
    toldAtMs = performance.now();
    process.stderr.write(`${text}\n`);
  }
}

/** Prints one JSON document on standard output. */
export function printJson(value: unknown): void {
  console.log(JSON.stringify(value, null, 2));
}

function visible(text: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the colour codes made above
  return text.replace(/\u001b\[\d+m/g, '').length;
}
