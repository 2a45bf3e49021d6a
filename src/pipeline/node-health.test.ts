import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ProctorError } from '../platform/base/errors.ts';
import { createLog } from '../platform/base/log.ts';
import { createNodeHealth } from './node-health.ts';

beforeEach(() => {
  vi.useFakeTimers();
  tell.mockClear();
});
afterEach(() => void vi.useRealTimers());

const log = createLog('silent');
const tell = vi.fn();
const failed = new ProctorError('sandbox-failed', 'no');

test('a machine whose sandboxes fail is taken out until one works', async () => {
  const tries: boolean[] = [false, false, true];
  const tryNode = vi.fn(async () => {
    if (tries.shift() !== true) throw failed;
  });
  const health = createNodeHealth({ tryNode, log, tell });
  expect(health.isWell()).toBe(true);
  health.doubt(failed);
  health.doubt(failed);
  expect(health.isWell()).toBe(false);
  await vi.advanceTimersByTimeAsync(999);
  expect([health.isWell(), tryNode.mock.calls.length]).toEqual([false, 1]);
  await vi.advanceTimersByTimeAsync(1_001);
  expect([health.isWell(), tryNode.mock.calls.length]).toEqual([true, 3]);
  expect(tell.mock.calls).toEqual([[false], [true]]);
});

test('a candidate that makes its own sandbox fail costs one trial', async () => {
  const tryNode = vi.fn(async () => undefined);
  const health = createNodeHealth({ tryNode, log, tell });
  health.doubt(failed);
  await vi.advanceTimersByTimeAsync(0);
  expect([health.isWell(), tryNode.mock.calls.length]).toEqual([true, 1]);
});

test('faults of others are no reason to doubt it', () => {
  const tryNode = vi.fn(async () => undefined);
  const health = createNodeHealth({ tryNode, log, tell });
  for (const code of ['database-unavailable', 'oracle-failed', 'disk-full', 'lease-lost'] as const) {
    health.doubt(new ProctorError(code, 'no'));
  }
  expect(tryNode).not.toHaveBeenCalled();
});

test('one that is stopped looks no more', async () => {
  const tryNode = vi.fn(async () => {
    throw failed;
  });
  const health = createNodeHealth({ tryNode, log, tell });
  health.doubt(failed);
  await vi.advanceTimersByTimeAsync(0);
  health.stop();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(tryNode).toHaveBeenCalledTimes(1);
});
