const TEST_FOLDERS = new Set(['tests', 'test', '__tests__', 'testing', 'spec']);
const TEST_NAME = /^(?:test_.*\.py|.*_test\.py|tests?\.py|conftest\.py|.*\.(?:test|spec)\.[cm]?[jt]sx?)$/;

/** Whether a path is one of an artifact's own tests, by where it lies and how it is named. */
export function isTestPath(path: string): boolean {
  const segments = path.split('/');
  return segments.slice(0, -1).some((folder) => TEST_FOLDERS.has(folder)) || TEST_NAME.test(segments.at(-1) ?? '');
}

/**
 * The names under which Python code may import a file: `a/b/c.py` is `a.b.c`, `b.c` or `c`. Code that the solution
 * imports is part of the solution, wherever it lies.
 */
export function importNames(path: string): readonly string[] {
  const parts = path.replace(/(?:\/__init__)?\.py$/, '').split('/');
  return parts.map((_, index) => parts.slice(index).join('.'));
}
