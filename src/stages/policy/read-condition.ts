import type { ASTNode } from '@marcbachmann/cel-js';
import { type FieldShape, VARIABLES } from './condition-types.ts';
import { suggestion } from './suggest-name.ts';

/** Macros over a list: their first argument names an item of it. */
const MACROS = ['exists', 'all', 'exists_one', 'filter'] as const;
const METHODS = [...MACROS, 'contains', 'startsWith', 'endsWith', 'size'] as const;
const FUNCTIONS = ['size', 'has', 'ratio', 'double'] as const;

/** What an expression says, beside its value. */
export interface ReadCondition {
  /** Fields that it names, dotted, as in `verdict.integrity`; a list by its own name. */
  readonly paths: readonly string[];
  /** Literals that each of them is compared with. */
  readonly literals: ReadonlyMap<string, ReadonlySet<string | number | boolean>>;
  /** The same text for expressions that say the same: operands whose order does not matter are sorted. */
  readonly key: string;
  /** What is refused although the language has it, and values that a field never has. */
  readonly faults: readonly string[];
}

type Scope = ReadonlyMap<string, Place>;
interface Place {
  readonly path: string;
  readonly shape: FieldShape;
}

interface Reading {
  readonly paths: Set<string>;
  readonly literals: Map<string, Set<string | number | boolean>>;
  readonly faults: string[];
}

/** Reads the tree of an expression that was checked already. */
export function readCondition(tree: ASTNode): ReadCondition {
  const reading: Reading = { paths: new Set(), literals: new Map(), faults: [] };
  const key = walk(tree, new Map(), reading);
  return { paths: [...reading.paths], literals: reading.literals, faults: reading.faults, key };
}

/** Names functions that conditions have, for suggestions. */
export const CALLABLE: readonly string[] = [...METHODS, ...FUNCTIONS];

function walk(node: ASTNode, scope: Scope, reading: Reading): string {
  const place = placeOf(node, scope);
  if (place !== null) {
    if (!place.path.startsWith('$')) reading.paths.add(listOf(place.path));
    return place.path;
  }
  if (node.op === 'call' || node.op === 'rcall') return walkCall(node, scope, reading);
  if (node.op === 'value') return literalText(node.args);
  if (node.op === 'id') return node.args;
  if (node.op === '&&' || node.op === '||')
    return joined(
      node.op,
      chained(node, node.op).map((operand) => walk(operand, scope, reading)),
    );
  const operands = operandsOf(node);
  if (COMPARISONS.includes(node.op)) noteLiterals(operands, scope, reading);
  if (node.op === '/' && operands.some((operand) => typeOf(operand) !== 'int'))
    reading.faults.push('/ gives infinity at zero for numbers with a point: write ratio(a, b), which fails there');
  const said = operands.map((operand) => walk(operand, scope, reading));
  if (node.op === '==' || node.op === '!=' || node.op === 'list') said.sort();
  return `(${node.op} ${said.join(' ')})`;
}

const COMPARISONS: readonly string[] = ['==', '!=', '<', '<=', '>', '>=', 'in'];

/** `a && (b && c)` says the same as `(c && a) && b`. */
function chained(node: ASTNode, operator: '&&' | '||'): readonly ASTNode[] {
  if (node.op !== operator) return [node];
  return [...node.args].flatMap((operand) => chained(operand, operator));
}

function joined(operator: '&&' | '||', said: readonly string[]): string {
  const parts = [...new Set(said)].sort();
  return parts.length === 1 ? (parts[0] as string) : `(${parts.join(` ${operator} `)})`;
}

