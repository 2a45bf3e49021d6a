import type { WebSocket } from '@fastify/websocket';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { asProctorError } from '../../platform/base/errors.ts';
import { parseHostileJson } from '../../platform/base/safe-json.ts';
import type { CompatParts } from './compat-parts.ts';
import { createEpisode, type Episode } from './openenv-episode.ts';
import { failedWith, messageSchema, type Reply } from './openenv-message.ts';

const BOUNDS = { maxBytes: 4_194_304, maxDepth: 32, maxNodes: 50_000 };
/** A client asks one thing at a time; who asks ahead further than this is cut off. */
const MOST_WAITING = 16;
/** Codes of RFC 6455: done, and against the rules. */
const CLOSE = { done: 1000, tooMany: 1008 } as const;

/** Sessions as OpenEnv’s client drives them: `reset`, `step`, `state` over one WebSocket, whose end gives up a session that has not ended. */
export const openenvRoutes: FastifyPluginAsyncZod<CompatParts> = async (app, compat) => {
  app.get('/compat/openenv/ws', { websocket: true, config: { roles: ['harness'] } }, (socket: WebSocket, request) => {
    const episode = createEpisode(compat, request.caller?.keyId);
    serve(socket, episode, (thrown) => {
      const error = asProctorError(thrown);
      if (error.fault !== 'caller') request.log.error({ err: error, code: error.code }, 'an episode failed');
    });
  });
};

function serve(socket: WebSocket, episode: Episode, failed: (thrown: unknown) => void): void {
  let turn: Promise<void> = Promise.resolve();
  let waiting = 0;
  const answer = async (raw: string) => {
    const reply = await replyTo(episode, raw).catch((thrown) => {
      failed(thrown);
      return failedWith(thrown);
    });
    if (reply === null) socket.close(CLOSE.done);
    else if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(reply));
  };
  socket.on('message', (raw: Buffer) => {
    if (waiting >= MOST_WAITING) return socket.close(CLOSE.tooMany, 'too many messages wait');
    waiting += 1;
    turn = turn
      .then(() => answer(raw.toString('utf8')))
      .finally(() => {
        waiting -= 1;
      });
  });
  // what is being answered ends first: a reset that is under way would otherwise leave a session behind
  socket.on('close', () => void turn.then(episode.leave).catch(failed));
}

/** The reply to one message; null: none, the client says goodbye. */
async function replyTo(episode: Episode, raw: string): Promise<Reply | null> {
  const text = parsed(raw);
  if ('code' in text) return { type: 'error', data: text };
  const message = messageSchema.safeParse(text.json);
  if (!message.success) {
    return {
      type: 'error',
      data: { code: 'UNKNOWN_TYPE', message: 'say {"type": "reset", "step", "state" or "close"}' },
    };
  }
  const { type, data } = message.data;
  if (type === 'close') return null;
  return type === 'state' ? episode.state() : episode[type](data);
}

function parsed(raw: string): { readonly json: unknown } | { readonly code: string; readonly message: string } {
  try {
    return { json: parseHostileJson(raw, BOUNDS) };
  } catch (thrown) {
    return { code: 'INVALID_JSON', message: asProctorError(thrown).message };
  }
}
