import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { link, open, readFile, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Digest, digestOf } from '../../platform/base/digest.ts';
import { asProctorError, errnoOf, messageOf, ProctorError } from '../../platform/base/errors.ts';
import type { Log } from '../../platform/base/log.ts';

/** An Ed25519 key that signs evidence. The private part cannot be read from it, so it cannot be logged. */
export interface SigningKey {
  /** sha256 of the SubjectPublicKeyInfo. */
  readonly keyId: Digest;
  /** SubjectPublicKeyInfo (DER) as base64. */
  readonly publicKey: string;
  /** Signature over the text's UTF-8 bytes, as base64. */
  sign(text: string): string;
}

/** Where the key is; `make` lets a missing one be made. */
export interface SigningKeyFile {
  readonly path: string;
  readonly make: boolean;
}

/**
 * Reads the signing key (PEM, PKCS#8) and makes one where that is allowed and none is there, readable by its owner only.
 * Errors: `invalid-config` for a file that is missing, unreadable or no Ed25519 key; `disk-full`, `storage-failed`.
 */
export async function openSigningKey({ path, make }: SigningKeyFile, log: Log): Promise<SigningKey> {
  if (make && (await makeOnce(path))) {
    const made = await readKey(path);
    log.warn({ keyId: made.keyId, file: path }, 'a key to sign evidence was made; keep a copy of the file');
    return made;
  }
  const key = await readKey(path);
  const { mode } = await stat(path);
  if ((mode & 0o007) !== 0) log.warn({ file: path }, 'everybody on this machine can use the key that signs evidence');
  return key;
}

/** The signing key of a private key. */
export function signingKey(privateKey: KeyObject): SigningKey {
  const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  return {
    keyId: digestOf(spki),
    publicKey: spki.toString('base64'),
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64'),
  };
}

async function readKey(path: string): Promise<SigningKey> {
  const pem = await readFile(path).catch((thrown) => {
    throw refused(path, errnoOf(thrown) === 'ENOENT' ? 'there is no such file' : messageOf(thrown));
  });
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    throw refused(path, 'it holds no private key in PEM without a passphrase'); // the vendor's words may quote the file
  }
  if (key.asymmetricKeyType === 'ed25519') return signingKey(key);
  throw refused(path, `it holds a key of type ${key.asymmetricKeyType}, not ed25519`);
}

function refused(path: string, why: string): ProctorError {
  const mend = 'make one with: openssl genpkey -algorithm ed25519 -out FILE';
  return new ProctorError(
    'invalid-config',
    `the key to sign evidence (PROCTOR_SIGNING_KEY_FILE), ${path}: ${why}; ${mend}`,
  );
}

/** Makes the file whole or not at all, also when two processes try at once; gives whether it was this one. */
async function makeOnce(path: string): Promise<boolean> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFlushed(temporary, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
    await link(temporary, path); // unlike a rename, it never replaces a key that is there
    const folder = await open(dirname(path), 'r');
    await folder.sync().finally(() => folder.close());
    return true;
  } catch (thrown) {
    if (errnoOf(thrown) === 'EEXIST') return false;
    const error = asProctorError(thrown);
    if (error.code !== 'defect') throw error;
    throw new ProctorError('storage-failed', `a key to sign evidence cannot be kept: ${error.message}`);
  } finally {
    await rm(temporary, { force: true });
  }
}

async function writeFlushed(path: string, text: string): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
