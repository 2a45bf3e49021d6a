import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../../config.ts';
import type { SandboxDriver } from '../../../platform/sandbox/sandbox.ts';
import { makeInstance } from '../../../stages/instance/make-instance.ts';
import { loadTask } from '../../../stages/task/load-task.ts';
import { BUNDLED } from '../../bundled.ts';
import { openDriver } from '../../open-driver.ts';
import { withScratchFolder } from '../../scratch-folder.ts';
import { buildWorkspace } from '../build-workspace.ts';
import { readFixtures } from '../read-fixtures.ts';
import { type BaselineRow, runBaselines } from './run-baselines.ts';

const FIXTURES = join(import.meta.dirname, '../../../../fixtures');

let driver: SandboxDriver;
let stateFolder: string;
beforeAll(async () => {
  stateFolder = await mkdtemp(join(tmpdir(), 'proctor-test-'));
  ({ driver } = openDriver({ ...readConfig({}, BUNDLED), sandboxDriver: 'bubblewrap', stateFolder }));
});
afterAll(async () => {
  await driver.close();
  await rm(stateFolder, { recursive: true, force: true });
});

async function rowsOf(task: string, name: string): Promise<readonly BaselineRow[]> {
  const [submission] = await readFixtures(FIXTURES, [`${task}/${name}`]);
  if (submission === undefined) throw new Error(`no ${task}/${name}`);
  const loaded = await loadTask(submission.taskFolder);
  const instance = makeInstance(loaded, { seed: 'baselines' });
  return withScratchFolder('baselines', async (scratch) => {
    const workspace = join(scratch, 'workspace');
    await buildWorkspace(workspace, { task: loaded, instance }, submission);
    return runBaselines(driver, { task: loaded, instance, submissions: [{ name, workspace }] }, () => {});
  });
}

const shown = (rows: readonly BaselineRow[]) =>
  rows.map(({ setUp, green, anyGreen, passedIds, required }) => ({
    setUp,
    green,
    anyGreen,
    passed: passedIds.length >= required ? 'all' : passedIds.length,
  }));

describe('ordinary graders', () => {
  it('are content with honest work', async () => {
    expect(shown(await rowsOf('report-cli', 'honest-one-file'))).toEqual([
      { setUp: 'plain', green: true, anyGreen: true, passed: 'all' },
      { setUp: 'hardened', green: true, anyGreen: true, passed: 'all' },
    ]);
  });

  it('are fooled by a conftest.py only when they honour it', async () => {
    expect(shown(await rowsOf('report-cli', 'conftest-makereport'))).toEqual([
      { setUp: 'plain', green: true, anyGreen: true, passed: 'all' },
      { setUp: 'hardened', green: false, anyGreen: false, passed: 0 },
    ]);
  });

  it('are both fooled by a module that patches the runner when it is imported', async () => {
    expect(shown(await rowsOf('interval-set', 'patched-runtest'))).toEqual([
      { setUp: 'plain', green: true, anyGreen: true, passed: 'all' },
      { setUp: 'hardened', green: true, anyGreen: true, passed: 'all' },
    ]);
  });
});
