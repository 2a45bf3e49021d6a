import type { SyntaxNode } from '@lezer/common';
import type { ScreenedFile, ScreenInput } from './detector.ts';
import { isTestPath } from './own-tests.ts';
import { numberValue, stringValue } from './python-literals.ts';
import type { PythonFile } from './python-names.ts';
import { argumentsOf, childrenOf, nodesIn } from './python-syntax.ts';

/** An example that the subject was shown, or an entry of its code: the literals of the one side and of the other. */
export interface LiteralPair {
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

const MAX_LITERALS = 40;
const MAX_DATA_BYTES = 256 * 1024;
const EQUALS = /^assert(?:Equals?|Is|AlmostEqual|CountEqual|(?:Dict|List|Tuple|Sequence|MultiLine|Set)Equal)$/;

/** The examples of the given tests, of given data with inputs and outputs, and of the instruction's text. */
export function visibleExamples(input: ScreenInput): readonly LiteralPair[] {
  const tests = input.given.filter(({ path }) => isTestPath(path)).flatMap((file) => input.python(file) ?? []);
  const pairs = [
    ...tests.flatMap((file) => [...comparisons(file), ...entries(file)]),
    ...input.given.flatMap(dataExamples),
    ...exampleLines(input.instruction).map(({ pair }) => pair),
  ];
  return pairs.filter(({ inputs, outputs }) => inputs.length > 0 && outputs.length > 0);
}

/** The literals in an expression: texts as they are, numbers in one spelling. */
export function literalsIn(file: PythonFile, node: SyntaxNode | null | undefined): readonly string[] {
  if (!node) return [];
  const literals = nodesIn(node, 400).flatMap((at) => {
    if (at.name === 'String' && at.parent?.name === 'ContinuedString') return [];
    return stringValue(at, file.text) ?? numberValue(at.name === 'Number' ? at : null, file.text) ?? [];
  });
  return literals.slice(0, MAX_LITERALS);
}

function comparisons(file: PythonFile): readonly LiteralPair[] {
  const asserted = file.all('AssertStatement').flatMap(({ node }) => {
    const comparison = node.getChild('BinaryExpression');
    return comparison === null ? [] : [[comparison.firstChild, comparison.lastChild] as const];
  });
  const called = file.all('CallExpression').flatMap(({ node }) => {
    const method = node.firstChild?.getChild('PropertyName');
    if (!method || !EQUALS.test(file.source(method))) return [];
    const { positional } = argumentsOf(node, file.source);
    return [[positional[0] ?? null, positional[1] ?? null] as const];
  });
  return [...asserted, ...called].flatMap(([left, right]) => {
    const [one, other] = [literalsIn(file, left), literalsIn(file, right)];
    return isCall(left) ? [{ inputs: one, outputs: other }] : [{ inputs: other, outputs: one }];
  });
}

function isCall(node: SyntaxNode | null): boolean {
  return node !== null && nodesIn(node, 20).some(({ name }) => name === 'CallExpression');
}

/** Tables in code: the entries of dicts, and tuples whose last part belongs to the others. */
export function entries(file: PythonFile): readonly (LiteralPair & { readonly node: SyntaxNode })[] {
  const dicts = file.all('DictionaryExpression').flatMap(({ node }) => {
    const parts = childrenOf(node);
    return parts.flatMap((part, at) =>
      part.name === ':'
        ? [{ node: part, inputs: literalsIn(file, parts[at - 1]), outputs: literalsIn(file, parts[at + 1]) }]
        : [],
    );
  });
  const tuples = file.all('TupleExpression').flatMap(({ node }) => {
    const parts = childrenOf(node).filter(({ name }) => !'(),'.includes(name));
    if (parts.length < 2) return [];
    const inputs = parts.slice(0, -1).flatMap((part) => literalsIn(file, part));
    return [{ node, inputs: inputs.slice(0, MAX_LITERALS), outputs: literalsIn(file, parts.at(-1)) }];
  });
  return [...dicts, ...tuples];
}

const INPUT_KEY = /^(?:in|inputs?|args|arguments|text|query|question|given|stdin)$/i;
const OUTPUT_KEY = /^(?:out|outputs?|expected|expect|want|answers?|results?|stdout)$/i;

/** Objects of a JSON file that hold an input beside an output. */
function dataExamples({ path, bytes }: ScreenedFile): readonly LiteralPair[] {
  if (!path.endsWith('.json') || bytes.length > MAX_DATA_BYTES) return [];
  let data: unknown;
  try {
    data = JSON.parse(bytes.toString('utf8'));
  } catch {
    return [];
  }
  const items = Array.isArray(data) ? data : isRecord(data) ? Object.values(data).flat() : [];
  return items.filter(isRecord).map((item) => {
    const side = (key: RegExp) =>
      Object.entries(item).flatMap(([name, value]) => (key.test(name) ? scalarsOf(value) : []));
    return { inputs: side(INPUT_KEY), outputs: side(OUTPUT_KEY) };
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function scalarsOf(value: unknown): readonly string[] {
  const list = Array.isArray(value) ? value : [value];
  return list
    .filter((one) => typeof one === 'string' || typeof one === 'number')
    .map(String)
    .slice(0, MAX_LITERALS);
}

const CALL_LINE = /\w\(([^\n]{1,200}?)\)`?\s*(?:===?|→|->|=>|returns|gives|becomes|is)\s*`?([^\n]{1,200})/;
const DOCTEST = /^\s*>>> [^\n]*?\(([^\n]{1,200})\)\s*$/;

/** The lines of an instruction that show a call and what comes of it. */
export function exampleLines(instruction: string): readonly { readonly line: number; readonly pair: LiteralPair }[] {
  const lines = instruction.split('\n').map((line) => line.slice(0, 500));
  return lines.flatMap((text, line) => {
    const call = CALL_LINE.exec(text);
    const doctest = DOCTEST.exec(text);
    const [input, output] = call !== null ? [call[1], call[2]] : [doctest?.[1], lines[line + 1]];
    if (input === undefined || output === undefined) return [];
    return [{ line, pair: { inputs: quotedIn(input), outputs: quotedIn(output) } }];
  });
}

function quotedIn(text: string): readonly string[] {
  const found = [...text.matchAll(/"([^"]*)"|'([^']*)'|(?<![\w.])(-?\d+(?:\.\d+)?)/g)];
  return found.map((match) => match[1] ?? match[2] ?? match[3] ?? '').slice(0, MAX_LITERALS);
}
