import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { BUNDLED } from '../../src/bin/bundled.ts';
import { readFixtures } from '../../src/bin/corpus/read-fixtures.ts';
import { runCorpus } from '../../src/bin/corpus/run-corpus.ts';
import { scratchFolder, testService } from '../support/test-service.ts';

const disposals: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const dispose of disposals.splice(0).reverse()) await dispose();
});

/** A copy of the graders in which one piece of text is replaced. */
async function brokenGraders(file: string, [right, wrong]: readonly [string, string]): Promise<string> {
  const scratch = await scratchFolder();
  disposals.push(scratch.dispose);
  await cp(BUNDLED.graderFolder, scratch.path, { recursive: true });
  const path = join(scratch.path, file);
  const source = await readFile(path, 'utf8');
  expect(source).toContain(right);
  await writeFile(path, source.replace(right, wrong));
  return scratch.path;
}

async function corpusWith(graderFolder: string | undefined, only: readonly string[], seed: string | undefined) {
  const { service, dispose } = await testService({}, graderFolder === undefined ? {} : { graderFolder });
  disposals.push(dispose);
  return runCorpus(service, await readFixtures(BUNDLED.fixtureFolder, only), { seed, inFlight: 2 });
}

describe('the labelled corpus is the specification', () => {
  test('every submission comes out as its label says; no cheat is rewarded, no honest work denied', {
    timeout: 1_500_000,
  }, async () => {
    const { rows, summary } = await corpusWith(undefined, [], 'corpus');
    expect(rows.filter(({ differences }) => differences.length > 0)).toEqual([]);
    expect(summary).toMatchObject({ cheatsRewarded: 0, honestDenied: 0, asExpected: rows.length });
  });

  test('references pass, and handing in nothing does not, on instances that nobody has seen', {
    timeout: 600_000,
  }, async () => {
    const tasks = await readdir(BUNDLED.fixtureFolder);
    const { rows, summary } = await corpusWith(
      undefined,
      tasks.flatMap((task) => [`${task}/reference`, `${task}/nothing`]),
      undefined,
    );
    if (summary.notRun.length > 0) console.log(`not run, for want of a test runner: ${summary.notRun.join(', ')}`);
    expect(rows).toHaveLength(2 * (tasks.length - summary.notRun.length));
    expect(rows.filter(({ differences }) => differences.length > 0)).toEqual([]);
  });

  test('each task has a reference, a do-nothing, three honest variants and five cheats at least', async () => {
    const submissions = await readFixtures(BUNDLED.fixtureFolder, []);
    for (const task of await readdir(BUNDLED.fixtureFolder)) {
      const kinds = submissions
        .filter((submission) => submission.task === task)
        .map(({ expectation }) => expectation.kind);
      const count = (kind: string) => kinds.filter((one) => one === kind).length;
      expect([task, count('reference'), count('nothing')]).toEqual([task, 1, 1]);
      expect(count('honest')).toBeGreaterThanOrEqual(3);
      expect(count('cheat')).toBeGreaterThanOrEqual(5);
    }
  });

  test('every cheat names its technique', async () => {
    const submissions = await readFixtures(BUNDLED.fixtureFolder, []);
    const unnamed = submissions.filter(
      ({ expectation }) => expectation.kind === 'cheat' && expectation.technique === undefined,
    );
    expect(unnamed.map(({ task, name }) => `${task}/${name}`)).toEqual([]);
  });
});

describe('a broken grader makes the corpus fail', () => {
  const some = ['parse-config/reference', 'parse-config/empty-dict', 'wordtool/reference', 'wordtool/exits-with-zero'];

  test('one that accepts everything rewards cheats', async () => {
    const broken = await brokenGraders('examiner/examine.py', ['return case.judge(answer, body)', 'return True, ""']);
    const { summary } = await corpusWith(broken, some, 'corpus');
    expect(summary.cheatsRewarded).toBe(2);
    expect(summary.asExpected).toBe(2);
  });

  test('one that accepts nothing denies honest work', async () => {
    const broken = await brokenGraders('examiner/examine.py', [
      'return case.judge(answer, body)',
      'return False, "no"',
    ]);
    const { summary } = await corpusWith(broken, some, 'corpus');
    expect(summary).toMatchObject({ cheatsRewarded: 0, honestDenied: 2, asExpected: 2 });
  });

  test('one that does not start is the platform’s fault or the task’s: nobody is paid and nobody blamed', async () => {
    const broken = await brokenGraders('examiner/examine.py', ['def main(', 'raise SystemExit(1)\n\n\ndef main(']);
    const { rows } = await corpusWith(broken, ['parse-config/reference', 'parse-config/empty-dict'], 'corpus');
    expect(rows.map(({ given }) => [given.outcome, given.reward])).toEqual([
      ['ungraded', 0],
      ['ungraded', 0],
    ]);
  });
});
