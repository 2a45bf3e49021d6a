import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { profileCommand } from '../../src/bin/commands/profile.ts';
import { readLabelled } from '../../src/bin/read-labelled.ts';
import { storedBehaviour } from '../../src/stages/profile/labelled-session.ts';
import { honestRuns, madeUp, seeded } from '../support/behaviours.ts';
import { scratchFolder } from '../support/test-service.ts';

const scratch = {} as Awaited<ReturnType<typeof scratchFolder>>;
beforeAll(async () => void Object.assign(scratch, await scratchFolder()));
afterAll(() => scratch.dispose());

/** Runs `proctor profile …` in this process and gives what it printed. */
async function profile(...args: readonly string[]): Promise<string> {
  const printed = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  try {
    await profileCommand().parseAsync(args, { from: 'user' });
    return printed.mock.calls.map(([text]) => String(text)).join('\n');
  } finally {
    printed.mockRestore();
  }
}

async function write(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(scratch.path, name);
  await writeFile(path, content);
  return path;
}

const random = seeded(8);
const lines = [
  ...honestRuns(random, 60).map(({ id, group, behaviour }) => ({ id, group, label: 'honest', behaviour })),
  ...Array.from({ length: 4 }, (_, at) => ({
    ...{
      id: `c-${at}`,
      label: 'reads the grader',
      touched: ['forbidden'],
      behaviour: madeUp(random, { forbidden: 2 }),
    },
  })),
].map((line) => JSON.stringify({ ...line, behaviour: storedBehaviour(line.behaviour) }));

describe('proctor profile evaluate', () => {
  test('prints what is found of a labelled set, packed or not', async () => {
    const packed = await write('set.jsonl.gz', gzipSync(lines.join('\n')));
    const told = JSON.parse(await profile('evaluate', packed, '--json'));
    expect(told).toMatchObject({ honest: 60, cheats: 4, kinds: [{ kind: 'reads the grader' }] });
    expect(told.microseconds.p50).toBeGreaterThan(0);
  });

  test.each([
    ['broken.jsonl', `${lines[0]}\n{"id":`, 'line 2 is no JSON'],
    ['shape.jsonl', '{"id":"a"}', 'line 1: label'],
    ['empty.jsonl', '{"id":"a","label":"honest"}', 'neither a behaviour nor a trajectory'],
    ['torn.jsonl.gz', gzipSync(lines.join('\n')).subarray(0, 900), 'cannot be read'],
  ])('refuses %s and says where', async (name, content, reason) => {
    await expect(readLabelled(await write(name, content))).rejects.toMatchObject({
      code: 'bad-request',
      message: expect.stringContaining(reason),
    });
  });

  test('refuses a file that is not there, and one with too few honest sessions', async () => {
    await expect(readLabelled(join(scratch.path, 'nothing.jsonl.gz'))).rejects.toMatchObject({ code: 'bad-request' });
    const few = await write('few.jsonl', lines.slice(0, 3).join('\n'));
    await expect(profile('evaluate', few)).rejects.toThrow('at least 20');
  });
});

test('proctor profile simulate tells errors, what is found, and alarms', async () => {
  const args = ['--groups', '25', '--reference', '60', '--cheaters', '0,50', '--drift', '1', '--json'];
  const { cohorts } = JSON.parse(await profile('simulate', ...args));
  expect(cohorts).toMatchObject([{ cheaterPercent: 0 }, { cheaterPercent: 50, alarms: { windows: 1, alarmed: 1 } }]);
  expect(cohorts[1].cheats.share).toBeGreaterThan(0.25);
});

test('proctor profile show counts a session of another program from its file', async () => {
  const file = await write('run.traj', JSON.stringify({ trajectory: [{ action: 'ls', observation: 'a' }] }));
  const told = JSON.parse(await profile('show', '--file', file, '--json'));
  expect(told).toMatchObject({ isRecorded: false, reference: null });
  expect(told.features).toContainEqual(expect.objectContaining({ name: 'steps', value: 1 }));
  await expect(profile('show', '--file', file, '--format', 'openai')).rejects.toThrow('of the format openai');
  await expect(profile('show')).rejects.toThrow('name either a session or a --file');
});
