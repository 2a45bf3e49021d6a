import { expect, test } from 'vitest';
import { drawRows } from '../../../../test/support/draw-one.ts';

const TREE = { type: 'tree' as const, folders: 12, files: 30, depth: 4, endings: ['.txt', '.tar.gz'] };
const pathsOf = (tree: Partial<typeof TREE>, seed: string) =>
  drawRows({ ...TREE, ...tree }, seed).map(({ path }) => String(path));
/** Every folder on the way to a file. */
const foldersOf = (paths: readonly string[]) =>
  new Set(
    paths.flatMap((path) =>
      path
        .split('/')
        .slice(0, -1)
        .map((_, at, parts) => parts.slice(0, at + 1).join('/')),
    ),
  );

test('a tree has its files and folders, and is exactly as deep as asked', () => {
  for (let seed = 0; seed < 100; seed++) {
    for (const shape of [{}, { folders: 4 }, { folders: 30, depth: 1 }, { folders: 0, depth: 0, files: 1 }]) {
      const { folders, files, depth } = { ...TREE, ...shape };
      const paths = pathsOf(shape, `seed-${seed}`);
      expect(paths).toHaveLength(files);
      expect(foldersOf(paths).size).toBe(folders);
      expect(Math.max(...paths.map((path) => path.split('/').length - 1))).toBe(depth);
    }
  }
});

test('paths are distinct, safe and relative, and no file has the name of a folder', () => {
  for (let seed = 0; seed < 50; seed++) {
    const paths = pathsOf({}, `seed-${seed}`);
    expect(new Set(paths).size).toBe(30);
    expect(paths.filter((path) => !/^([a-z]+_[a-z]+\/)*[a-z]+_[a-z]+(\.txt|\.tar\.gz)$/.test(path))).toEqual([]);
    expect(paths.filter((path) => foldersOf(paths).has(path))).toEqual([]);
  }
});

test('sizes are within their range and have a stream of their own', () => {
  const [small, large] = [
    { min: 0, max: 3 },
    { min: 5, max: 9_000 },
  ].map((bytes) => drawRows({ ...TREE, bytes }));
  expect(small?.map(({ path }) => path)).toEqual(large?.map(({ path }) => path));
  expect([...new Set(small?.map(({ bytes }) => bytes))].sort()).toEqual([0, 1, 2, 3]);
  expect(large?.filter(({ bytes }) => Number(bytes) < 5 || Number(bytes) > 9_000)).toEqual([]);
});

test('a folder takes as many files as there may be', () => {
  expect(new Set(pathsOf({ folders: 0, depth: 0, files: 20_000, endings: ['.a'] }, 'golden')).size).toBe(20_000);
});
