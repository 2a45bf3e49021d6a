import { parseAllowList } from '../../platform/egress/allow-list.ts';
import type { EgressAttempt } from '../../platform/egress/attempt.ts';
import { type DirectAttempts, watchDirectAttempts } from '../../platform/egress/direct-attempts.ts';
import { type Gateway, openGateway } from '../../platform/egress/gateway.ts';
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

/** How a session's network is made. */
export interface NetworkPlan {
  /** Of the sandbox's first process. */
  readonly pid: number;
  readonly allow: readonly string[];
  /** Whether an earlier process of ours has set it up. */
  readonly isWatched: boolean;
  /** Takes attempts at the gateway as they are over. */
  readonly onAttempt: (event: NewEvent) => void;
  /** Which step is being made. */
  readonly step: () => number | null;
  readonly options: NetworkOptions;
}

/** Counts and refuses all that goes past the gateway, and opens a gateway where a task allows hosts. */
export async function openNetwork(plan: NetworkPlan): Promise<SessionNetwork> {
  const direct = await watchDirectAttempts({ pid: plan.pid, isWatched: plan.isWatched });
  try {
    const allow = parseAllowList(plan.allow);
    const gateway = allow.isEmpty ? null : await gatewayFor(plan, allow);
    return {
      env: gateway === null ? {} : PROXY,
      seal: async () => directEvents(direct),
      async close() {
        await gateway?.close();
        direct.close();
      },
    };
  } catch (thrown) {
    direct.close();
    throw thrown;
  }
}

const ADDRESS = `http://127.0.0.1:${GATEWAY_PORT}`;
const PROXY = {
  ...{ http_proxy: ADDRESS, https_proxy: ADDRESS, HTTP_PROXY: ADDRESS, HTTPS_PROXY: ADDRESS },
  ...{ no_proxy: 'localhost,127.0.0.1,::1', NO_PROXY: 'localhost,127.0.0.1,::1' },
};

async function gatewayFor(plan: NetworkPlan, allow: GatewayOptions['allow']): Promise<Gateway> {
  let told = 0;
  const onAttempt = (attempt: EgressAttempt) => {
    told++;
    if (told <= MOST_ATTEMPTS) plan.onAttempt(attemptEvent(attempt, plan.step()));
    if (told === MOST_ATTEMPTS) plan.onAttempt(cutEvent());
  };
  const gateway = openGateway({ allow, onAttempt, ...plan.options });
  gateway.serve(await listenInside({ pid: plan.pid }));
  return gateway;
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
    .map((attempt) => ({ ...place, type: 'egress.direct', detail: { ...attempt } }));
  return uncounted === 0 ? events : [...events, { ...place, type: 'egress.direct', detail: { uncounted } }];
}
