import { expect, test } from 'vitest';
import type { Sandbox, SandboxDriver, SandboxSpec } from './sandbox.ts';
import { withWarmPool } from './warm-pool.ts';

/** A driver whose sandboxes are numbered, and which tells what it was asked. */
function numbered() {
  const told: string[] = [];
  let made = 0;
  let able = Number.POSITIVE_INFINITY;
  const driver = {
    async create({ limits }: SandboxSpec) {
      if (made >= able) throw new Error('broken');
      const id = `${limits.processes}/${++made}`;
      told.push(`made ${id}`);
      return { id, destroy: async () => void told.push(`destroyed ${id}`) } as Sandbox;
    },
    close: async () => void told.push('closed'),
  } as unknown as SandboxDriver;
  const breakAfter = (count: number) => {
    able = count;
  };
  return { driver, told, breakAfter };
}

const spec = (kind: number) => ({ root: { kind: 'host' }, limits: { processes: kind } }) as unknown as SandboxSpec;
const settled = () => new Promise(setImmediate);

/** Makes one and is done with it. */
async function use(pool: SandboxDriver, kind: number): Promise<string> {
  const sandbox = await pool.create(spec(kind));
  await sandbox.destroy();
  await settled();
  return sandbox.id;
}

test('the first of a kind is made when asked for, the next ones are there already once it is done, each serves once', async () => {
  const { driver, told } = numbered();
  const pool = withWarmPool(driver, { most: 2 });
  const first = await pool.create(spec(1));
  await settled();
  expect(told).toEqual(['made 1/1']);
  await first.destroy();
  await first.destroy();
  await settled();
  expect(told).toEqual(['made 1/1', 'destroyed 1/1', 'made 1/2', 'made 1/3']);
  expect([(await pool.create(spec(1))).id, (await pool.create(spec(1))).id]).toEqual(['1/2', '1/3']);
});

test('kinds share the places; one that was not asked for gives way to one that is', async () => {
  const { driver, told } = numbered();
  const pool = withWarmPool(driver, { most: 2 });
  for (const kind of [1, 2, 3]) await use(pool, kind);
  const ahead = told.filter((line) => !/ (1\/1|2\/4|3\/6)$/.test(line));
  expect(ahead).toEqual(['made 1/2', 'made 1/3', 'destroyed 1/3', 'made 2/5', 'destroyed 1/2', 'made 3/7']);
});

test('what could not be made ahead is made when asked for, and its fault is told then', async () => {
  const { driver, breakAfter } = numbered();
  const pool = withWarmPool(driver, { most: 1 });
  breakAfter(1);
  await use(pool, 1);
  await expect(pool.create(spec(1))).rejects.toThrow('broken');
  breakAfter(9);
  expect(await use(pool, 1)).toBe('1/2');
});

test('nothing is made any more once it is closed', async () => {
  const { driver, told } = numbered();
  const pool = withWarmPool(driver, { most: 1 });
  const sandbox = await pool.create(spec(1));
  await pool.close();
  await sandbox.destroy();
  await settled();
  expect(told).toEqual(['made 1/1', 'closed', 'destroyed 1/1']);
});

test('a pool of no places makes what is asked for', async () => {
  const { driver, told } = numbered();
  const pool = withWarmPool(driver, { most: 0 });
  await use(pool, 1);
  await use(pool, 1);
  expect(told.filter((line) => line.startsWith('made'))).toEqual(['made 1/1', 'made 1/2']);
});
