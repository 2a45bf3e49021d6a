import type { SessionEvent } from '../../stages/session/event.ts';
import type { Random } from './random.ts';
import type { Deed } from './simulated-deed.ts';

const DIGEST = `sha256:${'0'.repeat(64)}` as const;
const BEGIN_MS = 1_700_000_000_000;

/** The deeds as a recorder and the service would tell them. */
export function eventsOf(deeds: readonly Deed[], random: Random): readonly SessionEvent[] {
  const events: SessionEvent[] = [];
  let atMs = BEGIN_MS;
  let pid = 100;
  const add = (type: string, step: number, rest: { outcome?: string; detail: Readonly<Record<string, unknown>> }) => {
    atMs += 1 + random.below(20);
    const { outcome = 'ok', detail } = rest;
    events.push({
      seq: events.length + 1,
      type,
      at: new Date(atMs),
      step,
      messageId: null,
      outcome,
      detail,
      digest: DIGEST,
    });
  };
  for (const [index, deed] of deeds.entries()) {
    const step = index + 1;
    const { command, programs, read = [], written = [], outputBytes = 0 } = deed;
    const failed = deed.fails ?? false;
    const code = failed ? 1 : 0;
    add('step.began', step, { detail: { environment: 'shell', action: 'run', parameters: { command } } });
    for (const path of programs) {
      add('process.executed', step, { detail: { path, pid: ++pid, argv: [], argvCut: false, count: 1 } });
    }
    for (const path of read) add('file.read', step, { detail: { path, pid, count: 1 } });
    for (const path of written) add('file.written', step, { detail: { path, pid, count: 1 } });
    if (deed.connect !== undefined) add('egress.direct', step, { detail: { address: deed.connect, count: 1 } });
    add('process.ended', step, { detail: { pid, code, signal: null } });
    const data = {
      exit_code: code,
      cpu_ms: 5 + random.below(50),
      memory_peak_bytes: 4_000_000 + random.below(9_000_000),
    };
    const wallMs = Math.round(Math.exp(4 + random.normal()));
    const outcome = failed ? 'failed' : 'ok';
    add('step.ended', step, { outcome, detail: { outputs: [{ bytes: outputBytes }], data, wall_ms: wallMs } });
    add('step.recorded', step, { detail: recordOf(deed, random) });
  }
  return events;
}

function recordOf({ programs, read = [], connect }: Deed, random: Random): Readonly<Record<string, unknown>> {
  const started = programs.length;
  const calls = { openat: 10 + random.below(20) + read.length, execve: started, clone: started };
  return {
    ...{ backend: 'strace', processes: started, executed: started },
    calls: connect === undefined ? calls : { ...calls, connect: 1 },
  };
}
