import type { WebSocket } from '@fastify/websocket';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { asProctorError } from '../../platform/base/errors.ts';
import { findSession, findSessionEnd, listEvents } from '../../stages/session/session-store.ts';
import type { ApiParts } from '../api-parts.ts';
import { safeText } from '../safe-text.ts';
import { showEnd, showEvent } from '../show-session.ts';

const PAGE = 200;
/** A reader that is so far behind is cut off; it comes again with the number of its last event. */
const MOST_WAITING_BYTES = 16_777_216;
/** Codes of RFC 6455: done, and too slow. */
const CLOSE = { done: 1000, tooSlow: 1013, failed: 1011 } as const;

/** What happens in a session, as it happens: every event of its log from a number on, and what its programs write. */
export const sessionStreamRoutes: FastifyPluginAsyncZod<ApiParts> = async (app, parts) => {
  app.get(
    '/v1/sessions/:id/stream',
    {
      websocket: true,
      config: { roles: ['harness', 'trainer', 'reviewer'] },
      schema: {
        params: z.object({ id: safeText(100) }),
        querystring: z.object({ after: z.coerce.number().int().min(0).default(0) }),
      },
      preValidation: async (request) => {
        await findSession(parts.database, String((request.params as { id?: unknown }).id)); // told before there is a stream
      },
    },
    (socket, request) => stream(parts, socket, { id: request.params.id, after: request.query.after }),
  );
};

function stream(parts: ApiParts, socket: WebSocket, from: { readonly id: string; readonly after: number }): void {
  let { after } = from;
  let turn: Promise<void> = Promise.resolve();
  const send = (message: Readonly<Record<string, unknown>>) => {
    if (socket.bufferedAmount > MOST_WAITING_BYTES) socket.close(CLOSE.tooSlow, `come again with after=${after}`);
    else socket.send(JSON.stringify(message));
  };
  const sendEvents = async () => {
    for (;;) {
      const events = await listEvents(parts.database, from.id, { after, limit: PAGE });
      for (const event of events) {
        send({ kind: 'event', event: showEvent(event) });
        after = event.seq;
      }
      if (events.length < PAGE) break;
    }
    const end = await findSessionEnd(parts.database, from.id);
    if (end === null || after < end.body.events) return;
    send({ kind: 'end', end: showEnd(from.id, end) });
    socket.close(CLOSE.done);
  };
  const grown = () => {
    turn = turn.then(sendEvents).catch((thrown) => socket.close(CLOSE.failed, asProctorError(thrown).code));
  };
  const output = (name: 'stdout' | 'stderr', chunk: Buffer) =>
    send({ kind: 'output', stream: name, base64: chunk.toString('base64') });
  const stop = parts.sessions?.watch(from.id, { grown, output }) ?? (() => undefined);
  // the end is stored after the last event, and nothing is told then
  const timer = setInterval(grown, 1_000).unref();
  socket.on('close', () => {
    clearInterval(timer);
    stop();
  });
  grown();
}
