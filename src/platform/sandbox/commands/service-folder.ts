import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { seccompFilter } from '../seccomp-filter.ts';
import { processMark } from './process-mark.ts';

/** Files that sandboxes of one service are shown or started with, copied to where any uid may reach them. */
export interface ServiceFolder {
  readonly folder: string;
  readonly etcFolder: string;
  /** Null on processors that the filter does not know. */
  readonly seccompFile: string | null;
  /** The same, but denied calls ask a listener. */
  readonly askingSeccompFile: string | null;
  /** The staged copy of a tool folder. */
  stage(folder: string): string;
  remove(): void;
}

const ETC_FILES = {
  passwd: 'root:x:0:0:root:/root:/usr/sbin/nologin\nagent:x:1000:1000::/work:/bin/sh\n',
  group: 'root:x:0:\nagent:x:1000:\n',
  hosts: '127.0.0.1 localhost sandbox\n::1 localhost\n',
  'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files\n',
  hostname: 'sandbox\n',
};

/** What of the host's /etc programs of /usr need to start: the linker's cache and the alternatives' links. */
const HOST_ETC = ['ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'alternatives', 'perl'];

/** Makes the folder of this service below the state folder, and removes those of dead services. */
export function makeServiceFolder(stateFolder: string): ServiceFolder {
  const base = join(stateFolder, 'services');
  mkdirSync(base, { recursive: true, mode: 0o711 });
  chmodSync(base, 0o711); // whatever the umask
  removeDeadServices(base);
  const folder = mkdtempSync(join(base, `${processMark(process.pid)?.replace(':', '-')}-`));
  const etcFolder = join(folder, 'etc');
  mkdirSync(etcFolder);
  for (const [name, text] of Object.entries(ETC_FILES)) writeFileSync(join(etcFolder, name), text);
  for (const name of HOST_ETC) copyHostFile(join('/etc', name), join(etcFolder, name));
  const seccompFile = process.arch === 'x64' ? join(folder, 'seccomp.bpf') : null;
  const askingSeccompFile = process.arch === 'x64' ? join(folder, 'seccomp-asking.bpf') : null;
  if (seccompFile !== null) writeFileSync(seccompFile, seccompFilter());
  if (askingSeccompFile !== null) writeFileSync(askingSeccompFile, seccompFilter('ask-listener'));
  openToAll(folder);
  const staged = new Map<string, string>();
  return {
    folder,
    etcFolder,
    seccompFile,
    askingSeccompFile,
    stage(source) {
      const known = staged.get(source);
      if (known !== undefined) return known;
      const target = join(folder, `tool-${staged.size}`);
      copyForAll(source, target);
      staged.set(source, target);
      return target;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function copyHostFile(source: string, target: string): void {
  if (existsSync(source)) cpSync(source, target, { recursive: true, verbatimSymlinks: true });
}

/** Copies a folder so that every uid may read it. */
export function copyForAll(source: string, target: string): void {
  cpSync(source, target, { recursive: true, filter: (path) => !path.endsWith('__pycache__') });
  openToAll(target);
}

/** Readable by every uid whatever the service's umask; links are left as they are. */
function openToAll(path: string): void {
  const facts = lstatSync(path);
  if (facts.isSymbolicLink()) return;
  chmodSync(path, facts.isDirectory() ? 0o755 : 0o644);
  if (facts.isDirectory()) for (const name of readdirSync(path)) openToAll(join(path, name));
}

/** Folders are named `PID-STARTTIME-random`; one whose process is gone, or is another by now, goes too. */
function removeDeadServices(base: string): void {
  for (const name of readdirSync(base)) {
    const [pid = '', startTime = ''] = name.split('-');
    if (processMark(Number(pid)) !== `${pid}:${startTime}`) rmSync(join(base, name), { recursive: true, force: true });
  }
}
