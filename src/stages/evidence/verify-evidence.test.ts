import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { chainOf, rowsOf, testSealer } from '../../../test/support/evidence-rows.ts';
import { digestOf } from '../../platform/base/digest.ts';
import type { EvidenceRecord } from './evidence.ts';
import { evidenceDigest, sealEvidence } from './seal-evidence.ts';
import { verifyRecord, verifyRecords } from './verify-evidence.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Path = readonly (string | number)[];

const [RECORD] = chainOf(1) as [EvidenceRecord];
const checksOf = (raw: unknown) => verifyRecord(raw).failures.map(({ check }) => check);
const copy = <T>(value: T): T => structuredClone(value);

/** Every place of a value that holds something without parts, and every object and list. */
function* placesOf(value: Json, path: Path = []): Generator<{ path: Path; value: Json }> {
  yield { path, value };
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value))
    yield* placesOf(item, [...path, Array.isArray(value) ? Number(key) : key]);
}

/** A record with another value at one place. */
function changedAt(path: Path, value: Json | undefined): Json {
  const record = copy(RECORD) as unknown as { [key: string]: Json };
  let at = record;
  for (const key of path.slice(0, -1)) at = at[key] as { [key: string]: Json };
  const last = path.at(-1) as string;
  if (value === undefined) delete at[last];
  else at[last] = value;
  return record;
}

/** Values that differ from one as little as possible, and wholly. */
function others(value: Json): readonly Json[] {
  if (typeof value === 'string')
    return [`${value}0`, value.slice(0, -1), flipped(value), flippedInside(value), null, 7];
  if (typeof value === 'number') return [value + 1, value - 1, value + 0.5, -value - 1, String(value), null];
  if (typeof value === 'boolean') return [!value, null, Number(value)];
  if (value === null) return [0, '', digestOf('x'), { a: 1 }];
  return Array.isArray(value) ? [[...value, 'x'], [...value, ...value, {}], null] : [{ ...value, extra: 1 }, null, []];
}

/** Of the last letter before `==` only two bits count: the letter after each that can stand there means the same. */
const NEXT = { A: 'B', Q: 'R', g: 'h', w: 'x' } as const;

const flipped = (text: string) => `${text.slice(0, -1)}${text.endsWith('0') ? '1' : '0'}`;
const flippedInside = (text: string) => text.replace(/[0-9a-zA-Z]/, (letter) => (letter === '1' ? '2' : '1'));

describe('a record that was tampered with', () => {
  const places = [...placesOf(RECORD as unknown as Json)].filter(({ path }) => path.length > 0);

  test.each(places.map(({ path, value }) => [path.join('.'), path, value] as const))(
    'another value for %s does not pass',
    (_name, path, value) => {
      for (const other of others(value)) {
        if (JSON.stringify(other) === JSON.stringify(value)) continue;
        const { failures } = verifyRecord(changedAt(path, other));
        expect(failures.length, `${JSON.stringify(value)} → ${JSON.stringify(other)}`).toBeGreaterThan(0);
      }
    },
  );

  test('no field can be left out, and none added anywhere', () => {
    for (const { path, value } of places) {
      if (typeof path.at(-1) === 'string')
        expect(verifyRecord(changedAt(path, undefined)).failures, path.join('.')).not.toEqual([]);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
        expect(verifyRecord(changedAt([...path, 'constructor'], 'x')).failures, path.join('.')).not.toEqual([]);
      }
    }
    expect(places.length).toBeGreaterThan(50);
  });

  test('every single bit of the signature and of the key counts', () => {
    for (const field of ['value', 'publicKey'] as const) {
      const bytes = Buffer.from(RECORD.signature[field], 'base64');
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        const other = Buffer.from(bytes);
        other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        expect(checksOf(changedAt(['signature', field], other.toString('base64'))), `${field} ${bit}`).not.toEqual([]);
      }
    }
  });

  test('bits of base64 that mean nothing may not be changed either', () => {
    const value = RECORD.signature.value.replace(/.==$/, (end) => `${NEXT[end[0] as keyof typeof NEXT]}==`);
    expect(Buffer.from(value, 'base64')).toEqual(Buffer.from(RECORD.signature.value, 'base64'));
    expect(checksOf(changedAt(['signature', 'value'], value))).toEqual(['shape']);
    expect(checksOf(changedAt(['signature', 'value'], RECORD.signature.value.replace('==', '')))).toEqual(['shape']);
  });
});

