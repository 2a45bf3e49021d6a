import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { auditTask } from '../../src/bin/audit/audit-task.ts';
import { findHidden } from '../../src/bin/audit/find-hidden.ts';
import { makeInstance } from '../../src/stages/instance/make-instance.ts';
import type { AuditReport } from '../../src/stages/task/admission.ts';
import { loadTask } from '../../src/stages/task/load-task.ts';
import { testService } from '../support/test-service.ts';
import { disposals, disposeAfterEach, openTestService, tinyTask } from '../support/tiny-service.ts';

disposeAfterEach();

const HIDDEN_LINE = 'assert {"first": 1201, "second": 4417}';
const ORACLE = `${HIDDEN_LINE}


def cases(parameters, random):
    for _ in range(3):
        yield {"args": [random.randrange(1, 10**6)]}


def expected(parameters, case):
    return 2 * case["args"][0]
`;
const digest = createHash('sha256').update(ORACLE).digest('hex');

function loose(text: string): Buffer {
  return deflateSync(Buffer.from(`blob ${Buffer.byteLength(text)}\0${text}`));
}

/** A git pack of two blobs, the second of which is the one that matters. */
function pack(text: string): Buffer {
  const blob = (content: string): Buffer => {
    const size = Buffer.byteLength(content);
    const [head, more] = [(3 << 4) | (size & 15), size >> 4];
    const header = more === 0 ? [head] : [head | 0x80, ...(more < 128 ? [more] : [(more & 127) | 0x80, more >> 7])];
    return Buffer.concat([Buffer.from(header), deflateSync(Buffer.from(content))]);
  };
  const counts = Buffer.from([0, 0, 0, 2, 0, 0, 0, 2]);
  return Buffer.concat([Buffer.from('PACK'), counts, blob('something harmless\n'), blob(text)]);
}

describe('what is hidden is found wherever it shows', () => {
  test.each<[string, string, { bytes: Buffer; told: string }]>([
    [
      'a line in another file',
      'notes.txt',
      { bytes: Buffer.from(`x\n  ${HIDDEN_LINE}\n`), told: 'notes.txt holds a line of a hidden' },
    ],
    ['the whole file', 'backup', { bytes: Buffer.from(ORACLE), told: 'backup is a hidden file' }],
    ['its digest', 'sums', { bytes: Buffer.from(`${digest}  x\n`), told: 'sums holds the digest of a hidden file' }],
    ['a loose git object', '.git/objects/ab/cdef', { bytes: loose(ORACLE), told: '(a git object) is a hidden file' }],
    ['a git pack', '.git/objects/pack/pack-1.pack', { bytes: pack(ORACLE), told: '(a git object) is a hidden file' }],
  ])('%s', async (_, path, { bytes, told }) => {
    const service = await openTestService();
    const folder = await tinyTask({ 'tests/oracle.py': ORACLE, [`environment/${path}`]: '' });
    await writeFile(join(folder, 'environment', path), bytes);
    const found = await findHidden(service, await loadTask(folder), ['one', 'two']);
    expect(found).toEqual([expect.stringContaining(told)]);
  });

  test('a hidden value that only another instance has', async () => {
    const service = await openTestService();
    const folder = await tinyTask({
      'task.toml': `schema_version = "1.0"
[task]
name = "test/leaky"
[proctor]
grader = "function"
[proctor.artifact]
include = ["double.py"]
[proctor.function]
module = "double"
function = "double"
[proctor.parameters.limit]
type = "integer"
min = 100000
max = 999999
`,
      'tests/oracle.py': ORACLE,
      'tests/table.py.tmpl': 'assert LIMIT_OF_ALL_CASES == {{limit}}\n',
    });
    const { parameters } = makeInstance(await loadTask(folder), { seed: 'two' });
    const log = `the last run said:\nassert LIMIT_OF_ALL_CASES == ${parameters.limit}\n`;
    await writeFile(join(folder, 'environment', 'log.txt'), log);
    const task = await loadTask(folder);
    expect(await findHidden(service, task, ['one'])).toEqual([]);
    expect(await findHidden(service, task, ['one', 'two'])).toEqual([
      expect.stringContaining('log.txt holds a line of a hidden file'),
    ]);
  });

  test('nothing is found where nothing shows', async () => {
    const service = await openTestService();
    const folder = await tinyTask({ 'tests/oracle.py': ORACLE });
    expect(await findHidden(service, await loadTask(folder), ['one', 'two'])).toEqual([]);
  });
});

describe('an audit', () => {
  const reports = new Map<string, AuditReport>();
  const fixture = (name: string) => fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url));
  const audit = async (folder: string) => {
    const { service, dispose } = await testService();
    disposals.push(dispose);
    return auditTask(service, folder, { seed: 'audit', repeats: 2, write: false });
  };
  const attacksOf = (report: AuditReport | undefined) =>
    report?.runs.filter(({ kind }) => kind === 'attack').map(({ name }) => name) ?? [];

  beforeAll(async () => {
    for (const name of ['interval-set', 'tap-shell', 'node-cart']) {
      const { service, dispose } = await testService();
      reports.set(
        name,
        await auditTask(service, fixture(name), { seed: 'audit', repeats: 1, write: false }).finally(dispose),
      );
    }
  }, 240_000);

  test.each([
    ['interval-set', 'oracle', 'looks-at-the-caller'],
    ['tap-shell', 'witnessed', 'exit-trap'],
    ['node-cart', 'witnessed', 'patched-assert'],
  ])('%s is admitted, its tests are %s, and it was attacked in its own language (%s)', (name, assurance, attack) => {
    const report = reports.get(name);
    expect(report).toMatchObject({ gate: 'admitted', why: [], hidden: [] });
    expect(new Set(report?.tests.map((each) => each.assurance))).toEqual(new Set([assurance]));
    expect(attacksOf(report)).toEqual(expect.arrayContaining([attack, 'steering-files']));
  });

  test('tells what the reference gave: plain values, and objects that stay with the candidate', () => {
    const shapes = new Set(reports.get('interval-set')?.tests.flatMap(({ results }) => Object.keys(results)));
    expect(shapes).toContain('plain bool');
    expect([...shapes]).toEqual(expect.arrayContaining([expect.stringMatching(/^handle intervals\.\w+$/)]));
  });

  test('keeps out a task that pays for what is wrong, and says which attack is paid', async () => {
    const folder = await tinyTask({
      'tests/oracle.py': ORACLE.replace(
        'return 2 * case["args"][0]',
        'return 2 * case["args"][0]\n\n\ndef check(parameters, case, answer):\n    return True',
      ),
    });
    const report = await audit(folder);
    expect(report.gate).toBe('needs work');
    expect(report.why).toContainEqual(expect.stringMatching(/^attack \S+ is rewarded$/));
  });

  test('a reference that does not always pass keeps a task out', async () => {
    const folder = await tinyTask({
      'solution/double.py': 'def double(x):\n    return 2 * x + 1\n',
    });
    expect((await audit(folder)).why).toContain('reference reference 1 is not rewarded');
  });
});
