import type { Finding, ScreenedFile } from './detector.ts';
import { firstMatches, type PlainCode, readPlainCode } from './plain-code.ts';

const NODE_SCRIPT = /\bprocess\.(?:argv|stdin)\b|\breadline\b|\bparseArgs\b/;
const NODE_EXIT = /\bprocess\.(?:exit|abort|reallyExit)\s*\(\s*([^)]{0,40})/g;
const RUST_EXIT = /\b(?:std::)?process::exit\s*\(\s*([^)]{0,40})/g;
const RUST_PROGRAM = /(?:^|\/)(?:main|build)\.rs$|(?:^|\/)(?:bin|examples|benches)\//;
const CONSTRUCTOR = /__attribute__\s*\(\s*\(\s*(?:__)?constructor/g;
const LEAVES = /\b(?:_exit|_Exit|quick_exit|exit|abort|kill|raise)\s*\(/;
/** How much of a constructor function is read. */
const BODY_LENGTH = 2_000;

/** Exits outside of Python: at the top level of a Node module, in a Rust library, before a C program begins. */
export function inOtherLanguages(file: ScreenedFile, isRun: boolean): readonly Finding[] {
  const plain = readPlainCode(file);
  switch (plain?.language) {
    case 'javascript':
      return isRun || plain.code.startsWith('#!') || NODE_SCRIPT.test(plain.code) ? [] : inNode(file, plain);
    case 'rust':
      return RUST_PROGRAM.test(file.path) ? [] : inRust(file, plain);
    case 'c':
      return inC(file, plain);
    default:
      return [];
  }
}

function inNode(file: ScreenedFile, plain: PlainCode): readonly Finding[] {
  const { code } = plain;
  const depths = depthsOf(code);
  return firstMatches(code, NODE_EXIT).flatMap((match) => {
    if ((depths(match.index) ?? 1) > 0) return [];
    const before = code.slice(code.lastIndexOf('\n', match.index) + 1, match.index);
    const certain = /^\s*(?:;\s*)?$/.test(before) && /^0?\s*$/.test(match[1] ?? '');
    const what = `${match[0].split('(')[0]?.trim()} at the top level`;
    return [{ severity: certain ? 'suspect' : 'note', path: file.path, line: plain.line(match.index), what } as const];
  });
}

/** How many brackets are open at a position; asked for in rising order. */
function depthsOf(code: string): (at: number) => number {
  let [depth, from] = [0, 0];
  return (at) => {
    for (; from < at; from++) {
      if ('({['.includes(code[from] as string)) depth += 1;
      else if (')}]'.includes(code[from] as string)) depth -= 1;
    }
    return depth;
  };
}

function inRust(file: ScreenedFile, plain: PlainCode): readonly Finding[] {
  return firstMatches(plain.code, RUST_EXIT).map((match) => ({
    severity: /^0\s*$/.test(match[1] ?? '') ? 'suspect' : 'note',
    ...{ path: file.path, line: plain.line(match.index), what: 'std::process::exit in a library' },
  }));
}

function inC(file: ScreenedFile, plain: PlainCode): readonly Finding[] {
  const { code } = plain;
  return firstMatches(code, CONSTRUCTOR).map((match) => {
    const leaves = LEAVES.test(bodyAfter(code.slice(match.index, match.index + BODY_LENGTH)));
    const what = leaves ? 'a constructor function ends the process' : 'a function that runs before main';
    return { severity: leaves ? 'suspect' : 'note', path: file.path, line: plain.line(match.index), what };
  });
}

/** The first block in braces. */
function bodyAfter(code: string): string {
  const start = code.indexOf('{');
  let depth = 0;
  for (let at = start; start !== -1 && at < code.length; at++) {
    if (code[at] === '{') depth += 1;
    else if (code[at] === '}') depth -= 1;
    if (depth === 0) return code.slice(start, at);
  }
  return start === -1 ? '' : code.slice(start);
}
