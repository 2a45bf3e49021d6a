import { expect, test } from 'vitest';
import { episodeOf } from '../../../test/support/episodes.ts';
import { CostLedger, costOf } from './cost.ts';

const episode = (n: number, tokens: number | null, retry = false) => {
  const made = episodeOf({ n, labels: { run: n % 2 === 0 ? 'even' : null } });
  return {
    ...made,
    end: { ...made.end, retry },
    steps: made.steps.map((step) => ({ ...step, tokens, wallMs: 10_000 })),
  };
};

test('a session costs its tokens, and the time in which it acted and in which its sandbox waited', () => {
  expect(costOf(episode(1, 7))).toMatchObject({ tokens: 14, untold: 0, actingSeconds: 20, idleSeconds: 40 });
  expect(costOf(episode(1, null, true))).toMatchObject({ tokens: 0, untold: 1, retriedSeconds: 60 });
  expect(costOf({ ...episode(1, 7), origin: 'self-reported' })).toMatchObject({ idleSeconds: 0, retriedSeconds: 0 });
});

test('costs add up by what is asked for', () => {
  const ledger = new CostLedger('run');
  for (let n = 0; n < 5; n++) ledger.note(episode(n, 1));
  expect(ledger.rows().map(({ name, sessions }) => [name, sessions])).toEqual([
    ['(no run)', 2],
    ['even', 3],
  ]);
  expect(ledger.total()).toMatchObject({ sessions: 5, steps: 10, tokens: 10 });
});
