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

test('the first of a kind is made when asked for, the next ones are there already, each serves once', async () => {
  const { driver, told } = numbered();
  const pool = withWarmPool(driver, { most: 2 });
  expect((await pool.create(spec(1))).id).toBe('1/1');
  await settled();
  expect(told).toEqual(['made 1/1', 'made 1/2', 'made 1/3']);
  expect((await pool.create(spec(1))).id).toBe('1/2');
  expect((await pool.create(spec(1))).id).toBe('1/3');
});

test('kinds share the places; one that was not asked for gives way to one that is', async () => {
  const { driver, told } = numbered();
  const pool = withWarmPool(driver, { most: 2 });
  for (const kind of [1, 2, 3]) {
    await pool.create(spec(kind));
    await settled();
  }
  expect(told).toEqual([
    ...['made 1/1', 'made 1/2', 'made 1/3', 'destroyed 1/3', 'made 2/4', 'made 2/5'],
    ...['destroyed 1/2', 'made 3/6', 'made 3/7'],
  ]);
});

test('what could not be made ahead is made when asked for, and its fault is told then', async () => {
  const { driver, breakAfter } = numbered();
  const pool = withWarmPool(driver, { most: 1 });
  breakAfter(1);
  await pool.create(spec(1));
  await settled();
  await expect(pool.create(spec(1))).rejects.toThrow('broken');
  breakAfter(9);
  expect((await pool.create(spec(1))).id).toBe('1/2');
});

test('nothing is made any more once it is closed', async () => {
  const { driver, told } = numbered();
  const pool = withWarmPool(driver, { most: 1 });
  await pool.create(spec(1));
  await pool.close();
  await settled();
  expect(told).toEqual(['made 1/1', 'made 1/2', 'closed']);
});

test('a pool of no places makes what is asked for', async () => {
  const { driver, told } = numbered();
  const pool = withWarmPool(driver, { most: 0 });
  await pool.create(spec(1));
  await pool.create(spec(1));
  await settled();
  expect(told).toEqual(['made 1/1', 'made 1/2']);
});
