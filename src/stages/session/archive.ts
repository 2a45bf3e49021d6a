import { promisify } from 'node:util';
import { gzip as gzipCallback } from 'node:zlib';
import type { Digest } from '../../platform/base/digest.ts';
import type { Blobs } from '../../platform/blobs/blobs.ts';
import type { SessionEvent } from './event.ts';

const gzip = promisify(gzipCallback);

/** Keeps a whole log as gzip-compressed JSON Lines, one event on each line, in order; gives its digest. */
export async function archiveEvents(blobs: Blobs, sessionId: string, events: readonly SessionEvent[]): Promise<Digest> {
  const lines = events.map((event) => JSON.stringify({ session: sessionId, ...event, at: event.at.toISOString() }));
  return blobs.put(await gzip(`${lines.join('\n')}\n`));
}
