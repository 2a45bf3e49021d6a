import type { PartialParse, SyntaxNode, SyntaxNodeRef, Tree } from '@lezer/common';
import { parser } from '@lezer/python';
import { lineFinder } from './lines.ts';

/** Larger files are not parsed: nobody writes them by hand, and a parse of this size takes half a second. */
export const MAX_PARSED_BYTES = 512 * 1024;
/** CPython gives up at 200 brackets and 100 indents; a chain of operators may be longer. Walks of a tree recurse this far. */
const MAX_DEPTH = 1_000;
/** Steps in which the parser guesses its way out of an error; what needs more is not Python. Each takes some 20 microseconds. */
const MAX_RECOVERIES = 4_000;

/** Where a piece of code stands: the functions and classes around it, and whether it is below `if __name__ == "__main__"`. */
export interface Scope {
  readonly kind: 'module' | 'function' | 'class' | 'main-guard';
  readonly name: string;
  readonly parent: Scope | null;
  readonly parameters: ReadonlySet<string>;
}

/** A node of the syntax tree with its scope. */
export interface Place {
  readonly node: SyntaxNode;
  readonly scope: Scope;
}

/** The syntax tree of a Python file, indexed. Nodes are named as in the grammar of `@lezer/python`. */
export interface PythonTree {
  readonly text: string;
  /** Whether the grammar knew all of it, or all but what changes no block: some valid Python it does not know. */
  readonly isFollowed: boolean;
  /** All nodes of one type in the order of the text. */
  all(type: IndexedType): readonly Place[];
  /** The source of a node. */
  source(node: SyntaxNode): string;
  /** The line a node begins on, from 1. */
  line(node: { readonly from: number }): number;
  /** Whether a line is indented below a `def`, whatever the tree says: where the grammar loses its way, blocks may end early. */
  isBelowDef(line: number): boolean;
}

const INDEXED = [
  ...(['AssertStatement', 'AssignStatement', 'UpdateStatement', 'NamedExpression', 'CallExpression'] as const),
  ...(['ClassDefinition', 'Comment', 'DictionaryExpression', 'ForStatement', 'FunctionDefinition'] as const),
  ...(['FormatString', 'IfStatement', 'ImportStatement', 'MatchClause', 'MemberExpression', 'RaiseStatement'] as const),
  ...(['ReturnStatement', 'String', 'TupleExpression', 'VariableName', 'Number', 'WithStatement'] as const),
  ...(['TryStatement', 'DecoratedStatement', 'ArrayExpression'] as const),
] as const;
export type IndexedType = (typeof INDEXED)[number];

/**
 * Parses Python, tolerating what the grammar does not know. Null for what cannot be Python that runs: NUL bytes, nesting
 * or disorder without end. Takes well under a second for any input of {@link MAX_PARSED_BYTES}, and is repeatable: it
 * counts steps, not time.
 */
export function parsePython(text: string): PythonTree | null {
  if (text.includes('\0') || text.length > MAX_PARSED_BYTES) return null;
  const tree = boundedParse(text);
  return tree === null ? null : indexTree(tree, text);
}

function boundedParse(text: string): Tree | null {
  // `recovering` is how the parser (pinned by version) marks its own search for a way on; a test holds it to that
  const parse = parser.startParse(text) as PartialParse & { readonly recovering?: number };
  try {
    for (let recoveries = 0; recoveries <= MAX_RECOVERIES; ) {
      const tree = parse.advance();
      if (tree !== null) return tree;
      if ((parse.recovering ?? 0) > 0) recoveries += 1;
    }
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown; // the stack: the parser builds deep trees by recursion
  }
  return null;
}

/** One walk without recursion, so that no nesting can exhaust the stack. */
function indexTree(tree: Tree, text: string): PythonTree | null {
  const index = new Map<string, Place[]>(INDEXED.map((type) => [type, []]));
  const open: { to: number; scope: Scope }[] = [];
  let scope: Scope = { kind: 'module', name: '', parent: null, parameters: new Set() };
  let [depth, deepest, isFollowed] = [0, 0, true];
  const enter = (at: SyntaxNodeRef) => {
    depth += 1;
    deepest = Math.max(deepest, depth);
    if (deepest > MAX_DEPTH) return false;
    while ((open.at(-1)?.to ?? Number.POSITIVE_INFINITY) <= at.from) scope = open.pop()?.scope ?? scope;
    index.get(at.name)?.push({ node: at.node, scope });
    if (at.type.isError && !HARMLESS.has(at.node.parent?.name ?? '')) isFollowed = false;
    const inner = SCOPED.has(at.name) ? innerScope(at.node, scope, text) : null;
    if (inner === null) return true;
    open.push({ to: at.to, scope });
    scope = inner;
    return true;
  };
  const leave = () => {
    depth -= 1;
  };
  tree.iterate({ enter, leave });
  return deepest > MAX_DEPTH ? null : { ...pythonTree(index, text), isFollowed };
}

