import { createPublicKey, verify } from 'node:crypto';
import { quoted } from '../../platform/base/beneath.ts';
import { digestOf, digestOfJson } from '../../platform/base/digest.ts';
import { EVIDENCE_FORMAT, type EvidenceRecord, evidenceRecordSchema } from './evidence.ts';
import { evidenceDigest } from './seal-evidence.ts';

/** A check that a record did not pass, and what exactly does not fit. */
export interface EvidenceFailure {
  readonly check: 'format' | 'shape' | 'digest' | 'listing' | 'artifact' | 'key' | 'signature' | 'wanted-key' | 'chain';
  readonly message: string;
}

/** One record with what is wrong with it. */
export interface CheckedRecord {
  /** Null when it does not have the shape of a record. */
  readonly record: EvidenceRecord | null;
  /** Id of the key whose signature the record bears; null when the signature is not good. */
  readonly signedBy: string | null;
  readonly failures: readonly EvidenceFailure[];
}

const SPKI_BYTES = 44; // RFC 8410: a prefix of 12 bytes and the key's 32
const MAX_SHAPE_FAULTS = 5;

/**
 * Checks one record by itself: its shape, that the content is what was digested, that the listing is what was graded, and
 * that the key inside the record signed it. Never throws, whatever it is given.
 */
export function verifyRecord(raw: unknown): CheckedRecord {
  const known = typeof raw === 'object' && raw !== null && 'format' in raw ? raw.format : undefined;
  if (known !== EVIDENCE_FORMAT) {
    const message = `the format is ${shown(known)}; this program knows ${EVIDENCE_FORMAT}`;
    return noRecord('format', message);
  }
  const parsed = evidenceRecordSchema.safeParse(raw);
  if (!parsed.success) {
    const faults = parsed.error.issues.slice(0, MAX_SHAPE_FAULTS);
    const message = faults.map((issue) => `${shown(issue.path.join('.'))}: ${shown(issue.message)}`).join('; ');
    return noRecord('shape', message);
  }
  const record = parsed.data;
  const signed = signatureFaults(record);
  return {
    record,
    signedBy: signed.length === 0 ? record.signature.keyId : null,
    failures: [...digestFaults(record), ...artifactFaults(record), ...signed, ...startFaults(record)],
  };
}

/**
 * Checks records that should follow each other in one chain: each by itself, and that each names the one before it.
 * With `wanted`, only signatures by keys with these ids count.
 */
export function verifyRecords(raws: readonly unknown[], wanted: readonly string[] = []): readonly CheckedRecord[] {
  const checked = raws.map((raw) => verifyRecord(raw));
  return checked.map((one, index) => {
    const { record, failures } = one;
    if (record === null) return one;
    const linked = index === 0 ? [] : linkFaults(record, checked[index - 1]?.record ?? null);
    return { ...one, failures: [...failures, ...keyFaults(one, wanted), ...linked] };
  });
}

function digestFaults(record: EvidenceRecord): readonly EvidenceFailure[] {
  const found = evidenceDigest(record);
  if (found === record.digest) return [];
  return [fault('digest', `the content was changed: its digest is ${found}, the record says ${record.digest}`)];
}

function artifactFaults({ content }: EvidenceRecord): readonly EvidenceFailure[] {
  const { stored, graded, files, bytes, manifest } = content.artifact;
  const faults: EvidenceFailure[] = [];
  const found = digestOfJson(manifest);
  if (found !== stored) faults.push(fault('listing', `the list of files has the digest ${found}, not ${stored}`));
  const size = manifest.files.reduce((sum, file) => sum + file.size, 0);
  if (files !== manifest.files.length || bytes !== size) {
    const listed = `${manifest.files.length} files of ${size} bytes`;
    faults.push(fault('listing', `it says ${files} files of ${bytes} bytes and lists ${listed}`));
  }
  if (graded !== null && graded !== stored) {
    faults.push(fault('artifact', `what was graded (${graded}) is not what was handed in (${stored})`));
  }
  return faults;
}

function signatureFaults({ digest, signature }: EvidenceRecord): readonly EvidenceFailure[] {
  const spki = Buffer.from(signature.publicKey, 'base64');
  const keyId = digestOf(spki);
  const faults: EvidenceFailure[] = [];
  if (keyId !== signature.keyId) {
    faults.push(fault('key', `the key id ${signature.keyId} is not that of the key, which is ${keyId}`));
  }
  const key = publicKeyOf(spki);
  if (key === null) return [...faults, fault('key', 'the public key is no Ed25519 key')];
  if (!verify(null, Buffer.from(digest), key, Buffer.from(signature.value, 'base64'))) {
    faults.push(fault('signature', `the signature is not one by ${keyId} over ${digest}`));
  }
  return faults;
}

function publicKeyOf(spki: Buffer) {
  if (spki.length !== SPKI_BYTES) return null;
  try {
    const key = createPublicKey({ key: spki, format: 'der', type: 'spki' });
    return key.asymmetricKeyType === 'ed25519' ? key : null;
  } catch {
    return null;
  }
}

function keyFaults({ signedBy }: CheckedRecord, wanted: readonly string[]): readonly EvidenceFailure[] {
  if (wanted.length === 0 || (signedBy !== null && wanted.includes(signedBy))) return [];
  return [fault('wanted-key', `it is signed by ${signedBy ?? 'nobody'}, not by ${wanted.join(' or ')}`)];
}

function startFaults({ content: { position, previous } }: EvidenceRecord): readonly EvidenceFailure[] {
  if ((position === 1) === (previous === null)) return [];
  const message =
    previous === null
      ? `it names no record before it, but its position is ${position}`
      : 'it is the first of its chain, but names a record before it';
  return [fault('chain', message)];
}

/** The digest of the record before is computed, not believed. */
function linkFaults({ content }: EvidenceRecord, before: EvidenceRecord | null): readonly EvidenceFailure[] {
  if (before === null)
    return [fault('chain', 'what stands before it is no record, so that the link cannot be checked')];
  const { position } = before.content;
  if (content.position !== position + 1) {
    return [
      fault('chain', `position ${content.position} does not follow ${position}: reordered, repeated or left out`),
    ];
  }
  const found = evidenceDigest(before);
  if (content.previous === found) return [];
  return [fault('chain', `it follows ${content.previous}, but the record before it is ${found}`)];
}

function noRecord(check: EvidenceFailure['check'], message: string): CheckedRecord {
  return { record: null, signedBy: null, failures: [fault(check, message)] };
}

function fault(check: EvidenceFailure['check'], message: string): EvidenceFailure {
  return { check, message };
}

/** Hostile text for a terminal. */
function shown(value: unknown): string {
  return typeof value === 'string' ? quoted(value) : value === undefined ? 'not given' : `no text (${typeof value})`;
}
