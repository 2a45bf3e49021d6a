import type { SyntaxNode } from '@lezer/common';
import {
  byLanguage,
  type Detector,
  type Finding,
  findInSolution,
  type ScreenedFile,
  type ScreenInput,
  signalsOf,
} from '../detector.ts';
import { importNames } from '../own-tests.ts';
import { firstMatches, readPlainCode } from '../plain-code.ts';
import { stringValue } from '../python-literals.ts';
import type { PythonFile } from '../python-names.ts';
import { argumentsOf, childrenOf, functionsAround, type Scope } from '../python-syntax.ts';
import { isJudging, isReliedOn } from '../runner-targets.ts';

const SUBJECTS =
  /plug-?in|monkey-?patch|\bmock|test (?:runner|framework)|import hook|polyfill|shim\b|freez\w* time|fake (?:clock|time)/i;

/**
 * Solution code that replaces what a test run relies on: the runner, assertions, comparisons, clocks, randomness,
 * deserializers. An artifact's own tests may, and so may code that puts back what it replaced (a note).
 */
export const runnerTampering: Detector = {
  name: 'runner-tampering',
  detect(input) {
    const own = ownModules(input);
    const look = byLanguage(input, (python) => inPython(python, own), inJavaScript);
    return signalsOf(findInSolution(input, look, SUBJECTS), 'the code replaces what a test run relies on');
  },
};

/** The modules that the workspace and the hand-in consist of: a task may be about a test runner itself. */
function ownModules({ files, given }: ScreenInput): ReadonlySet<string> {
  const python = [...files, ...given].filter(({ path }) => path.endsWith('.py'));
  return new Set(python.flatMap(({ path }) => importNames(path).map((name) => name.split('.')[0] ?? '')));
}

interface Change {
  readonly node: SyntaxNode;
  readonly scope: Scope;
  readonly target: string;
  readonly value: SyntaxNode | null;
}

function inPython(file: PythonFile, own: ReadonlySet<string>): readonly Finding[] {
  const changes = [...assignments(file), ...setattrs(file)].filter(
    ({ target }) => !own.has(target.split('.')[0] ?? ''),
  );
  const times = new Map<string, number>();
  for (const { target } of changes) times.set(target, (times.get(target) ?? 0) + 1);
  const found = changes.flatMap((change): Finding[] => {
    const { target, scope, node } = change;
    if (!isReliedOn(target) && target !== 'sys.modules.*') return [];
    const putBack = functionsAround(scope).length > 0 && (times.get(target) ?? 0) > 1;
    const severity = putBack || isFasterTwin(file, change, own) ? 'note' : 'suspect';
    return [{ severity, path: file.path, line: file.line(node), what: `${target} is replaced` }];
  });
  return [...found, ...replacedModules(file, own)];
}

/** `json.loads = orjson.loads`: the same by another library's name. */
function isFasterTwin(file: PythonFile, { target, value, scope }: Change, own: ReadonlySet<string>): boolean {
  const name = file.dotted(value, scope);
  const [root, ...rest] = name?.split('.') ?? [];
  return (
    root !== undefined &&
    rest.length > 0 &&
    !own.has(root) &&
    !root.startsWith('local:') &&
    target.endsWith(`.${rest.at(-1)}`)
  );
}

/** Assignments to attributes, `a.b = c.d = value` and `a.b, c.d = values` alike. */
function assignments(file: PythonFile): readonly Change[] {
  return file.all('AssignStatement').flatMap(({ node, scope }) => {
    const parts = childrenOf(node);
    const last = parts.findLastIndex(({ name }) => name === 'AssignOp');
    const targets = parts
      .slice(0, Math.max(last, 0))
      .flatMap((part) => (part.name.startsWith('Tuple') || part.name.startsWith('Array') ? childrenOf(part) : [part]));
    return targets.flatMap((part) => {
      const target = part.name === 'MemberExpression' ? attributeTarget(file, part, scope) : null;
      return target === null ? [] : [{ node: part, scope, target, value: parts[last + 1] ?? null }];
    });
  });
}

function attributeTarget(file: PythonFile, node: SyntaxNode, scope: Scope): string | null {
  if (node.getChild('PropertyName') !== null) return file.dotted(node, scope);
  const [object, , key] = childrenOf(node);
  const holder = file.dotted(object ?? null, scope);
  return holder?.endsWith('.__dict__')
    ? `${holder.slice(0, -'.__dict__'.length)}.${stringValue(key ?? null, file.text) ?? '*'}`
    : null;
}

