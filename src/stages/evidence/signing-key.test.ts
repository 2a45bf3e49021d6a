import { execFileSync, spawnSync } from 'node:child_process';
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { scratchFolder } from '../../../test/support/test-service.ts';
import { digestOf } from '../../platform/base/digest.ts';
import { createLog, type Log } from '../../platform/base/log.ts';
import { openSigningKey } from './signing-key.ts';

let scratch: Awaited<ReturnType<typeof scratchFolder>>;
const disposals: (() => Promise<void>)[] = [];
beforeEach(async () => {
  scratch = await scratchFolder();
  disposals.push(scratch.dispose);
});
afterAll(async () => {
  for (const dispose of disposals) await dispose();
});

/** A log that keeps what it is told. */
function listening(): { log: Log; said: string[] } {
  const log = createLog('silent');
  const said: string[] = [];
  log.warn = ((...words: unknown[]) => void said.push(JSON.stringify(words))) as Log['warn'];
  return { log, said };
}

const open = (name: string, make = false) =>
  openSigningKey({ path: join(scratch.path, name), make }, createLog('silent'));

test('a key is made once, for its owner only, and the log says so without the key', async () => {
  const { log, said } = listening();
  const where = { path: join(scratch.path, 'key.pem'), make: true };
  const first = await openSigningKey(where, log);
  const second = await openSigningKey(where, log);
  expect(second.keyId).toBe(first.keyId);
  expect((await stat(where.path)).mode & 0o777).toBe(0o600);
  expect(said).toHaveLength(1);
  expect(said[0]).toContain(first.keyId);
  expect(said[0]).not.toContain('PRIVATE');
  expect(await readdir(scratch.path)).toEqual(['key.pem']);
});

test('of many who make it at once all have the same one', async () => {
  const keys = await Promise.all(Array.from({ length: 10 }, () => open('key.pem', true)));
  expect(new Set(keys.map(({ keyId }) => keyId)).size).toBe(1);
  expect(await readdir(scratch.path)).toEqual(['key.pem']);
});

test('what it signs verifies with the public key that it tells, whose id is its digest', async () => {
  const { publicKey, keyId, sign } = await open('key.pem', true);
  const spki = Buffer.from(publicKey, 'base64');
  expect(keyId).toBe(digestOf(spki));
  const key = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  expect(verify(null, Buffer.from('text'), key, Buffer.from(sign('text'), 'base64'))).toBe(true);
});

test('a key that openssl made serves', async (context) => {
  context.skip(spawnSync('openssl', ['version']).status !== 0, 'openssl is not installed');
  execFileSync('openssl', ['genpkey', '-algorithm', 'ed25519', '-out', join(scratch.path, 'k.pem')]);
  const spki = execFileSync('openssl', ['pkey', '-in', join(scratch.path, 'k.pem'), '-pubout', '-outform', 'DER']);
  expect((await open('k.pem')).keyId).toBe(digestOf(spki));
});

test('a key that a setting names is never made', async () => {
  await expect(open('none.pem')).rejects.toMatchObject({
    ...{
      code: 'invalid-config',
      message: expect.stringMatching(/PROCTOR_SIGNING_KEY_FILE.*no such file.*openssl genpkey/),
    },
  });
  expect(await readdir(scratch.path)).toEqual([]);
});

test.each<[string, () => string]>([
  ['text', () => 'no key'],
  ['nothing', () => ''],
  [
    'a key cut off',
    () => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).slice(0, 60) as string,
  ],
  ['a public key', () => generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }) as string],
  [
    'a key of another kind',
    () => generateKeyPairSync('x25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  ],
  [
    'a key with a passphrase',
    () =>
      generateKeyPairSync('ed25519').privateKey.export({
        ...{ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' },
      }) as string,
  ],
])('%s in its place is refused, also where a key may be made, and stays', async (_name, text) => {
  const content = text();
  await writeFile(join(scratch.path, 'key.pem'), content);
  await expect(open('key.pem', true)).rejects.toMatchObject({ code: 'invalid-config' });
  expect(await readFile(join(scratch.path, 'key.pem'), 'utf8')).toBe(content);
});

test('a key that everybody can read is told', async () => {
  await open('key.pem', true);
  await chmod(join(scratch.path, 'key.pem'), 0o644);
  const { log, said } = listening();
  await openSigningKey({ path: join(scratch.path, 'key.pem'), make: false }, log);
  expect(said.join()).toMatch(/everybody/);
});
