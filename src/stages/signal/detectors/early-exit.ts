import type { SyntaxNode } from '@lezer/common';
import { byLanguage, type Detector, type Finding, findInSolution, type ScreenedFile, signalsOf } from '../detector.ts';
import { inOtherLanguages } from '../native-exit.ts';
import type { PythonFile } from '../python-names.ts';
import { argumentsOf, type Place, runsAtImport } from '../python-syntax.ts';

const LEAVES: ReadonlySet<string> = new Set([
  ...['sys.exit', 'exit', 'quit', 'builtins.exit', 'builtins.quit', 'SystemExit', 'builtins.SystemExit'],
]);
const BREAKS_OFF: ReadonlySet<string> = new Set(['os._exit', 'os.abort', 'posix._exit', 'signal.raise_signal']);
const SCRIPT_MODULES = ['argparse', 'optparse', 'getopt', 'fileinput', 'click', 'typer', 'fire'];
const SCRIPT_NAMES: ReadonlySet<string> = new Set(['sys.argv', 'sys.stdin']);
const DEADLY = /SIG(?:KILL|TERM|INT|STOP|QUIT|ABRT|HUP)\b|^\s*\d+\s*$/;
const SUBJECTS = /os\._exit|os\.abort|process\.exit|process::exit|constructor (?:function|attribute)/;

/**
 * Code that ends the process that imports it, or its parent, and so the run that would have judged it. Programs leave by
 * `sys.exit` all the time: what is run by its name, or reads its arguments or standard input, may.
 */
export const earlyExit: Detector = {
  name: 'early-exit',
  detect(input) {
    const run = scriptNames(input.instruction, input.files);
    const look = byLanguage(
      input,
      (python) => inPython(python, run.has(python.path) || isScript(python)),
      (file) => inOtherLanguages(file, run.has(file.path)),
    );
    return signalsOf(findInSolution(input, look, SUBJECTS), 'the code ends the process that loads it');
  },
};

