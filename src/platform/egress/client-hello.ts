/** What the first bytes of a stream are. */
export type ClientHello =
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'not-tls' }
  | { readonly kind: 'no-name' }
  /** The server name as the client wrote it, in Latin-1; hostile text. */
  | { readonly kind: 'name'; readonly name: string };

/** Most bytes that a ClientHello may take, record headers included; real ones take up to about 2 KiB. */
export const MAX_CLIENT_HELLO_BYTES = 16 * 1024;

/** Numbers of RFC 8446 sections 4 and 5.1 and RFC 6066 section 3. */
const RECORD_HANDSHAKE = 22;
const RECORD_HEADER_BYTES = 5;
const MAX_RECORD_BYTES = 16_384;
const MAJOR_VERSION = 3;
const HANDSHAKE_CLIENT_HELLO = 1;
const HANDSHAKE_HEADER_BYTES = 4;
const VERSION_AND_RANDOM_BYTES = 34;
const EXTENSION_SERVER_NAME = 0;
const NAME_TYPE_HOST = 0;

const INCOMPLETE: ClientHello = { kind: 'incomplete' };
const NOT_TLS: ClientHello = { kind: 'not-tls' };

/**
 * Reads the server name from a stream's first bytes. Call it again with all bytes so far while it is `incomplete`;
 * it never is once there are {@link MAX_CLIENT_HELLO_BYTES}. Lengths that do not fit into each other, a name twice
 * or an empty one are `not-tls`: a server might read them otherwise than this does.
 */
export function readClientHello(bytes: Buffer): ClientHello {
  const { payload, broken } = joinRecords(bytes.subarray(0, MAX_CLIENT_HELLO_BYTES));
  if (payload.length > 0 && payload[0] !== HANDSHAKE_CLIENT_HELLO) return NOT_TLS;
  const more = broken || bytes.length >= MAX_CLIENT_HELLO_BYTES ? NOT_TLS : INCOMPLETE;
  if (payload.length < HANDSHAKE_HEADER_BYTES) return more;
  const end = HANDSHAKE_HEADER_BYTES + payload.readUIntBE(1, 3);
  if (end > MAX_CLIENT_HELLO_BYTES) return NOT_TLS;
  if (payload.length < end) return more;
  return readBody(payload.subarray(HANDSHAKE_HEADER_BYTES, end)) ?? NOT_TLS;
}

/** What the handshake records carry, the last perhaps cut off, and whether something else comes behind them. */
function joinRecords(bytes: Buffer): { payload: Buffer; broken: boolean } {
  const payloads: Buffer[] = [];
  let broken = false;
  let rest = bytes;
  while (rest.length > 0 && !broken) {
    broken = rest[0] !== RECORD_HANDSHAKE || (rest.length > 1 && rest[1] !== MAJOR_VERSION);
    if (broken || rest.length < RECORD_HEADER_BYTES) break;
    const length = rest.readUInt16BE(3);
    broken = length === 0 || length > MAX_RECORD_BYTES;
    payloads.push(rest.subarray(RECORD_HEADER_BYTES, RECORD_HEADER_BYTES + length));
    rest = rest.subarray(RECORD_HEADER_BYTES + length);
  }
  return { payload: Buffer.concat(payloads), broken };
}

function readBody(body: Buffer): ClientHello | null {
  const afterSession = skipVector(body.subarray(VERSION_AND_RANDOM_BYTES), 1);
  const afterSuites = afterSession && skipVector(afterSession, 2);
  const afterCompression = afterSuites && skipVector(afterSuites, 1);
  if (!afterCompression || body.length < VERSION_AND_RANDOM_BYTES) return null;
  if (afterCompression.length === 0) return { kind: 'no-name' }; // TLS 1.2 may come without extensions
  const extensions = takeVector(afterCompression, 2);
  if (extensions === null || extensions.after.length > 0) return null;
  return readExtensions(extensions.content);
}

function readExtensions(bytes: Buffer): ClientHello | null {
  let found: ClientHello = { kind: 'no-name' };
  let rest = bytes;
  while (rest.length > 0) {
    const extension = rest.length < 2 ? null : takeVector(rest.subarray(2), 2);
    if (extension === null) return null;
    if (rest.readUInt16BE(0) === EXTENSION_SERVER_NAME) {
      const name: string | null = found.kind === 'name' ? null : readServerName(extension.content);
      if (name === null) return null;
      found = { kind: 'name', name };
    }
    rest = extension.after;
  }
  return found;
}

/** The only name of a server_name extension; null when there are several, none, or bytes that belong to nothing. */
function readServerName(bytes: Buffer): string | null {
  const list = takeVector(bytes, 2);
  if (list === null || list.after.length > 0 || list.content[0] !== NAME_TYPE_HOST) return null;
  const name = takeVector(list.content.subarray(1), 2);
  return name === null || name.after.length > 0 || name.content.length === 0 ? null : name.content.toString('latin1');
}

function skipVector(bytes: Buffer, lengthBytes: 1 | 2): Buffer | null {
  return takeVector(bytes, lengthBytes)?.after ?? null;
}

/** A vector with its length in front; null when the length points beyond the end. */
function takeVector(bytes: Buffer, lengthBytes: 1 | 2): { content: Buffer; after: Buffer } | null {
  if (bytes.length < lengthBytes) return null;
  const end = lengthBytes + bytes.readUIntBE(0, lengthBytes);
  return end > bytes.length ? null : { content: bytes.subarray(lengthBytes, end), after: bytes.subarray(end) };
}
