import type { ScreenedFile } from './detector.ts';
import { lineFinder } from './lines.ts';

/** How a language writes comments and strings, as far as that is needed to tell them from code. */
type Family = 'c' | 'hash';

const FAMILIES: Readonly<Record<string, Family>> = {
  ...{ js: 'c', mjs: 'c', cjs: 'c', jsx: 'c', ts: 'c', mts: 'c', cts: 'c', tsx: 'c' },
  ...{
    rs: 'c',
    c: 'c',
    h: 'c',
    cc: 'c',
    cpp: 'c',
    cxx: 'c',
    hpp: 'c',
    java: 'c',
    go: 'c',
    kt: 'c',
    swift: 'c',
    cs: 'c',
  },
  ...{ sh: 'hash', bash: 'hash', pl: 'hash', pm: 'hash', rb: 'hash', awk: 'hash', r: 'hash', jl: 'hash' },
};
const JAVASCRIPT = new Set(['js', 'mjs', 'cjs', 'jsx', 'ts', 'mts', 'cts', 'tsx']);
const C = new Set(['c', 'h', 'cc', 'cpp', 'cxx', 'hpp']);
/** Larger files are not read: nobody writes them by hand. */
const MAX_BYTES = 512 * 1024;

/** Source text in a language other than Python, told apart by a scanner that knows comments and strings only. */
export interface PlainCode {
  readonly language: 'javascript' | 'rust' | 'c' | 'shell' | 'other';
  /** Of the same length as the file, with comments and the insides of strings blanked. */
  readonly code: string;
  /** The same with strings left in. */
  readonly withStrings: string;
  readonly comments: readonly { readonly at: number; readonly text: string }[];
  /** The line of a position, from 1. */
  line(at: number): number;
}

const C_TOKENS =
  /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:\\[\s\S]|[^"\\\n])*"?|`(?:\\[\s\S]|[^`\\])*`?|'(?:\\.|[^'\\\n])*'?/g;
/** Rust has lifetimes such as `'a`, which open no string. */
const RUST_TOKENS = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:\\[\s\S]|[^"\\])*"?|'(?:\\[^\n][^'\n]{0,8}|[^'\\\n])'/g;
const HASH_TOKENS = /(?<![^\s;&|(])#[^\n]*|"(?:\\[\s\S]|[^"\\])*"?|'[^']*'?/g;

/** The parts of a code file by its extension or its first line; null for other files. Linear in the size of the file. */
export function readPlainCode({ path, bytes }: ScreenedFile): PlainCode | null {
  const extension = extensionOf(path, bytes);
  const family = Object.hasOwn(FAMILIES, extension) ? FAMILIES[extension] : undefined;
  if (family === undefined || bytes.length > MAX_BYTES) return null;
  const text = bytes.toString('utf8');
  const comments: { at: number; text: string }[] = [];
  const blank = (token: string) => token.replace(/[^\n]/g, ' ');
  const split = (keepStrings: boolean) =>
    text.replace(tokensOf(family, extension), (token, at: number) => {
      const isComment = token.startsWith('/') || token.startsWith('#');
      if (isComment && keepStrings) comments.push({ at, text: token });
      return isComment || !keepStrings ? blank(token) : token;
    });
  const language = languageOf(extension);
  return { language, withStrings: split(true), code: split(false), comments, line: lineFinder(text) };
}

function tokensOf(family: Family, extension: string): RegExp {
  if (family === 'hash') return HASH_TOKENS;
  return extension === 'rs' ? RUST_TOKENS : C_TOKENS;
}

function extensionOf(path: string, bytes: Buffer): string {
  const extension = /\.([A-Za-z0-9]{1,5})$/.exec(path)?.[1]?.toLowerCase();
  if (extension !== undefined) return extension;
  const interpreter = /^#![^\n]{0,80}\b(node|bash|perl|ruby|sh)\b/.exec(bytes.toString('latin1', 0, 100))?.[1];
  return { node: 'js', bash: 'sh', perl: 'pl', ruby: 'rb', sh: 'sh' }[interpreter ?? ''] ?? '';
}

function languageOf(extension: string): PlainCode['language'] {
  if (JAVASCRIPT.has(extension)) return 'javascript';
  if (C.has(extension)) return 'c';
  if (extension === 'rs') return 'rust';
  return extension === 'sh' || extension === 'bash' ? 'shell' : 'other';
}

/** The first matches of a global pattern: more than a person would look at tell nothing new. */
export function firstMatches(text: string, pattern: RegExp, limit = 50): readonly RegExpExecArray[] {
  const found: RegExpExecArray[] = [];
  for (const match of text.matchAll(pattern)) {
    found.push(match);
    if (found.length === limit) break;
  }
  return found;
}
