import type { TrajectoryStep } from './trajectory.ts';

/** Names under which tools take a command line. */
const COMMAND_NAMES = ['command', 'cmd', 'keystrokes', 'script', 'code', 'input', 'query'] as const;
/** Names under which tools take the file that they act on, and what they write to it. */
const PATH_NAMES = ['path', 'file_path', 'filename', 'file'] as const;
const TEXT_NAMES = ['content', 'file_text', 'new_str', 'new_string', 'text', 'patch', 'insert_text'] as const;
/** Tools that write, by their name or by the command of an editor that has several. */
const WRITING = /^(?:create|write|edit|insert|str_replace|apply|patch)/i;

/** What a model asked for. */
export interface ToolCall {
  readonly name: string;
  readonly parameters: unknown;
}

/**
 * A tool call as a step: the command line where it has one; of an editor what it does with which file, in the words of a shell, so that reading is
 * counted as reading and writing as writing. Any other tool is its name.
 */
export function stepOfCall({ name, parameters }: ToolCall): TrajectoryStep {
  const given = typeof parameters === 'object' && parameters !== null ? (parameters as Record<string, unknown>) : {};
  const path = firstText(given, PATH_NAMES);
  const command = firstText(given, COMMAND_NAMES);
  if (path !== null) {
    const text = firstText(given, TEXT_NAMES);
    const isWriting = WRITING.test(name) || WRITING.test(command ?? '') || text !== null;
    const quoted = `'${path.replaceAll("'", "'\\''")}'`;
    return isWriting
      ? { command: `cat > ${quoted} <<'END'\n${text ?? ''}\nEND`, target: path }
      : { command: `cat ${quoted}`, target: path };
  }
  if (command !== null) return { command };
  return { command: Array.isArray(given.command) ? given.command.map(String).join(' ') : name };
}

function firstText(given: Readonly<Record<string, unknown>>, names: readonly string[]): string | null {
  for (const name of names) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (typeof value === 'string') return value;
  }
  return null;
}

/** What a tool answered, as a number of bytes: of a text, or of the texts of several parts. */
export function bytesOf(content: unknown): number | undefined {
  if (typeof content === 'string') return Buffer.byteLength(content);
  if (!Array.isArray(content)) return undefined;
  const texts = content.map((part) => (typeof part === 'string' ? part : (part as { text?: unknown } | null)?.text));
  return texts.reduce((sum: number, text) => sum + (typeof text === 'string' ? Buffer.byteLength(text) : 0), 0);
}
