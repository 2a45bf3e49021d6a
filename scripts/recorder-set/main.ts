// npm run recorder-set -- --out FILE.jsonl [--sessions N] [--from N] [--in-flight N]
// Runs scripted honest sessions and ten cheats in real workspaces, recorded by strace, and writes their features, one JSON
// object a line. A file that is there already is gone on with.
import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { recordSessions } from './record-sessions.ts';

/** After so many the scratch database is begun anew, so that it stays small. */
const SESSIONS_PER_DATABASE = 200;
const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    sessions: { type: 'string', default: '5500' },
    from: { type: 'string', default: '0' },
    'in-flight': { type: 'string', default: '2' },
    help: { type: 'boolean' },
  },
});
const [sessions, from, inFlight] = [values.sessions, values.from, values['in-flight']].map(Number) as [
  ...[number, number, number],
];
const { out } = values;

if (values.help || out === undefined || ![sessions, from, inFlight].every(Number.isInteger) || inFlight < 1) {
  console.error('usage: npm run recorder-set -- --out FILE.jsonl [--sessions N] [--from N] [--in-flight N]');
  process.exitCode = values.help ? 0 : 2;
} else {
  const text = existsSync(out) ? readFileSync(out, 'utf8') : '';
  const known = new Set([...text.matchAll(/^\{"id":"recorded-(\d+)"/gm)].map(([, number]) => Number(number)));
  const left = Array.from({ length: sessions }, (_, index) => from + index).filter((number) => !known.has(number));
  const startedMs = performance.now();
  let done = 0;
  const onSession = () => {
    done++;
    const perSecond = (done / (performance.now() - startedMs)) * 1000;
    if (done % 20 === 0) process.stderr.write(`${done} of ${left.length}, ${perSecond.toFixed(2)} a second\n`);
  };
  for (let at = 0; at < left.length; at += SESSIONS_PER_DATABASE) {
    await recordSessions({ numbers: left.slice(at, at + SESSIONS_PER_DATABASE), out, inFlight, onSession });
  }
  console.log(
    JSON.stringify({ recorded: done, of: sessions, perSecond: done / ((performance.now() - startedMs) / 1000) }),
  );
}
