import type { Server } from 'node:net';
import { parseAllowList } from '../../platform/egress/allow-list.ts';
import type { EgressAttempt } from '../../platform/egress/attempt.ts';
import { type DirectAttempts, watchDirectAttempts } from '../../platform/egress/direct-attempts.ts';
import { openGateway } from '../../platform/egress/gateway.ts';
import { GATEWAY_PORT, listenInside } from '../../platform/egress/listen-inside.ts';
import type { GatewayOptions } from '../../platform/egress/settings.ts';
import type { NewEvent } from './event.ts';
import { probePackets } from './verify-offline.ts';

/** Attempts at the gateway that a session's log has one by one. */
const MOST_ATTEMPTS = 1_000;

/** What may be set apart for tests: where names lead, and what counts as public. */
export type NetworkOptions = Pick<GatewayOptions, 'resolve' | 'connect' | 'isPublic'>;

/** What a session's sandbox may reach, and what it tried to. */
export interface SessionNetwork {
  /** Variables that lead programs to the gateway; none where nothing is allowed. */
  readonly env: Readonly<Record<string, string>>;
  /** What was counted in the sandbox's own network and is not in the log yet; asked for once nothing runs any more. */
  seal(): Promise<readonly NewEvent[]>;
  close(): Promise<void>;
}

/** A sandbox's network before there is a session: what goes past a gateway is counted and refused. */
export interface PreparedNetwork {
  readonly direct: DirectAttempts;
  /** Listens inside for a gateway; null: there will be none. */
  readonly server: Server | null;
  close(): void;
}

/** Sets up the network of a sandbox by its first process; `isWatched`: an earlier process of ours has. */
export async function prepareNetwork(given: {
  readonly pid: number;
  readonly hasGateway: boolean;
  readonly isWatched: boolean;
}): Promise<PreparedNetwork> {
  const { pid, hasGateway, isWatched } = given;
  const direct = await watchDirectAttempts({ pid, isWatched });
  try {
    const server = hasGateway ? await listenInside({ pid }) : null;
    const close = () => {
      server?.close();
      direct.close();
    };
    return { direct, server, close };
  } catch (thrown) {
    direct.close();
    throw thrown;
  }
}

/** How a session uses its network. */
export interface NetworkPlan {
  readonly allow: readonly string[];
  /** Takes attempts at the gateway as they are over. */
  readonly onAttempt: (event: NewEvent) => void;
  /** Which step is being made. */
  readonly step: () => number | null;
  readonly options: NetworkOptions;
}

/** Whether hosts are allowed, so that there must be a gateway; `bad-request` for what is no host. */
export function needsGateway(allow: readonly string[]): boolean {
  return !parseAllowList(allow).isEmpty;
}

/** Puts a gateway behind the listener of a prepared network. */
export function openNetwork({ direct, server, close }: PreparedNetwork, plan: NetworkPlan): SessionNetwork {
  const gateway =
    server === null
      ? null
      : openGateway({ allow: parseAllowList(plan.allow), onAttempt: tellBounded(plan), ...plan.options });
  if (server !== null) gateway?.serve(server);
  return {
    env: gateway === null ? {} : PROXY,
    seal: () => directEvents(direct),
    async close() {
      await gateway?.close();
      close();
    },
  };
}

const ADDRESS = `http://127.0.0.1:${GATEWAY_PORT}`;
const PROXY = {
  ...{ http_proxy: ADDRESS, https_proxy: ADDRESS, HTTP_PROXY: ADDRESS, HTTPS_PROXY: ADDRESS },
  ...{ no_proxy: 'localhost,127.0.0.1,::1', NO_PROXY: 'localhost,127.0.0.1,::1' },
};

/** Tells attempts one by one, but not without end. */
function tellBounded(plan: NetworkPlan): (attempt: EgressAttempt) => void {
  let told = 0;
  return (attempt) => {
    told++;
    if (told <= MOST_ATTEMPTS) plan.onAttempt(attemptEvent(attempt, plan.step()));
    if (told === MOST_ATTEMPTS) plan.onAttempt(cutEvent());
  };
}

function attemptEvent(attempt: EgressAttempt, step: number | null): NewEvent {
  const { at, verdict, reason, ...rest } = attempt;
  const detail = { ...rest, reason, wallMs: Math.round(rest.wallMs) };
  return { type: 'egress.attempt', at, step, messageId: null, outcome: reason ?? verdict, detail };
}

function cutEvent(): NewEvent {
  const detail = { kept: MOST_ATTEMPTS, note: 'later attempts at the gateway are not told one by one' };
  return { type: 'egress.cut', at: new Date(), step: null, messageId: null, outcome: 'cut', detail };
}

async function directEvents(direct: DirectAttempts): Promise<readonly NewEvent[]> {
  const { attempts, uncounted } = await direct.read();
  const place = { at: new Date(), step: null, messageId: null, outcome: 'refused' };
  const events = attempts
    .map((attempt) => ({ ...attempt, packets: attempt.packets - probePackets(attempt) }))
    .filter(({ packets }) => packets > 0)
    .slice(0, MOST_ATTEMPTS)
    .map((attempt) => ({ ...place, type: 'egress.direct', detail: { ...attempt } }));
  const left = Math.max(0, attempts.length - MOST_ATTEMPTS);
  if (uncounted + left === 0) return events;
  return [...events, { ...place, type: 'egress.direct', detail: { uncounted, destinations_left_off: left } }];
}
