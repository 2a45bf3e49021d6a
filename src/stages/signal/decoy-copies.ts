import type { ScreenedFile, ScreenInput } from './detector.ts';

/** Whether a file is, to the byte, one that the workspace gave under another name. */
export function isCopy({ given }: Pick<ScreenInput, 'given'>, { bytes }: ScreenedFile): boolean {
  return given.some((each) => each.bytes.equals(bytes));
}
