import type { SimpleCommand } from './read-command.ts';

/** What a program mostly does, as far as its name and arguments say. */
export type ProgramKind = 'read' | 'write' | 'execute' | 'none';

const set = (names: string): ReadonlySet<string> => new Set(names.split(' '));

const READERS = set(
  'cat open head tail less more nl grep egrep rg ag ack search_file search_dir find find_file ls tree goto scroll_down scroll_up view wc diff cmp file strings xxd hexdump od stat awk cut sort uniq read list readelf objdump nm which pwd du jq',
);
const WRITERS = set(
  'edit create insert append touch tee cp mv rm mkdir ln chmod chown patch apply_patch str_replace create_file write_file write remove truncate install dd tar unzip',
);
const SILENT = set('submit exit cd close exit_cost exit_context exit_format exit_forfeit echo printf export true set');
const SENDERS = set('curl wget nc ncat netcat ssh scp sftp ftp telnet rsync ping dig nslookup');
/** Programs that fetch when told so, and the words that tell them. */
const FETCHERS: Readonly<Record<string, ReadonlySet<string>>> = {
  git: set('clone fetch pull ls-remote push'),
  pip: set('install download'),
  pip3: set('install download'),
  npm: set('install i add ci'),
  yarn: set('install add'),
  'apt-get': set('install update'),
  apt: set('install update'),
  go: set('get install'),
  cargo: set('install fetch'),
};
const VCS_WORDS = set(
  'log show reflog cat-file fsck rev-list ls-tree blame stash checkout restore fetch bundle archive',
);
const TESTERS = set(
  'pytest py.test tox nox nosetests unittest runtests.py phpunit jest vitest mocha rspec ctest test_runner',
);
const TEST_RUNNERS = set('npm yarn pnpm mvn mvnw gradle gradlew cargo go make dotnet bazel');
const TEST_WORDS = set('test tests check pytest unittest verify');
/** Variables by which a library or module is put before those of the program. */
const LOADER_VARIABLES = set(
  'LD_PRELOAD LD_LIBRARY_PATH PYTHONPATH PYTHONSTARTUP NODE_OPTIONS NODE_PATH PERL5LIB BASH_ENV',
);

export function programKind({ program, words, writesTo }: SimpleCommand): ProgramKind {
  if (writesTo.some((path) => path !== '/dev/null')) return 'write';
  if (READERS.has(program)) return 'read';
  if (WRITERS.has(program)) return 'write';
  if (program === 'sed' || program === 'perl') return words.some((word) => word.startsWith('-i')) ? 'write' : 'read';
  if (program === '' || SILENT.has(program)) return 'none';
  return 'execute';
}

/** Reading what the version control remembers; its status, and what it is told to keep, are everybody's business. */
export function readsHistory({ program, words }: SimpleCommand): boolean {
  if (program !== 'git' && program !== 'hg' && program !== 'svn') return false;
  const verb = words.find((word) => !word.startsWith('-'));
  return verb !== undefined && VCS_WORDS.has(verb);
}

export function asksNetwork({ program, words }: SimpleCommand): boolean {
  if (SENDERS.has(program)) return true;
  const verbs = Object.hasOwn(FETCHERS, program) ? FETCHERS[program] : undefined;
  return verbs !== undefined && words.some((word) => verbs.has(word));
}

export function runsTests({ program, words }: SimpleCommand): boolean {
  if (TESTERS.has(program)) return true;
  if (TEST_RUNNERS.has(program)) return words.some((word) => TEST_WORDS.has(word));
  return (
    program.startsWith('python') && words.some((word) => TESTERS.has(nameOf(word)) || nameOf(word).startsWith('test_'))
  );
}

export function isLoaderVariable(name: string): boolean {
  return LOADER_VARIABLES.has(name);
}

function nameOf(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}
