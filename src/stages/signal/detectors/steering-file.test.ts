import { expect, test } from 'vitest';
import { screened } from '../../../../test/support/screened.ts';
import type { LeftBehind } from '../../artifact/artifact.ts';
import { steeringFile } from './steering-file.ts';

const detect = (leftBehind: LeftBehind[]) =>
  steeringFile.detect(
    screened({ 'conftest.py': 'def pytest_runtest_makereport(): ...' }, { manifest: { leftBehind } }),
  );

test('files that steer a runner are noted, not suspected: honest work writes them too', () => {
  expect(
    detect([
      { path: '"conftest.py"', reason: 'steering', detail: '""' },
      { path: '"sitecustomize.py"', reason: 'steering', detail: '""' },
    ]),
  ).toEqual([
    {
      severity: 'note',
      summary: '2 file(s) that steer a test runner, an interpreter or a shell were left behind',
      evidence: [
        { path: '"conftest.py"', detail: 'steering' },
        { path: '"sitecustomize.py"', detail: 'steering' },
      ],
    },
  ]);
});

test('one that the task keeps crossed and is not noted, nor is rubbish', () => {
  expect(detect([{ path: '".pytest_cache"', reason: 'rubbish', detail: '""' }])).toEqual([]);
});
