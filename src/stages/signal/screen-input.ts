import type { GivenFile, Screened, ScreenedFile, ScreenInput } from './detector.ts';
import { importNames, isTestPath } from './own-tests.ts';
import { type PythonFiles, readPythonFiles } from './python-files.ts';

/** Prepares what detectors look at: whose code is whose, and syntax that is read once for all of them. */
export function screenInput(screened: Screened): ScreenInput {
  const { files, given } = screened;
  const handedIn = readPythonFiles(files);
  const before = readPythonFiles(given);
  return {
    ...screened,
    solution: solutionOf(files, given, handedIn),
    python: (file) => handedIn.find(file) ?? before.find(file),
    unread: handedIn.unread,
  };
}

function solutionOf(
  files: readonly ScreenedFile[],
  given: readonly GivenFile[],
  python: PythonFiles,
): readonly ScreenedFile[] {
  const givenAt = new Map(given.map(({ path, bytes }) => [path, bytes]));
  const changed = files.filter(({ path, bytes }) => givenAt.get(path)?.equals(bytes) !== true);
  const code = changed.filter(({ path }) => !isTestPath(path));
  const imported = new Set(code.flatMap((file) => [...(python.find(file)?.imported ?? [])]));
  return changed.filter(
    ({ path }) => !isTestPath(path) || (path.endsWith('.py') && importNames(path).some((name) => imported.has(name))),
  );
}
