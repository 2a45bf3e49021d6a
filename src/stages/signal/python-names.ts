import type { SyntaxNode } from '@lezer/common';
import { stringValue } from './python-literals.ts';
import { argumentsOf, childrenOf, type Place, type PythonTree, type Scope } from './python-syntax.ts';

/** What the names of a Python file stand for. */
export interface PythonNames {
  /**
   * The dotted name that an expression stands for, with imports and plain aliases followed: `q` is `os._exit` after
   * `from os import _exit as q`. Names of the file's own begin with `local:`. Null for what is no name.
   */
  dotted(node: SyntaxNode | null, scope: Scope): string | null;
  /** The modules that the file imports, as written, without leading dots; `from a import b` may mean `a` and `a.b`. */
  readonly imported: ReadonlySet<string>;
}

/** A Python file as detectors see it. */
export interface PythonFile extends PythonTree, PythonNames {
  readonly path: string;
}

/** Names longer than this are nobody's: the chain is not followed. */
const MAX_PARTS = 16;
const MAX_NESTED = 6;
/** Rounds of following `a = os; b = a; c = b._exit`. */
const ALIAS_ROUNDS = 3;
/** What a star import does not hide, for our purposes. */
const BUILTINS = new Set(['open', 'exit', 'quit', 'getattr', 'setattr', '__import__', 'SystemExit', 'print']);

interface Bindings {
  readonly aliases: Map<string, string>;
  readonly own: Set<string>;
  readonly stars: string[];
  readonly imported: Set<string>;
}

/** Reads imports, definitions and plain aliases of a file; where in the file they stand does not matter. */
export function namesOf(tree: PythonTree): PythonNames {
  const bindings: Bindings = { aliases: new Map(), own: new Set(), stars: [], imported: new Set() };
  for (const { node } of tree.all('ImportStatement')) bindImport(childrenOf(node), tree, bindings);
  for (const type of ['FunctionDefinition', 'ClassDefinition'] as const) {
    for (const { node, scope } of tree.all(type)) {
      const name = node.getChild('VariableName');
      if (name !== null && scope.kind !== 'class') bindings.own.add(tree.source(name));
    }
  }
  const dotted = (node: SyntaxNode | null, scope: Scope) => resolve({ tree, bindings, depth: 0 }, node, scope);
  for (let round = 0; round < ALIAS_ROUNDS; round++) bindAliases(tree, bindings, dotted);
  return { dotted, imported: bindings.imported };
}

