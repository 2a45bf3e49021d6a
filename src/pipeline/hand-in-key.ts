/** The idempotency key under which a session hands in: it does so once. */
export const keyOfSession = (sessionId: string): string => JSON.stringify(['session', sessionId]);

/** The session that hands in under a key, or null for another's key. */
export function sessionOfKey(key: string): string | null {
  const id = /^\["session","([^"]+)"\]$/.exec(key)?.[1];
  return id === undefined ? null : id;
}
