import { Command } from 'commander';
import { buildDataset } from '../../pipeline/build-dataset.ts';
import { parseRecipe } from '../../stages/dataset/recipe.ts';
import type { BuiltDataset } from '../../stages/dataset/write-dataset.ts';
import { onScreen, printJson, progress, table } from '../output.ts';
import { readTextFile } from '../read-text-file.ts';
import { withService } from '../with-service.ts';

const MOST_RECIPE_BYTES = 262_144;

/** `proctor dataset`: what was learned to be good, in the formats that trainers read. */
export function datasetCommand(): Command {
  return new Command('dataset')
    .description('make training sets of graded sessions')
    .addCommand(
      new Command('build')
        .argument('<recipe>', 'a YAML file that says what is wanted')
        .description('choose, search and write what a recipe asks for, with a datasheet beside it')
        .requiredOption('--out <folder>', 'made by this command; nothing is written over')
        .option('--json', 'print the datasheet as one JSON document')
        .addHelpText(
          'after',
          '\nThe same recipe and the same data give the same bytes.\n\nExample:\n  $ proctor dataset build recipe.yaml --out sets/first',
        )
        .action(build),
    );
}

async function build(path: string, options: { readonly out: string; readonly json?: true }): Promise<void> {
  const recipe = parseRecipe(await readTextFile(path, MOST_RECIPE_BYTES));
  await withService(
    async ({ parts }) => {
      const built = await buildDataset(parts, { recipe, out: options.out }, (phase, done) =>
        progress(`${phase} episodes: ${done}`),
      );
      progress('');
      if (options.json) printJson(built.sheet);
      else printBuilt(built);
    },
    {},
    { grades: false },
  );
}

/** Prints what a data set holds and why the rest is not in it. */
export function printBuilt({ folder, sheet }: BuiltDataset): void {
  const { episodes, files, left_out: leftOut } = sheet;
  console.log(
    `${onScreen(sheet.name)}: ${episodes.taken} of ${episodes.looked_at} episodes, ${episodes.negatives} of them negatives\n`,
  );
  console.log(
    table([
      ['file', 'records', 'bytes'],
      ...Object.entries(files).map(([name, file]) => [name, String(file.records), String(file.bytes)]),
    ]),
  );
  const reasons = Object.entries(leftOut).map(([why, count]) => [why, String(count)]);
  if (reasons.length > 0) console.log(`\n${table([['left out', ''], ...reasons])}`);
  console.log(`\n${sheet.digest}\n${folder}/README.md`);
}
