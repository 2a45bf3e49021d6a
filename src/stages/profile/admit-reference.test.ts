import { expect, test } from 'vitest';
import { type Candidate, refusalsOf } from './admit-reference.ts';

const DRAWN: Candidate = {
  isOfReviewedPolicy: false,
  isDrawnAtRandom: true,
  flaggedBy: [],
  isRewardedTwice: true,
  cluster: 'reviewed-honest',
  isRecorded: true,
};

test('a session that was drawn at random is admitted when nothing speaks against it', () => {
  expect(refusalsOf(DRAWN)).toEqual([]);
});

test('every condition of a drawn session is needed, and what is not known is not met', () => {
  expect(refusalsOf({ ...DRAWN, isDrawnAtRandom: false })).toEqual(['not-drawn']);
  expect(refusalsOf({ ...DRAWN, flaggedBy: ['screen'] })).toEqual(['flagged']);
  expect(refusalsOf({ ...DRAWN, isRewardedTwice: null })).toEqual(['not-rewarded-twice']);
  expect(refusalsOf({ ...DRAWN, cluster: 'unknown' })).toEqual(['cluster-not-reviewed']);
});

test('a reviewed policy needs no draw, but neither a broken record nor a reviewed cheat', () => {
  const reviewed: Candidate = {
    ...DRAWN,
    isOfReviewedPolicy: true,
    isDrawnAtRandom: false,
    isRewardedTwice: null,
    cluster: 'unknown',
  };
  expect(refusalsOf(reviewed)).toEqual([]);
  expect(refusalsOf({ ...reviewed, isRecorded: false })).toEqual(['not-recorded']);
  expect(refusalsOf({ ...reviewed, cluster: 'reviewed-cheat' })).toEqual(['reviewed-cheat']);
  expect(refusalsOf({ ...reviewed, cluster: 'harness-bug' })).toEqual(['reviewed-cheat']);
});
