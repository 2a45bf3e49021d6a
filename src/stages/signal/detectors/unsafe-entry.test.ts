import { expect, test } from 'vitest';
import { screened } from '../../../../test/support/screened.ts';
import { LEFT_BEHIND_REASONS, type LeftBehindReason } from '../../artifact/artifact.ts';
import { unsafeEntry } from './unsafe-entry.ts';

const detect = (...reasons: LeftBehindReason[]) =>
  unsafeEntry.detect(
    screened(
      {},
      {
        manifest: { leftBehind: reasons.map((reason) => ({ path: `"${reason}"`, reason, detail: '"/etc/passwd"' })) },
      },
    ),
  );

const UNSAFE = [
  ...(['link-escapes', 'special-file', 'setuid-dropped'] as const),
  ...(['path-escapes', 'changed-while-read', 'other-device'] as const),
];

test.each(UNSAFE)('an entry left behind as %s is suspect', (reason) => {
  expect(detect(reason)).toEqual([
    {
      severity: 'suspect',
      summary: '1 entry(ies) point or reach outside the workspace',
      evidence: [{ path: `"${reason}"`, detail: `${reason} "/etc/passwd"` }],
    },
  ]);
});

test('several entries are one signal with all its evidence, without the ordinary ones', () => {
  const [signal, ...more] = detect('link-inside', 'link-escapes', 'rubbish', 'special-file');
  expect(more).toEqual([]);
  expect(signal?.evidence.map(({ path }) => path)).toEqual(['"link-escapes"', '"special-file"']);
});

test('links inside the workspace, odd names and all else that work leaves lying about are ordinary', () => {
  const ordinary = LEFT_BEHIND_REASONS.filter((reason) => !UNSAFE.some((unsafe) => unsafe === reason));
  expect(ordinary).toContain('link-inside');
  expect(detect(...ordinary)).toEqual([]);
});
