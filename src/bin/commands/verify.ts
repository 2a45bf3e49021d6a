import { createPublicKey } from 'node:crypto';
import { Command } from 'commander';
import { digestOf } from '../../platform/base/digest.ts';
import { ProctorError } from '../../platform/base/errors.ts';
import { MAX_RECORDS_BYTES, parseRecords } from '../../stages/evidence/parse-records.ts';
import { type CheckedRecord, verifyRecords } from '../../stages/evidence/verify-evidence.ts';
import { EXIT } from '../exit-codes.ts';
import { dim, green, printJson, red, yellow } from '../output.ts';
import { readTextFile } from '../read-text-file.ts';

const MAX_KEY_BYTES = 65_536;
const ONLY_CONSISTENT =
  'No key was demanded: this shows only that what is here is consistent with the key inside it. Anybody can make a key; demand yours with --key PUBLIC.pem';

interface VerifyOptions {
  readonly key: readonly string[];
  readonly json?: true;
}

/** `proctor verify`: checks evidence records offline. Needs no service, no settings and no database. */
export function verifyCommand(): Command {
  return new Command('verify')
    .argument(
      '<file>',
      'one evidence record, a JSON array of them, or one on each line; several are checked as a chain',
    )
    .description('check evidence records offline: content, signature, and the chain between them')
    .option('--key <pem>', 'demand that this key signed them (may be given again for further keys)', collect, [])
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExamples:\n  $ proctor verify evidence.json --key proctor-public.pem\n  $ proctor verify chain.jsonl --json',
    )
    .action(async (path: string, options: VerifyOptions) => {
      const wanted = await Promise.all(options.key.map(keyIdOf));
      const checked = verifyRecords(parseRecords(await readTextFile(path, MAX_RECORDS_BYTES)), wanted);
      const ok = checked.every(({ failures }) => failures.length === 0);
      if (options.json) printJson(toJson(checked, { ok, wanted }));
      else print(checked, { ok, wanted });
      process.exitCode = ok ? EXIT.ok : EXIT.differs;
    });
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

async function keyIdOf(path: string): Promise<string> {
  const pem = await readTextFile(path, MAX_KEY_BYTES);
  try {
    const key = createPublicKey(pem);
    if (key.asymmetricKeyType === 'ed25519') return digestOf(key.export({ type: 'spki', format: 'der' }));
  } catch {
    // told below: the vendor's words may quote the file
  }
  throw new ProctorError('bad-request', `--key ${path}: this is no Ed25519 key in PEM`);
}

interface Outcome {
  readonly ok: boolean;
  readonly wanted: readonly string[];
}

function toJson(checked: readonly CheckedRecord[], { ok, wanted }: Outcome): Record<string, unknown> {
  return {
    ok,
    demanded: wanted,
    shows: !ok ? null : wanted.length > 0 ? 'signed by a demanded key' : 'consistent with the key inside it',
    keys: keysOf(checked),
    records: checked.map(({ record, failures }) => ({
      position: record?.content.position ?? null,
      verdictId: record?.content.verdict.id ?? null,
      digest: record?.digest ?? null,
      keyId: record?.signature.keyId ?? null,
      ok: failures.length === 0,
      failures,
    })),
  };
}

function print(checked: readonly CheckedRecord[], { ok, wanted }: Outcome): void {
  checked.forEach(({ record, failures }, index) => {
    const where = `record ${index + 1}${record === null ? '' : ` (position ${record.content.position})`}`;
    for (const { check, message } of failures) console.log(`${red('not ok')}  ${where}: ${check}: ${message}`);
  });
  if (!ok) return;
  const [only] = checked;
  if (checked.length === 1 && only?.record != null) printFacts(only.record);
  for (const key of keysOf(checked)) console.log(`signed by  ${key}`);
  const chain = checked.length === 1 ? 'one record' : `a chain of ${checked.length} records`;
  console.log(`${green('ok')}: ${chain}, ${startOf(checked)}`);
  console.log(wanted.length > 0 ? dim('The key is one that you demanded.') : yellow(ONLY_CONSISTENT));
}

function printFacts({ content }: NonNullable<CheckedRecord['record']>): void {
  const { verdict, artifact, submission, inputs, createdAt } = content;
  console.log(`verdict    ${verdict.id}  ${verdict.digest}`);
  console.log(`says       ${verdict.outcome}, ${verdict.integrity}, score ${verdict.score}, at ${createdAt}`);
  console.log(`handed in  ${submission.id}: ${artifact.files} file(s), ${artifact.bytes} bytes, ${artifact.stored}`);
  if (inputs === null) return;
  const { snapshot } = inputs;
  console.log(`task       ${inputs.task}`);
  if (snapshot !== null) console.log(`snapshot   ${snapshot.digest}${snapshot.pinned ? '' : ' (not pinned)'}`);
}

function startOf(checked: readonly CheckedRecord[]): string {
  const first = checked[0]?.record?.content.position;
  return first === 1 ? 'from the first of its service' : `from position ${first}: what stands before it was not given`;
}

/** Keys that signed what is here, in the order of their first use; more than one means that the key was changed on the way. */
function keysOf(checked: readonly CheckedRecord[]): readonly string[] {
  return [...new Set(checked.flatMap(({ signedBy }) => signedBy ?? []))];
}
