import { availableParallelism } from 'node:os';
import type { LiveSandbox } from '../../platform/sandbox/live-sandbox.ts';
import type { NewEvent } from './event.ts';
import type { SessionRow, SessionState } from './session.ts';

/** What is charged, and to whom. */
interface Charged {
  readonly sandbox: LiveSandbox;
  readonly state: SessionState;
}

/** A step's active time: its wall time, or what all programs of the session have computed since the last charge where that is more. */
export async function chargeOf(
  { sandbox, state }: Charged,
  wallMs: number,
): Promise<{ charge: number; chargedCpuMs: number }> {
  const chargedCpuMs = (await sandbox.usage()).cpuMs ?? state.chargedCpuMs;
  return { charge: Math.max(wallMs, cpuShareMs(sandbox, chargedCpuMs - state.chargedCpuMs)), chargedCpuMs };
}

/** CPU as the time that it takes on all of a sandbox's processors. */
function cpuShareMs({ place }: LiveSandbox, cpuMs: number): number {
  return cpuMs / (place.cpus?.length ?? availableParallelism());
}

/** What programs have computed since the last step, where that uses the session's time up; null while it does not. */
export async function idleCharge({
  row,
  sandbox,
  state,
}: Charged & { readonly row: SessionRow }): Promise<{ readonly state: SessionState; readonly event: NewEvent } | null> {
  const { activeMs: budget } = row.body.budgets;
  const { cpuMs } = await sandbox.usage();
  if (cpuMs === null || state.used.activeMs >= budget) return null;
  const activeMs = state.used.activeMs + cpuShareMs(sandbox, cpuMs - state.chargedCpuMs);
  if (activeMs < budget) return null;
  const used = { ...state.used, activeMs };
  const place = { at: new Date(), step: null, messageId: null };
  return {
    state: { ...state, used, chargedCpuMs: cpuMs },
    event: { ...place, type: 'budget.reached', outcome: 'activeMs', detail: { used } },
  };
}
