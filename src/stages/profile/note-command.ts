import { createHash } from 'node:crypto';
import type { Tally } from './behaviour.ts';
import type { PathKind } from './path-kind.ts';
import {
  asksNetwork,
  isLoaderVariable,
  type ProgramKind,
  programKind,
  readsHistory,
  runsTests,
} from './program-kind.ts';
import { countExitTokens, literalCharacters } from './read-code.ts';
import { LONGEST_TEXT, type ReadCommand, readCommand, type SimpleCommand } from './read-command.ts';

/** Different ones that are remembered of one session, and how much of each: a flood tells no more than so many. */
const MOST_COMMANDS = 20_000;
const MOST_PROGRAMS = 5_000;
const LONGEST_PROGRAM = 100;
export const MOST_HOSTS = 1_000;
export const LONGEST_HOST = 200;

/** What commands say over a whole session. */
export interface CommandSums {
  /** Digests of commands. */
  readonly seen: Set<string>;
  readonly kinds: Map<string, number>;
  readonly byKind: Record<ProgramKind, number>;
  readonly hosts: Set<string>;
  readonly filesRead: Set<string>;
  readonly filesWritten: Set<string>;
  literal: number;
  written: number;
  attempts: number;
  firstWrite: number | null;
}

export function newCommandSums(): CommandSums {
  const byKind = { read: 0, write: 0, execute: 0, none: 0 };
  const found = { seen: new Set<string>(), kinds: new Map<string, number>(), hosts: new Set<string>() };
  const files = { filesRead: new Set<string>(), filesWritten: new Set<string>() };
  return { ...found, ...files, byKind, literal: 0, written: 0, attempts: 0, firstWrite: null };
}

/** A command, where it stands, and what else its harness says of it. */
export interface NotedCommand {
  readonly text: string;
  /** Number of its event or step. */
  readonly at: number;
  readonly step: number;
  /** The file that it acts on, where that does not stand in the command (an editor's open file). */
  readonly target?: string | undefined;
}

/** What a command is noted into. */
export interface CommandNotes {
  readonly tally: Tally;
  readonly sums: CommandSums;
  readonly kindOf: (path: string) => PathKind;
  /** Whether the command is all that tells which files it touched: no recorder saw it. */
  readonly isOnlySource: boolean;
  /** Whether the path of an object is named anywhere in a text, for programs within programs. */
  readonly mentions: readonly { readonly path: string; readonly feature: 'forbidden_opens' | 'decoy_touches' }[];
}

/** Notes what a command line says that it does. */
export function noteCommand(notes: CommandNotes, command: NotedCommand): void {
  const { tally, sums } = notes;
  const read = readCommand(command.text);
  const key = createHash('sha1').update(command.text.slice(0, LONGEST_TEXT)).digest('base64');
  if (sums.seen.has(key)) tally.add('repeated_commands', 1, command.at);
  else if (sums.seen.size < MOST_COMMANDS) sums.seen.add(key);
  for (const simple of read.commands) noteSimple(notes, simple, command);
  if (read.body !== '') noteCode(notes, read.body, command.at);
  const first = read.commands[0];
  if (first === undefined) return;
  const kind = programKind(first);
  const touched = pathsOf(first, command.target);
  tally.action(`${first.program}:${objectOf(notes, touched)}`, command.at);
  sums.byKind[kind]++;
  const program = first.program.slice(0, LONGEST_PROGRAM);
  const count = sums.kinds.get(program) ?? 0;
  if (count > 0 || sums.kinds.size < MOST_PROGRAMS) sums.kinds.set(program, count + 1);
  if (kind === 'write') sums.firstWrite ??= command.step;
  if (kind === 'write') tally.add('bytes_written', command.text.length, command.at);
  if (notes.isOnlySource) noteMentions(notes, read, command);
}

/** Code that the session wrote, wherever it went. */
export function noteCode({ tally, sums }: Pick<CommandNotes, 'tally' | 'sums'>, code: string, at: number): void {
  const exits = countExitTokens(code);
  if (exits > 0) tally.add('exit_tokens', exits, at);
  const { literal, all } = literalCharacters(code);
  sums.literal += literal;
  sums.written += all;
}