function setattrs(file: PythonFile): readonly Change[] {
  const everyModule = new Set(
    file.all('ForStatement').flatMap(({ node }) => {
      const [, target, , source] = childrenOf(node);
      const all = source !== undefined && /\bsys\.modules\b/.test(file.source(source).slice(0, 200));
      return target?.name === 'VariableName' && all ? [file.source(target)] : [];
    }),
  );
  return file.all('CallExpression').flatMap(({ node, scope }) => {
    if (!['setattr', 'builtins.setattr'].includes(file.dotted(node.firstChild, scope) ?? '')) return [];
    const [object, name, value] = argumentsOf(node, file.source).positional;
    if (object === undefined) return [];
    const any = object.name === 'VariableName' && everyModule.has(file.source(object));
    const holder = any ? 'sys.modules' : file.dotted(object, scope);
    const attribute = any ? '*' : (stringValue(name ?? null, file.text) ?? '*');
    return holder === null ? [] : [{ node, scope, target: `${holder}.${attribute}`, value: value ?? null }];
  });
}

/** `sys.modules["pytest"] = …` replaces a module; `sys.modules[__name__] = …`, as lazy modules do it, is a note. */
function replacedModules(file: PythonFile, own: ReadonlySet<string>): readonly Finding[] {
  return file.all('AssignStatement').flatMap(({ node, scope }): Finding[] => {
    const [target] = childrenOf(node);
    if (target?.name !== 'MemberExpression' || target.getChild('PropertyName') !== null) return [];
    const [holder, , key] = childrenOf(target);
    if (file.dotted(holder ?? null, scope) !== 'sys.modules' || key === undefined) return [];
    const said = replacement(file, key, own);
    return said === null ? [] : [{ ...said, path: file.path, line: file.line(node) }];
  });
}

function replacement(
  file: PythonFile,
  key: SyntaxNode,
  own: ReadonlySet<string>,
): Pick<Finding, 'severity' | 'what'> | null {
  const module = stringValue(key, file.text);
  if (module === null) {
    return file.source(key) === '__name__' ? { severity: 'note', what: 'the module replaces itself' } : null;
  }
  const judging = isJudging(module) && !own.has(module.split('.')[0] ?? '');
  return judging ? { severity: 'suspect', what: `the module ${module} is replaced` } : null;
}

const ASSERT_NAMES =
  /\b(?:import\s+(?:\*\s+as\s+)?(\w{1,40})\s+from\s+|(?:const|let|var)\s+(\w{1,40})\s*=\s*require\(\s*)['"](?:node:)?assert(?:\/strict)?['"]/g;
const ASSIGNED =
  /\b((?:JSON|Object|Date|Math|performance|process|globalThis|global|Array|Map|Set|Promise|String|Number|Function)(?:\.\w{1,40}){1,3}|\w{1,40}\.(?:strict\.)?\w{1,40})\s*=(?![=>])\s*([\w.]{0,80})/g;
const SHARED =
  /^(?:JSON\.(?:parse|stringify)|Object\.is|Date\.now|Math\.random|performance\.now|process\.(?:exit|hrtime|on|reallyExit)|(?:globalThis|global)\.(?:assert|expect|test|it|describe|setTimeout|Date)|(?:Array|Map|Set|Promise|String|Number|Object|Function)\.prototype\.(?:every|some|get|has|then|includes|indexOf|join|map|filter|toString|valueOf|call))$/;

function inJavaScript(file: ScreenedFile): readonly Finding[] {
  const plain = readPlainCode(file);
  if (plain?.language !== 'javascript') return [];
  const asserts = new Set(firstMatches(plain.withStrings, ASSERT_NAMES).map((match) => match[1] ?? match[2] ?? ''));
  return firstMatches(plain.code, ASSIGNED, 2_000).flatMap((match): Finding[] => {
    const [, target = '', value = ''] = match;
    const relied = SHARED.test(target) || asserts.has(target.split('.')[0] ?? '');
    if (!relied || value === target || isOwn(plain.code, target)) return []; // `x = x || …` only fills a gap
    return [{ severity: 'suspect', path: file.path, line: plain.line(match.index), what: `${target} is replaced` }];
  });
}

/** Whether a file has something of its own by the name of a global, as libraries of collections do. */
function isOwn(code: string, target: string): boolean {
  const [root = ''] = target.split('.');
  return (
    target.includes('.prototype.') &&
    new RegExp(String.raw`\b(?:function|class|var|let|const)\s+${root}\b|[,;{]${root}=function`).test(code)
  );
}
