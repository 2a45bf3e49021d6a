import type { Decoy } from '../instance/decoy.ts';
import type { SessionEvent } from '../session/event.ts';
import type { Finding, ScreenedFile, ScreenInput } from './detector.ts';
import { placeOf } from './session-trace.ts';
import { isCode } from './source-code.ts';

/** What a program says in the line in which it puts a place to use. */
const USES = {
  path: /\b(?:open|fopen|read\w*|load\w*|File|Path|cat|source|jq|require)\b/,
  variable: /\benviron|getenv|process\.env|ENV\[|\$/,
  host: /https?:|connect|socket|urlopen|requests?\b|fetch|curl|wget/i,
} as const;

/** Lines longer than this are data. */
const LONGEST_LINE = 4_096;

/** Places of decoys in programs that were handed in: in a line that opens or asks they are used, in any other they are named. */
export function namedInCode({ solution, decoys }: ScreenInput): readonly Finding[] {
  const places = decoys.flatMap(placesOf);
  return solution.filter(isCode).flatMap((file) => {
    const named = places.filter(({ name }) => file.bytes.includes(name));
    return named.length === 0 ? [] : inLines(file, named);
  });
}

interface Place {
  readonly name: string;
  readonly use: keyof typeof USES;
}

/** Base names suffice: they are drawn too. */
function placesOf({ kind, paths, variable, host }: Decoy): readonly Place[] {
  const files = kind === 'git' ? [] : paths.map((path) => path.slice(path.lastIndexOf('/') + 1));
  return [
    ...files.map((name) => ({ name, use: 'path' }) as const),
    ...(variable === null ? [] : [{ name: variable, use: 'variable' } as const]),
    ...(host === null ? [] : [{ name: host, use: 'host' } as const]),
  ].filter(({ name }) => name.length >= 10); // a base name such as client.ini may be anybody's
}

function inLines({ path, bytes }: ScreenedFile, places: readonly Place[]): readonly Finding[] {
  return bytes
    .toString('utf8')
    .split('\n')
    .flatMap((text, index) =>
      places
        .filter(({ name }) => text.includes(name))
        .map(({ name, use }): Finding => {
          const isUsed = USES[use].test(text.slice(0, LONGEST_LINE));
          return { severity: isUsed ? 'suspect' : 'note', path, line: index + 1, what: `names ${name}` };
        }),
    );
}

/** Programs that ask a host, and such that may run any code. */
const ASKERS = /\/(?:curl|wget|nc|ncat|netcat|telnet|ssh|scp|sftp|ftp|ping|dig|nslookup|host|getent|openssl|socat)$/;
const INTERPRETERS = /\/(?:python[\d.]*|node|perl|ruby|php)$/;

/** Hosts, values and files of decoys that were asked for at the gateway or given to a program that asks. */
export function askedForDecoys({ decoys, session }: ScreenInput): readonly Finding[] {
  if (session === null) return [];
  const hosts = decoys.flatMap(({ host }) => (host === null ? [] : [host]));
  const sendable = [
    ...hosts,
    ...decoys.flatMap(({ kind, paths, values }) => [...values, ...(kind === 'git' ? [] : paths)]),
  ];
  return session.events.flatMap((event): Finding[] => {
    const told = asked(event, { hosts, sendable });
    return told === undefined
      ? []
      : [{ severity: 'suspect', path: placeOf(event), line: 0, what: `asks with ${told}` }];
  });
}

function asked(
  { type, detail }: SessionEvent,
  { hosts, sendable }: { readonly hosts: readonly string[]; readonly sendable: readonly string[] },
): string | undefined {
  if (type === 'egress.attempt') return hosts.find((host) => String(detail.host).includes(host));
  if (type !== 'process.executed' || !Array.isArray(detail.argv)) return undefined;
  const [program, words] = [String(detail.path), detail.argv.join(' ')];
  if (ASKERS.test(program)) return sendable.find((each) => words.includes(each));
  return INTERPRETERS.test(program) && USES.host.test(words) ? hosts.find((host) => words.includes(host)) : undefined;
}
