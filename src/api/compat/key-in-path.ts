import type { IncomingMessage } from 'node:http';

/** A key as the first part of the path, for clients that cannot set headers. */
const KEYED = /^\/compat\/k\/([\x21-\x2e\x30-\x3e\x40-\x7e]{1,200})(\/.*)$/s;

const PREFIX = '/compat/k/';

/**
 * Takes a key out of `/compat/k/KEY/…` and gives the path without it; the key goes on as if it had come in the header. So nothing behind
 * this (routes, logs, metrics) ever sees a URL with a key in it: what stands there and leads nowhere is cut off, since it may be one.
 */
export function takeKeyFromPath(request: Pick<IncomingMessage, 'url' | 'headers'>): string {
  const url = request.url ?? '/';
  const [, key, rest] = KEYED.exec(url) ?? [];
  if (key === undefined || rest === undefined) return url.startsWith(PREFIX) ? PREFIX : url;
  request.headers.authorization = `Bearer ${key}`;
  return `/compat${rest}`;
}
