import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const ALWAYS = /^s(\d{3})$/;
const ONCE = /^once(\d{3})$/;

/** A proxy whose first two parts of a path say what is to go wrong, and under which name its requests are counted. */
export interface FaultProxy {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Passes `/<fault>/<name>/<path>` on to `/<path>` of a service on loopback. Faults: `pass`; `s503` (any status): always; `once503`: the first
 * time; `drop`: the connection is cut, always; `oncedrop`. `/counts` tells how many requests came under each name.
 */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const counts: Record<string, number> = Object.create(null);
  const server = createServer((incoming, reply) => {
    if (incoming.url === '/counts') return void reply.end(JSON.stringify(counts));
    const [, fault = '', name = '', ...rest] = (incoming.url ?? '').split('/');
    const nth = (counts[name] ?? 0) + 1;
    counts[name] = nth;
    const status = Number((ALWAYS.exec(fault) ?? (nth === 1 ? ONCE.exec(fault) : null))?.[1] ?? 0);
    const isCut = fault === 'drop' || (fault === 'oncedrop' && nth === 1);
    if (isCut) return void incoming.socket.destroy();
    if (status > 0) return void incoming.resume().on('end', () => reply.writeHead(status).end('{}'));
    pass(incoming, reply, `${target}/${rest.join('/')}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function pass(incoming: IncomingMessage, reply: ServerResponse, url: string): void {
  const { method, headers } = incoming;
  const asking = request(url, { ...(method === undefined ? {} : { method }), headers }, (answer) => {
    reply.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(reply);
  });
  asking.on('error', () => reply.destroy());
  incoming.pipe(asking);
}
