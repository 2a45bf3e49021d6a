import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EvidenceRecord } from '../../src/stages/evidence/evidence.ts';
import { scratchDataFolder } from '../support/test-service.ts';
import { RIGHT, WRONG, writeTinyTask } from '../support/tiny-task.ts';

const CLI = fileURLToPath(new URL('../../src/bin/proctor.ts', import.meta.url));
const verdicts: string[] = [];
let folder = '';
let dispose: () => Promise<void>;
const at = (name: string) => join(folder, name);

function proctor(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const env = { ...process.env, PROCTOR_DATA_DIR: folder, NO_COLOR: '1' };
  return new Promise((resolve) => {
    execFile(process.execPath, ['--import', 'tsx', CLI, ...args], { env }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    );
  });
}

const publicPem = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString();

/** Writes a file and gives its path. */
async function written(name: string, content: string): Promise<string> {
  await writeFile(at(name), content);
  return at(name);
}

let records: EvidenceRecord[] = [];
beforeAll(async () => {
  ({ path: folder, dispose } = await scratchDataFolder());
  const task = await writeTinyTask(at('task'));
  for (const [name, source] of Object.entries({ right: RIGHT, wrong: WRONG })) {
    await mkdir(at(name));
    await written(`${name}/double.py`, source);
    verdicts.push(JSON.parse((await proctor('grade', task, '--artifact', at(name), '--json')).out).verdictId);
  }
  await proctor('evidence', '--all', '--out', at('chain.jsonl'));
  const lines = (await readFile(at('chain.jsonl'), 'utf8')).trimEnd().split('\n');
  records = lines.map((line) => JSON.parse(line));
  await written('public.pem', publicPem(createPublicKey(await readFile(at('signing-key.pem')))));
  await written('other-public.pem', publicPem(generateKeyPairSync('ed25519').publicKey));
});
afterAll(() => dispose());

describe('proctor evidence and proctor verify', () => {
  test('both have help with examples', async () => {
    for (const command of ['evidence', 'verify']) {
      expect((await proctor(command, '--help')).out).toMatch(/Examples:\n {2}\$ proctor/);
    }
  });

  test('a record goes to standard output or to a new file, and the chain has all of them', async () => {
    const { code, out } = await proctor('evidence', verdicts[0] as string);
    expect([code, JSON.parse(out)]).toEqual([0, records[0]]);
    expect(records.map(({ content }) => content.verdict.id)).toEqual(verdicts);
    const kept = await proctor('evidence', verdicts[0] as string, '--out', at('chain.jsonl'));
    expect([kept.code, kept.err]).toEqual([2, expect.stringContaining('exists already')]);
    expect((await readFile(at('chain.jsonl'), 'utf8')).trimEnd().split('\n')).toHaveLength(2);
  });

  test('a verdict that is not there, both at once and neither are the caller’s mistakes', async () => {
    expect((await proctor('evidence', 'ver_none')).code).toBe(2);
    expect((await proctor('evidence')).code).toBe(2);
    expect((await proctor('evidence', 'ver_none', '--all')).code).toBe(2);
  });

  test('without a key it says that it only shows consistency; with the right one it does not', async () => {
    const file = await written('one.json', JSON.stringify(records[1], null, 2));
    const without = await proctor('verify', file);
    expect([without.code, without.out]).toEqual([0, expect.stringContaining('consistent with the key inside it')]);
    expect(without.out).toContain(records[1]?.signature.keyId);
    const demanded = await proctor('verify', file, '--key', at('public.pem'));
    expect([demanded.code, demanded.out]).toEqual([0, expect.stringContaining('one that you demanded')]);
    expect(demanded.out).not.toContain('consistent');
  });

  test('another key is demanded in vain', async () => {
    const { code, out } = await proctor('verify', at('chain.jsonl'), '--key', at('other-public.pem'));
    expect([code, out]).toEqual([1, expect.stringContaining('wanted-key: it is signed by')]);
    const either = ['--key', at('other-public.pem'), '--key', at('public.pem')];
    expect((await proctor('verify', at('chain.jsonl'), ...either)).code).toBe(0);
  });

  test('a chain verifies as lines and as a list; reordered or changed it does not, and the JSON says where', async () => {
    expect((await proctor('verify', at('chain.jsonl'))).out).toContain('a chain of 2 records, from the first');
    expect((await proctor('verify', await written('list.json', JSON.stringify(records)))).code).toBe(0);
    const reordered = await proctor(
      'verify',
      '--json',
      await written('re.json', JSON.stringify([...records].reverse())),
    );
    expect([reordered.code, JSON.parse(reordered.out)]).toMatchObject([
      1,
      { ok: false, shows: null, records: [{ ok: true }, { ok: false, failures: [{ check: 'chain' }] }] },
    ]);
    const changed = JSON.stringify(records).replace('"failed"', '"passed"');
    const told = await proctor('verify', await written('changed.json', changed));
    expect([told.code, told.out]).toEqual([
      1,
      expect.stringContaining('record 2 (position 2): digest: the content was changed'),
    ]);
    expect(told.out).not.toMatch(/^(ok|says)/m);
  });

  test('what cannot be used is exit code 2 with the reason', async () => {
    const pieces: Record<string, [content: string, message: RegExp]> = {
      'none.txt': ['hello', /not JSON/],
      'empty.json': ['', /empty/],
      'cut.json': [JSON.stringify(records[0], null, 2).slice(0, 400), /not JSON/],
      'number.json': ['7', /not a JSON object/],
      'latin1.json': ['', /UTF-8/],
    };
    for (const [name, [content, message]] of Object.entries(pieces)) {
      await writeFile(at(name), name === 'latin1.json' ? Buffer.from([0x22, 0xe4, 0x22]) : content);
      const { code, err } = await proctor('verify', at(name));
      expect([name, code, err]).toEqual([name, 2, expect.stringMatching(message)]);
    }
    expect((await proctor('verify', at('nothing-there.json'))).code).toBe(2);
    expect((await proctor('verify', folder)).code).toBe(2);
    const noKey = await proctor('verify', at('chain.jsonl'), '--key', at('chain.jsonl'));
    expect([noKey.code, noKey.err]).toEqual([2, expect.stringContaining('no Ed25519 key')]);
  });

  test('a file without end is given up at the bound', async () => {
    const { code, err } = await proctor('verify', '/dev/zero');
    expect([code, err]).toEqual([2, expect.stringContaining('is larger than')]);
  });

  test('a record of another version or of wrong types is not ok, and says what is wrong', async () => {
    const later = await written('later.json', JSON.stringify({ ...records[0], format: 'proctor/evidence/9' }));
    expect(await proctor('verify', later)).toMatchObject({
      code: 1,
      out: expect.stringContaining('this program knows'),
    });
    const odd = await written('odd.json', JSON.stringify({ ...records[0], digest: 7 }));
    expect(await proctor('verify', odd)).toMatchObject({ code: 1, out: expect.stringContaining('shape: "digest"') });
  });

  test('the signature is one that openssl verifies, over the text of the digest', async (context) => {
    context.skip(spawnSync('openssl', ['version']).status !== 0, 'openssl is not installed');
    const [record] = records as [EvidenceRecord];
    await written('digest.txt', record.digest);
    await writeFile(at('signature.bin'), Buffer.from(record.signature.value, 'base64'));
    const args = ['pkeyutl', '-verify', '-rawin', '-pubin', '-inkey', at('public.pem')];
    const said = execFileSync('openssl', [...args, '-in', at('digest.txt'), '-sigfile', at('signature.bin')]);
    expect(said.toString()).toContain('Verified Successfully');
  });
});
