import type { FastifyRequest } from 'fastify';

/** A caller's idempotency keys are its own. */
export function sessionKey(request: FastifyRequest, key: string): string {
  return JSON.stringify(['session', request.caller?.keyId, key]);
}
