/** Characters of a command, a file's new content or an argument that are looked at; longer ones count with their length only. */
export const LONGEST_TEXT = 4_096;
const MOST_WORDS = 400;

/** One program of a command line with its arguments. */
export interface SimpleCommand {
  /** Its name without folder. */
  readonly program: string;
  readonly words: readonly string[];
  readonly writesTo: readonly string[];
  /** Names that are set before it. */
  readonly variables: readonly string[];
}

/** What a command line says. */
export interface ReadCommand {
  readonly commands: readonly SimpleCommand[];
  /** What is given to a program as text: a here-document, or what follows the first line of an editor's command. */
  readonly body: string;
}

/** Programs of scaffolds whose command goes on over the lines that follow. */
const WITH_BODY = new Set(['edit', 'insert', 'apply_patch', 'str_replace', 'create_file', 'write_file', 'append']);
/** What only says how the next word is run. */
const PREFIXES = new Set(['sudo', 'env', 'time', 'nohup', 'exec', 'command', 'timeout', 'nice', 'then', 'do', 'else']);

/**
 * Reads a command line as a shell would, roughly: quotes, redirections, chains, here-documents. Linear in at most 4 kB.
 * It is the agent's own word, so it is never a fact of what happened.
 */
export function readCommand(text: string): ReadCommand {
  const capped = text.length > LONGEST_TEXT ? text.slice(0, LONGEST_TEXT) : text;
  const lineEnd = capped.indexOf('\n');
  const firstLine = lineEnd === -1 ? capped : capped.slice(0, lineEnd);
  const space = firstLine.indexOf(' ');
  const first = space === -1 ? firstLine : firstLine.slice(0, space);
  const hasBody = lineEnd !== -1 && (WITH_BODY.has(first) || firstLine.includes('<<'));
  const tokens = tokensOf(hasBody ? firstLine : capped);
  return { commands: commandsOf(tokens), body: hasBody ? capped.slice(lineEnd + 1) : '' };
}

/** A word, or one of the signs `;` (any that ends a simple command) and `>` (the next word is written to). */
interface Token {
  readonly text: string;
  readonly isSign: boolean;
}

const END: Token = { text: ';', isSign: true };
const INTO: Token = { text: '>', isSign: true };

/** Cuts a text at blanks and signs outside of quotes. */
function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let from = 0;
  while (from < text.length && tokens.length < MOST_WORDS) {
    const { token, to } = tokenAt(text, from);
    if (token !== null) tokens.push(token);
    from = to;
  }
  return tokens;
}

function tokenAt(text: string, at: number): { readonly token: Token | null; readonly to: number } {
  const char = text[at] as string;
  if (char === ' ' || char === '\t') return { token: null, to: at + 1 };
  if (isEnd(char)) return { token: END, to: at + 1 };
  if (char !== '>') {
    const { word, to } = wordAt(text, at);
    return { token: { text: word, isSign: false }, to };
  }
  // `2>&1` copies a descriptor: nothing is written to
  if (text[at + 1] === '&') return { token: null, to: at + 3 };
  return { token: INTO, to: at + (text[at + 1] === '>' ? 2 : 1) };
}

function isEnd(char: string): boolean {
  return char === ';' || char === '&' || char === '|' || char === '\n' || char === '(' || char === ')' || char === '`';
}

function wordAt(text: string, start: number): { readonly word: string; readonly to: number } {
  let word = '';
  let at = start;
  while (at < text.length) {
    const plainTo = plainEnd(text, at);
    if (plainTo > at) word += text.slice(at, plainTo);
    const char = text[plainTo];
    if (char === "'" || char === '"') {
      const close = text.indexOf(char, plainTo + 1);
      const end = close === -1 ? text.length : close;
      word += text.slice(plainTo + 1, end);
      at = end + 1;
    } else if (char === '\\') {
      word += text[plainTo + 1] ?? '';
      at = plainTo + 2;
    } else return { word, to: plainTo };
  }
  return { word, to: at };
}

/** Where the plain part of a word ends: at a blank, a quote, a sign or a backslash. */
function plainEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length && PLAIN[text.charCodeAt(at)] !== 0) at++;
  return at;
}

/** 0 for characters that mean something outside of quotes. */
const PLAIN = new Uint8Array(128).fill(1);
for (const char of ' \t\n;&|()`>\'"\\') PLAIN[char.charCodeAt(0)] = 0;

function commandsOf(tokens: readonly Token[]): readonly SimpleCommand[] {
  const commands: SimpleCommand[] = [];
  let words: string[] = [];
  let writesTo: string[] = [];
  let previous = END;
  for (const token of [...tokens, END]) {
    if (!token.isSign && previous === INTO) writesTo.push(token.text);
    else if (!token.isSign) words.push(token.text);
    else if (token === END && words.length + writesTo.length > 0) {
      commands.push(simple(words, writesTo));
      words = [];
      writesTo = [];
    }
    previous = token;
  }
  return commands;
}

function simple(words: readonly string[], writesTo: readonly string[]): SimpleCommand {
  const variables: string[] = [];
  let first = 0;
  while (first < words.length) {
    const word = words[first] as string;
    const sign = word.indexOf('=');
    if (sign > 0 && !word.startsWith('-') && !word.slice(0, sign).includes('/')) variables.push(word.slice(0, sign));
    else if (!PREFIXES.has(word)) break;
    first++;
  }
  return { program: nameOf(words[first] ?? ''), words: words.slice(first + 1), writesTo, variables };
}

function nameOf(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1).slice(0, 40);
}
