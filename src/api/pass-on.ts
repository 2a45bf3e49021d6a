import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { FastifyReply, FastifyRequest, preHandlerAsyncHookHandler } from 'fastify';
import { messageOf, ProctorError } from '../platform/base/errors.ts';
import type { ApiParts } from './api-parts.ts';

/** Marks what was passed on once: it is not passed on again. */
const PASSED_ON = 'x-proctor-passed-on';
/** The longest step, and some. */
const LONGEST_MS = 3_700_000;
/** What of an answer goes back. */
const ANSWER_HEADERS = ['content-type', 'retry-after', 'x-content-type-options'] as const;

/** Passes requests for sessions to the process that has them, where that is another one; else they are answered here. */
export function passOn({ sessions, elsewhere }: ApiParts): preHandlerAsyncHookHandler {
  return async (request, reply) => {
    if (request.headers[PASSED_ON] !== undefined) return;
    const { id } = request.params as { id?: string };
    const isHere = id === undefined ? sessions !== null : sessions?.has(id) === true;
    if (isHere) return;
    const address = id === undefined ? await elsewhere.forNew() : await elsewhere.ofSession(id);
    if (address === null) return;
    const answer = await ask(address, request).catch((cause) => {
      throw new ProctorError(
        'sandbox-failed',
        `the process with this session does not answer: ${messageOf(cause)}`,
        {},
        { cause },
      );
    });
    return send(reply, answer);
  };
}

function ask(address: string, { method, url, headers, body }: FastifyRequest): Promise<IncomingMessage> {
  const { pathname, search } = new URL(url, 'http://own'); // a caller may name a host in the request line
  const target = new URL(pathname + search, address);
  const text = body === undefined || body === null ? '' : JSON.stringify(body);
  const sent = {
    ...(headers.authorization === undefined ? {} : { authorization: headers.authorization }),
    ...(text === '' ? {} : { 'content-type': 'application/json' }),
    'content-length': Buffer.byteLength(text),
    [PASSED_ON]: '1',
  };
  const start = target.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const asking = start(target, { method, headers: sent }, resolve);
    asking.on('error', reject).end(text);
    asking.setTimeout(LONGEST_MS, () => asking.destroy(new Error('no answer')));
  });
}

function send(reply: FastifyReply, answer: IncomingMessage): FastifyReply {
  for (const name of ANSWER_HEADERS) {
    const value = answer.headers[name];
    if (value !== undefined) reply.header(name, value);
  }
  // its body has its final form: it must not be written a second time by this route's schema
  return reply
    .status(answer.statusCode ?? 502)
    .serializer((text: unknown) => text as string)
    .send(answer);
}
