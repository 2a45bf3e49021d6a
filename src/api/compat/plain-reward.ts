import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type ErrorCode, ProctorError } from '../../platform/base/errors.ts';
import type { ApiParts } from '../api-parts.ts';
import type { Answered } from './answer-sample.ts';
import { createBoundedMap } from './bounded-map.ts';

const MOST_GROUPS = 50_000;

/** What a trainer that knows only numbers gets for a sample. */
export interface PlainReward {
  readonly reward: number;
  /** `earned`: graded; `neutral`: the mean of its graded siblings; `fallback`: the number that the caller chose, or 0. */
  readonly basis: 'earned' | 'neutral' | 'fallback';
}

/** Rewards that were given out lately, by group: what a neutral reward is the mean of. */
export interface Siblings {
  note(group: string, reward: number): void;
  mean(group: string): number | null;
}

/** Knows no siblings yet. Kept by one process and lost with it; nothing but neutral rewards rests on it. */
export function rememberSiblings(): Siblings {
  const groups = createBoundedMap<{ readonly sum: number; readonly count: number }>(MOST_GROUPS);
  return {
    note(group, reward) {
      const { sum, count } = groups.get(group) ?? { sum: 0, count: 0 };
      groups.set(group, { sum: sum + reward, count: count + 1 });
    },
    mean(group) {
      const known = groups.get(group);
      return known === undefined ? null : known.sum / known.count;
    },
  };
}

const fallbackSchema = z.coerce.number().refine(Number.isFinite).default(0);

/** The number that a call names for samples that cannot be dropped and have no graded siblings; 0 when it names none. */
export function fallbackOf(request: FastifyRequest): number {
  const parsed = fallbackSchema.safeParse((request.query as { fallback?: unknown }).fallback);
  if (parsed.success) return parsed.data;
  throw new ProctorError('bad-request', 'fallback must be a finite number');
}

/**
 * What meets every sample alike until a person acts. A number would be a run of false zeros, and the mean of earlier siblings would go on
 * for ever: these are errors.
 */
const UNTIL_MENDED: Readonly<Record<string, ErrorCode>> = {
  'proctor:run-cancelled': 'run-cancelled',
  'proctor:too-many-attempts': 'too-many-attempts',
  'proctor:policy-invalid': 'policy-invalid',
  'proctor:task-not-admitted': 'masked',
};

function refuseUntilMended({ failure_kind: kind, failure_reason: reason }: Answered['item']): void {
  const code = Object.hasOwn(UNTIL_MENDED, kind) ? UNTIL_MENDED[kind] : undefined;
  if (code !== undefined) throw new ProctorError(code, `nothing is paid: ${reason}`, { kind });
}

/**
 * Numbers for samples of one call. What was not graded in time, and what the platform failed to grade and has no graded siblings, is
 * `no-result`: the client is to come again, since no number would say that. What meets every sample until a person acts is its error. What a policy masks gets its siblings’ mean or the fallback.
 */
export function plainRewards(
  { parts, siblings }: { readonly parts: ApiParts; readonly siblings: Siblings },
  answers: readonly Answered[],
  fallback: number,
): readonly PlainReward[] {
  for (const { item, siblings: group } of answers) {
    if (group !== null && item.status === 'scored') siblings.note(group, item.reward);
  }
  return answers.map(({ item, siblings: group }) => {
    if (item.status === 'scored') return { reward: item.reward, basis: 'earned' };
    refuseUntilMended(item);
    if (item.status === 'pending') throw noResult(item);
    const mean = group === null ? null : siblings.mean(group);
    if (mean === null && item.fault === 'platform' && item.status === 'unscored') throw noResult(item);
    const basis = mean === null ? 'fallback' : 'neutral';
    parts.log.warn({ kind: item.failure_kind, reason: item.failure_reason, basis }, 'a masked sample got a number');
    return { reward: mean ?? fallback, basis };
  });
}

/** The error that says: there is no result, come again. */
export function noResult({ failure_kind, failure_reason }: Answered['item']): ProctorError {
  return new ProctorError('no-result', `no reward yet: ${failure_reason}`, { kind: failure_kind });
}
