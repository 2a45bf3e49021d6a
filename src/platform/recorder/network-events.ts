import type { RecordedEvent } from './recorded-event.ts';
import { splitArguments } from './split-arguments.ts';
import type { StraceCall } from './strace-call.ts';
import { readableText } from './strace-text.ts';

/** A socket address as strace writes it, in parts. */
interface SocketAddress {
  readonly family: string;
  readonly address: string;
  readonly port: number | null;
}

const OTHER = /^\{sa_family=([A-Z0-9_a-z]+)(?: \/\* AF_\?\?\? \*\/)?(?:, (.*))?\}$/s;
const INET = /^\{sa_family=AF_INET, sin_port=htons\((\d+)\), sin_addr=inet_addr\("([0-9.]+)"\)\}/;
const INET6 =
  /^\{sa_family=AF_INET6, sin6_port=htons\((\d+)\), sin6_flowinfo=htonl\(\d+\), inet_pton\(AF_INET6, "([0-9a-f:.]+)"/;
const UNIX = /^\{sa_family=AF_UNIX, sun_path=(@?)"([^"\\]*(?:\\.[^"\\]*)*)"/s;
const VSOCK = /^\{sa_family=AF_VSOCK, svm_cid=(\w+), svm_port=(\w+)/;
const MAX_ADDRESS = 300;
const MAX_MESSAGES = 64;

/** Where a call connected, bound or sent to: one event per address (`sendmmsg` can have several), none without an address. */
export function networkEvents(call: StraceCall): readonly RecordedEvent[] {
  const type = call.name === 'connect' || call.name === 'bind' ? (`network.${call.name}` as const) : 'network.sent';
  const { atMs, pid, outcome } = call;
  return addressTokens(call).flatMap((token) => {
    const address = socketAddress(token);
    return address === null ? [] : [{ type, atMs, pid, outcome, ...address, count: 1 }];
  });
}

/** Reads an address such as `{sa_family=AF_INET, …}`; null for NULL. A pointer that could not be read is of the family `unknown`. */
function socketAddress(token: string): SocketAddress | null {
  if (token === 'NULL' || token === '') return null;
  const inet = token.match(INET) ?? token.match(INET6);
  if (inet !== null) {
    const family = token.startsWith('{sa_family=AF_INET6') ? 'inet6' : 'inet';
    return { family, address: inet[2] ?? '', port: Number(inet[1]) };
  }
  const unix = token.match(UNIX);
  if (unix !== null) return { family: 'unix', address: `${unix[1]}${readableText(unix[2] ?? '')}`, port: null };
  const vsock = token.match(VSOCK);
  if (vsock !== null) return { family: 'vsock', address: vsock[1] ?? '', port: Number(vsock[2]) };
  const [, family, rest = ''] = token.match(OTHER) ?? [];
  if (family === undefined) return { family: 'unknown', address: token.slice(0, MAX_ADDRESS), port: null };
  return {
    family: family.replace(/^AF_/, '').toLowerCase().slice(0, 40),
    address: rest.slice(0, MAX_ADDRESS),
    port: null,
  };
}

/** The parts of the arguments that are addresses. Payload never counts: only fixed beginnings outside strings are looked at. */
function addressTokens({ name, args }: StraceCall): readonly string[] {
  if (name === 'connect' || name === 'bind') return [args[1] ?? ''];
  if (name === 'sendto') return [args[4] ?? ''];
  if (name === 'sendmsg') return [messageName(args[1] ?? '', '{msg_name=')];
  if (name !== 'sendmmsg' || !args[1]?.startsWith('[')) return [];
  const messages = splitArguments(args[1].slice(1), MAX_MESSAGES).items;
  return messages.map((message) => messageName(message, '{msg_hdr={msg_name='));
}

function messageName(message: string, beginning: string): string {
  if (!message.startsWith(beginning)) return '';
  return splitArguments(message.slice(beginning.length), 1).items[0] ?? '';
}
