import { expect, test } from 'vitest';
import { PATIENCE } from './patience.ts';

test('every call is answered before its client gives it up', () => {
  for (const { clientMs, answerMs } of Object.values(PATIENCE)) {
    expect(answerMs).toBeLessThan((clientMs ?? Number.POSITIVE_INFINITY) - 4_000);
  }
});
