import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { Sandbox } from '../../../src/platform/sandbox/sandbox.ts';

/** The owner of a command as the host sees it, found by an argument that no other process has. */
export async function uidOutside(sandbox: Sandbox, seconds: string): Promise<number> {
  const running = await sandbox.start({ argv: ['/usr/bin/sleep', seconds] });
  running.stdout.resume();
  let uid: number | null = null;
  const find = () => {
    const owners = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => ownerOf(pid, `sleep\0${seconds}\0`));
    uid = owners.find((owner) => owner !== null) ?? null;
    return uid;
  };
  await expect.poll(find).not.toBeNull();
  running.stop();
  await running.ended;
  return uid ?? 0;
}

export function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

/** The uid of a process whose command line ends so, once it has left its launcher; null for all others. */
function ownerOf(pid: string, commandLine: string): number | null {
  try {
    if (commandLineOf(pid).replace(/^.*\//, '') !== commandLine) return null;
    return Number(readFileSync(`/proc/${pid}/status`, 'latin1').match(/^Uid:\s+(\d+)/m)?.[1]);
  } catch {
    return null;
  }
}
