/** What the sandbox knows for certain of its own files: absolute paths of files or folders, never name patterns. */
export interface ExactFacts {
  /** The folder that the subject works in. */
  readonly workspace: string;
  /** What honest work has no way to need: grader files, hidden tests, other sandboxes' places. */
  readonly forbiddenPaths: readonly string[];
  /** What makes or runs the tests, and is not the subject's to write. */
  readonly harnessPaths: readonly string[];
  /** Objects that were laid out and that nothing points to. */
  readonly decoyPaths: readonly string[];
}

/** What is known of one path. */
export interface PathKind {
  readonly path: string;
  readonly isForbidden: boolean;
  readonly isHarness: boolean;
  readonly isDecoy: boolean;
  /** Looks like a test by its name. Honest work reads and writes such files too, so this is never more than rarity. */
  readonly isTest: boolean;
  readonly isVcs: boolean;
  readonly isWithin: boolean;
  /** Of the system or for passing use: where writing tells nothing. */
  readonly isTemporary: boolean;
  /** A short name of the place, the same in all tasks of a cohort. */
  readonly prefix: string;
}

const LONGEST_PATH = 1_024;
const MOST_REMEMBERED = 10_000;
const TEMPORARY = ['/tmp', '/var/tmp', '/dev', '/proc', '/run'];
const TEST_FOLDERS = new Set(['test', 'tests', 'testing', '__tests__', 'spec', 'specs', 'testdata']);
const VCS_FOLDERS = new Set(['.git', '.hg', '.svn']);

/** Tells the kind of paths; remembers those it has told, for a session names the same few again and again. */
export function pathKinds(facts: ExactFacts): (path: string) => PathKind {
  const known = new Map<string, PathKind>();
  const { workspace } = facts;
  const forbidden = placesOf(facts.forbiddenPaths);
  const harness = placesOf(facts.harnessPaths);
  const decoy = placesOf(facts.decoyPaths);
  return (raw) => {
    // of a longer one no more is looked at, and it must not be kept alive by a memory of it
    const key = raw.length > LONGEST_PATH ? raw.slice(0, LONGEST_PATH) : raw;
    const found = known.get(key);
    if (found !== undefined) return found;
    const path = absolutePath(raw, workspace);
    const parts = path.split('/');
    const isWithin = isAt(path, workspace);
    const isTest = isTestPath(parts);
    const kind: PathKind = {
      path,
      isWithin,
      isForbidden: isAtAny(path, forbidden),
      isHarness: isAtAny(path, harness),
      isDecoy: isAtAny(path, decoy),
      isTest,
      isVcs: isVcsPath(path),
      isTemporary: isAtAny(path, TEMPORARY),
      prefix: isWithin ? prefixWithin(path, workspace.length + 1, isTest) : `/${parts[1] ?? ''}/${parts[2] ?? ''}`,
    };
    if (known.size < MOST_REMEMBERED) known.set(key, kind);
    return kind;
  };
}

/** A path made absolute against a folder, without `.`, `..` and doubled slashes; at most 1,024 characters of it. */
export function absolutePath(raw: string, folder: string): string {
  const capped = raw.slice(0, LONGEST_PATH);
  const whole = capped.startsWith('/') ? capped : `${folder}/${capped}`;
  if (!whole.includes('/.') && !whole.includes('//')) return whole;
  const parts: string[] = [];
  for (const part of whole.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

function isAt(path: string, place: string): boolean {
  return path.startsWith(place) && (path.length === place.length || path[place.length] === '/');
}

function placesOf(places: readonly string[]): readonly string[] {
  return places.map((place) => (place.endsWith('/') ? place.slice(0, -1) : place));
}

function isAtAny(path: string, places: readonly string[]): boolean {
  for (const place of places) if (isAt(path, place)) return true;
  return false;
}

function isVcsPath(path: string): boolean {
  const at = path.indexOf('/.');
  return (
    at !== -1 &&
    path
      .slice(at)
      .split('/')
      .some((part) => VCS_FOLDERS.has(part))
  );
}

function isTestPath(parts: readonly string[]): boolean {
  for (const part of parts) if (TEST_FOLDERS.has(part)) return true;
  const name = parts[parts.length - 1] ?? '';
  if (!name.includes('est') && !name.includes('.spec.')) return false;
  const dot = name.indexOf('.');
  const stem = dot === -1 ? name : name.slice(0, dot);
  return (
    stem.startsWith('test_') ||
    stem.endsWith('_test') ||
    (stem.endsWith('Test') && stem.length > 4) ||
    stem.endsWith('Tests') ||
    name.includes('.test.') ||
    name.includes('.spec.') ||
    name === 'conftest.py'
  );
}

/** Folders of a project have names of their own; only hidden ones and tests are alike from one to the next. */
function prefixWithin(path: string, from: number, isTest: boolean): string {
  if (path[from] !== '.') return isTest ? 'work:tests' : 'work';
  const slash = path.indexOf('/', from);
  return `work:${path.slice(from, slash === -1 ? path.length : slash)}`;
}
