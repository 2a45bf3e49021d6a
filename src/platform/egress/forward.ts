import { type ClientRequest, type IncomingMessage, request as requestUpstream, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type ForwardTarget, headerValues } from './forward-target.ts';
import { type Meter, startMeter } from './meter.ts';
import { answerLine, refuseRequest } from './refuse.ts';
import { type Errand, reachUpstream } from './upstream.ts';

/** Headers that belong to one connection (RFC 9110 section 7.6.1), and those that are set anew here. */
const NOT_PASSED = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'expect', 'host', 'content-length'],
]);
/** Methods for which node:http frames no body by itself. */
const BODILESS_METHODS = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);
const NO_PROPER_ANSWER = 'proctor egress: the host gave no proper answer\n';

/** A request in absolute form, and where its answer goes. */
export interface ForwardRequest {
  readonly target: ForwardTarget;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Serves one plain HTTP request on a connection of its own; redirects are passed through. */
export async function serveForward(errand: Errand, forward: ForwardRequest): Promise<void> {
  const { attempt } = errand;
  const { target, response } = forward;
  const upstream = target.refusal
    ? ({ kind: 'refused', reason: target.refusal } as const)
    : await reachUpstream(errand, target.wanted);
  if (upstream.kind === 'abandoned') return attempt.over();
  if (upstream.kind === 'refused') {
    attempt.refused(upstream.reason);
    return refuseRequest(response, upstream.reason);
  }
  await exchange(errand, forward, upstream.socket);
  attempt.over();
}

async function exchange(errand: Errand, forward: ForwardRequest, socket: Socket): Promise<void> {
  const { request, response } = forward;
  const meter = startMeter(errand, socket);
  try {
    const ended = new Promise<void>((resolve) => response.once('close', resolve));
    if (/^100-continue$/i.test(request.headers.expect ?? '')) response.writeContinue();
    request.on('data', (chunk: Buffer) => meter.up(chunk.length));
    sendUp(errand, forward, socket).on('response', (answer) => passDown(answer, response, meter));
    if (errand.client.destroyed) response.destroy();
    await ended;
  } finally {
    meter.stop();
    socket.destroy();
  }
}

function sendUp({ settings }: Errand, { target, request, response }: ForwardRequest, socket: Socket): ClientRequest {
  const upward = requestUpstream({
    createConnection: () => socket, // no agent: one request, then the connection is closed
    method: request.method ?? 'GET',
    path: target.path,
    headers: headersUp(request, target.hostHeader),
    maxHeaderSize: settings.limits.headerBytes,
    insecureHTTPParser: false,
  });
  const failed = () => {
    if (response.writableEnded) return; // a host may answer and close before it has read everything
    if (response.headersSent) response.destroy();
    else answerLine(response, 502, NO_PROPER_ANSWER);
  };
  upward.on('error', failed);
  upward.on('upgrade', (_answer, upgraded) => upgraded.destroy()).on('upgrade', failed); // nobody asked for one
  request.on('error', () => socket.destroy());
  request.pipe(upward);
  return upward;
}

function passDown(answer: IncomingMessage, response: ServerResponse, meter: Meter): void {
  const lengths = headerValues(answer, 'content-length').slice(0, 1);
  response.sendDate = false;
  try {
    // without the host's own reason phrase, in which anything may stand
    response.writeHead(answer.statusCode ?? 502, [
      ...passedHeaders(answer),
      ...lengths.flatMap((length) => ['content-length', length]),
      ...['connection', 'close'],
    ]);
  } catch {
    answer.destroy();
    answerLine(response, 502, NO_PROPER_ANSWER); // a status or a header that no client should see
    return;
  }
  answer.on('data', () => meter.down());
  answer.on('error', () => response.destroy());
  answer.on('close', () => {
    if (!answer.complete) response.destroy(); // cut off: the client must not take it for whole
  });
  answer.pipe(response);
}

/** The headers of the request upwards; a body's framing is never the client's to hide behind `Connection:`. */
function headersUp(request: IncomingMessage, host: string): readonly string[] {
  const length = headerValues(request, 'content-length')[0];
  const framing = () => {
    if (headerValues(request, 'transfer-encoding').length > 0) return ['transfer-encoding', 'chunked'];
    if (length !== undefined) return ['content-length', length];
    return BODILESS_METHODS.has(request.method ?? '') ? [] : ['content-length', '0'];
  };
  return ['host', host, ...passedHeaders(request), ...framing(), 'connection', 'close'];
}

/** Headers that go on to the other side, in the flat form of `rawHeaders`. */
function passedHeaders(message: IncomingMessage): string[] {
  const named = headerValues(message, 'connection').flatMap((value) => value.toLowerCase().split(','));
  const dropped = new Set(named.map((name) => name.trim()));
  const passed: string[] = [];
  for (let index = 0; index + 1 < message.rawHeaders.length; index += 2) {
    const [name = '', value = ''] = message.rawHeaders.slice(index, index + 2);
    if (!NOT_PASSED.has(name.toLowerCase()) && !dropped.has(name.toLowerCase())) passed.push(name, value);
  }
  return passed;
}
