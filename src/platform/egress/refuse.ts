import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type EgressRefusal, refusalLine, refusalStatus } from './attempt.ts';

/** Milliseconds in which a client may take the answer; closing at once would reset a connection with unread bytes. */
const LINGER_MS = 1_000;
/** A fatal TLS alert `unrecognized_name` (RFC 6066 section 3), which TLS clients can show. */
const UNRECOGNIZED_NAME = Buffer.from([21, 3, 3, 0, 2, 2, 112]);

/** Refuses on a connection that node:http has no response object for, and closes it. */
export function refuseOnSocket(socket: Socket, reason: EgressRefusal): void {
  endSoon(socket, responseText(reason));
}

/** Refuses and closes without waiting for the client: for those who may not even take up a connection. */
export function refuseAtOnce(socket: Socket, reason: EgressRefusal): void {
  socket.end(responseText(reason), () => socket.destroy());
}

/** Refuses a TLS client inside its tunnel. */
export function refuseTlsClient(socket: Socket): void {
  endSoon(socket, UNRECOGNIZED_NAME);
}

/** Answers a request with the rule that refused it. */
export function refuseRequest(response: ServerResponse, reason: EgressRefusal): void {
  answerLine(response, refusalStatus(reason), refusalLine(reason));
}

/** Answers with one line of plain text and closes the connection. */
export function answerLine(response: ServerResponse, status: number, line: string): void {
  response.writeHead(status, { ...PLAIN_TEXT, 'content-length': Buffer.byteLength(line) });
  response.end(line);
}

const PLAIN_TEXT = { 'content-type': 'text/plain; charset=utf-8', connection: 'close' } as const;

function responseText(reason: EgressRefusal): string {
  const line = refusalLine(reason);
  const status = refusalStatus(reason) === 502 ? '502 Bad Gateway' : '403 Forbidden';
  const headers = Object.entries(PLAIN_TEXT).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status}`, ...headers, `content-length: ${Buffer.byteLength(line)}`, '', line].join('\r\n');
}

function endSoon(socket: Socket, bytes: string | Buffer): void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.end(bytes);
  socket.resume();
}
