import type { SyntaxNode } from '@lezer/common';
import { byLanguage, type Detector, type Finding, findInSolution, type ScreenedFile, signalsOf } from '../detector.ts';
import { isFrameVariables, readsNoVariable } from '../frame-variables.ts';
import { readPlainCode } from '../plain-code.ts';
import { stringValue } from '../python-literals.ts';
import type { PythonFile } from '../python-names.ts';
import type { Place } from '../python-syntax.ts';

/** Names by which loggers, decorators and error reports look at their callers, and cheats begin. */
const LOOKS: ReadonlySet<string> = new Set([
  ...['sys._getframe', 'sys._current_frames', 'inspect.currentframe', 'inspect.stack', 'inspect.trace'],
  ...['inspect.getouterframes', 'inspect.getinnerframes'],
]);
/** Names that reach what belongs to other code. */
const REACHES: ReadonlySet<string> = new Set([
  ...['sys.settrace', 'sys.setprofile', 'threading.settrace', 'threading.setprofile'],
  ...['gc.get_objects', 'gc.get_referrers', 'ctypes.pythonapi'],
]);
const LOOKING_ATTRIBUTES: ReadonlySet<string> = new Set(['f_back', 'tb_frame', 'gi_frame', 'cr_frame', 'ag_frame']);
const REACHING_ATTRIBUTES: ReadonlySet<string> = new Set([
  ...['f_locals', 'f_globals', 'f_builtins', 'process_vm_readv', 'process_vm_writev', 'ptrace'],
]);
const OTHER_MEMORY = /\/proc\/[^/\s'"`]+\/(?:mem|maps)\b/;
const OWN_MAPS = /\/proc\/self\/maps\b/;
const NATIVE = /\bprocess_vm_(?:read|write)v\b|\bPTRACE_(?:ATTACH|SEIZE|PEEK\w+|POKE\w+)\b|\bptrace\s*\(/;
const SUBJECTS =
  /stack[ -]?frames?|call stack|f_locals|_getframe|settrace|introspect|debugger|profiler|tracer|tracing|garbage collector|\/proc\b/i;

/**
 * Solution code that looks at what belongs to its callers or to other processes: frames' variables, tracing, all
 * objects, foreign memory. That a caller's name and line are read, as loggers do, is a note.
 */
export const stackIntrospection: Detector = {
  name: 'stack-introspection',
  detect(input) {
    const look = byLanguage(input, inPython, inPlainCode);
    return signalsOf(findInSolution(input, look, SUBJECTS), 'the code looks into its callers or into other processes');
  },
};

type Said = Pick<Finding, 'severity' | 'what'>;

function inPython(file: PythonFile): readonly Finding[] {
  const finding = (said: Said | null, node: SyntaxNode): Finding[] =>
    said === null ? [] : [{ ...said, path: file.path, line: file.line(node) }];
  const members = file.all('MemberExpression').flatMap((place) => {
    const property = place.node.getChild('PropertyName');
    return property === null ? [] : finding(ofMember(file, place, property), property);
  });
  const calls = file.all('CallExpression').flatMap((place) => finding(ofCall(file, place), place.node));
  return [...members, ...calls, ...inStrings(file)];
}

function ofName(name: string): Said | null {
  if (REACHES.has(name)) return { severity: 'suspect', what: name };
  return LOOKS.has(name) ? { severity: 'note', what: name } : null;
}

function ofMember(file: PythonFile, { node, scope }: Place, property: SyntaxNode): Said | null {
  const name = file.source(property);
  const dotted = LAST_PARTS.has(name) ? ofName(file.dotted(node, scope) ?? '') : null;
  if (dotted !== null) return dotted;
  if (name === 'co_consts') return isCallers(file, node) ? { severity: 'suspect', what: 'co_consts of a frame' } : null;
  if (REACHING_ATTRIBUTES.has(name)) {
    return { severity: isFrameVariables(name) && readsNoVariable(file, node) ? 'note' : 'suspect', what: name };
  }
  return LOOKING_ATTRIBUTES.has(name) ? { severity: 'note', what: name } : null;
}

function ofCall(file: PythonFile, { node, scope }: Place): Said | null {
  const callee = node.firstChild;
  if (callee?.name === 'MemberExpression') return null; // a member, and seen as one
  const name = file.dotted(callee, scope) ?? '';
  const attribute = name === 'getattr' ? /,\s*['"](\w+)['"]/.exec(file.source(node).slice(0, 200))?.[1] : undefined;
  const reaches = attribute !== undefined && REACHING_ATTRIBUTES.has(attribute);
  return reaches ? { severity: 'suspect', what: attribute } : ofName(name);
}

const LAST_PARTS = new Set([...LOOKS, ...REACHES].map((name) => name.slice(name.lastIndexOf('.') + 1)));

/** Whether constants are those of a frame's code rather than of a function at hand. */
function isCallers(file: PythonFile, node: SyntaxNode): boolean {
  return node.firstChild !== null && /\bf_code\s*$/.test(file.source(node.firstChild).slice(-40));
}

function inStrings(file: PythonFile): readonly Finding[] {
  return [...file.all('String'), ...file.all('FormatString')].flatMap(({ node }) => {
    if (node.parent?.name === 'ExpressionStatement') return []; // documentation
    const value = stringValue(node, file.text) ?? '';
    const path = value.length < 200 ? OTHER_MEMORY.exec(value)?.[0] : undefined;
    if (path === undefined) return [];
    const severity = OWN_MAPS.test(path) ? 'note' : 'suspect';
    return [{ severity, path: file.path, line: file.line(node), what: path } as const];
  });
}

function inPlainCode(file: ScreenedFile): readonly Finding[] {
  const plain = readPlainCode(file);
  if (plain === null) return [];
  return [OTHER_MEMORY.exec(plain.withStrings), NATIVE.exec(plain.code)].flatMap((match) => {
    if (match === null) return [];
    const severity = OWN_MAPS.test(match[0]) ? 'note' : 'suspect';
    return [{ severity, path: file.path, line: plain.line(match.index), what: match[0] } as const];
  });
}
