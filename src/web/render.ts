import type { FastifyReply, FastifyRequest } from 'fastify';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { Visit } from './layout.tsx';

/** Answers with a page. Every text in it is escaped by the renderer. */
export function sendPage(reply: FastifyReply, page: VNode): FastifyReply {
  return reply.type('text/html; charset=utf-8').send(`<!doctype html>${renderToString(page)}`);
}

/** Who makes a request, as pages need it. */
export function visitOf({ viewer, csrf }: FastifyRequest): Visit {
  return { viewer, csrf };
}
