import type { ScreenedFile } from './detector.ts';

const ENDING = /\.(?:py|[cm]?[jt]sx?|go|rs|sh|bash|rb|pl|php|java|kt|c|cc|cpp|h|hpp|lua|sql|mk)$/;
const NAME = /(?:^|\/)(?:GNU)?[Mm]akefile$/;
const SHEBANG = Buffer.from('#!');

/** Whether a file is a program, by its name or its first bytes. */
export function isCode({ path, bytes }: ScreenedFile): boolean {
  return ENDING.test(path) || NAME.test(path) || bytes.subarray(0, SHEBANG.length).equals(SHEBANG);
}
