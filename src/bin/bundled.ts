import { fileURLToPath } from 'node:url';

/** Folders that ship with the program; the same from `src/bin` and from `dist/bin`. */
export const BUNDLED = {
  graderFolder: folder('graders'),
  policyFolder: folder('policies'),
  fixtureFolder: folder('fixtures'),
  forkFolder: folder('graders/forkserver'),
  recipeFolder: folder('graders/snapshots'),
} as const;

function folder(name: string): string {
  return fileURLToPath(new URL(`../../${name}`, import.meta.url));
}
