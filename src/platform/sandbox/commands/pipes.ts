import { closeSync, constants } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { HostHelper, PipeEnds } from './host-helper.ts';
import { openEnds } from './open-ends.ts';

const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;

/** The three standard streams of a program, from this process's side. */
export interface ProgramStreams {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

export function closeStreams({ stdin, stdout, stderr }: ProgramStreams): void {
  for (const stream of [stdin, stdout, stderr]) stream.destroy();
}

/** How long output may still be on its way once what wrote it is gone. */
const DRAIN_MS = 300;

/** Resolves when both outputs have ended, or a little later: what was left running may hold them. */
export async function drained({ stdout, stderr }: Pick<ProgramStreams, 'stdout' | 'stderr'>): Promise<void> {
  const ends = [stdout, stderr].map((stream) =>
    stream.destroyed ? Promise.resolve() : new Promise<void>((resolve) => stream.once('close', resolve)),
  );
  await Promise.race([Promise.all(ends), pause(DRAIN_MS, null, { ref: false })]);
}

/** Real pipes for one command: Node's own are socket pairs, on which a program cannot open /dev/stdin or /dev/stdout. */
export interface CommandPipes extends ProgramStreams {
  /** The program's ends, blocking, for `spawn`. */
  readonly childEnds: readonly [number, number, number];
  /** Closes the program's ends in this process, once it is spawned. */
  releaseChildEnds(): void;
}

/** Makes three pipes that programs of `uid` may reopen (null: the service's own uid). */
export function openPipes(helper: HostHelper, uid: number | null): Promise<CommandPipes> {
  return helper.pipes({ count: 3, uid }, ([stdin, stdout, stderr]) => {
    const [input, output, errors] = [stdin, stdout, stderr] as [PipeEnds, PipeEnds, PipeEnds];
    return openAll([
      [input.readPath, O_RDONLY],
      [output.writePath, O_WRONLY],
      [errors.writePath, O_WRONLY],
      [input.writePath, O_WRONLY | O_NONBLOCK],
      [output.readPath, O_RDONLY | O_NONBLOCK],
      [errors.readPath, O_RDONLY | O_NONBLOCK],
    ]);
  });
}

function openAll(ends: Parameters<typeof openEnds>[0]): CommandPipes {
  const opened = openEnds(ends);
  const [childIn, childOut, childErr, ownIn, ownOut, ownErr] = opened as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return {
    stdin: new Socket({ fd: ownIn, readable: false, writable: true }),
    stdout: new Socket({ fd: ownOut, readable: true, writable: false }),
    stderr: new Socket({ fd: ownErr, readable: true, writable: false }),
    childEnds: [childIn, childOut, childErr],
    releaseChildEnds() {
      for (const end of [childIn, childOut, childErr]) closeSync(end);
    },
  };
}
