import type { SyntaxNode } from '@lezer/common';
import { stringValue } from './python-literals.ts';
import type { PythonFile } from './python-names.ts';
import { argumentsOf, childrenOf, nodesIn, type Place, type Scope } from './python-syntax.ts';

/** A place where Python code writes to, replaces or removes a path. */
export interface PathWrite extends Place {
  /** The expressions that give the path. */
  readonly paths: readonly SyntaxNode[];
}

/** Which arguments of a call name what is written. */
const WRITES: Readonly<Record<string, readonly number[]>> = {
  ...{ 'shutil.copy': [1], 'shutil.copy2': [1], 'shutil.copyfile': [1], 'shutil.copytree': [1], 'shutil.move': [0, 1] },
  ...{ 'os.rename': [0, 1], 'os.replace': [0, 1], 'os.symlink': [0, 1], 'os.link': [0, 1], 'os.truncate': [0] },
  ...{ 'os.remove': [0], 'os.unlink': [0], 'shutil.rmtree': [0], 'os.chmod': [0], 'os.makedirs': [0], 'os.mkdir': [0] },
};
const OPENS = new Set(['open', 'io.open', 'codecs.open', 'builtins.open', 'os.fdopen', 'gzip.open']);
const PATH_METHODS = new Set([
  ...['write_text', 'write_bytes', 'touch', 'unlink', 'rename', 'replace', 'symlink_to', 'hardlink_to', 'mkdir'],
]);

/** All places of a file that write to a path. Reading is none. */
export function pathWrites(file: PythonFile): readonly PathWrite[] {
  return file.all('CallExpression').flatMap(({ node, scope }) => {
    const paths = writtenBy(file, node, scope);
    return paths.length === 0 ? [] : [{ node, scope, paths }];
  });
}

function writtenBy(file: PythonFile, call: SyntaxNode, scope: Scope): readonly SyntaxNode[] {
  const name = file.dotted(call.firstChild, scope) ?? '';
  const { positional, named } = argumentsOf(call, file.source);
  if (Object.hasOwn(WRITES, name)) return (WRITES[name] ?? []).flatMap((at) => positional[at] ?? []);
  const [first = named.get('file'), second = named.get('mode')] = positional;
  if (OPENS.has(name)) {
    const writes = /[wax+]/.test(stringValue(second ?? null, file.text) ?? '');
    return writes && first !== undefined ? [first] : [];
  }
  if (name !== 'os.open') return writtenByMethod(file, call, positional);
  const flags = second === undefined ? '' : file.source(second).slice(0, 200);
  return first !== undefined && /O_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND)/.test(flags) ? [first] : [];
}

/** `Path("…").write_text(…)` and its like. */
function writtenByMethod(file: PythonFile, call: SyntaxNode, positional: readonly SyntaxNode[]): readonly SyntaxNode[] {
  const callee = call.firstChild?.name === 'MemberExpression' ? call.firstChild : null;
  const method = callee?.getChild('PropertyName') ?? null;
  const object = callee?.firstChild ?? null;
  if (method === null || object === null) return [];
  const mode = file.source(method) === 'open' ? (stringValue(positional[0] ?? null, file.text) ?? '') : '';
  return PATH_METHODS.has(file.source(method)) || /^[wax]/.test(mode) ? [object] : [];
}

/** Rounds in which names are followed from where a path is spelled to where it is used. */
const ROUNDS = 4;

/**
 * The names of a file that may hold a path for which `spells` gives a word, and that word: through assignments, loops
 * and calls that join or list. Scopes are not told apart.
 */
export function namesHolding(
  file: PythonFile,
  spells: (node: SyntaxNode, scope: Scope) => string | null,
): Map<string, string> {
  const held = new Map<string, string>();
  const flows = [...file.all('AssignStatement'), ...file.all('ForStatement'), ...file.all('NamedExpression')].map(
    flowOf,
  );
  for (let round = 0; round < ROUNDS; round++) {
    const before = held.size;
    for (const { targets, source, scope } of flows) {
      const word = wordIn({ file, held, spells }, source, scope);
      if (word !== null)
        for (const target of targets) held.set(file.source(target), held.get(file.source(target)) ?? word);
    }
    if (held.size === before) break;
  }
  return held;
}

interface Flow {
  readonly targets: readonly SyntaxNode[];
  readonly source: SyntaxNode | null;
  readonly scope: Scope;
}

function flowOf({ node, scope }: Place): Flow {
  const parts = childrenOf(node);
  const split = parts.findIndex(({ name }) => name === 'in' || name === 'AssignOp');
  const targets = parts.slice(0, Math.max(split, 0)).filter(({ name }) => name === 'VariableName');
  const body = parts.findIndex(({ name }) => name === 'Body');
  return { targets, source: parts.slice(split + 1, body === -1 ? undefined : body).at(-1) ?? null, scope };
}

/** The word of a path that an expression spells or gets from a name that holds one. */
export function wordIn(
  of: {
    readonly file: PythonFile;
    readonly held: ReadonlyMap<string, string>;
    readonly spells: (node: SyntaxNode, scope: Scope) => string | null;
  },
  expression: SyntaxNode | null,
  scope: Scope,
): string | null {
  if (expression === null || expression.name === 'LambdaExpression') return null;
  for (const node of nodesIn(expression, 300)) {
    const word = node.name === 'VariableName' ? of.held.get(of.file.source(node)) : of.spells(node, scope);
    if (word) return word;
  }
  return null;
}