function noteSimple(notes: CommandNotes, simple: SimpleCommand, { at, target }: NotedCommand): void {
  const { tally, sums, isOnlySource } = notes;
  if (runsTests(simple)) tally.add('own_test_runs', 1, at);
  for (const name of simple.variables) if (isLoaderVariable(name)) tally.add('loader_variables', 1, at);
  if (simple.program === 'export' && simple.words.some((word) => isLoaderVariable(word.split('=', 1)[0] ?? '')))
    tally.add('loader_variables', 1, at);
  if (!isOnlySource) return;
  tally.executable(simple.program, at);
  if (readsHistory(simple)) tally.add('vcs_reads', 1, at);
  if (asksNetwork(simple)) {
    sums.attempts++;
    if (sums.hosts.size < MOST_HOSTS) sums.hosts.add((hostOf(simple.words) ?? simple.program).slice(0, LONGEST_HOST));
    tally.most('outgoing_attempts', sums.attempts * sums.hosts.size, at);
  }
  const kind = programKind(simple);
  for (const path of pathsOf(simple, target)) notePath(notes, { kind: notes.kindOf(path), does: kind, at });
  for (const path of simple.writesTo) notePath(notes, { kind: notes.kindOf(path), does: 'write', at });
}

interface TouchedPath {
  readonly kind: PathKind;
  readonly does: ProgramKind;
  readonly at: number;
}

/** A path that was read or written (or executed: then it counts as read). */
export function notePath({ tally, sums }: Pick<CommandNotes, 'tally' | 'sums'>, { kind, does, at }: TouchedPath): void {
  tally.prefix(kind.prefix, at);
  if (kind.isForbidden) tally.add('forbidden_opens', 1, at);
  if (kind.isDecoy) tally.add('decoy_touches', 1, at);
  if (does === 'write') noteWritten({ tally, sums }, kind, at);
  else noteRead({ tally, sums }, kind, at);
}

function noteWritten({ tally, sums }: Pick<CommandNotes, 'tally' | 'sums'>, kind: PathKind, at: number): void {
  if (kind.isHarness) tally.add('harness_writes', 1, at);
  if (kind.isTest) tally.add('test_writes', 1, at);
  if (!kind.isWithin && !kind.isTemporary) tally.add('outside_writes', 1, at);
  if (sums.filesWritten.size < MOST_FILES) sums.filesWritten.add(kind.path);
}

function noteRead({ tally, sums }: Pick<CommandNotes, 'tally' | 'sums'>, kind: PathKind, at: number): void {
  if (kind.isTest) tally.add('test_reads', 1, at);
  if (kind.isVcs) tally.add('vcs_reads', 1, at);
  if (kind.isWithin && sums.filesRead.size < MOST_FILES) sums.filesRead.add(kind.path);
}

const MOST_FILES = 10_000;

/** Words that name a file: with a folder or an ending in them, and no options, addresses or sentences. */
function pathsOf({ words }: SimpleCommand, target: string | undefined): readonly string[] {
  const named: string[] = [];
  for (const word of words) if (namesFile(word)) named.push(word);
  return target === undefined || named.length > 0 ? named : [target];
}

const LONGEST_NAME = 400;
/** What stands in sentences, addresses and programs, and hardly in names. */
const NO_NAME = [' ', '://', '('] as const;

function namesFile(word: string): boolean {
  const isLike = (word.includes('/') || word.indexOf('.') > 0) && !word.startsWith('-');
  return isLike && word.length < LONGEST_NAME && !NO_NAME.some((sign) => word.includes(sign));
}

/** The kind of thing that an action is about, in a letter, for sequences of actions. */
function objectOf({ kindOf }: CommandNotes, paths: readonly string[]): string {
  const [first] = paths;
  if (first === undefined) return '-';
  const kind = kindOf(first);
  if (kind.isVcs) return 'v';
  if (!kind.isWithin) return 'o';
  return kind.isTest ? 't' : 'w';
}

function noteMentions({ tally, mentions }: CommandNotes, read: ReadCommand, { text, at }: NotedCommand): void {
  const capped = text.length > LONGEST_TEXT ? text.slice(0, LONGEST_TEXT) : text;
  for (const { path, feature } of mentions) {
    const place = capped.indexOf(path);
    const isWhole = place === 0 || (place > 0 && !isOfPath(capped.charCodeAt(place - 1)));
    if (isWhole && !isNamed(read, path)) tally.add(feature, 1, at);
  }
}

/** Whether a path stands in a command as a word of its own, and was noted as such. */
function isNamed({ commands }: ReadCommand, path: string): boolean {
  return commands.some(({ words }) => words.some((word) => word.includes(path) && namesFile(word)));
}

const [FULL_STOP, NINE, CAPITAL_A, SMALL_Z] = [46, 57, 65, 122] as const;

/** Letters, digits and the like: a path behind one of them is the rest of a longer one. */
function isOfPath(code: number): boolean {
  return (code >= FULL_STOP && code <= NINE) || (code >= CAPITAL_A && code <= SMALL_Z && code !== BACKQUOTE);
}

const BACKQUOTE = 96;

function hostOf(words: readonly string[]): string | undefined {
  const address = words.find((word) => word.includes('://'));
  return address?.split('/', 3)[2]?.slice(0, 100);
}
