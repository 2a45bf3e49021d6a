import { destination, type Logger, pino } from 'pino';

export type Log = Logger;

/** Where secrets can stand in what we log; pino replaces them. */
const REDACTED_PATHS = [
  'req.headers.authorization',
  'req.headers.cookie',
  'headers.authorization',
  'authorization',
  // a URL as it came, which may begin with a key: /compat/k/KEY/…
  'originalUrl',
  'key',
  '*.key',
  'seed',
  '*.seed',
  'password',
  '*.password',
  'databaseUrl',
  '*.databaseUrl',
];

/** JSON lines on standard error (standard output belongs to results), with keys, seeds and credentials redacted. */
export function createLog(level: string): Log {
  return pino(
    { level, base: null, redact: { paths: REDACTED_PATHS, censor: '[redacted]' } },
    destination({ fd: 2, sync: true }),
  );
}
