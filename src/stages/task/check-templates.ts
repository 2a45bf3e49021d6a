import { ProctorError } from '../../platform/base/errors.ts';
import { templateNames } from './instance-settings.ts';
import { type Problem, SETTINGS_WITH_PLACES, type TaskDefinition, type TaskFile } from './task.ts';
import { isTemplate, parseTemplate, type TemplatePart } from './template.ts';

/** Names that places may have, by where they stand: what is drawn late is for hidden tests alone. */
type Names = ReturnType<typeof templateNames>;

/** Places in texts, in names of files and in settings that no parameter fills, and such that are none. */
export function templateProblems(files: readonly TaskFile[], definition: TaskDefinition | null): readonly Problem[] {
  const names = definition === null ? null : templateNames(definition.proctor);
  const inFiles = files.flatMap((file) => {
    const texts = isTemplate(file.path)
      ? [...unclosed(file), ...unknown(file, file.bytes.toString('utf8'), names)]
      : [];
    return [...texts, ...unknown(file, file.path, names)];
  });
  if (definition === null || names === null) return inFiles;
  const settings = SETTINGS_WITH_PLACES.map((name) => JSON.stringify(definition.proctor[name] ?? ''));
  return [...inFiles, ...settings.flatMap((text) => unknown({ path: 'task.toml' }, text, names))];
}

function unknown(file: Pick<TaskFile, 'path'>, text: string, names: Names | null): readonly Problem[] {
  const problems: Problem[] = [];
  for (const part of partsOrProblem(file, text, problems)) {
    if ('literal' in part || names === null) continue;
    const known = file.path.startsWith('tests/') ? names.all : names.early;
    if (known.includes(part.parameter)) continue;
    const why = names.all.includes(part.parameter)
      ? 'is drawn after the hand-in: only files of tests/ may hold it'
      : `is not in [proctor.parameters]; there are: ${known.join(', ') || 'none'}`;
    problems.push({ severity: 'error', file: file.path, line: part.line, message: `{{${part.parameter}}} ${why}` });
  }
  return problems;
}

/** An opening `{{` that no place and no escape accounts for would reach the agent as it stands. */
function unclosed(file: TaskFile): readonly Problem[] {
  const lines = file.bytes.toString('utf8').split('\n');
  return lines.flatMap((text, index) => {
    const rest = text.replaceAll('{{{{', '').replace(/\{\{[^{}]*\}\}/g, '');
    if (!rest.includes('{{')) return [];
    return [
      { severity: 'error' as const, file: file.path, line: index + 1, message: '{{ is not closed; write {{{{ for {{' },
    ];
  });
}

function partsOrProblem({ path }: Pick<TaskFile, 'path'>, text: string, problems: Problem[]): readonly TemplatePart[] {
  try {
    return parseTemplate(text, path);
  } catch (thrown) {
    if (!(thrown instanceof ProctorError)) throw thrown;
    const { line, what } = thrown.details;
    problems.push({ severity: 'error', file: path, line: Number(line), message: String(what) });
    return [];
  }
}
