import { existsSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { digestOf } from '../../base/digest.ts';
import { type BwrapPlan, bwrapArguments } from './arguments.ts';

const PLAN: BwrapPlan = {
  root: { kind: 'directory', path: '/snapshots/tree', digest: digestOf('tree') },
  workFolder: '/host/work',
  etcFolder: '/host/etc',
  tools: { wire: '/graders/wire', function: '/graders/function' },
  program: ['/usr/bin/python3', '-I', 'main.py'],
  descriptors: { status: 3, gate: 4, seccomp: 6 },
};

/** The arguments, and the values that follow each occurrence of an option. */
function planned(change: Partial<BwrapPlan> = {}) {
  const args = bwrapArguments({ ...PLAN, ...change });
  const after = (option: string, count: number) =>
    args.flatMap((arg, index) => (arg === option ? [args.slice(index + 1, index + 1 + count)] : []));
  return { args, after };
}

/** What stands before the first `--`: the arguments of bwrap itself. */
const ownPart = (args: readonly string[]) => args.slice(0, args.indexOf('--'));

test('every namespace is new, no capability is kept, and no further namespace can be made', () => {
  const { args, after } = planned();
  for (const option of [
    '--unshare-all',
    '--unshare-user',
    '--disable-userns',
    '--die-with-parent',
    '--new-session',
    '--as-pid-1',
  ]) {
    expect(ownPart(args), option).toContain(option);
  }
  expect(after('--cap-drop', 1)).toEqual([['ALL']]);
  expect(after('--uid', 1)).toEqual([['1000']]);
  expect(after('--gid', 1)).toEqual([['1000']]);
  expect(args.filter((arg) => /^--(share-net|cap-add|dev-bind|userns|pidns)/.test(arg))).toEqual([]);
});

test('the work folder is the only thing of the host that can be written', () => {
  expect(planned().after('--bind', 2)).toEqual([['/host/work', '/work']]);
  expect(planned({ root: { kind: 'host' } }).after('--bind', 2)).toEqual([['/host/work', '/work']]);
});

test('a snapshot is the read-only root and nothing of the host’s /usr or /etc is shown', () => {
  expect(planned().after('--ro-bind', 2)).toEqual([
    ['/snapshots/tree', '/'],
    ['/graders/wire', '/proctor/wire'],
    ['/graders/function', '/proctor/function'],
  ]);
});

test('the host as root shows /usr and a made /etc read-only, with its local folders masked', () => {
  const { args, after } = planned({ root: { kind: 'host' }, tools: {} });
  expect(after('--ro-bind', 2)).toEqual([
    ['/usr', '/usr'],
    ['/host/etc', '/etc'],
  ]);
  expect(after('--remount-ro', 1)).toContainEqual(['/']);
  const masked = ['/usr/local', '/usr/src'].filter((path) => existsSync(path));
  expect(after('--tmpfs', 1)).toEqual(expect.arrayContaining(masked.map((path) => [path])));
  expect(after('--symlink', 2)).toContainEqual(['usr/bin', '/bin']);
  for (const path of masked) expect(args.indexOf(path)).toBeGreaterThan(args.indexOf('/usr'));
});

test('the folder of tools cannot be written once they are bound in it', () => {
  const { args } = planned();
  const closed = args.findIndex((arg, index) => arg === '--remount-ro' && args[index + 1] === '/proctor');
  expect(closed).toBeGreaterThan(args.indexOf('/proctor/function'));
});

test('scratch space has a size', () => {
  const sized = planned().after('--size', 3);
  expect(sized).toEqual([
    [String(16 * 1024 * 1024), '--tmpfs', '/dev/shm'],
    [String(64 * 1024 * 1024), '--tmpfs', '/tmp'],
  ]);
});

test('the descriptors are named, and the filter only where there is one', () => {
  const { after } = planned();
  expect([after('--json-status-fd', 1), after('--block-fd', 1), after('--seccomp', 1)]).toEqual([
    [['3']],
    [['4']],
    [['6']],
  ]);
  expect(planned({ descriptors: { status: 7, gate: 8, seccomp: null } }).args).not.toContain('--seccomp');
});

test('the environment is emptied first and holds what the command says, nothing of the service', () => {
  process.env.PROCTOR_TEST_SECRET = 'hidden-value';
  onTestFinished(() => void delete process.env.PROCTOR_TEST_SECRET);
  const { args, after } = planned({ program: ['/bin/true'], env: { HOME: '/work', X: 'a b' } });
  expect(args.indexOf('--clearenv')).toBeLessThan(args.indexOf('--setenv'));
  expect(Object.fromEntries(after('--setenv', 2))).toEqual({
    ...{ PATH: '/usr/bin:/bin', HOME: '/work', TMPDIR: '/tmp', LANG: 'C.UTF-8' },
    ...{ PYTHONDONTWRITEBYTECODE: '1', X: 'a b' },
  });
  expect(args.join(' ')).not.toContain('hidden-value');
});

test('what lives on is not ended with this process, and all else is as ever', () => {
  const { args } = planned({ outlives: true });
  expect(args).toEqual(planned().args.filter((arg) => arg !== '--die-with-parent'));
});

test('the command stands last and untouched, so that nothing in it is an option of bwrap', () => {
  const argv = ['--bind', '/', '/host', '--', '$(id)', ''];
  const { args } = planned({ program: argv });
  expect(args.slice(-argv.length)).toEqual(argv);
  expect(args.at(-argv.length - 1)).toBe('--');
  expect(ownPart(args)).not.toContain('$(id)');
});

test('a command starts in /work unless it says otherwise', () => {
  expect(planned().after('--chdir', 1)).toEqual([['/work']]);
  expect(planned({ program: ['/bin/true'], cwd: '/tmp' }).after('--chdir', 1)).toEqual([['/tmp']]);
});