function bindImport(parts: readonly SyntaxNode[], tree: PythonTree, bindings: Bindings): void {
  const words = parts.map((part) => tree.source(part)).filter((word) => !/^[()#]/.test(word));
  const split = words.indexOf('import');
  const listed = words
    .slice(split + 1)
    .join(' ')
    .split(',');
  const items = listed.map((item) => item.split(' as ').map((side) => side.replaceAll(' ', '')));
  const module = words[0] === 'from' ? words.slice(1, split).join('') : null;
  if (module !== null) bindings.imported.add(module.replace(/^\.+/, ''));
  for (const [path, alias] of items) if (path) bindImported(bindings, { module, path, alias });
}

/** One item of an import: of `from module import path as alias` or of `import path as alias`. */
function bindImported(
  { aliases, stars, imported }: Bindings,
  { module, path, alias }: { module: string | null; path: string; alias: string | undefined },
): void {
  if (module === null) {
    imported.add(path);
    aliases.set(alias ?? firstPart(path), alias === undefined ? firstPart(path) : path);
    return;
  }
  const whole = `${module}${module.endsWith('.') ? '' : '.'}${path}`;
  imported.add(whole.replace(/^\.+/, ''));
  if (path === '*') stars.push(module);
  else aliases.set(alias ?? path, whole);
}

/** Follows `name = os._exit` and the like for names that are bound once only. */
function bindAliases(tree: PythonTree, bindings: Bindings, dotted: PythonNames['dotted']): void {
  const known = new Set([...bindings.aliases.values(), ...BUILTINS]);
  for (const [name, [place, ...more]] of bindingsOf(tree)) {
    if (bindings.aliases.has(name)) continue;
    const meaning = more.length === 0 && place ? dotted(place.node, place.scope) : null;
    const foreign = meaning !== null && !meaning.startsWith('local:') && (meaning.includes('.') || known.has(meaning));
    if (foreign) bindings.aliases.set(name, meaning);
    else bindings.own.add(name);
  }
}

/** Every plain name that is assigned to, with what each time; null where that is more than one expression. */
function bindingsOf(tree: PythonTree): ReadonlyMap<string, readonly (Place | null)[]> {
  const bound = new Map<string, (Place | null)[]>();
  for (const { node, scope } of [...tree.all('AssignStatement'), ...tree.all('NamedExpression')]) {
    const parts = childrenOf(node).filter(({ name }) => name !== 'TypeDef');
    const [target, , value] = parts;
    if (target?.name !== 'VariableName') continue;
    const places = bound.get(tree.source(target)) ?? [];
    places.push(parts.length === 3 && value !== undefined ? { node: value, scope } : null);
    bound.set(tree.source(target), places);
  }
  return bound;
}

interface Resolver {
  readonly tree: PythonTree;
  readonly bindings: Bindings;
  /** How far inside of other expressions; what hides deeper is not followed. */
  readonly depth: number;
}

function resolve(of: Resolver, node: SyntaxNode | null, scope: Scope): string | null {
  if (of.depth > MAX_NESTED) return null;
  const tail: string[] = [];
  let at = node;
  while (at?.name === 'MemberExpression' && tail.length < MAX_PARTS) {
    const property = at.getChild('PropertyName');
    if (property === null) break;
    tail.unshift(of.tree.source(property));
    at = at.firstChild;
  }
  const head = headOf({ ...of, depth: of.depth + 1 }, at, scope);
  return head === null ? null : [head, ...tail].join('.');
}

function headOf(of: Resolver, node: SyntaxNode | null, scope: Scope): string | null {
  switch (node?.name) {
    case 'VariableName':
      return variable(of, of.tree.source(node), scope);
    case 'ParenthesizedExpression':
      return resolve(of, childrenOf(node)[1] ?? null, scope);
    case 'NamedExpression':
      return resolve(of, node.lastChild, scope);
    case 'CallExpression':
      return called(of, node, scope);
    case 'MemberExpression':
      return subscripted(of, node, scope);
    default:
      return null;
  }
}

function variable({ bindings }: Resolver, name: string, scope: Scope): string {
  for (let at: Scope | null = scope; at !== null; at = at.parent) if (at.parameters.has(name)) return `local:${name}`;
  const alias = bindings.aliases.get(name);
  if (alias !== undefined) return alias;
  if (bindings.own.has(name)) return `local:${name}`;
  const [star, ...more] = bindings.stars;
  return star !== undefined && more.length === 0 && !BUILTINS.has(name) ? `${star}.${name}` : name;
}

/** `getattr(os, "_exit")` and the ways to import by a call. */
function called(of: Resolver, call: SyntaxNode, scope: Scope): string | null {
  const callee = call.firstChild;
  if (callee === null || callee.name === 'CallExpression') return null;
  const { positional } = argumentsOf(call, of.tree.source);
  const text = (at: number) => stringValue(positional[at] ?? null, of.tree.text);
  switch (resolve(of, callee, scope)) {
    case 'getattr': {
      const [object, name] = [resolve(of, positional[0] ?? null, scope), text(1)];
      return object === null || name === null ? null : `${object}.${name}`;
    }
    case '__import__':
    case 'importlib.import_module':
    case 'sys.modules.get':
      return text(0);
    default:
      return null;
  }
}

function subscripted(of: Resolver, node: SyntaxNode, scope: Scope): string | null {
  const [object, , index] = childrenOf(node);
  const inModules = object !== undefined && resolve(of, object, scope) === 'sys.modules';
  return inModules ? stringValue(index ?? null, of.tree.text) : null;
}

function firstPart(path: string): string {
  return path.split('.')[0] ?? path;
}

/** Whether a dotted name is `whole` or something in it. */
export function isIn(name: string, whole: string): boolean {
  return name === whole || name.startsWith(`${whole}.`);
}
