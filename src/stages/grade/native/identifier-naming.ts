import type { FlatNaming } from './flat-layout.ts';

/** Names of tests that are identifiers of a language, in files with an ending of its own. */
export function identifierNaming(naming: {
  readonly ending: string;
  readonly alias: FlatNaming['alias'];
  readonly whole: FlatNaming['whole'];
}): FlatNaming {
  return {
    isTest: (path) => path.endsWith(naming.ending),
    rename: (_name, words) => `${words.join('_')}${naming.ending}`,
    alias: naming.alias,
    renamesOriginals: true,
    whole: naming.whole,
  };
}
