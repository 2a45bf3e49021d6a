import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { openService } from '../../src/bin/open-service.ts';
import { createLog } from '../../src/platform/base/log.ts';
import { waitForReward } from '../../src/stages/reward/reward-watch.ts';
import { scratchDataFolder, scratchFolder, testConfig } from '../support/test-service.ts';
import { RIGHT, writeTinyTask } from '../support/tiny-task.ts';

const SCRIPT = fileURLToPath(new URL('../support/killed-service-process.ts', import.meta.url));
const disposals: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const dispose of disposals.splice(0).reverse()) await dispose();
});

/** Runs a service that kills itself at the moment, and gives its data folder and the id that it handed in. */
async function killedAt(step: string, moment: string, source: string) {
  const [data, task] = [await scratchDataFolder(), await scratchFolder()];
  disposals.push(data.dispose, task.dispose);
  const args = ['--import', 'tsx', SCRIPT, data.path, await writeTinyTask(task.path), step, moment, source];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  const [, signal] = await once(child, 'close');
  expect(signal).toBe('SIGKILL');
  return { dataFolder: data.path, id: printed.trim() };
}

async function resumed(dataFolder: string) {
  const service = await openService(testConfig(dataFolder), createLog('silent'));
  disposals.push(service.close);
  const { database } = service.parts;
  const [artifact] = await database.query('SELECT id FROM artifacts');
  const id = String(artifact?.id);
  const reward = await waitForReward(database, id, performance.now() + 30_000);
  const counts: Record<string, number> = {};
  for (const table of ['artifacts', 'screenings', 'grades', 'verdicts', 'evidence', 'decisions', 'rewards']) {
    counts[table] = Number((await database.query(`SELECT count(*)::int AS n FROM ${table}`))[0]?.n);
  }
  return { reward, counts };
}

const ONE_OF_EACH = { artifacts: 1, screenings: 1, grades: 1, verdicts: 1, evidence: 1, decisions: 1, rewards: 1 };

describe('a service that was killed goes on after the restart and neither loses nor doubles a grade', () => {
  const moments = ['screen', 'grade', 'judge', 'profile', 'opinion', 'decide', 'reward'].flatMap((step) => [
    [step, 'begin'] as const,
    [step, 'done'] as const,
  ]);
  test.each(moments)('killed when %s was at: %s', async (step, moment) => {
    const { dataFolder } = await killedAt(step, moment, RIGHT);
    const { reward, counts } = await resumed(dataFolder);
    expect(reward?.body).toMatchObject({ status: 'scored', reward: 1 });
    expect(counts).toEqual(ONE_OF_EACH);
  });

  test('killed while the candidate runs: its processes end with the service, and what it left is reaped', async () => {
    const slow = 'import time\ndef double(x):\n    time.sleep(0.3)\n    return 2 * x\n';
    const { dataFolder } = await killedAt('grade', 'during', slow);
    const { reward, counts } = await resumed(dataFolder);
    expect(reward?.body).toMatchObject({ status: 'scored', reward: 1 });
    expect(counts).toEqual(ONE_OF_EACH);
    await disposals.pop()?.(); // closes the service, and with it the last sandbox
    expect(abandonedSlots()).toEqual([]);
  });
});

/** Slots below /run/proctor whose owner is dead and that are kept for nobody: live sandboxes wait for another process for a while. */
function abandonedSlots(): readonly string[] {
  if (process.getuid?.() !== 0) return [];
  return readdirSync('/run/proctor/slots').filter((slot) => {
    if (existsSync(`/run/proctor/slots/${slot}/kept`)) return false;
    const owner = readFileSync(`/run/proctor/slots/${slot}/owner`, 'utf8');
    return !readdirSync('/proc').includes(owner.split(':')[0] ?? '');
  });
}
