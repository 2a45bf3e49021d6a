import { closeSync, constants, openSync, readSync } from 'node:fs';
import { errnoOf } from '../../base/errors.ts';
import type { LinkEnd, SandboxLink } from '../sandbox.ts';
import type { HostHelper, PipeEnds } from './host-helper.ts';
import { openEnds } from './open-ends.ts';

const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;
const CHUNK_BYTES = 65_536;

/** Makes two pipes, one for each way. Programs get the descriptors by inheritance, so nobody needs to own them. */
export function openLink(helper: HostHelper): Promise<SandboxLink> {
  return helper.pipes({ count: 2, uid: null }, ([there, back]) => {
    const [a, b] = [there, back] as [PipeEnds, PipeEnds];
    const opened = openEnds([
      [a.readPath, O_RDONLY],
      [b.writePath, O_WRONLY],
      [b.readPath, O_RDONLY],
      [a.writePath, O_WRONLY],
    ]);
    return linkOf(opened);
  });
}

/** A link of open descriptors: the first end's for reading and writing, then the second's. `closed` is called once they are closed. */
export function linkOf(descriptors: readonly number[], closed: () => void = () => undefined): SandboxLink {
  const [firstRead, firstWrite, secondRead, secondWrite] = descriptors as [number, number, number, number];
  let isClosed = false;
  return {
    ends: [
      { read: firstRead, write: firstWrite },
      { read: secondRead, write: secondWrite },
    ],
    drain,
    close() {
      if (isClosed) return;
      isClosed = true;
      for (const descriptor of descriptors) closeSync(descriptor);
      closed();
    },
  };
}

/** Reads through a description of its own, so that the program's end stays as it is, blocking or not. */
function drain(end: LinkEnd): void {
  const own = openSync(`/proc/self/fd/${end.read}`, O_RDONLY | O_NONBLOCK);
  const chunk = Buffer.alloc(CHUNK_BYTES);
  try {
    while (readSync(own, chunk) > 0);
  } catch (thrown) {
    if (errnoOf(thrown) !== 'EAGAIN') throw thrown;
  } finally {
    closeSync(own);
  }
}
