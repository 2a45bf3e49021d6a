import { expect, test } from 'vitest';
import { screened } from '../../../../test/support/screened.ts';
import type { Manifest } from '../../artifact/artifact.ts';
import { artifactRefused } from './artifact-refused.ts';

const detect = (refusal: Manifest['refusal']) =>
  artifactRefused.detect(screened({}, { manifest: { counts: { rubbish: 9_000 }, refusal } }));

test('a bomb that broke a cap is suspect', () => {
  expect(detect({ reason: 'file-too-large', detail: '"big.bin" has 1099511627776 bytes' })).toEqual([
    {
      severity: 'suspect',
      summary: 'the hand-in was refused',
      evidence: [{ path: '.', detail: 'file-too-large: "big.bin" has 1099511627776 bytes' }],
    },
  ]);
});

test('a large hand-in within the caps is not', () => {
  expect(detect(null)).toEqual([]);
});
