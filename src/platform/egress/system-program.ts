import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { ProctorError } from '../base/errors.ts';

/** Where Debian's packages put programs; the environment's PATH is not asked. */
const FOLDERS: readonly string[] = ['/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** A program of the system, and the Debian package that brings it. */
export interface SystemProgram {
  readonly name: string;
  readonly debianPackage: string;
  /** Where to look; the system's folders by default. */
  readonly folders?: readonly string[];
}

/**
 * The absolute path of a program.
 *
 * @throws ProctorError `capability-missing` with the line that installs it
 */
export function programPath({ name, debianPackage, folders = FOLDERS }: SystemProgram): string {
  for (const folder of folders) {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return join(folder, name);
    } catch {
      // not here; the next folder
    }
  }
  const install = `apt-get install -y --no-install-recommends ${debianPackage}`;
  throw new ProctorError('capability-missing', `\`${name}\` is missing; install it with: ${install}`, {
    name,
    install,
  });
}
