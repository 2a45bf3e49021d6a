import type { Datasheet } from './datasheet.ts';
import type { Bar } from './draw-bars.ts';

/** The sheet as a page for people; beside it lie the pictures. */
export function datasheetPage(sheet: Datasheet): string {
  const { episodes, contamination } = sheet;
  return [
    `# Data set ${sheet.name}`,
    ...(sheet.about === '' ? [] : ['', line(sheet.about)]),
    '',
    `- digest \`${sheet.digest}\` (of the recipe and of every file of records)`,
    `- licence: ${line(sheet.licence)}`,
    `- episodes: ${episodes.taken} taken of ${episodes.looked_at} looked at; negatives, labelled as such: ${episodes.negatives}`,
    `- prompt groups: ${contamination.prompt_groups.train} to train, ${contamination.prompt_groups.test} held out; on both sides: ${contamination.prompt_groups_on_both_sides}`,
    `- left out because they are known outside: ${contamination.evaluated_left_out} of instances served for evaluation, ${contamination.seed_retired_left_out} of retired seeds`,
    `- every record was searched for: ${contamination.searched_for.join(', ')}`,
    `- for a person to look at first: ${sheet.human_check.length} episodes, in \`datasheet.json\``,
    ...['', '## Files', '', '| file | records | bytes | sha256 |', '|---|--:|--:|---|'],
    ...Object.entries(sheet.files).map(
      ([name, { records, bytes, sha256 }]) => `| \`${name}\` | ${records} | ${bytes} | \`${sha256.slice(7, 23)}…\` |`,
    ),
    ...section('Left out, by reason', barsFrom(sheet.left_out)),
    ...section('Policies that acted', sheet.policies),
    ...Object.entries(sheet.distributions).flatMap(([name, bars]) => [
      ...section(`By ${name}`, bars),
      ...['', `![${name}](figures/${name}.svg)`],
    ]),
    ...['', '## Recipe', '', '```json', JSON.stringify(sheet.recipe, null, 2), '```', ''],
  ].join('\n');
}

function section(title: string, bars: readonly Bar[]): readonly string[] {
  if (bars.length === 0) return ['', `## ${title}`, '', 'none'];
  const rows = bars.map(({ name, count }) => `| ${line(name)} | ${count} |`);
  return ['', `## ${title}`, '', '| what | count |', '|---|--:|', ...rows];
}

function barsFrom(counts: Readonly<Record<string, number>>): readonly Bar[] {
  return Object.entries(counts).map(([name, count]) => ({ name, count }));
}

/** Names come from callers: nothing in them ends a cell or a line, or is taken for a tag. */
function line(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, ' ').replace(/[|`<>[\]\\]/g, (character) => `\\${character}`);
}
