import type { FastifyRequest } from 'fastify';

/** A caller's idempotency keys are its own. */
export function sessionKey(request: FastifyRequest, key: string, kind: 'session' | 'import' = 'session'): string {
  return JSON.stringify([kind, request.caller?.keyId, key]);
}
