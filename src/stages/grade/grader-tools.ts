import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Digest, digestOf, digestOfJson } from '../../platform/base/digest.ts';

/** The programs that run inside grading sandboxes, and the digest that names their version. */
export interface GraderTools {
  readonly candidate: Readonly<Record<string, string>>;
  readonly examiner: Readonly<Record<string, string>>;
  readonly digest: Digest;
}

/** The folders of `graders/` that each side is shown. Neither sees the other's. */
export async function openGraderTools(folder: string): Promise<GraderTools> {
  const at = (name: string) => join(folder, name);
  const listing: [string, Digest][] = [];
  for (const name of ['examiner', 'function', 'native', 'pytest', 'split', 'wire']) {
    const files = (await readdir(at(name), { recursive: true }))
      .filter((entry) => /\.(py|mjs|ini)$/.test(entry))
      .sort();
    for (const file of files) listing.push([`${name}/${file}`, digestOf(await readFile(join(at(name), file)))]);
  }
  return {
    candidate: { function: at('function'), native: at('native'), split: at('split'), wire: at('wire') },
    examiner: {
      examiner: at('examiner'),
      native: at('native'),
      pytest: at('pytest'),
      split: at('split'),
      wire: at('wire'),
    },
    digest: digestOfJson(listing),
  };
}
