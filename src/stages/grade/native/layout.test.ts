import { expect, test } from 'vitest';
import { layFiles } from './file-layout.ts';
import { layFlat } from './flat-layout.ts';
import type { HiddenFiles } from './hidden-files.ts';
import { identifierNaming } from './identifier-naming.ts';

const file = (path: string, text: string) => ({ path, mode: 0o644, bytes: Buffer.from(text) });
const textOf = (files: readonly { path: string; bytes: Buffer }[], wanted: string) =>
  files.map(({ bytes }) => bytes.toString()).find((text) => text.includes(wanted)) ?? '';

const GO: HiddenFiles = {
  tests: [
    file('a_test.go', 'func TestSum(t) {}\nfunc TestSummary(t) {}\n// TestSum'),
    file('data/TestSum.txt', 'TestSum'),
  ],
  twinFiles: [file('b_test.go', 'func TestSumTwin(t) {}\nfunc TestOther(t) {}')],
  declared: [{ file: 'b_test.go', id: 'TestSumTwin', of: 'TestSum' }],
};
const NAMING = identifierNaming({
  ending: '_test.go',
  alias: (original, words) => original + words.join(''),
  whole: (id) => id.split('/')[0] ?? id,
});

test('originals of twins and twins get names of one kind, wherever they stand alone, and nothing else does', () => {
  const layout = layFlat(GO, NAMING, ['TestSum', 'TestSummary', 'TestSum/part']);
  const original = /func (TestSum\w+)\(t\) \{\}\nfunc TestSummary\(t\) \{\}\n\/\/ (\w+)/.exec(
    textOf(layout.files, 'TestSummary'),
  );
  const twin = /func (TestSum\w+)\(t\) \{\}\nfunc TestOther/.exec(textOf(layout.files, 'TestOther'))?.[1] ?? '';
  expect(original?.[1]).toBe(original?.[2]);
  expect(layout.files.find(({ path }) => path === 'data/TestSum.txt')?.bytes.toString()).toBe('TestSum');
  expect(layout.meaningOf(original?.[1] ?? '')).toEqual({ kind: 'test', id: 'TestSum' });
  expect(layout.meaningOf(`${original?.[1]}/part`)).toEqual({ kind: 'test', id: 'TestSum/part' });
  expect(layout.meaningOf(twin)).toEqual({ kind: 'twin', twin: { of: 'TestSum' } });
  expect(layout.meaningOf('TestSummary')).toEqual({ kind: 'test', id: 'TestSummary' });
  expect(['TestSum', 'TestSumTwin', 'TestElse'].map((id) => layout.meaningOf(id).kind)).toEqual(
    Array(3).fill('unknown'),
  );
  expect(layout.meaningOf('TestOther').kind).toBe('ignored');
});

test('test files get new names each time, twins among them, and are found again by them', () => {
  const hidden: HiddenFiles = {
    tests: [file('sub/a.test.js', ''), file('sub/data.js', '')],
    twinFiles: [file('sub/b.test.js', '')],
    declared: [{ file: 'sub/b.test.js', id: 'adds', of: 'sub/a.test.js > adds' }],
  };
  const naming = {
    separator: ' > ',
    isTest: (path: string) => path.endsWith('.test.js'),
    rename: (_name: string, words: readonly string[]) => `${words.join('-')}.test.js`,
  };
  const [layout, other] = [layFiles(hidden, naming), layFiles(hidden, naming)];
  expect(layout.folder).not.toBe(other.folder);
  expect(layout.testFiles).toHaveLength(2);
  expect(layout.testFiles).not.toContain('sub/a.test.js');
  expect(layout.files.map(({ path }) => path)).toContain('sub/data.js');
  const meanings = layout.testFiles.map((path) => layout.meaningOf(`${path} > adds`));
  expect(meanings).toContainEqual({ kind: 'test', id: 'sub/a.test.js > adds' });
  expect(meanings).toContainEqual({ kind: 'twin', twin: { of: 'sub/a.test.js > adds' } });
  expect(layout.testFiles.map((path) => layout.meaningOf(`${path} > `).kind)).toEqual(['file', 'file']);
  expect(layout.meaningOf('sub/a.test.js > adds').kind).toBe('unknown');
});
