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

/** A line on standard error that the next one replaces; nothing where standard error is not a terminal. */
export function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[2K${text}`);
}

/** Prints one JSON document on standard output. */
export function printJson(value: unknown): void {
  console.log(JSON.stringify(value, null, 2));
}

function visible(text: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the colour codes made above
  return text.replace(/\u001b\[\d+m/g, '').length;
}