/** Where a gap of the grammar stays within one expression: a bare `yield`, `1.`, a dotted pattern. */
const HARMLESS = new Set([
  'YieldStatement',
  'YieldExpression',
  'MemberExpression',
  'LiteralPattern',
  'AssignStatement',
]);
const SCOPED = new Set(['FunctionDefinition', 'LambdaExpression', 'ClassDefinition', 'Body']);
const MAIN_GUARD = /^if\s*\(?\s*(?:__name__\s*==\s*(['"])__main__\1|(['"])__main__\2\s*==\s*__name__)\s*\)?\s*:/;

/** The scope that begins at a node; a body begins one only below the main guard itself, not below its `else`. */
function innerScope(node: SyntaxNode, parent: Scope, text: string): Scope | null {
  if (node.name !== 'Body') {
    const name = node.getChild('VariableName');
    const kind = node.name === 'ClassDefinition' ? 'class' : 'function';
    const named = node.name !== 'LambdaExpression' && name !== null;
    return { kind, name: named ? text.slice(name.from, name.to) : '', parent, parameters: parametersOf(node, text) };
  }
  const { parent: owner } = node;
  if (owner?.name !== 'IfStatement' || owner.getChild('Body')?.from !== node.from) return null;
  const guards = MAIN_GUARD.test(text.slice(owner.from, Math.min(node.from + 1, owner.from + 80)));
  return guards ? { kind: 'main-guard', name: '', parent, parameters: new Set() } : null;
}

function parametersOf(node: SyntaxNode, text: string): ReadonlySet<string> {
  const list = node.getChild('ParamList');
  const names = list === null ? [] : list.getChildren('VariableName');
  return new Set(names.map(({ from, to }) => text.slice(from, to)));
}

function pythonTree(index: ReadonlyMap<string, readonly Place[]>, text: string): Omit<PythonTree, 'isFollowed'> {
  const lineOf = lineFinder(text);
  let below: readonly boolean[] | null = null;
  return {
    text,
    all: (type) => index.get(type) ?? [],
    source: ({ from, to }) => text.slice(from, to),
    line: ({ from }) => lineOf(from),
    isBelowDef(line) {
      below ??= linesBelowDef(text);
      return below[line - 1] ?? false;
    },
  };
}

function linesBelowDef(text: string): readonly boolean[] {
  const open: { indent: number; below: boolean }[] = [];
  return text.split('\n').map((line) => {
    const indent = line.search(/[^ \t]/);
    if (indent === -1) return open.at(-1)?.below ?? false;
    while ((open.at(-1)?.indent ?? -1) >= indent) open.pop();
    const below = open.at(-1)?.below ?? false;
    open.push({ indent, below: below || /^[ \t]*(?:async[ \t]+)?def\b/.test(line) });
    return below;
  });
}

/** Whether code runs as soon as the module is loaded: in no function and not below the main guard. */
export function runsAtImport(tree: PythonTree, { node, scope }: Place): boolean {
  for (let at: Scope | null = scope; at !== null; at = at.parent) {
    if (at.kind === 'function' || at.kind === 'main-guard') return false;
  }
  return !tree.isBelowDef(tree.line(node));
}

/** The names of the functions around a place, the innermost first. */
export function functionsAround(scope: Scope): readonly string[] {
  const names: string[] = [];
  for (let at: Scope | null = scope; at !== null; at = at.parent) if (at.kind === 'function') names.push(at.name);
  return names;
}

/** The children of a node in order. */
export function childrenOf(node: SyntaxNode): readonly SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child);
  return children;
}

/** Every node in `node` and below it, in order, at most `limit` of them. */
export function nodesIn(node: SyntaxNode, limit = 2_000): readonly SyntaxNode[] {
  const found: SyntaxNode[] = [];
  node.cursor().iterate((at) => {
    if (found.length < limit) found.push(at.node);
    return found.length < limit;
  });
  return found;
}

/** The arguments of a call: those by position, and those by name. Unpacked ones are left out. */
export function argumentsOf(
  call: SyntaxNode,
  source: (node: SyntaxNode) => string,
): { readonly positional: readonly SyntaxNode[]; readonly named: ReadonlyMap<string, SyntaxNode> } {
  const positional: SyntaxNode[] = [];
  const named = new Map<string, SyntaxNode>();
  const parts = childrenOf(call.getChild('ArgList') ?? call).filter(({ name }) => !'(),'.includes(name));
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] as SyntaxNode;
    const value = parts[at + 2];
    if (parts[at + 1]?.name === 'AssignOp' && value !== undefined) {
      named.set(source(part), value);
      at += 2;
    } else if (part.name === '*' || part.name === '**') at += 1;
    else positional.push(part);
  }
  return { positional, named };
}
