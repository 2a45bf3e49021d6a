import { expect, test } from 'vitest';
import { digestOf } from '../../platform/base/digest.ts';
import { proctorSchema } from '../task/task.ts';
import { manifestSchema } from './artifact.ts';
import { buildManifest, Refused } from './manifest-builder.ts';

function builder() {
  const artifact = { max_files: 3, max_bytes: 100, max_file_bytes: 60 };
  return buildManifest(proctorSchema.parse({ grader: 'stdio', stdio: { command: ['true'] }, artifact }).artifact);
}

const file = (path: string, mode = 0o644) => ({ path, mode, size: 1, blob: digestOf(path) });
const refusalOf = (run: () => void) => {
  try {
    run();
  } catch (thrown) {
    return thrown instanceof Refused ? thrown.reason : thrown;
  }
  return null;
};

test('files are listed by path whatever the order in which they came', () => {
  const manifest = builder();
  for (const path of ['b', 'a/z', 'a', 'B']) manifest.add(file(path));
  expect(manifest.finish(null).files.map(({ path }) => path)).toEqual(['B', 'a', 'a/z', 'b']);
});

test('of a mode only "may be run" crosses', () => {
  const manifest = builder();
  for (const [index, mode] of [0o4755, 0o100, 0o666, 0o011].entries()) manifest.add(file(`f${index}`, mode));
  expect(manifest.finish(null).files.map(({ mode }) => mode)).toEqual([0o755, 0o755, 0o644, 0o644]);
});

test('files, bytes and the size of a file may reach their caps', () => {
  const manifest = builder();
  expect(refusalOf(() => manifest.admit('a', 60))).toBeNull();
  expect(refusalOf(() => manifest.admit('b', 40))).toBeNull();
  expect(refusalOf(() => manifest.admit('c', 0))).toBeNull();
});

test('one byte or file more is refused with what was broken', () => {
  const large = builder();
  expect(refusalOf(() => large.admit('a', 61))).toBe('file-too-large');
  const heavy = builder();
  heavy.admit('a', 60);
  expect(refusalOf(() => heavy.admit('b', 41))).toBe('too-large');
  const many = builder();
  for (const path of ['a', 'b', 'c']) many.admit(path, 1);
  expect(refusalOf(() => many.admit('d', 1))).toBe('too-many-files');
});

test('a refused hand-in has no files but keeps what was seen', () => {
  const manifest = builder();
  manifest.add(file('a'));
  manifest.leave('link', 'link-escapes', '/etc/passwd');
  expect(manifest.finish(new Refused('too-deep', 'deep'))).toEqual({
    format: 'proctor/artifact/1',
    files: [],
    leftBehind: [{ path: '"link"', reason: 'link-escapes', detail: '"/etc/passwd"' }],
    counts: { 'link-escapes': 1 },
    refusal: { reason: 'too-deep', detail: 'deep' },
  });
});

test('of each reason a hundred entries are listed and all are counted', () => {
  const manifest = builder();
  for (let index = 0; index < 250; index++) manifest.leave(`rubbish-${index}`, 'rubbish');
  manifest.leave('link', 'link-escapes', '/');
  const { leftBehind, counts } = manifest.finish(null);
  expect(counts).toEqual({ rubbish: 250, 'link-escapes': 1 });
  expect(leftBehind.filter(({ reason }) => reason === 'rubbish')).toHaveLength(100);
  expect(leftBehind.at(-1)).toMatchObject({ path: '"link"' }); // floods of one reason do not hide another
});

test('hostile names are quoted in all that people read', () => {
  const manifest = builder();
  manifest.leave('a\u001b[2J\u202e', 'odd-name', 'x\ny');
  expect(manifest.finish(null).leftBehind).toEqual([
    { path: '"a\\u001b[2J\\u202e"', reason: 'odd-name', detail: '"x\\ny"' },
  ]);
  expect(() => manifest.admit('b\n\u001b', 61)).toThrow('"b\\n\\u001b" has 61 bytes; at most 60');
});

test('a manifest fits its own schema', () => {
  const manifest = builder();
  manifest.add(file('a'));
  manifest.leave('b', 'special-file');
  const finished = manifest.finish(null);
  expect(manifestSchema.parse(finished)).toEqual(finished);
});
