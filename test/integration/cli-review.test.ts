import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { reviewCommand } from '../../src/bin/commands/review.ts';
import { createLog } from '../../src/platform/base/log.ts';
import { openDatabase } from '../../src/platform/db/open-database.ts';
import { openSigningKey } from '../../src/stages/evidence/signing-key.ts';
import { reviewable } from '../support/review-rows.ts';
import { scratchDataFolder } from '../support/test-service.ts';

let folder = '';
let dispose: () => Promise<void>;
let caseId = '';

/** What the command prints; in this process, since each one of its own takes seconds to start. */
async function review(...args: readonly string[]): Promise<string> {
  const printed: string[] = [];
  const print = vi.spyOn(console, 'log').mockImplementation((line) => void printed.push(String(line)));
  try {
    await reviewCommand().exitOverride().parseAsync(args, { from: 'user' });
  } finally {
    print.mockRestore();
  }
  return printed.join('\n');
}

beforeAll(async () => {
  ({ path: folder, dispose } = await scratchDataFolder());
  vi.stubEnv('PROCTOR_DATA_DIR', folder);
  await openSigningKey({ path: join(folder, 'signing-key.pem'), make: true }, createLog('silent'));
  const database = await openDatabase({ folder: join(folder, 'database') });
  ({ caseId } = await reviewable(database));
  await database.query('UPDATE review_cases SET why = $1', ['red \u001b[31m and \u202e reversed']);
  await database.close();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await dispose();
});

test('a case is listed, shown without letting it steer the terminal, ruled on and given back', async () => {
  expect(await review('list')).toContain(caseId);
  expect(await review('show', caseId, '--as', 'ann')).toContain('red \\u{1b}[31m and \\u{202e} reversed');
  const cheat = ['rule', caseId, 'cheat', '--as', 'ann'];
  await expect(review(...cheat)).rejects.toThrow('a cheat needs its technique');
  const ruled = JSON.parse(await review(...cheat, '--technique', 'leaked-seed', '--json'));
  expect(ruled).toMatchObject({ ruling: { ruling: 'cheat', reviewer: 'ann' }, case: { id: caseId } });
  const undone = await review('undo', caseId, '--as', 'ann', '--note', 'no\u0007');
  expect(undone).toContain('took back cheat (leaked-seed)\n  no\\u{7}');
  expect(JSON.parse(await review('list', '--json')).counts.open).toBe(1);
});

test('what came of reviews is told in tables', async () => {
  const out = await review('stats');
  expect(out).toContain('1 open');
  expect(out).toMatch(/day +rewards +flagged +masked +mean weight/);
});

test('nothing is ruled on where the key that signs evidence is not', async () => {
  await rm(join(folder, 'signing-key.pem'));
  await expect(review('rule', caseId, 'honest')).rejects.toMatchObject({ code: 'invalid-config' });
  expect(await review('show', caseId)).not.toContain('honest');
});
