import type { SyntaxNode } from '@lezer/common';
import { numberValue, stringValue } from './python-literals.ts';
import type { PythonFile } from './python-names.ts';
import { childrenOf, nodesIn } from './python-syntax.ts';

/** One test function, as far as its strength goes. */
export interface PythonTest {
  /** With its class. */
  readonly name: string;
  readonly line: number;
  /** The source of each assertion without white space; those that hold for anything are left out. */
  readonly asserts: readonly string[];
  /** How many of them ask for one value or one error, rather than for a bound or a kind. */
  readonly exact: number;
  readonly literals: readonly string[];
  readonly skipped: boolean;
  /** How many assertions stand in a `try` that swallows their failing. */
  readonly swallowed: number;
  /** The names it uses, for telling what it was about. */
  readonly uses: ReadonlySet<string>;
}

const ASSERT_CALL = /^(?:assert[A-Z_]\w*|assert_\w+|fail|raises|failUnless\w*)$/;
const EXACT =
  /^assert[^=<>]*[^=<>!]==|^assert.*[^=!<>]\bis\b|assert(?:Equals?|Is|Raises\w*|(?:Dict|List|Tuple|Sequence|MultiLine|Set|Count|AlmostE)\w*qual)\(|\braises\(/;
const HOLDS_FOR_ANYTHING =
  /^assert(?:True|1|\(True\)|not(?:False|None))(?:,|$)|\.assert(?:True\((?:True|1)|False\((?:False|0)|IsNone\(None|IsNotNone\((?:True|\d))|^assert\(?(.{1,80})==\1\)?$/;
const OR_TRUE = /\bor\s+(?:True|1)\s*\)?$/;
const SKIPS = /\b(?:skip|skipif|skipIf|skipUnless|skipTest|xfail|expectedFailure)\b/;

/** All test functions of a file. */
export function testsOf(file: PythonFile): readonly PythonTest[] {
  const all = file.all('FunctionDefinition').flatMap(({ node, scope }) => {
    const name = node.getChild('VariableName');
    if (name === null || !/^test/.test(file.source(name)) || scope.kind === 'function') return [];
    return [testOf(file, node, scope.kind === 'class' ? `${scope.name}.${file.source(name)}` : file.source(name))];
  });
  const named = new Map(all.map((test) => [test.name, test])); // of two with one name the later is run
  return [...named.values()];
}

function testOf(file: PythonFile, definition: SyntaxNode, name: string): PythonTest {
  const whole = definition.parent?.name === 'DecoratedStatement' ? definition.parent : definition;
  const nodes = nodesIn(whole, 5_000);
  const asserting = nodes.filter((node) => isAssert(file, node));
  const said = asserting.map((node) => ({ node, text: file.source(node).replace(/\s+/g, '').replaceAll("'", '"') }));
  const real = said.filter(({ node, text }) => !HOLDS_FOR_ANYTHING.test(text) && !OR_TRUE.test(file.source(node)));
  return {
    name,
    line: file.line(definition),
    asserts: real.map(({ text }) => text),
    exact: real.filter(({ node }) => EXACT.test(file.source(node).replace(/\s+/g, ' '))).length,
    literals: literalsOf(file, nodes),
    skipped: isSkipped(file, whole, nodes),
    swallowed: real.filter(({ node }) => isSwallowed(file, node, definition)).length,
    uses: new Set(
      nodes.filter(({ name: type }) => /^(?:Variable|Property)Name$/.test(type)).map((node) => file.source(node)),
    ),
  };
}

function isAssert(file: PythonFile, node: SyntaxNode): boolean {
  if (node.name === 'AssertStatement') return true;
  if (node.name !== 'CallExpression') return false;
  const callee = node.firstChild;
  const name = callee?.name === 'MemberExpression' ? callee.getChild('PropertyName') : callee;
  return name !== null && name !== undefined && ASSERT_CALL.test(file.source(name).slice(0, 80));
}

function literalsOf(file: PythonFile, nodes: readonly SyntaxNode[]): readonly string[] {
  return nodes.flatMap((node) => {
    if (node.name === 'Boolean' || node.name === 'None') return file.source(node);
    if (node.parent?.name === 'ExpressionStatement' || node.parent?.name === 'ContinuedString') return [];
    return stringValue(node, file.text) ?? numberValue(node.name === 'Number' ? node : null, file.text) ?? [];
  });
}

/** All literals of a file, documentation aside. */
export function allLiterals(file: PythonFile): readonly string[] {
  const nodes = [...file.all('String'), ...file.all('Number')].map(({ node }) => node);
  return [...literalsOf(file, nodes), ...(file.text.match(/\b(?:True|False|None)\b/g) ?? [])];
}

/** Skipped or expected to fail, by a decorator of its own or of its class or by a call. */
function isSkipped(file: PythonFile, whole: SyntaxNode, nodes: readonly SyntaxNode[]): boolean {
  for (let at: SyntaxNode | null = whole; at !== null; at = at.parent) {
    const decorators = at.name === 'DecoratedStatement' ? at.getChildren('Decorator') : [];
    if (decorators.some((decorator) => SKIPS.test(file.source(decorator)))) return true;
  }
  const calls = nodes.filter(({ name }) => name === 'CallExpression' || name === 'RaiseStatement');
  return calls.some((node) =>
    SKIPS.test(file.source(node.name === 'RaiseStatement' ? node : (node.firstChild ?? node))),
  );
}

/** Whether a `try` around an assertion catches its failing and goes on as if nothing were. */
function isSwallowed(file: PythonFile, node: SyntaxNode, definition: SyntaxNode): boolean {
  for (let at = node; at.parent !== null && at.from > definition.from; at = at.parent) {
    const { parent } = at;
    if (parent.name !== 'TryStatement' || parent.getChild('Body')?.from !== at.from) continue;
    const parts = childrenOf(parent);
    const catches = parts.flatMap((part, index) => (part.name === 'except' ? [index] : []));
    if (catches.some((index) => isIdle(file, parts.slice(index + 1)))) return true;
  }
  return false;
}

function isIdle(file: PythonFile, parts: readonly SyntaxNode[]): boolean {
  const end = parts.findIndex(({ name }) => name === 'Body');
  const caught = parts
    .slice(0, end)
    .map((part) => file.source(part))
    .join(' ');
  const body = parts[end];
  const broad = caught.trim() === '' || /\b(?:Exception|BaseException|AssertionError)\b/.test(caught);
  return broad && body !== undefined && !/\braise\b|\bfail\b|\bassert/.test(file.source(body));
}
