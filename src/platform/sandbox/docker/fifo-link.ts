import { constants, linkSync, mkdtempSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { HostHelper } from '../commands/host-helper.ts';
import { linkOf } from '../commands/link.ts';
import { openEnds } from '../commands/open-ends.ts';
import { LINK_DESCRIPTORS, type LinkEnd, type SandboxLink } from '../sandbox.ts';
import { LINK_FOLDER } from './container-plan.ts';
import type { GateRequest } from './gate-script.ts';

const { O_RDWR } = constants;
const NAMES = ['there', 'back'] as const;

/** Makes two FIFOs, one for each way: a container is given no descriptors, but it can open what is shown to it. */
export async function openFifoLink(helper: HostHelper, baseFolder: string): Promise<SandboxLink> {
  const folder = mkdtempSync(join(baseFolder, 'link-'));
  const [there, back] = NAMES.map((name) => join(folder, name)) as [string, string];
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    await helper.fifos([there, back]);
    // open both ways, so that nobody waits for the other side and nothing is lost between two programs
    const opened = openEnds([there, back, back, there].map((path) => [path, O_RDWR]));
    return linkOf(opened, remove);
  } catch (thrown) {
    remove();
    throw thrown;
  }
}

/** Puts an end where a container sees it; what its gate has to open. */
export function showEnd(end: LinkEnd | undefined, linkFolder: string): GateRequest['links'] {
  if (end === undefined) return [];
  return (['read', 'write'] as const).map((way) => {
    linkSync(readlinkSync(`/proc/self/fd/${end[way]}`), join(linkFolder, way));
    return { descriptor: LINK_DESCRIPTORS[way], way: way === 'read' ? '<' : '>', path: `${LINK_FOLDER}/${way}` };
  });
}
