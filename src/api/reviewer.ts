import type { FastifyRequest } from 'fastify';
import { ProctorError } from '../platform/base/errors.ts';

/** Who rules: the name of the key. Two keys of one name are one person. */
export function reviewerOf({ caller }: Pick<FastifyRequest, 'caller'>): string {
  if (caller !== null) return caller.name;
  throw new ProctorError('unauthenticated', 'this needs a valid API key');
}