function walkCall(node: ASTNode & { readonly op: 'call' | 'rcall' }, scope: Scope, reading: Reading): string {
  const [name, receiver, args] = node.op === 'call' ? [node.args[0], null, node.args[1]] : node.args;
  const known: readonly string[] = receiver === null ? FUNCTIONS : METHODS;
  if (!known.includes(name)) reading.faults.push(`${name}() is not for conditions${hintFor(name)}`);
  // the library takes an empty text for 0
  if (name === 'double' && args.some((arg) => typeOf(arg) !== 'int'))
    reading.faults.push('double() is for whole numbers');
  if (receiver === null) return `${name}(${args.map((arg) => walk(arg, scope, reading)).join(', ')})`;
  const on = walk(receiver, scope, reading);
  if (args.length === 1) noteLiterals([receiver, ...args], scope, reading);
  if (!MACROS.some((macro) => macro === name))
    return `${on}.${name}(${args.map((arg) => walk(arg, scope, reading)).join(', ')})`;
  const [item, ...rest] = args;
  const list = listPlace(receiver, scope);
  if (scope.size > 0) reading.faults.push(`${name}() within another one would look at every pair: write it flat`);
  const inner = new Map(scope);
  if (item?.op === 'id' && list?.shape.item) inner.set(item.args, { path: `$${list.path}`, shape: list.shape.item });
  return `${on}.${name}(${rest.map((arg) => walk(arg, inner, reading)).join(', ')})`;
}

function hintFor(name: string): string {
  if (name === 'matches') return ': a pattern can take for ever; write contains, startsWith or endsWith';
  return suggestion(name, CALLABLE);
}

/** The list that a macro looks through: a field, or what another macro has left of one. */
function listPlace(node: ASTNode, scope: Scope): Place | null {
  if (node.op === 'rcall' && node.args[0] === 'filter') return listPlace(node.args[1], scope);
  return placeOf(node, scope);
}

function placeOf(node: ASTNode, scope: Scope): Place | null {
  if (node.op === 'id') {
    const shape = VARIABLES[node.args];
    return scope.get(node.args) ?? (shape === undefined ? null : { path: node.args, shape });
  }
  if (node.op === '.') {
    const of = placeOf(node.args[0], scope);
    const shape = of?.shape.fields[node.args[1]];
    return of === null || shape === undefined ? null : { path: `${of.path}.${node.args[1]}`, shape };
  }
  if (node.op !== '[]') return null;
  const of = placeOf(node.args[0], scope);
  const [, index] = node.args;
  if (of === null || index.op !== 'value') return null;
  if (of.shape.item !== null) return { path: `${of.path}[${index.args}]`, shape: of.shape.item };
  const shape = of.shape.fields[String(index.args)];
  return shape === undefined ? null : { path: `${of.path}.${index.args}`, shape };
}

/** `signals[0].kind` is a look at `signals`. */
const listOf = (path: string) => path.replace(/\[.*$/, '');

function noteLiterals(operands: readonly ASTNode[], scope: Scope, reading: Reading): void {
  for (const [index, operand] of operands.entries()) {
    const place = placeOf(operand, scope);
    const other = operands[1 - index];
    if (place === null || other === undefined) continue;
    const values = (other.op === 'list' ? other.args : [other]).flatMap((one) =>
      one.op === 'value' ? [plainLiteral(one.args)] : [],
    );
    const noted = reading.literals.get(place.path) ?? new Set();
    reading.literals.set(place.path, noted);
    for (const value of values) {
      noted.add(value);
      const { values: possible } = place.shape;
      if (possible === null || typeof value !== 'string' || possible.includes(value)) continue;
      const name = place.path.replace(/^\$signals/, 'a signal');
      reading.faults.push(`${name} is never ${JSON.stringify(value)}${suggestion(value, possible)}`);
    }
  }
}

function plainLiteral(value: unknown): string | number | boolean {
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : String(value);
}

function literalText(value: unknown): string {
  return typeof value === 'bigint' ? `${value}i` : (JSON.stringify(value) ?? String(value));
}

function operandsOf(node: ASTNode): readonly ASTNode[] {
  switch (node.op) {
    case 'list':
      return node.args;
    case '!_':
    case '-_':
      return [node.args];
    case 'map':
      return node.args.flat();
    case '.':
    case '.?':
      return [node.args[0]];
    case 'value':
    case 'id':
    case 'call':
    case 'rcall':
      return [];
    default:
      return [...node.args];
  }
}

/** The type that the checker gave a node; the library keeps it beside its declared fields. */
function typeOf(node: ASTNode): string {
  const { checkedType } = node as { readonly checkedType?: { readonly type?: string; readonly name?: string } };
  return checkedType?.type ?? checkedType?.name ?? '';
}
