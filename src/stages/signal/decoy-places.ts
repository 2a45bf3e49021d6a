import { basename } from 'node:path/posix';
import type { Decoy } from '../instance/decoy.ts';
import type { SessionEvent } from '../session/event.ts';
import type { Finding, ScreenedFile, ScreenInput } from './detector.ts';
import { placeOf } from './session-trace.ts';
import { isCode } from './source-code.ts';

/** What stands right before a place in a line that puts it to use. All linear: no part can match what the next one does. */
const USES = {
  path: /\b(?:(?:open|fopen|read\w{0,20}|load\w{0,20}|File|source|jq|require)[\s(]{1,3}["'`]?[\w./~-]{0,200}|cat [^|;&#]{0,200})$/,
  variable: /(?:environ(?:\.get)?\s?[[(]\s?["']|getenv\(\s?["']|process\.env[.[]["']?|ENV\[["']|\$\{?)$/,
  host: /(?:https?:\/\/|connect\w{0,20}\(\(?\s?["']|urlopen\(["']|(?:curl|wget|nc|ssh|ping) [^|;&#]{0,200}|host\w{0,10}\s?[=:]\s?["'])$/i,
} as const;
/** Where a comment begins; what is said in one is done nowhere. */
const COMMENT = /^\s{0,200}(?:#|\/\/|--|\*|;)|\s#\s|\s\/\/\s/;
/** Before a place that is left out of something. */
const LEFT_OUT = /(?:exclude\S{0,20}|ignore\S{0,20}|skip\S{0,20}|-not|prune|unset|!=)\s?\S{0,40}\s?\S{0,40}$/i;

/** Bytes of a line before a place that are looked at, and places in one file: more tell no more. */
const LOOK_BACK = 300;
const MOST_PLACES = 40;

/** Places of decoys in programs that were handed in: where one is opened or asked it is used, anywhere else it is named. */
export function namedInCode({ solution, decoys }: ScreenInput): readonly Finding[] {
  const places = decoys.flatMap(placesOf);
  return solution.filter(isCode).flatMap((file) => places.flatMap((place) => inFile(file, place)));
}

interface Place {
  readonly name: string;
  readonly use: keyof typeof USES;
}

/** Base names suffice: they are drawn too. */
function placesOf({ kind, paths, variable, host }: Decoy): readonly Place[] {
  const files = kind === 'git' ? [] : paths.map((path) => basename(path));
  return [
    ...files.map((name) => ({ name, use: 'path' }) as const),
    ...(variable === null ? [] : [{ name: variable, use: 'variable' } as const]),
    ...(host === null ? [] : [{ name: host, use: 'host' } as const]),
  ].filter(({ name }) => name.length >= 10); // a base name such as client.ini may be anybody's
}

function inFile({ path, bytes }: ScreenedFile, { name, use }: Place): readonly Finding[] {
  const findings: Finding[] = [];
  for (let at = bytes.indexOf(name); at >= 0 && findings.length < MOST_PLACES; at = bytes.indexOf(name, at + 1)) {
    const begin = bytes.lastIndexOf(10, at) + 1;
    const before = bytes.toString('latin1', Math.max(begin, at - LOOK_BACK), at);
    const isUsed = !COMMENT.test(before) && !LEFT_OUT.test(before) && USES[use].test(before);
    // a place that is named again and again is one finding, so it has no line
    const line = isUsed ? lineAt(bytes, at) : 0;
    findings.push({ severity: isUsed ? 'suspect' : 'note', path, line, what: `names ${name}` });
    if (isUsed) break;
  }
  return findings;
}

function lineAt(bytes: Buffer, end: number): number {
  let line = 1;
  for (let at = bytes.indexOf(10); at >= 0 && at < end; at = bytes.indexOf(10, at + 1)) line++;
  return line;
}

/** Programs that ask a host, and such that may run any code. */
const ASKERS = /\/(?:curl|wget|nc|ncat|netcat|telnet|ssh|scp|sftp|ftp|ping|dig|nslookup|host|getent|socat)$/;
const COPIERS = /\/(?:scp|sftp)$/;
/** What code says that opens a connection. */
const CONNECTS = /https?:\/\/|connect(?:ion)?\(|urlopen|getaddrinfo|fetch\(|requests?\./;
const INTERPRETERS = /\/(?:python[\d.]*|node|perl|ruby|php)$/;

/** Hosts, values and files of decoys that were asked for at the gateway or given to a program that asks. */
export function askedForDecoys({ decoys, session }: ScreenInput): readonly Finding[] {
  if (session === null) return [];
  const hosts = decoys.flatMap(({ host }) => (host === null ? [] : [host]));
  const values = [...hosts, ...decoys.flatMap((decoy) => decoy.values)];
  const paths = decoys.flatMap((decoy) => (decoy.kind === 'git' ? [] : decoy.paths));
  return session.events.flatMap((event): Finding[] => {
    const told = asked(event, { hosts, values, paths });
    return told === undefined
      ? []
      : [{ severity: 'suspect', path: placeOf(event), line: 0, what: `asks with ${told}` }];
  });
}

function asked(
  { type, detail }: SessionEvent,
  known: { readonly hosts: readonly string[]; readonly values: readonly string[]; readonly paths: readonly string[] },
): string | undefined {
  const { hosts, values, paths } = known;
  if (type === 'egress.attempt') return hosts.find((host) => String(detail.host).includes(host));
  if (type !== 'process.executed' || !Array.isArray(detail.argv)) return undefined;
  const [program, words] = [String(detail.path), detail.argv.join(' ')];
  if (INTERPRETERS.test(program)) return CONNECTS.test(words) ? hosts.find((host) => words.includes(host)) : undefined;
  if (!ASKERS.test(program)) return undefined;
  const isSent = (path: string) => words.includes(COPIERS.test(program) ? path : `@${path}`);
  return values.find((each) => words.includes(each)) ?? paths.find(isSent);
}
