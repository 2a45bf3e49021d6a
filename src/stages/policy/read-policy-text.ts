import { type Document, parseDocument } from 'yaml';
import type { z } from 'zod';
import { messageOf, ProctorError } from '../../platform/base/errors.ts';
import { conditionVariables } from './context.ts';
import { type PolicyFile, policyFileSchema } from './policy-file.ts';
import { suggestion } from './suggest-name.ts';

/** Of one file: 10,000 rules of ordinary length are about 3 MiB. */
const LONGEST_TEXT = 4_194_304;
/** Faults that are told of one file. */
const MOST_FAULTS = 100;

interface Text {
  readonly file: string;
  readonly source: string;
}

/** A policy file as it is written. `policy-invalid` names every fault with its file and field. */
export function readPolicyText({ file, source }: Text): PolicyFile {
  const parsed = policyFileSchema.safeParse(plainOf({ file, source }));
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.slice(0, MOST_FAULTS).map((issue) => `${file}: ${toldIssue(issue)}`);
  throw new ProctorError('policy-invalid', faults.join('\n'), { faults });
}

/** What a text says that it extends, before anything else of it is looked at; null: nothing. */
export function writtenBase(text: Text): string | null {
  if (!text.source.includes('extends')) return null;
  const base = (plainOf(text) as { readonly extends?: unknown } | null)?.extends;
  return typeof base === 'string' && /^[a-z][a-z0-9-]{0,40}$/.test(base) ? base : null;
}

/** Plain values of a YAML document; aliases that name nothing or multiply, and nesting without end, are refused. */
function plainOf({ file, source }: Text): unknown {
  const refuse = (why: string) => new ProctorError('policy-invalid', `${file}: ${why}`);
  if (source.length > LONGEST_TEXT) throw refuse(`is longer than ${LONGEST_TEXT} characters`);
  let document: Document.Parsed;
  try {
    document = parseDocument(source);
  } catch (thrown) {
    throw refuse(messageOf(thrown));
  }
  const [syntax] = document.errors;
  if (syntax !== undefined) throw refuse(syntax.message);
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (thrown) {
    throw refuse(messageOf(thrown));
  }
}

function toldIssue(issue: z.core.$ZodIssue): string {
  const hints = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => suggestion(key, FIELD_NAMES)) : [];
  return `${issue.path.join('.')}: ${issue.message}${hints.find((hint) => hint !== '') ?? ''}`;
}

/** Every field that a policy file may have somewhere. */
const FIELD_NAMES: readonly string[] = [
  ...Object.keys(policyFileSchema.shape),
  ...['when', 'decide', 'kind', 'action', 'weight', 'flag', 'review', 'sample'],
  ...[
    'masked',
    'rejected',
    'flagged',
    'name',
    'given',
    'expect',
    'mask',
    'flags',
    'tags',
    'runs',
    'phase',
    'confirmed_cheat',
    'timeout',
  ],
  ...['share', 'at_least', 'do', 'signals', 'profile', 'session', 'task', 'run'],
  ...Object.keys(conditionVariables.verdict.shape),
];
