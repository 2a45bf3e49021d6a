import { setTimeout as pause } from 'node:timers/promises';

/** How the service is called: a client that keeps asking, with the same idempotency key, until it is answered. */
export interface Client {
  /** Hands in one file; gives the submission's id. Throws after a minute without an answer. */
  handIn(key: string, content: string): Promise<string>;
}

const PATIENCE_MS = 60_000;
const PAUSE_MS = 200;

/** A client of the service at `url` that hands in `path` for one instance. */
export function clientOf(what: { url: string; apiKey: string; instanceId: string; path: string }): Client {
  return {
    async handIn(key, content) {
      const body = { instance_id: what.instanceId, idempotency_key: key, files: [{ path: what.path, content }] };
      const reply = await insist(() => post(what, '/v1/submissions', body));
      return String(reply.submission_id);
    },
  };
}

/** One call; throws what is not an answer. */
export async function post(
  { url, apiKey }: { url: string; apiKey: string },
  path: string,
  body: object,
): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const reply = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await reply.text();
  if (!reply.ok) throw Object.assign(new Error(`${path}: ${reply.status} ${text}`), { final: reply.status < 500 });
  return JSON.parse(text) as Record<string, unknown>;
}

async function insist<T>(work: () => Promise<T>): Promise<T> {
  const untilMs = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await work();
    } catch (thrown) {
      if ((thrown as { final?: boolean }).final === true || performance.now() > untilMs) throw thrown;
      await pause(PAUSE_MS);
    }
  }
}
