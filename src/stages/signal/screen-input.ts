import { type Digest, digestOf, digestOfJson } from '../../platform/base/digest.ts';
import type { Screened, ScreenedFile, ScreenInput } from './detector.ts';
import { findLeaks } from './leaks/find-leaks.ts';
import { FEWEST_BYTES, type Haystack, type Leak, type LeakSearch, type Secret } from './leaks/leak.ts';
import { importNames, isTestPath } from './own-tests.ts';
import { type PythonFiles, readPythonFiles } from './python-files.ts';
import { saidInSession, sentInSession } from './session-trace.ts';
import { isCode } from './source-code.ts';

/** What is searched for secrets, unpacked and all: up to three seconds of one processor for the worst that there is. */
const MOST_SEARCHED_BYTES = 8 * 1024 * 1024;

/** Prepares what detectors look at: whose code is whose, and syntax that is read once for all of them. */
export function screenInput(screened: Screened): ScreenInput {
  const { files, given, session } = screened;
  const handedIn = readPythonFiles(files);
  const before = readPythonFiles(given);
  const changed = changedIn(screened);
  let searched: LeakSearch | null = null;
  const sent = session === null ? [] : sentInSession(session);
  return {
    ...screened,
    twins: [],
    leaks() {
      searched ??= searchLeaks(screened, changed, sent);
      return searched;
    },
    sent,
    solution: solutionOf(changed, handedIn),
    python: (file) => handedIn.find(file) ?? before.find(file),
    unread: handedIn.unread,
  };
}

/**
 * Looks through what the subject sent, said and changed, programs and small files first. What it was given holds decoys as they are. Behind the
 * bound all is searched in plain still, so that bulk hides no more than a disguise does.
 */
function searchLeaks(
  { session, secrets }: Screened,
  changed: readonly ScreenedFile[],
  sent: readonly Haystack[],
): LeakSearch {
  const said = session === null ? [] : saidInSession(session);
  const inOrder = changed.toSorted(
    (one, other) => Number(isCode(other)) - Number(isCode(one)) || one.bytes.length - other.bytes.length,
  );
  const haystacks = [...sent, ...said, ...inOrder.map(({ path, bytes }) => ({ name: path, bytes }))];
  const search = findLeaks(secrets, haystacks, { maxBytes: MOST_SEARCHED_BYTES });
  return search.cut ? { ...search, leaks: [...search.leaks, ...plainLeaks(secrets, haystacks, search.leaks)] } : search;
}

function plainLeaks(
  secrets: readonly Secret[],
  haystacks: readonly Haystack[],
  known: readonly Leak[],
): readonly Leak[] {
  const found = new Map<string, Set<Secret>>();
  for (const { haystack, secret } of known) found.set(haystack, (found.get(haystack) ?? new Set()).add(secret));
  return haystacks.flatMap(({ name, bytes }) =>
    secrets
      .filter((secret) => found.get(name)?.has(secret) !== true)
      .filter(({ value }) => value.length >= FEWEST_BYTES && bytes.includes(value))
      .map((secret): Leak => ({ secret, haystack: name, line: 0, as: 'plain' })),
  );
}

/** The files that are not as the workspace gave them. */
function changedIn({ files, given }: Pick<Screened, 'files' | 'given'>): readonly ScreenedFile[] {
  const givenAt = new Map(given.map(({ path, bytes }) => [path, bytes]));
  return files.filter(({ path, bytes }) => givenAt.get(path)?.equals(bytes) !== true);
}

/** One digest for what a subject wrote, by which the same is found again; null when it wrote nothing. */
export function printOf({ solution }: Pick<ScreenInput, 'solution'>): Digest | null {
  if (solution.length === 0) return null;
  return digestOfJson(solution.map(({ path, bytes }) => ({ path, sha256: digestOf(bytes) })));
}

function solutionOf(changed: readonly ScreenedFile[], python: PythonFiles): readonly ScreenedFile[] {
  const code = changed.filter(({ path }) => !isTestPath(path));
  const imported = new Set(code.flatMap((file) => [...(python.find(file)?.imported ?? [])]));
  return changed.filter(
    ({ path }) => !isTestPath(path) || (path.endsWith('.py') && importNames(path).some((name) => imported.has(name))),
  );
}
