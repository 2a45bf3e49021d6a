import { spawnSync } from 'node:child_process';
import type { CgroupHome } from '../cgroup/cgroup.ts';
import { heldLimits } from '../commands/launcher.ts';
import type { Capabilities } from '../sandbox.ts';

/** Finds out by trying what bubblewrap can do here; `remarks` name the line that mends what it cannot. */
export function probeBubblewrap(cgroups: CgroupHome | null): Capabilities {
  const root = process.getuid?.() === 0;
  const trial = tryBubblewrap(root);
  const remarks = [...trial.remarks];
  if (cgroups === null)
    remarks.push('no writable cgroup: memory is limited per process, not for the sandbox as a whole');
  if (!root) remarks.push('not root: sandboxes share your uid and /work has no size limit; run as root or with sudo');
  if (process.arch !== 'x64') remarks.push(`no system call filter for ${process.arch}: only x64 has one`);
  return {
    driver: 'bubblewrap',
    usable: trial.usable,
    remarks,
    cgroup: cgroups?.version ?? 'none',
    limits: heldLimits(cgroups, root),
    isolation: 'namespaced',
    freeze: cgroups !== null,
    ownUid: root,
    seccomp: process.arch === 'x64',
  };
}

function tryBubblewrap(root: boolean): { usable: boolean; remarks: readonly string[] } {
  const args = ['--unshare-all', '--unshare-user', '--disable-userns', '--ro-bind', '/usr', '/usr'];
  const links = [
    '--symlink',
    'usr/lib',
    '/lib',
    '--symlink',
    'usr/lib64',
    '/lib64',
    '--proc',
    '/proc',
    '--dev',
    '/dev',
  ];
  const trial = spawnSync('bwrap', [...args, ...links, '--', '/usr/bin/true'], {
    cwd: '/',
    timeout: 10_000,
    ...(root ? { uid: 61_999, gid: 61_999 } : {}),
  });
  if (trial.error !== undefined) {
    return { usable: false, remarks: ['bubblewrap is not installed: apt-get install bubblewrap'] };
  }
  if (trial.status === 0) return { usable: true, remarks: [] };
  const said = trial.stderr.toString().trim().slice(-300);
  const mend = /namespace|Permission|Operation not permitted/i.test(said)
    ? 'user namespaces are off (or this is a chroot, where the kernel forbids them): sysctl -w kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0'
    : 'bubblewrap 0.8 or newer is needed: apt-get install bubblewrap';
  return { usable: false, remarks: [`bubblewrap does not run here (${said}); ${mend}`] };
}
