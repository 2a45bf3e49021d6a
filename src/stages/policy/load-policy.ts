import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Document, parseDocument } from 'yaml';
import { digestOf } from '../../platform/base/digest.ts';
import { errnoOf, messageOf, ProctorError } from '../../platform/base/errors.ts';
import { decide } from './decide.ts';
import { type Policy, policySchema } from './policy.ts';

/** Policies by name, read once from a folder of YAML files. */
export interface Policies {
  /** Throws `policy-invalid` when the file is missing, wrong, or fails its own cases. */
  find(name: string): Promise<Policy>;
}

export function openPolicies(folder: string): Policies {
  const loaded = new Map<string, Promise<Policy>>();
  return {
    find(name) {
      const known = loaded.get(name) ?? readPolicy(folder, name);
      loaded.set(name, known);
      known.catch(() => loaded.delete(name));
      return known;
    },
  };
}

async function readPolicy(folder: string, name: string): Promise<Policy> {
  const path = join(folder, `${name}.yaml`);
  const source = await readFile(path, 'utf8').catch((thrown) => {
    if (errnoOf(thrown) !== 'ENOENT') throw thrown;
    throw new ProctorError('policy-invalid', `there is no policy file ${path}`);
  });
  return parsePolicy(source, `${name}.yaml`);
}

/** A policy from its text. `policy-invalid` names every fault; a policy that fails one of its own cases does not load. */
export function parsePolicy(source: string, file: string): Policy {
  const document = parseDocument(source);
  const [syntax] = document.errors;
  if (syntax !== undefined) throw new ProctorError('policy-invalid', `${file}: ${syntax.message}`);
  const parsed = policySchema.safeParse(toPlain(document, file));
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${file}: ${issue.path.join('.')}: ${issue.message}`);
    throw new ProctorError('policy-invalid', faults.join('\n'), { faults });
  }
  const failed = parsed.data.cases.flatMap(({ name, given, expect }) => {
    const { action, weight, rules } = decide(given, parsed.data);
    const fired = rules.map(({ id }) => id);
    const right =
      action === expect.action && weight === expect.weight && expect.rules.every((id) => fired.includes(id));
    return right
      ? []
      : [`${file}: case "${name}": decided ${action} with weight ${weight} (${fired.join(', ') || 'no rule'})`];
  });
  if (failed.length > 0) throw new ProctorError('policy-invalid', failed.join('\n'), { faults: failed });
  return { rules: parsed.data, source, digest: digestOf(source) };
}

/** Plain values of a YAML document; aliases that name nothing or multiply are refused. */
function toPlain(document: Document, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (thrown) {
    throw new ProctorError('policy-invalid', `${file}: ${messageOf(thrown)}`);
  }
}
