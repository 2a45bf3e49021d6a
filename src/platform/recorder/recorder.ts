import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ProctorError } from '../base/errors.ts';
import { readStraceLog } from './read-strace-log.ts';
import type { StepRecord } from './recorded-event.ts';
import { probeStrace } from './recorder-probe.ts';
import { straceArguments } from './strace-command.ts';

/** How a recorder watches one step. */
export interface StepWatch {
  /** What is started around the step, on the host; null: nothing, and the record says so. */
  readonly tracer: { readonly argv: readonly [string, ...string[]]; readonly marker: string } | null;
  /** Size of what it has written so far, in bytes. */
  writtenBytes(): Promise<number>;
  /** What was seen until now; `mayLive`: programs that the step left running are still watched. */
  read(bounds: { readonly maxEvents: number; readonly mayLive: boolean }): Promise<StepRecord>;
}

/** Sees from outside what happens in a step. */
export interface Recorder {
  readonly backend: 'strace' | 'none';
  readonly version: string | null;
  /** Begins to watch a step; `folder` is the host's and nothing inside can see it. */
  watch(folder: string, name: string): StepWatch;
}

/** Which recorder a service has: `strace`, or `none`, whose sessions say that nothing was recorded. */
export type RecorderName = 'strace' | 'none';

/** Tries the recorder; `capability-missing` when it cannot record here. */
export async function openRecorder(name: RecorderName): Promise<Recorder> {
  if (name === 'none') return { backend: 'none', version: null, watch: () => BLIND };
  const { usable, remark, version } = await probeStrace();
  if (!usable) throw new ProctorError('capability-missing', `steps cannot be recorded here: ${remark}`);
  return { backend: 'strace', version, watch: watchByStrace };
}

const BLIND: StepWatch = {
  tracer: null,
  writtenBytes: async () => 0,
  read: async () => ({
    ...{ backend: 'none', complete: false, problems: ['this service records no steps'], events: [] },
    ...{ cut: 0, misses: 0, calls: {}, processes: 0, executed: 0 },
  }),
};

function watchByStrace(folder: string, name: string): StepWatch {
  const logPath = join(folder, `${name}.strace`);
  const marker = `/proctor-${randomBytes(16).toString('hex')}`;
  const argv = straceArguments({ logPath }) as readonly [string, ...string[]];
  return {
    tracer: { argv, marker },
    writtenBytes: () =>
      stat(logPath).then(
        ({ size }) => size,
        () => 0,
      ),
    read: (bounds) => readStraceLog({ log: logPath, after: marker, ...bounds }),
  };
}
