import type { Socket } from 'node:net';
import { type AttemptTarget, type EgressRefusal, openAttempt } from './attempt.ts';
import { refuseAtOnce, refuseOnSocket } from './refuse.ts';
import type { GatewaySettings } from './settings.ts';
import type { Errand } from './upstream.ts';

const NOT_UNDERSTOOD: AttemptTarget = { via: 'request', host: '', port: 0 };

/** The connections of a gateway; each gets one request. */
export class Connections {
  private readonly waiting = new Map<Socket, NodeJS.Timeout>();
  private readonly open = new Set<Socket>();
  private readonly errands = new Set<Promise<void>>();
  private readonly settings: GatewaySettings;
  private ended = false;

  constructor(settings: GatewaySettings) {
    this.settings = settings;
  }

  /** Whether the connection may be served; else it was refused. */
  admit(socket: Socket): boolean {
    socket.on('error', () => undefined); // whoever uses it looks at 'close'
    if (this.ended) {
      socket.destroy();
      return false;
    }
    if (this.open.size >= this.settings.limits.connections) {
      this.refused('too-many-connections');
      refuseAtOnce(socket, 'too-many-connections');
      return false;
    }
    socket.allowHalfOpen = true;
    this.open.add(socket);
    this.waiting.set(
      socket,
      setTimeout(() => this.tooSlow(socket), this.settings.limits.headerMs),
    );
    socket.once('close', () => {
      this.open.delete(socket);
      this.begin(socket);
    });
    return true;
  }

  /** Whether this is the connection's first request. */
  begin(socket: Socket): boolean {
    clearTimeout(this.waiting.get(socket));
    return this.waiting.delete(socket);
  }

  /** Runs what the first request of a connection needs. */
  run(client: Socket, target: AttemptTarget, serve: (errand: Errand) => Promise<void>): void {
    const attempt = openAttempt(this.settings, target);
    const failed = () => {
      attempt.refused('malformed-request'); // node:http would not send it on
      client.destroy();
    };
    const tracked: Promise<void> = serve({ settings: this.settings, attempt, client })
      .catch(failed)
      .finally(() => this.errands.delete(tracked));
    this.errands.add(tracked);
  }

  /** Tells a refusal that needs no errand. */
  refused(reason: EgressRefusal, target: AttemptTarget = NOT_UNDERSTOOD): void {
    openAttempt(this.settings, target).refused(reason);
  }

  /** Cuts every connection, and returns when all attempts were told. */
  async end(): Promise<void> {
    this.ended = true;
    for (const socket of this.open) socket.destroy();
    await Promise.all(this.errands);
  }

  private tooSlow(socket: Socket): void {
    if (!this.begin(socket)) return;
    this.refused('too-slow');
    refuseOnSocket(socket, 'too-slow');
  }
}