describe('what did not fit is told', () => {
  test('content that was changed after it was digested', () => {
    expect(checksOf(changedAt(['content', 'verdict', 'outcome'], 'passed'))).toEqual(['digest']);
  });

  test('a digest that was made to fit the changed content has no signature', () => {
    const forged = changedAt(['content', 'verdict', 'outcome'], 'passed') as unknown as EvidenceRecord;
    expect(checksOf({ ...forged, digest: evidenceDigest(forged) })).toEqual(['signature']);
  });

  test('a signature over another content', () => {
    const [, second] = chainOf(2) as [EvidenceRecord, EvidenceRecord];
    expect(checksOf({ ...RECORD, signature: second.signature })).toEqual(['signature']);
  });

  test('a key id that is not that of the key', () => {
    expect(checksOf(changedAt(['signature', 'keyId'], digestOf('another')))).toEqual(['key']);
  });

  test('a key of another kind, and bytes that are no key', () => {
    const rsa = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ type: 'spki', format: 'der' });
    const x25519 = generateKeyPairSync('x25519').publicKey.export({ type: 'spki', format: 'der' });
    for (const bytes of [rsa, x25519, Buffer.alloc(44), Buffer.alloc(0)]) {
      const signature = { ...RECORD.signature, publicKey: bytes.toString('base64'), keyId: digestOf(bytes) };
      expect(verifyRecord({ ...RECORD, signature }).failures).toEqual([
        { check: 'key', message: 'the public key is no Ed25519 key' },
      ]);
    }
  });

  test('a list of files that is not what was graded, although somebody signed it', () => {
    const rows = rowsOf(1);
    const files = rows.artifact.manifest.files.slice(1);
    const artifact = { ...rows.artifact, manifest: { ...rows.artifact.manifest, files } };
    const record = sealEvidence(testSealer(), { ...rows, artifact, place: { position: 1, previous: null } });
    expect(checksOf(record)).toEqual(['listing']);
  });

  test('a format that this version does not know', () => {
    expect(verifyRecord({ ...RECORD, format: 'proctor/evidence/2' }).failures).toEqual([
      { check: 'format', message: 'the format is "proctor/evidence/2"; this program knows proctor/evidence/1' },
    ]);
    for (const odd of [null, 7, 'x', [], {}, { format: {} }, { format: '\u001b[2J' }])
      expect(checksOf(odd)).toEqual(['format']);
  });

  test('text for a terminal holds no control characters of the record’s', () => {
    for (const path of [['format'], ['content', 'createdAt'], ['content', '\u001b[2J'], ['signature', 'algorithm']]) {
      const [failure] = verifyRecord(changedAt(path, '\u001b[2J\u202e')).failures;
      for (const mark of ['\u001b', '\u202e']) expect(failure?.message).not.toContain(mark);
    }
  });
});

describe('a chain', () => {
  const sealer = testSealer();
  const chain = chainOf(4, sealer);
  const [one, two, three, four] = chain as [EvidenceRecord, EvidenceRecord, EvidenceRecord, EvidenceRecord];
  /** The failed checks of each record. */
  const checks = (records: readonly unknown[], wanted: readonly string[] = []) =>
    verifyRecords(records, wanted).map(({ failures }) => failures.map(({ check }) => check));

  test('passes whole and in consecutive parts', () => {
    expect(checks(chain)).toEqual([[], [], [], []]);
    expect(checks([three, four])).toEqual([[], []]);
    expect(checks([])).toEqual([]);
  });

  test('does not pass reordered, with one left out, or with one twice', () => {
    expect(checks([one, three, two, four])).toEqual([[], ['chain'], ['chain'], ['chain']]);
    expect(checks([one, two, four])).toEqual([[], [], ['chain']]);
    expect(checks([one, two, two])).toEqual([[], [], ['chain']]);
  });

  test('does not pass when the record before was replaced by another good one', () => {
    const other = sealEvidence(sealer, { ...rowsOf(9), place: { position: 2, previous: one.digest } });
    expect(checks([one, other])).toEqual([[], []]);
    expect(checks([one, other, three])).toEqual([[], [], ['chain']]);
  });

  test('does not pass when the record before claims a digest that is not its own', () => {
    const other = sealEvidence(sealer, { ...rowsOf(9), place: { position: 2, previous: one.digest } });
    expect(checks([one, { ...other, digest: two.digest, signature: two.signature }, three])).toEqual([
      [],
      ['digest'],
      ['chain'],
    ]);
  });

  test('does not pass when a predecessor was swapped inside a record', () => {
    const swapped = { ...three, content: { ...three.content, previous: one.digest } };
    expect(checks([one, two, swapped])).toEqual([[], [], ['digest', 'chain']]);
  });

  test('has a first record that follows none, and only that one does', () => {
    const seal = (place: { position: number; previous: string | null }) =>
      sealEvidence(sealer, { ...rowsOf(1), place });
    expect(checks([seal({ position: 1, previous: digestOf('x') })])).toEqual([['chain']]);
    expect(checks([seal({ position: 2, previous: null })])).toEqual([['chain']]);
  });

  test('cannot be checked beyond what is no record', () => {
    expect(checks([one, { format: 'x' }, three])).toEqual([[], ['format'], ['chain']]);
  });

  test('is accepted only with a demanded key when one is demanded, and may change its key otherwise', () => {
    const other = testSealer();
    const mixed = [one, sealEvidence(other, { ...rowsOf(2), place: { position: 2, previous: one.digest } })];
    expect(checks(mixed)).toEqual([[], []]);
    expect(checks(mixed, [sealer.key.keyId])).toEqual([[], ['wanted-key']]);
    expect(checks(mixed, [sealer.key.keyId, other.key.keyId])).toEqual([[], []]);
  });

  test('a key id that is merely claimed is not the demanded key', () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const value = sign(null, Buffer.from(one.digest), privateKey).toString('base64');
    const forged = { ...one, signature: { ...one.signature, value } };
    expect(checks([forged], [sealer.key.keyId])).toEqual([['signature', 'wanted-key']]);
  });
});
