import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Server, Socket } from 'node:net';
import type { AttemptTarget } from './attempt.ts';
import { Connections } from './connections.ts';
import { serveForward } from './forward.ts';
import { forwardTarget } from './forward-target.ts';
import { splitAuthority } from './hosts.ts';
import { refuseOnSocket } from './refuse.ts';
import { type GatewayOptions, type GatewaySettings, gatewaySettings } from './settings.ts';
import { serveTunnel } from './tunnel.ts';

/** The HTTP proxy of one sandbox: the listener that a request came through is the sandbox's identity. */
export interface Gateway {
  /** Serves everybody who connects to a listener, which then is the gateway's to close. */
  serve(server: Server): void;
  /** Stops listening, cuts every connection, and returns when all attempts were told. */
  close(): Promise<void>;
}

/** Opens a gateway that lets through what `allow` names, and nothing else. It reads nothing from its surroundings. */
export function openGateway(options: GatewayOptions): Gateway {
  const settings = gatewaySettings(options);
  const servers = new Set<Server>();
  const connections = new Connections(settings);
  const http = proxyServer(settings, connections);
  return {
    serve(server) {
      servers.add(server);
      server.on('connection', (socket) => {
        if (connections.admit(socket)) http.emit('connection', socket);
      });
    },
    async close() {
      const stopped = [...servers].map((server) => new Promise<void>((resolve) => server.close(() => resolve())));
      await connections.end();
      await Promise.all(stopped);
    },
  };
}

/** Parses requests of connections that are handed to it; it listens to nothing itself. */
function proxyServer({ limits }: GatewaySettings, connections: Connections): HttpServer {
  const http = createServer({
    maxHeaderSize: limits.headerBytes,
    insecureHTTPParser: false,
    requireHostHeader: false, // checked here, so that it is told
    headersTimeout: 0, // node's own limits hold for servers that listen; Connections and Meter keep these
    requestTimeout: 0,
  });
  const forward = (request: IncomingMessage, response: ServerResponse) => onRequest(connections, request, response);
  http.on('request', forward).on('checkContinue', forward).on('checkExpectation', forward);
  http.on('connect', (request: IncomingMessage, _socket, head: Buffer) => onConnect(connections, request, head));
  http.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const parsed = error.code?.startsWith('HPE_') === true; // else the connection broke
    if (!(socket instanceof Socket) || !parsed || !connections.begin(socket)) return socket.destroy();
    connections.refused('malformed-request');
    refuseOnSocket(socket, 'malformed-request');
  });
  return http;
}

function onRequest(connections: Connections, request: IncomingMessage, response: ServerResponse): void {
  const target = forwardTarget(request);
  const told: AttemptTarget = { via: 'request', ...target.wanted };
  if (connections.begin(request.socket)) {
    connections.run(request.socket, told, (errand) => serveForward(errand, { target, request, response }));
    return;
  }
  connections.refused('malformed-request', told); // pipelined behind another: no end of them would fit in memory
  request.socket.destroy();
}

function onConnect(connections: Connections, request: IncomingMessage, head: Buffer): void {
  const client = request.socket;
  const wanted = splitAuthority(request.url ?? '', null);
  const told: AttemptTarget = { via: 'tunnel', ...(wanted ?? { host: request.url ?? '', port: 0 }) };
  if (!connections.begin(client)) {
    connections.refused('malformed-request', told);
    client.destroy();
  } else if (wanted === null) {
    connections.refused('malformed-request', told);
    refuseOnSocket(client, 'malformed-request');
  } else {
    connections.run(client, told, (errand) => serveTunnel(errand, { wanted, head }));
  }
}
