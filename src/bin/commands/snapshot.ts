import { Command } from 'commander';
import type { Config } from '../../config.ts';
import { buildSnapshot, listRecipes } from '../../platform/snapshots/build-snapshot.ts';
import { openSnapshots } from '../../platform/snapshots/snapshot-store.ts';
import type { Snapshot } from '../../platform/snapshots/snapshots.ts';
import { BUNDLED } from '../bundled.ts';
import { openDriver } from '../open-driver.ts';
import { printJson, progress, table } from '../output.ts';
import { loadConfig } from '../with-service.ts';

async function build(name: string, options: { toImage?: true; json?: true }): Promise<void> {
  const config = loadConfig();
  progress(`building ${name}; this takes a minute …`);
  const built = await buildSnapshot({
    name,
    recipeFolder: BUNDLED.recipeFolder,
    snapshotFolder: config.snapshotFolder,
  });
  const image = options.toImage ? await imageOf(config, built) : null;
  progress('');
  if (options.json) printJson(image === null ? built : { ...built, image });
  else console.log([built.name, built.digest, ...(image === null ? [] : [`image ${image}`])].join('  '));
}

async function imageOf(config: Config, { root }: Snapshot): Promise<string> {
  const { driver } = openDriver({ ...config, sandboxDriver: 'docker' });
  try {
    return await driver.prepareRoot(root);
  } finally {
    await driver.close();
  }
}

/** `proctor snapshot build|list|verify`. */
export function snapshotCommand(): Command {
  const snapshot = new Command('snapshot').description('build, list and verify the pristine states of sandboxes');
  snapshot
    .command('build')
    .argument('<name>', 'a recipe in graders/snapshots')
    .description('build a root file system from a recipe (needs root and mmdebstrap)')
    .option('--to-image', 'also make an image of it in the Docker engine, which otherwise the first grade does')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExamples:\n  $ proctor snapshot build python\n  $ proctor snapshot build python --to-image',
    )
    .action(build);
  snapshot
    .command('list')
    .description('list snapshots on this machine, and recipes that are not built')
    .option('--json', 'print one JSON document')
    .action(async (options: { json?: true }) => {
      const snapshots = await openSnapshots(loadConfig().snapshotFolder).list();
      const recipes = await listRecipes(BUNDLED.recipeFolder);
      const unbuilt = recipes.filter((recipe) => !snapshots.some(({ name }) => name === recipe));
      if (options.json) return printJson({ snapshots, unbuilt });
      const built = snapshots.map(({ name, digest, pinned }) => [name, digest, pinned ? 'pinned' : 'unpinned']);
      console.log(table([...built, ...unbuilt.map((name) => [name, 'not built', `proctor snapshot build ${name}`])]));
    });
  snapshot
    .command('verify')
    .argument('<name>', 'a built snapshot')
    .description('compare every byte of a snapshot with its digest')
    .action(async (name: string) => {
      const { digest } = await openSnapshots(loadConfig().snapshotFolder).resolve(name);
      console.log(`${name}  ${digest}  unchanged`);
    });
  return snapshot;
}
