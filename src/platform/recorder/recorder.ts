import { randomBytes } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ProctorError } from '../base/errors.ts';
import { readStraceLog } from './read-strace-log.ts';
import type { StepRecord } from './recorded-event.ts';
import { probeStrace } from './recorder-probe.ts';
import { straceArguments } from './strace-command.ts';

/** How a recorder watches one step. */
export interface StepWatch {
  /** By which {@link Recorder.resume} finds it again. */
  readonly note: WatchNote;
  /** What is started around the step, on the host; null: nothing, and the record says so. */
  readonly tracer: { readonly argv: readonly [string, ...string[]]; readonly marker: string } | null;
  /** Size of what it has written so far, in bytes. */
  writtenBytes(): Promise<number>;
  /** What was seen until now; `mayLive`: programs that the step left running are still watched. */
  read(bounds: ReadBounds): Promise<StepRecord>;
  /** Removes what it has written; it was read to its end. */
  clear(): Promise<void>;
}

/** How much is read. */
export interface ReadBounds {
  readonly maxEvents: number;
  readonly mayLive: boolean;
  /** Only what began after this moment (epoch milliseconds). */
  readonly sinceMs: number;
}

/** What another process must know to go on with a watch. */
export interface WatchNote {
  readonly name: string;
  readonly marker: string;
}

/** A trace that is longer than this, in bytes, ends what makes it: what is not recorded must not run. */
export const MOST_TRACE_BYTES = 134_217_728;
/** Here the kernel itself stops the tracer, and with it the step, however busy this process is. */
const HARD_TRACE_BYTES = 4 * MOST_TRACE_BYTES;

/** Sees from outside what happens in a step. */
export interface Recorder {
  readonly backend: 'strace' | 'none';
  readonly version: string | null;
  /** Begins to watch a step; `folder` is the host's and nothing inside can see it. */
  watch(folder: string, name: string): StepWatch;
  /** Goes on with a watch that an earlier process began. */
  resume(folder: string, note: WatchNote): StepWatch;
}

/** Which recorder a service has: `strace`, or `none`, whose sessions say that nothing was recorded. */
export type RecorderName = 'strace' | 'none';

/** Tries the recorder; `capability-missing` when it cannot record here. */
export async function openRecorder(name: RecorderName): Promise<Recorder> {
  if (name === 'none')
    return { backend: 'none', version: null, watch: (_, of) => blind(of), resume: (_, note) => blind(note.name) };
  const { usable, remark, version } = await probeStrace();
  if (!usable) throw new ProctorError('capability-missing', `steps cannot be recorded here: ${remark}`);
  const watch = (folder: string, of: string) =>
    watchByStrace(folder, { name: of, marker: `/proctor-${randomBytes(16).toString('hex')}` });
  return { backend: 'strace', version, watch, resume: watchByStrace };
}

function blind(name: string): StepWatch {
  return {
    note: { name, marker: '' },
    tracer: null,
    writtenBytes: async () => 0,
    read: async () => ({
      ...{ backend: 'none', complete: false, problems: ['this service records no steps'], events: [] },
      ...{ cut: 0, misses: 0, calls: {}, processes: 0, executed: 0 },
    }),
    clear: async () => undefined,
  };
}

function watchByStrace(folder: string, note: WatchNote): StepWatch {
  const logPath = join(folder, `${note.name}.strace`);
  // only the soft limit: the program's own is set below it, and may be larger
  const bounded = ['/usr/bin/prlimit', `--fsize=${HARD_TRACE_BYTES}:`];
  const argv = [...bounded, ...straceArguments({ logPath })] as unknown as readonly [string, ...string[]];
  return {
    note,
    tracer: { argv, marker: note.marker },
    writtenBytes: () =>
      stat(logPath).then(
        ({ size }) => size,
        () => 0,
      ),
    read: (bounds) => readStraceLog({ log: logPath, after: note.marker, ...bounds }),
    clear: () => rm(logPath, { force: true }),
  };
}
