import { digestOfJson } from '../../platform/base/digest.ts';
import type { ArtifactRow } from '../artifact/artifact.ts';
import type { GradeRow } from '../grade/grade.ts';
import type { VerdictRow } from '../verdict/verdict.ts';
import { type ChainPlace, EVIDENCE_FORMAT, type EvidenceContent, type EvidenceRecord } from './evidence.ts';
import type { SigningKey } from './signing-key.ts';

/** Who seals: the key, and what a record says of the program. Never a host's name, an address or a path. */
export interface Sealer {
  readonly key: SigningKey;
  readonly service: EvidenceContent['service'];
}

/** What a record is made of. */
export interface Sealed {
  readonly artifact: ArtifactRow;
  readonly grade: GradeRow;
  readonly verdict: VerdictRow;
  readonly place: ChainPlace;
  readonly createdAt: Date;
}

/** Makes the evidence record of one verdict. Pure but for the key: the same rows, place and time give the same record. */
export function sealEvidence({ key, service }: Sealer, sealed: Sealed): EvidenceRecord {
  const content = { ...contentOf(sealed), service };
  const digest = evidenceDigest({ format: EVIDENCE_FORMAT, content });
  const { keyId, publicKey } = key;
  return {
    format: EVIDENCE_FORMAT,
    content,
    digest,
    signature: { algorithm: 'ed25519', keyId, publicKey, value: key.sign(digest) },
  };
}

/** The digest that a record's content has. */
export function evidenceDigest({ format, content }: Pick<EvidenceRecord, 'format' | 'content'>): string {
  return digestOfJson({ format, content });
}

function contentOf({ artifact, grade, verdict, place, createdAt }: Sealed): Omit<EvidenceContent, 'service'> {
  const { outcome, integrity, fault, score, basis } = verdict.body;
  const { manifest } = artifact;
  return {
    ...place,
    createdAt: createdAt.toISOString(),
    verdict: { id: verdict.id, digest: verdict.digest, outcome, integrity, fault, score },
    ...rulingOf(verdict),
    submission: { id: artifact.id, instanceId: artifact.instanceId },
    artifact: {
      stored: artifact.digest,
      graded: grade.body.inputs?.artifact ?? null,
      files: manifest.files.length,
      bytes: manifest.files.reduce((sum, { size }) => sum + size, 0),
      manifest,
    },
    inputs: inputsOf(grade),
    grade: { id: grade.id, digest: grade.digest, phases: grade.body.kind === 'measured' ? grade.body.phases : null },
    screening: basis.screening,
  };
}

function rulingOf({ amends, rulingId, body: { basis } }: VerdictRow): Pick<EvidenceContent, 'ruling'> {
  if (amends === null || rulingId === null || basis.ruling === undefined || basis.amends === undefined) return {};
  return { ruling: { id: rulingId, digest: basis.ruling, amends: { id: amends, digest: basis.amends } } };
}

function inputsOf({ body }: GradeRow): EvidenceContent['inputs'] {
  if (body.inputs === null) return null;
  const { task, instance, snapshot, grader } = body.inputs;
  return {
    task,
    instance,
    snapshot: snapshot && { name: snapshot.name, digest: snapshot.digest, pinned: snapshot.pinned },
    grader: { name: grader.name, digest: grader.digest },
  };
}
