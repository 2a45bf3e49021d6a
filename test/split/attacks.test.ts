import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const script = fileURLToPath(new URL('./attacks.py', import.meta.url));

interface Summary {
  cases: number;
  failures: { case: string; found: string[] }[];
}

function run(only: string): Promise<Summary> {
  return new Promise((resolve, reject) => {
    const options = [script, '--only', only, '--jobs', '1'];
    execFile('/usr/bin/python3', options, { maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      try {
        resolve(JSON.parse(stdout) as Summary);
      } catch {
        reject(error ?? new Error(stderr));
      }
    });
  });
}

const groups = {
  'floods, lies about length and costly values': 'raw_',
  'single frames against the guard': 'trick_',
  'walks from what a test hands over': 'escape',
  'honest answers, as a control': 'honest',
  'plain hollow answers': 'hollow_plain',
  'hollow numbers': 'hollow_number',
  'hollow texts': 'hollow_text',
  'hollow mocks': 'hollow_magic',
  'mutated arguments': 'mutated',
  'aliased arguments': 'aliased',
  'star imports': 'star',
  'assertions of mocks': 'mock_',
  'fakes of the tests': 'fakes',
  'tests that run what they get': 'ran_by',
  'names that a runner looks for': 'names_',
  'warnings, records, output and errors': 'carriers',
  'a module in place of a module': 'module_in',
  'ended processes': 'ends_',
  'exits raised anywhere': 'raises_exit_',
  'interrupts raised anywhere': 'raises_interrupt_',
  'skips raised anywhere': 'raises_skip_',
  'stops raised anywhere': 'raises_stop_',
};

describe('attacks on the examiner', () => {
  for (const [name, only] of Object.entries(groups)) {
    it(name, async () => {
      const told = await run(only);
      expect(told.cases).toBeGreaterThan(0);
      expect(told.failures).toEqual([]);
    }, 900_000);
  }
});
