import type { Readable } from 'node:stream';

/** What `bwrap --json-status-fd` told: the sandbox's first process (host pid) and, at the end, the program's exit code. */
export interface BwrapStatus {
  readonly childPid: Promise<number | null>;
  exitCode(): number | null;
}

const MAX_STATUS_BYTES = 16_384;

/** Reads the status stream. Only bwrap holds its other end (close-on-exec), so the program cannot write into it. */
export function readStatus(stream: Readable): BwrapStatus {
  let text = '';
  let tellPid: (pid: number | null) => void;
  const childPid = new Promise<number | null>((resolve) => {
    tellPid = resolve;
  });
  stream.on('data', (chunk: Buffer) => {
    if (text.length < MAX_STATUS_BYTES) text += chunk.toString('latin1');
    const pid = text.match(/"child-pid": (\d+)/)?.[1];
    if (pid !== undefined) tellPid(Number(pid));
  });
  stream.on('close', () => tellPid(null));
  stream.on('error', () => tellPid(null));
  return {
    childPid,
    exitCode() {
      const code = text.match(/"exit-code": (\d+)/)?.[1];
      return code === undefined ? null : Number(code);
    },
  };
}
