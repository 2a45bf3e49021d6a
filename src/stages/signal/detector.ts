import type { LeftBehind, LeftBehindReason, Manifest } from '../artifact/artifact.ts';
import type { Decoy } from '../instance/decoy.ts';
import type { Haystack, LeakSearch, Secret } from './leaks/leak.ts';
import type { PythonFile } from './python-names.ts';
import type { SessionTrace } from './session-trace.ts';
import type { Signal } from './signal.ts';

/** A file that crossed. */
export interface ScreenedFile {
  readonly path: string;
  readonly bytes: Buffer;
}

/** A file that the instance's workspace gave. */
export interface GivenFile extends ScreenedFile {
  /** Whether it crosses when it is still there; a file that does not cannot be missed. */
  readonly crosses: boolean;
}

/** What is screened: a hand-in, with what its subject was given. */
export interface Screened {
  readonly manifest: Manifest;
  readonly files: readonly ScreenedFile[];
  /** The workspace of the instance as it was at the start. */
  readonly given: readonly GivenFile[];
  readonly instruction: string;
  /** What the workspace holds that no honest work needs. */
  readonly decoys: readonly Decoy[];
  /** What nobody outside may have. */
  readonly secrets: readonly Secret[];
  /** The session in which it was made; null where there was none. */
  readonly session: SessionTrace | null;
}

/** What detectors look at. */
export interface ScreenInput extends Screened {
  /** The files that the subject wrote or changed and that are not its own tests, unless its solution imports them. */
  readonly solution: readonly ScreenedFile[];
  /** A Python file with its syntax, parsed once for all detectors; null for what is no Python or cannot be read as such. */
  python(file: ScreenedFile): PythonFile | null;
  /** The Python files that were too large, or one too many, to be read. */
  readonly unread: readonly ScreenedFile[];
  /** Hand-ins for other instances of the task that held the same solution and were right. */
  readonly twins: readonly string[];
  /** Where secrets were found in what the subject wrote, said and sent; searched once, when a detector first asks. */
  leaks(): LeakSearch;
  /** What its programs sent out. */
  readonly sent: readonly Haystack[];
}

/** Looks for one kind of evidence. Pure; says nothing rather than guess. */
export interface Detector {
  readonly name: string;
  detect(input: ScreenInput): readonly Omit<Signal, 'kind'>[];
}

/** One place that a detector found. */
export interface Finding {
  readonly severity: Signal['severity'];
  readonly path: string;
  /** From 1; 0 where a file as a whole, or its name, is meant. */
  readonly line: number;
  readonly what: string;
}

/** How many places one signal names; more tell a person nothing. */
const MAX_EVIDENCE = 20;
const MAX_WHAT = 160;

/** Findings as signals: one for each severity, with its summary and its places. */
export function signalsOf(findings: readonly Finding[], summary: string): Omit<Signal, 'kind'>[] {
  return (['violation', 'suspect', 'note'] as const).flatMap((severity) => {
    const those = withoutRepetitions(findings.filter((finding) => finding.severity === severity));
    if (those.length === 0) return [];
    const evidence = those.slice(0, MAX_EVIDENCE).map(({ path, line, what }) => {
      const said = what.length > MAX_WHAT ? `${what.slice(0, MAX_WHAT)}…` : what;
      return { path, detail: (line > 0 ? `line ${line}: ${said}` : said).toWellFormed() };
    });
    return [{ severity, summary, evidence }];
  });
}

function withoutRepetitions(findings: readonly Finding[]): readonly Finding[] {
  return [...new Map(findings.map((finding) => [JSON.stringify(finding), finding])).values()];
}

/** Looks at a Python file by its syntax, and at any other by what is given for those. */
export function byLanguage(
  input: ScreenInput,
  inPython: (file: PythonFile) => readonly Finding[],
  inOthers: (file: ScreenedFile) => readonly Finding[],
): (file: ScreenedFile) => readonly Finding[] {
  return (file) => {
    const python = input.python(file);
    return python === null ? inOthers(file) : inPython(python);
  };
}

/**
 * What is found in the solution, without what the workspace held already. Findings about something that the instruction
 * speaks of are notes: the task may well be about it.
 */
export function findInSolution(
  input: ScreenInput,
  look: (file: ScreenedFile) => readonly Finding[],
  subjects: RegExp | null = null,
): readonly Finding[] {
  const asked = subjects?.test(input.instruction) ?? false;
  return input.solution.flatMap((file) => {
    const found = look(file);
    if (found.length === 0) return [];
    const before = new Set(
      input.given
        .filter(({ path }) => path === file.path)
        .flatMap(look)
        .map(({ what }) => what),
    );
    return found
      .filter(({ what }) => !before.has(what))
      .map((finding) => (asked ? { ...finding, severity: 'note' as const } : finding));
  });
}

/** The entries of a manifest that were left behind for one of these reasons, as evidence. */
export function leftFor(manifest: Manifest, reasons: readonly LeftBehindReason[]): Signal['evidence'] {
  return manifest.leftBehind
    .filter((entry) => reasons.includes(entry.reason))
    .map(({ path, reason, detail }: LeftBehind) => ({
      path,
      detail: detail === '""' ? reason : `${reason} ${detail}`,
    }));
}
