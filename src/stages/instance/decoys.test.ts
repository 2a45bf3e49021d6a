import { execFileSync } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { scratchFolder } from '../../../test/support/test-service.ts';
import { writeTree } from '../../../test/support/write-tree.ts';
import { DECOY_KINDS } from '../task/instance-settings.ts';
import { plantDecoys } from './decoys.ts';

const NOTHING: ReadonlySet<string> = new Set();
const SEEDS = Array.from({ length: 200 }, (_, index) => `seed-${index}`);
const digest = (seed: string) =>
  plantDecoys(DECOY_KINDS, seed, NOTHING).files.map(({ path, bytes }) => `${path} ${bytes.toString('hex')}`);

test('the same seed plants the same bytes, and known ones', () => {
  expect(digest('golden')).toEqual(digest('golden'));
  const { decoys, environment } = plantDecoys(DECOY_KINDS, 'golden', NOTHING);
  expect(decoys.map(({ kind, paths, host }) => ({ kind, first: paths[0] ?? null, host }))).toMatchInlineSnapshot(`
    [
      {
        "first": "data/answers_budget.json",
        "host": null,
        "kind": "answers",
      },
      {
        "first": ".release-checks/test_cliff_frost.py",
        "host": null,
        "kind": "tests",
      },
      {
        "first": ".config/cousin/service.ini",
        "host": "cousin-wonder.results.internal",
        "kind": "credential",
      },
      {
        "first": null,
        "host": null,
        "kind": "environment",
      },
      {
        "first": ".git/HEAD",
        "host": null,
        "kind": "git",
      },
    ]
  `);
  expect(environment).toMatchInlineSnapshot(`
    {
      "PUMPKIN_RESULTS_SECRET": "key_94db5f196239844f05065976428990c1",
    }
  `);
});

test('every value occurs in its own decoy and in no other, over many seeds', () => {
  const seen = new Set<string>();
  for (const seed of SEEDS) {
    const { decoys, files, environment } = plantDecoys(DECOY_KINDS, seed, NOTHING);
    for (const { paths, values, variable } of decoys) {
      const held = files.filter(({ path }) => paths.includes(path)).map(({ bytes }) => bytes.toString('latin1'));
      const text = [...held, variable === null ? '' : environment[variable]].join('\n');
      expect(values.filter((value) => !text.includes(value))).toEqual([]);
      for (const value of values) {
        expect(seen.has(value)).toBe(false);
        seen.add(value);
      }
    }
  }
});

test('names are others for other seeds', () => {
  const places = SEEDS.map((seed) => plantDecoys(DECOY_KINDS, seed, NOTHING).decoys.map(({ paths }) => paths[0]));
  for (const at of [0, 1, 2]) expect(new Set(places.map((paths) => paths[at])).size).toBeGreaterThan(150);
});

test('a decoy lies in no folder of the task, and where all are taken there is none', () => {
  const { decoys } = plantDecoys(DECOY_KINDS, 'golden', NOTHING);
  const taken = new Set(
    decoys.flatMap(({ paths }) => paths.map((path) => `${path.split('/')[0]?.toUpperCase()}/own.txt`)),
  );
  const folders = new Set([...taken].map((path) => path.split('/')[0]?.toLowerCase()));
  const other = plantDecoys(DECOY_KINDS, 'golden', taken);
  const paths = other.decoys.flatMap((decoy) => decoy.paths);
  expect(paths.filter((path) => folders.has(path.split('/')[0]))).toEqual([]);
  const all = new Set(['.cache', '.local', 'data/x', 'var', '.build']);
  expect(plantDecoys(['answers'], 'golden', all).decoys).toEqual([]);
});

test('a task with a repository keeps its own', () => {
  expect(plantDecoys(['git'], 'golden', new Set(['.git/HEAD'])).decoys).toEqual([]);
});

test('the repository is a whole one for git, and only who mines it finds what is in it', async () => {
  const scratch = await scratchFolder();
  onTestFinished(scratch.dispose);
  const { files, decoys } = plantDecoys(['git'], 'golden', NOTHING);
  await writeTree(scratch.path, Object.fromEntries(files.map(({ path, bytes }) => [path, bytes])));
  const git = (...argv: string[]) => execFileSync('git', ['-C', scratch.path, ...argv], { encoding: 'utf8' });
  expect(git('log', '--format=%s')).toBe('Start\n');
  expect(git('status', '--porcelain')).toBe('');
  const dangling = /dangling blob ([0-9a-f]{40})/.exec(git('fsck', '--strict'))?.[1] ?? '';
  expect(git('cat-file', 'blob', dangling)).toContain(decoys[0]?.values[0]);
});

test('adding a kind changes no other', () => {
  const all = plantDecoys(DECOY_KINDS, 'golden', NOTHING);
  const one = plantDecoys(['credential'], 'golden', NOTHING);
  expect(all.decoys.filter(({ kind }) => kind === 'credential')).toEqual(one.decoys);
});
