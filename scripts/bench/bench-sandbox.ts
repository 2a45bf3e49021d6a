import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { openDriver } from '../../src/bin/open-driver.ts';
import { loadConfig } from '../../src/bin/with-service.ts';
import { type Aim, aimOf, measure, type Row } from './measure.ts';

const MEBIBYTE = 1024 ** 2;
const LIMITS = {
  wallMs: 10_000,
  cpuMs: 10_000,
  memoryBytes: 256 * MEBIBYTE,
  processes: 64,
  outputBytes: MEBIBYTE,
  fileBytes: 16 * MEBIBYTE,
  diskBytes: 64 * MEBIBYTE,
};

/** create, exec /usr/bin/true, destroy; beside spawning /usr/bin/true alone. */
export async function benchSandbox(rounds: number) {
  const { driver } = openDriver(loadConfig());
  const spawn = promisify(execFile);
  try {
    const rows = await measure(
      [
        { name: 'bare spawn of true', bare: true, kind: 'true', run: async () => void (await spawn('/usr/bin/true')) },
        {
          name: `${driver.name}: create, exec true, destroy`,
          bare: false,
          kind: 'true',
          async run() {
            const sandbox = await driver.create({ root: { kind: 'host' }, limits: LIMITS });
            const { ending } = await sandbox.exec({ argv: ['/usr/bin/true'] });
            await sandbox.destroy();
            if (ending.kind !== 'exited' || ending.code !== 0) throw new Error(`ended as ${JSON.stringify(ending)}`);
          },
        },
      ],
      { rounds, itemsPerRound: 60, inFlight: [1, 2, 8] },
    );
    return { rows, aims: driver.name === 'forkserver' ? aimsOf(rows) : [] };
  } finally {
    await driver.close();
  }
}

function aimsOf(rows: readonly Row[]): readonly Aim[] {
  const own = rows.filter(({ ratioToBare }) => ratioToBare !== null);
  const idle = own.find(({ inFlight }) => inFlight === 1)?.p50Ms ?? Number.NaN;
  const most = Math.max(...own.map(({ perSecond }) => perSecond));
  return [
    aimOf('create, exec, destroy: p50 at one in flight', { value: idle, unit: 'ms' }, { most: 3 }),
    aimOf('create, exec, destroy', { value: most, unit: '1/s' }, { least: 400 }),
  ];
}
