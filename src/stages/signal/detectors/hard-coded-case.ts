import type { SyntaxNode } from '@lezer/common';
import { type Detector, type Finding, findInSolution, type ScreenedFile, signalsOf } from '../detector.ts';
import type { PythonFile } from '../python-names.ts';
import { childrenOf } from '../python-syntax.ts';
import { entries, exampleLines, type LiteralPair, literalsIn, visibleExamples } from '../visible-examples.ts';

/** One pair may be a coincidence or a constant. */
const FEWEST = 2;
const MAX_EXAMPLES = 2_000;
const MAX_PAIRS = 1_000;
/** Examples with one input that are looked at. */
const MAX_LIKE = 20;

interface Entry extends LiteralPair {
  readonly node: SyntaxNode;
}

/**
 * Visible examples that stand in the solution together with their results, as branches or in a table. A note only: the
 * sibling instances of a task, whose examples are others, tell whether the work depends on them, and always must before this counts.
 */
export const hardCodedCase: Detector = {
  name: 'hard-coded-case',
  detect(input) {
    const shown = new Set(exampleLines(input.instruction).map(({ line }) => line));
    const rules = input.instruction.split('\n').filter((_, line) => !shown.has(line) && !shown.has(line - 1));
    const demanded = rules.join('\n');
    const examples = byInput(visibleExamples(input));
    const look = (file: ScreenedFile) => {
      const python = examples.size < FEWEST ? null : input.python(file);
      return python === null ? [] : inPython(python, examples, demanded);
    };
    const found = findInSolution(input, look);
    if (new Set(found.map(({ what }) => what)).size < FEWEST) return [];
    return signalsOf(
      found,
      'visible examples stand in the code with their results; sibling instances tell whether it depends on them',
    );
  },
};

function inPython(file: PythonFile, examples: Examples, demanded: string): readonly Finding[] {
  const found = [...entries(file), ...branches(file), ...cases(file)].flatMap((entry) => {
    const key = matchOf(entry, examples);
    return key === null ? [] : [{ ...key, node: entry.node }];
  });
  return found
    .filter(({ input, output }) => !demanded.includes(input) || !demanded.includes(output))
    .slice(0, MAX_PAIRS)
    .map(({ input, output, node }) => {
      const what = `${JSON.stringify(input.slice(0, 60))} with ${JSON.stringify(output.slice(0, 60))}`;
      return { severity: 'note', path: file.path, line: file.line(node), what };
    });
}

/** What came of each telling input, over all examples. */
type Examples = ReadonlyMap<string, readonly LiteralPair[]>;

function byInput(pairs: readonly LiteralPair[]): Examples {
  const examples = new Map<string, LiteralPair[]>();
  for (const pair of pairs.slice(0, MAX_EXAMPLES)) {
    for (const input of new Set(pair.inputs.filter(isTelling))) {
      const known = examples.get(input) ?? [];
      if (known.length < MAX_LIKE) known.push(pair);
      examples.set(input, known);
    }
  }
  return examples;
}

/** An input of an example that an entry holds together with what came of it: a telling literal, or two of any kind. */
function matchOf(entry: LiteralPair, examples: Examples): { input: string; output: string } | null {
  for (const input of entry.inputs) {
    for (const example of examples.get(input) ?? []) {
      const outputs = entry.outputs.filter((one) => one !== '' && one !== input && example.outputs.includes(one));
      const output = outputs.find(isTelling) ?? (new Set(outputs).size > 1 ? outputs[0] : undefined);
      if (output !== undefined) return { input, output };
    }
  }
  return null;
}

/** Numbers of one digit, round ones, and texts of three characters stand in every program. */
function isTelling(literal: string): boolean {
  return /^-?[\d.]+$/.test(literal)
    ? !/^-?(?:\d|10+|0?\.\d)$/.test(literal)
    : literal.length >= 4 && /\w/.test(literal);
}

/** `if … == "input": return "output"`, with its `elif`s. */
function branches(file: PythonFile): readonly Entry[] {
  return file.all('IfStatement').flatMap(({ node }) => {
    const parts = childrenOf(node);
    return parts.flatMap((part, at) => {
      if (part.name !== 'Body' || !['if', 'elif'].includes(parts[at - 2]?.name ?? '')) return [];
      return [{ node: part, inputs: literalsIn(file, parts[at - 1]), outputs: results(file, part) }];
    });
  });
}

function cases(file: PythonFile): readonly Entry[] {
  return file.all('MatchClause').flatMap(({ node }) => {
    const body = node.getChild('Body');
    const pattern = childrenOf(node)[1];
    return body === null ? [] : [{ node, inputs: literalsIn(file, pattern), outputs: results(file, body) }];
  });
}

/** What the statements right in a body return, print or assign. */
function results(file: PythonFile, body: SyntaxNode): readonly string[] {
  const simple = childrenOf(body).filter(({ name }) => /^(?:Return|Expression|Assign)Statement$/.test(name));
  return simple.slice(0, 3).flatMap((statement) => literalsIn(file, statement));
}
