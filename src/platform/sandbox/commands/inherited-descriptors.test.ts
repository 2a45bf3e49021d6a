import { execFileSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { inheritedDescriptors } from './inherited-descriptors.ts';

const source = new URL('./inherited-descriptors.ts', import.meta.url).href;

test('descriptors that Node opens are closed in children and so are not listed', () => {
  const descriptor = openSync('/dev/null', 'r');
  onTestFinished(() => closeSync(descriptor));
  expect(inheritedDescriptors(3)).not.toContain(descriptor);
});

test('descriptors that a process was started with are listed from the first one on', () => {
  const script = `import { inheritedDescriptors as list } from '${source}'; console.log(JSON.stringify([list(3), list(41)]))`;
  const told = execFileSync(
    '/bin/bash',
    ['-c', 'exec 40</dev/null 41</dev/null; exec "$0" "$@"', process.execPath, '--import=tsx', '--input-type=module'],
    { input: script, encoding: 'utf8' },
  );
  const [all, later] = JSON.parse(told) as [number[], number[]];
  expect(all).toEqual(expect.arrayContaining([40, 41]));
  expect(later).toContain(41);
  expect(later).not.toContain(40);
});
