import { closeSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import type { HostHelper, PipeEnds } from './host-helper.ts';

const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;

/** Real pipes for one command: Node's own are socket pairs, on which a program cannot open /dev/stdin or /dev/stdout. */
export interface CommandPipes {
  readonly stdin: Socket;
  readonly stdout: Socket;
  readonly stderr: Socket;
  /** The program's ends, blocking, for `spawn`. */
  readonly childEnds: readonly [number, number, number];
  /** Closes the program's ends in this process, once it is spawned. */
  releaseChildEnds(): void;
}

/** Makes three pipes that programs of `uid` may reopen (null: the service's own uid). */
export function openPipes(helper: HostHelper, uid: number | null): Promise<CommandPipes> {
  return helper.pipes({ count: 3, uid }, ([stdin, stdout, stderr]) => {
    const [input, output, errors] = [stdin, stdout, stderr] as [PipeEnds, PipeEnds, PipeEnds];
    const childEnds = [
      openSync(input.readPath, O_RDONLY),
      openSync(output.writePath, O_WRONLY),
      openSync(errors.writePath, O_WRONLY),
    ] as const;
    return {
      stdin: new Socket({ fd: openSync(input.writePath, O_WRONLY | O_NONBLOCK), readable: false, writable: true }),
      stdout: readable(output.readPath),
      stderr: readable(errors.readPath),
      childEnds,
      releaseChildEnds: () => childEnds.forEach((end) => void closeSync(end)),
    };
  });
}

function readable(path: string): Socket {
  return new Socket({ fd: openSync(path, O_RDONLY | O_NONBLOCK), readable: true, writable: false });
}
