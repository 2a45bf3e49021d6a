import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { digestOf } from '../../platform/base/digest.ts';
import { errnoOf, ProctorError } from '../../platform/base/errors.ts';
import { checkPolicy } from './check-policy.ts';
import { compileRules } from './compile-rules.ts';
import { type CompiledRule, DEFAULTS, type Policy, type PolicyFile, type PolicyRules } from './policy-file.ts';
import { readPolicyText, writtenBase } from './read-policy-text.ts';

/** Policies that extend one another. */
const LONGEST_CHAIN = 10;
const ENDING = '.yaml';

/** Policies by name, read once from a folder of YAML files. */
export interface Policies {
  /** Throws `policy-invalid` when the file is missing, wrong, or fails its own cases. */
  find(name: string): Promise<Policy>;
  /** The names of all that are there, in order; whether they are sound is not looked at. */
  list(): Promise<readonly string[]>;
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
    async list() {
      const files = await readdir(folder).catch(() => []);
      return files.flatMap((file) => (file.endsWith(ENDING) ? [file.slice(0, -ENDING.length)] : [])).sort();
    },
  };
}

/** The text of one policy file, under the name that errors call it by. */
export interface PolicyText {
  readonly file: string;
  readonly source: string;
}

/** A policy from a file anywhere, with what it extends from the folder of policies. `policy-invalid`. */
export async function loadPolicy(folder: string, text: PolicyText): Promise<Policy> {
  const bases = await basesOf(folder, text);
  // each is sound by itself, also where what extends it replaces its rules
  bases.forEach(({ file, source }, index) => void parsePolicy(source, file, bases.slice(0, index)));
  return parsePolicy(text.source, text.file, bases);
}

/** The same, of which only each field is sound: its cases may fail, and its rules contradict each other. `policy-invalid`. */
export async function loadUnchecked(folder: string, text: PolicyText): Promise<Policy> {
  return assemble([...(await basesOf(folder, text)), text]).policy;
}

/** What a text extends, the first of which extends none. */
async function basesOf(folder: string, text: PolicyText): Promise<readonly PolicyText[]> {
  const chain = [text];
  const names = [text.file.replace(/^.*\//, '').replace(/\.ya?ml$/, '')];
  for (let base = writtenBase(text); base !== null; base = writtenBase(chain[0] as PolicyText)) {
    if (names.includes(base)) invalid(`${text.file}: extends: goes in a circle: ${[...names, base].join(' → ')}`);
    if (names.length >= LONGEST_CHAIN)
      invalid(`${text.file}: extends: more than ${LONGEST_CHAIN} policies, one on another`);
    names.push(base);
    chain.unshift(await readText(folder, base));
  }
  return chain.slice(0, -1);
}

async function readPolicy(folder: string, name: string): Promise<Policy> {
  return loadPolicy(folder, await readText(folder, name));
}

async function readText(folder: string, name: string): Promise<PolicyText> {
  const path = join(folder, `${name}${ENDING}`);
  const source = await readFile(path, 'utf8').catch((thrown) => {
    if (errnoOf(thrown) !== 'ENOENT') throw thrown;
    return invalid(`there is no policy file ${path}`);
  });
  return { file: `${name}${ENDING}`, source };
}

/**
 * A policy from its text and the texts that it extends, the first of which extends none. `policy-invalid` names every fault; a policy
 * that fails one of its own cases, or has a rule that cannot fire or that contradicts another, does not load.
 */
export function parsePolicy(source: string, file: string, bases: readonly PolicyText[] = []): Policy {
  const { policy, own } = assemble([...bases, { file, source }]);
  const faults = checkPolicy(policy, own).map((fault) => `${file}: ${fault}`);
  if (faults.length > 0) throw new ProctorError('policy-invalid', faults.join('\n'), { faults });
  return policy;
}

/**
 * A policy from what was stored of it when it decided. It is not checked again: what a later version of Proctor finds wrong with it does
 * not undo what it decided.
 */
export function openStoredPolicy(stored: string): Policy {
  const texts = storedTexts(stored);
  return assemble(texts.map((source, index) => ({ file: `stored policy ${index + 1} of ${texts.length}`, source })))
    .policy;
}

/** One text is stored as it is; several as JSON, which no policy of one text is. */
function storedText(texts: readonly PolicyText[]): string {
  return texts.length === 1 ? (texts[0] as PolicyText).source : JSON.stringify(texts.map(({ source }) => source));
}

function storedTexts(stored: string): readonly string[] {
  return stored.startsWith('["') ? (JSON.parse(stored) as readonly string[]) : [stored];
}

interface Assembled {
  readonly policy: Policy;
  /** Rules that stand in the last file itself. */
  readonly own: readonly CompiledRule[];
}

function assemble(texts: readonly PolicyText[]): Assembled {
  const source = storedText(texts);
  const parts = texts.map((text) => ({ ...text, written: readPolicyText(text) }));
  const root = parts[0]?.written.extends;
  if (root !== undefined) invalid(`${parts[0]?.file}: extends: "${root}" is not given`);
  let [rules, own]: CompiledRule[][] = [[], []];
  const faults: string[] = [];
  for (const { file, written } of parts) {
    own = [...compileRules(written.rules, (field, message) => faults.push(`${file}: ${field}: ${message}`))];
    rules = merged(rules as CompiledRule[], own);
  }
  if (faults.length > 0) throw new ProctorError('policy-invalid', faults.join('\n'), { faults });
  const [compiled, last] = [rules as CompiledRule[], own as CompiledRule[]];
  const policy: Policy = {
    rules: effective(parts.map(({ written }) => written)),
    compiled,
    source,
    digest: digestOf(source),
  };
  return { policy, own: last };
}

/** Those of the base first; one of the same name takes the place of the one that it replaces. */
function merged<T extends { readonly id: string }>(base: readonly T[], own: readonly T[]): T[] {
  const byId = new Map(own.map((rule) => [rule.id, rule]));
  const known = new Set(base.map(({ id }) => id));
  return [...base.map((rule) => byId.get(rule.id) ?? rule), ...own.filter(({ id }) => !known.has(id))];
}

function effective(chain: readonly PolicyFile[]): PolicyRules {
  const last = chain.at(-1) as PolicyFile;
  const said = <K extends 'unadmitted' | 'control_sample' | 'guard'>(name: K) =>
    chain.findLast((file) => file[name] !== undefined)?.[name] ?? DEFAULTS[name];
  return {
    ...{ id: last.id, version: last.version, about: last.about, cases: last.cases },
    extends: last.extends ?? null,
    applies_to: last.applies_to ?? null,
    unadmitted: said('unadmitted') as PolicyRules['unadmitted'],
    control_sample: said('control_sample') as number,
    guard: said('guard') as PolicyRules['guard'],
    enforce: chain.reduce<PolicyRules['enforce']>((known, { enforce = [] }) => merged(known, enforce), []),
    values: Object.assign({ ...DEFAULTS.values }, ...chain.map(({ values = {} }) => values)),
    rules: chain.reduce<PolicyRules['rules']>((rules, file) => merged(rules, file.rules), []),
  };
}

function invalid(message: string): never {
  throw new ProctorError('policy-invalid', message);
}
