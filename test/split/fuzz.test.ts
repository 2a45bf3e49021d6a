import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const script = fileURLToPath(new URL('./fuzz.py', import.meta.url));

interface Summary {
  frames: number;
  failures: unknown[];
}

function run(...options: string[]): Promise<Summary> {
  return new Promise((resolve, reject) => {
    execFile('/usr/bin/python3', [script, ...options], { maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      try {
        resolve(JSON.parse(stdout) as Summary);
      } catch {
        reject(error ?? new Error(stderr));
      }
    });
  });
}

describe('the examiner against generated frames', () => {
  it('goes on, loses the candidate, or gets an exception as data', async () => {
    const told = await run('--frames', '20000', '--seed', '7', '--bound', '20');
    expect(told.failures).toEqual([]);
    expect(told.frames).toBeGreaterThanOrEqual(20_000);
  }, 600_000);
});
