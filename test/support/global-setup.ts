import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../src/platform/db/open-database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** An embedded database with the schema, to be copied: making one takes seconds. */
    templateDatabase: string;
  }
}

/** Makes the template database once for the whole run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'proctor-template-'));
  const database = await openDatabase({ folder });
  await database.close();
  await cp(folder, `${folder}-copy`, { recursive: true });
  await rm(folder, { recursive: true });
  project.provide('templateDatabase', `${folder}-copy`);
  return () => rm(`${folder}-copy`, { recursive: true, force: true });
}