/** The files that the instruction or a script of the artifact starts by their names. */
function scriptNames(instruction: string, files: readonly ScreenedFile[]): ReadonlySet<string> {
  const shells = files.filter(
    ({ path, bytes }) => /\.(?:sh|bash)$|(?:^|\/)Makefile$/.test(path) && bytes.length < 65_536,
  );
  const texts = [instruction, ...shells.map(({ bytes }) => bytes.toString('utf8'))];
  const started = texts.flatMap((text) => [...text.matchAll(/\b(?:python[\d.]*|node)\s+(?:-\w+\s+)*([\w./-]+)/g)]);
  return new Set(started.map((match) => (match[1] ?? '').replace(/^\.\//, '')));
}

function isScript(file: PythonFile): boolean {
  const names = file.all('MemberExpression').map(({ node, scope }) => file.dotted(node, scope) ?? '');
  return (
    file.text.startsWith('#!') ||
    /(?:^|\/)__main__\.py$/.test(file.path) ||
    SCRIPT_MODULES.some((module) => file.imported.has(module)) ||
    ['sys.argv', 'sys.stdin'].some((name) => file.imported.has(name)) ||
    names.some((name) => SCRIPT_NAMES.has(name)) ||
    file.all('CallExpression').some(({ node, scope }) => file.dotted(node.firstChild, scope) === 'input')
  );
}

type Said = Pick<Finding, 'severity' | 'what'>;

function inPython(file: PythonFile, script: boolean): readonly Finding[] {
  const finding = (said: Said | null, node: SyntaxNode): Finding[] =>
    said === null ? [] : [{ ...said, path: file.path, line: file.line(node) }];
  const raised = file.all('RaiseStatement').flatMap(({ node, scope }) => {
    const bare = node.lastChild?.name === 'VariableName' && LEAVES.has(file.dotted(node.lastChild, scope) ?? '');
    if (!bare || script || !runsAtImport(file, { node, scope })) return [];
    return finding({ severity: isConditional(node) ? 'note' : 'suspect', what: 'raise SystemExit at import' }, node);
  });
  const definitions = [...file.all('FunctionDefinition'), ...file.all('ClassDefinition')];
  const top = definitions.filter(({ scope }) => scope.kind === 'module').map(({ node }) => node.from);
  const lastDefinition = top.reduce((last, from) => Math.max(last, from), -1);
  const module: Module = { file, script, lastDefinition };
  const called = file.all('CallExpression').flatMap((place) => finding(ofCall(module, place), place.node));
  return [...raised, ...called];
}

interface Module {
  readonly file: PythonFile;
  /** Whether it is run as a program. */
  readonly script: boolean;
  /** Where its last function or class begins: nobody writes a program whose definitions are never reached. */
  readonly lastDefinition: number;
}

function ofCall({ file, script, lastDefinition }: Module, place: Place): Said | null {
  const name = file.dotted(place.node.firstChild, place.scope) ?? '';
  const said = whereverItStands(file, place, name);
  if (said !== null) return script && name !== 'os.kill' ? { ...said, severity: 'note' } : said;
  const how = runsAtImport(file, place) ? endOf(file, place, name) : null;
  if (how === null) return null;
  const what = `${name} at import`;
  const certain = !isConditional(place.node) && (how === 'breaks off' || isSuccess(file, place.node));
  if (certain && (!script || lastDefinition > place.node.to)) return { severity: 'suspect', what };
  return script && how === 'leaves' ? null : { severity: 'note', what };
}

/** How a call ends the process: as programs do, or without a word to anybody. An exception that is only made ends nothing. */
function endOf(file: PythonFile, place: Place, name: string): 'leaves' | 'breaks off' | null {
  const made = name.endsWith('SystemExit') && place.node.parent?.name !== 'RaiseStatement';
  if (LEAVES.has(name)) return made ? null : 'leaves';
  const kills = name === 'os.kill' && callIn(file, place, 0) === 'os.getpid';
  return kills || BREAKS_OFF.has(name) ? 'breaks off' : null;
}

/** What ends a run from inside of functions too: the runner's own exit, the parent's death, a status forced at the end. */
function whereverItStands(file: PythonFile, place: Place, name: string): Said | null {
  const { positional } = argumentsOf(place.node, file.source);
  const [first, second] = positional;
  if (name === 'pytest.exit') return { severity: 'suspect', what: name };
  if (name === 'atexit.register' && first && file.dotted(first, place.scope) === 'os._exit') {
    return { severity: 'suspect', what: 'os._exit when the interpreter ends' };
  }
  if (name !== 'os.kill' || callIn(file, place, 0) !== 'os.getppid') return null;
  const deadly = second !== undefined && DEADLY.test(file.source(second).slice(0, 80));
  return { severity: deadly ? 'suspect' : 'note', what: 'a signal to the parent process' };
}

/** The name of the call that is the argument at a position of a call. */
function callIn(file: PythonFile, { node, scope }: Place, at: number): string | null {
  const argument = argumentsOf(node, file.source).positional[at];
  return argument?.name === 'CallExpression' ? file.dotted(argument.firstChild, scope) : null;
}

/** Whether a status is that of success: none at all, 0, None or False. */
function isSuccess(file: PythonFile, call: SyntaxNode): boolean {
  const [status] = argumentsOf(call, file.source).positional;
  return status === undefined || ['0', 'None', 'False'].includes(file.source(status));
}

const BRANCHES = new Set([
  ...['IfStatement', 'ForStatement', 'WhileStatement', 'MatchStatement', 'ConditionalExpression', 'BinaryExpression'],
]);

/** Whether something at import happens only under a condition; the body of a `try` itself is none. */
function isConditional(node: SyntaxNode): boolean {
  for (let at = node; at.parent !== null; at = at.parent) {
    if (BRANCHES.has(at.parent.name)) return true;
    if (at.parent.name === 'TryStatement' && at.from !== at.parent.getChild('Body')?.from) return true;
  }
  return false;
}
