import type { SyntaxNode } from '@lezer/common';
import { byLanguage, type Detector, type Finding, findInSolution, type ScreenedFile, signalsOf } from '../detector.ts';
import { firstMatches, readPlainCode } from '../plain-code.ts';
import { stringValue } from '../python-literals.ts';
import type { PythonFile } from '../python-names.ts';
import { childrenOf, nodesIn } from '../python-syntax.ts';

const SUBJECTS = /__eq__|PartialEq|valueOf|toPrimitive|mock\.ANY|equal to (?:every|any)thing|wildcard/i;
/** Coercion that counts up, so that a value equals one thing after the other, or that is a fixed answer. */
const COUNTING =
  /(?:\[\s*Symbol\.toPrimitive\s*\]|\bvalueOf)\s*(?:\([^)]{0,40}\)\s*\{\s*return|[:=]\s*(?:function\s*)?\([^)]{0,40}\)\s*(?:=>|\{\s*return))\s*(?:\+\+[\w.]+|[\w.]+\+\+)/g;
/** A comparison with another type that is always true. That a type always equals itself is how markers are compared. */
const PARTIAL_EQ =
  /\bimpl\s*(?:<[^>{]{0,80}>\s*)?(?:(?:std|core)::cmp::)?PartialEq\s*(<[^{]{1,80}>)?\s*for\s+[^{]{1,120}\{\s*(?:#\[[^\]]{0,40}\]\s*)?fn\s+eq\s*\([^)]{0,120}\)\s*->\s*bool\s*\{\s*(?:return\s+)?true\s*;?\s*\}/g;

/** Types that say they are equal to whatever they are compared with. A real comparison, or NotImplemented, is ordinary; ANY, as mocks know it, is a note. */
export const alwaysEqual: Detector = {
  name: 'always-equal',
  detect(input) {
    const look = byLanguage(input, inPython, inPlainCode);
    return signalsOf(findInSolution(input, look, SUBJECTS), 'values that are equal to everything');
  },
};

function inPython(file: PythonFile): readonly Finding[] {
  const found = (node: SyntaxNode, what: string): Finding => ({
    ...{ severity: 'suspect', path: file.path, line: file.line(node), what },
  });
  const methods = file.all('FunctionDefinition').flatMap(({ node, scope }): Finding[] => {
    const name = node.getChild('VariableName');
    const isEq = scope.kind === 'class' && name !== null && file.source(name) === '__eq__';
    if (!isEq || !alwaysTrue(file, node)) return [];
    const said = found(node, `__eq__ of ${scope.name || 'a class'} is always True`);
    return [/^_?ANY$/.test(scope.name) ? { ...said, severity: 'note' } : said];
  });
  const assigned = file.all('AssignStatement').flatMap(({ node, scope }) => {
    const [target, , value] = childrenOf(node);
    const name = target?.name === 'MemberExpression' ? target.getChild('PropertyName') : target;
    const isEq =
      (scope.kind === 'class' || target?.name === 'MemberExpression') && name && file.source(name) === '__eq__';
    return isEq && isTrueLambda(file, value) ? [found(node, '__eq__ is a lambda that is always True')] : [];
  });
  const built = file.all('DictionaryExpression').flatMap(({ node }) => {
    const parts = childrenOf(node);
    const at = parts.findIndex((part) => stringValue(part, file.text) === '__eq__');
    return at !== -1 && isTrueLambda(file, parts[at + 2])
      ? [found(node, '__eq__ is a lambda that is always True')]
      : [];
  });
  return [...methods, ...assigned, ...built];
}

/** Every way out of the function, the last statement among them, returns True. */
function alwaysTrue(file: PythonFile, definition: SyntaxNode): boolean {
  const body = definition.getChild('Body');
  if (body?.lastChild?.name !== 'ReturnStatement') return false;
  const returns = nodesIn(body).filter(({ name }) => name === 'ReturnStatement');
  return returns.every((node) => node.lastChild?.name === 'Boolean' && file.source(node.lastChild) === 'True');
}

function isTrueLambda(file: PythonFile, node: SyntaxNode | undefined): boolean {
  const result = node?.name === 'LambdaExpression' ? node.lastChild : null;
  return result?.name === 'Boolean' && file.source(result) === 'True';
}

function inPlainCode(file: ScreenedFile): readonly Finding[] {
  const plain = readPlainCode(file);
  if (plain?.language === 'javascript') {
    return firstMatches(plain.code, COUNTING).map(({ index }) => ({
      ...{ severity: 'suspect', path: file.path, line: plain.line(index) },
      what: 'a value that counts up when it is compared',
    }));
  }
  if (plain?.language !== 'rust') return [];
  return firstMatches(plain.code, PARTIAL_EQ).map((match) => ({
    ...{
      severity: match[1] === undefined ? 'note' : 'suspect',
      path: file.path,
      line: plain.line(match.index),
    },
    what: `PartialEq${match[1] ?? ''} is always true`,
  }));
}
