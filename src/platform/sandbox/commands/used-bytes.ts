import { statfsSync } from 'node:fs';

/** What is in use of the file system that a folder is on, in bytes. */
export function usedBytes(folder: string): number {
  const facts = statfsSync(folder);
  return (facts.blocks - facts.bfree) * facts.bsize;
}
