import { ProctorError } from '../platform/base/errors.ts';
import { openRecorder, type RecorderName } from '../platform/recorder/recorder.ts';
import type { LiveDriver } from '../platform/sandbox/live-sandbox.ts';
import { prepareNetwork } from '../stages/session/network.ts';
import { runProgram } from '../stages/session/run-program.ts';
import { verifyOffline } from '../stages/session/verify-offline.ts';

const MEBIBYTE = 1024 ** 2;
const LIFE_MS = 30_000;
const LIMITS = {
  ...{ wallMs: LIFE_MS, cpuMs: LIFE_MS, memoryBytes: 128 * MEBIBYTE, processes: 32 },
  ...{ outputBytes: MEBIBYTE, fileBytes: MEBIBYTE, diskBytes: 8 * MEBIBYTE },
};

/** Makes a workspace, shows that it reaches nothing, records a step in it and removes it; rejects when one of these cannot be done here. */
export async function trySession(driver: LiveDriver, recorderName: RecorderName): Promise<void> {
  const recorder = await openRecorder(recorderName);
  const sandbox = await driver.open({ root: { kind: 'host' }, limits: LIMITS, lifeMs: LIFE_MS });
  try {
    const network = await prepareNetwork({ pid: sandbox.place.first.pid, hasGateway: false, isWatched: false });
    network.close();
    await verifyOffline(sandbox);
    const left = { wallMs: LIFE_MS, outputBytes: MEBIBYTE };
    const parts = { sandbox, recorder, name: 'trial', left, onOutput: () => undefined };
    const { ran, running, watch } = await runProgram(parts, { argv: ['/bin/true'], cwd: '/work', env: {} });
    await running.gone;
    const record = await watch.read({ maxEvents: 100, mayLive: false, sinceMs: 0 });
    const isSeen = recorder.backend === 'none' || (record.complete && record.executed > 0);
    if (ran.ending.kind === 'exited' && ran.ending.code === 0 && isSeen) return;
    throw new ProctorError(
      'sandbox-failed',
      `a step was not recorded as it was: ${record.problems.join('; ') || ran.ending.kind}`,
    );
  } finally {
    await sandbox.destroy();
  }
}
