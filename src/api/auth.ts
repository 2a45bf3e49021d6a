import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ProctorError } from '../platform/base/errors.ts';
import type { Queryable } from '../platform/db/database.ts';
import { type Caller, identify } from './keys.ts';
import type { Role } from './roles.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Roles that may call this route; admin always may. A route without it is open to all. */
    roles?: readonly Role[];
  }
  interface FastifyRequest {
    caller: Caller | null;
  }
}

/** Checks the key of every request to a route that names roles. */
export function installAuth(app: FastifyInstance, database: Queryable): void {
  app.decorateRequest('caller', null);
  app.addHook('onRequest', async (request) => {
    const { roles } = request.routeOptions.config;
    if (roles === undefined) return;
    request.caller = await identify(database, bearerOf(request));
    if (request.caller === null) throw new ProctorError('unauthenticated', 'this needs a valid API key');
    if (request.caller.role === 'admin' || roles.includes(request.caller.role)) return;
    throw new ProctorError(
      'forbidden',
      `a ${request.caller.role} key may not do this; it takes: ${[...new Set([...roles, 'admin'])].join(', ')}`,
    );
  });
}

function bearerOf(request: FastifyRequest): string {
  return request.headers.authorization?.match(/^Bearer ([\x21-\x7e]{1,200})$/i)?.[1] ?? '';
}
