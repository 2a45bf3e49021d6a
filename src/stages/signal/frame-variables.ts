import type { SyntaxNode } from '@lezer/common';
import type { PythonFile } from './python-names.ts';

/** What loggers, decorators and error reports ask a frame for: the module's name, its file, the object at work. */
const HARMLESS_KEY = String.raw`['"](?:__\w+__|self|cls)['"]`;
const HARMLESS_READ = new RegExp(String.raw`^\s*(?:\.get\(|\[)\s*${HARMLESS_KEY}`);
const READ = /^\s*(?:\[|\.(?:get|values|items|keys|update|copy|pop|setdefault)\b)/;
const COLLECTS = new Set(['list', 'dict', 'set', 'tuple', 'sorted', 'iter', 'enumerate', 'filter', 'map', 'vars']);
const EVALUATES = new Set(['eval', 'exec']);

export function isFrameVariables(attribute: string): boolean {
  return attribute === 'f_locals' || attribute === 'f_globals';
}

/**
 * Whether the variables of a frame are named without one of the program's own being read: for a module's name, for
 * evaluating an annotation, for a report of an error of its own.
 */
export function readsNoVariable(file: PythonFile, node: SyntaxNode): boolean {
  const after = file.text.slice(node.to, node.to + 60);
  if (HARMLESS_READ.test(after)) return true;
  if (READ.test(after)) return false;
  const holder = heldBy(file, node);
  if (holder !== null) return !isReadLater(file, holder);
  const call = node.parent?.name === 'ArgList' ? file.source(node.parent.parent?.firstChild ?? node) : null;
  if (call !== null && EVALUATES.has(call)) return true;
  if (/\btb_frame\.f_\w+$/.test(file.source(node).slice(-40))) return true;
  const isGlobals = file.source(node).endsWith('f_globals');
  return isGlobals && !(call !== null && COLLECTS.has(call)) && !isWalkedOver(node);
}

/** The name that an assignment gives to the variables. */
function heldBy(file: PythonFile, node: SyntaxNode): string | null {
  const value = node.parent?.name === 'ConditionalExpression' ? node.parent : node;
  const target = value.parent?.name === 'AssignStatement' ? value.parent.firstChild : null;
  return target?.name === 'VariableName' ? file.source(target) : null;
}

function isReadLater(file: PythonFile, name: string): boolean {
  if (!/^\w{1,80}$/.test(name)) return true;
  const read = String.raw`\b${name}\s*(?:\[|\.(?:get|values|items|keys|update|copy|pop)\s*\()\s*(?!${HARMLESS_KEY})`;
  return new RegExp(String.raw`${read}|\bin\s+${name}\b`).test(file.text);
}

function isWalkedOver(node: SyntaxNode): boolean {
  const around = node.parent?.name === 'TupleExpression' ? node.parent.parent : node.parent;
  return (
    around?.name === 'ForStatement' ||
    around?.name === 'BinaryExpression' ||
    around?.name.endsWith('ComprehensionExpression') === true
  );
}
