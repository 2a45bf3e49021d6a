import { expect, test } from 'vitest';
import { episodeOf, stepOf } from '../../../test/support/episodes.ts';
import { labelEpisode } from './label-episode.ts';

test('labels tell outcome, completion, validity, exceptions, integrity and whose fault it was', () => {
  const episode = episodeOf({ n: 1, outcome: 'failed', score: 0.4, commands: ['ls', 'ls', 'make', 'x'] });
  const steps = episode.steps.map((step, index) => (index < 3 ? step : stepOf({ command: 'x', status: 'timed-out' })));
  expect(labelEpisode({ ...episode, steps })).toMatchObject({
    ...{ outcome: 'failed', completion: 0.4, exceptions: { 'timed-out': 1 }, integrity: 'clean', fault: 'subject' },
    ...{ isAccused: false, technique: null },
  });
});

test('the gravest signal is the technique, and a note accuses nobody', () => {
  const signals = [
    { kind: 'zzz', severity: 'suspect' },
    { kind: 'decoy-opened', severity: 'note' },
    { kind: 'runner-tampering', severity: 'violation' },
  ];
  expect(labelEpisode(episodeOf({ n: 1, integrity: 'violated', signals }))).toMatchObject({
    ...{ technique: 'runner-tampering', isAccused: true },
  });
  expect(labelEpisode(episodeOf({ n: 1, signals: signals.slice(1, 2) }))).toMatchObject({
    ...{ technique: null, isAccused: false },
  });
});

test('a session that handed nothing in is not done, and what was not graded has no completion', () => {
  const open = { ...episodeOf({ n: 1 }), artifactId: null, verdict: null, decision: null, reward: null };
  expect(labelEpisode(open)).toMatchObject({ outcome: 'not-done', completion: null, integrity: 'not-judged' });
  expect(labelEpisode(episodeOf({ n: 1, outcome: 'ungraded' })).completion).toBeNull();
});
