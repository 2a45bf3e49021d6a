import { byteLists, escapes, utf16 } from './characters.ts';
import { type Haystack, LEAK_BOUNDS, type Leak, type LeakBounds, type LeakSearch, type Secret } from './leak.ts';
import { GUISES, type Match, secretMatcher } from './secret-matcher.ts';
import { ALIGNED_RUNS, SHIFTED_RUNS } from './text-runs.ts';
import { deflate, gzip, zip, zlib } from './unpack.ts';
import { type Budget, charge, type Decoder, rawView, type View, ViewWriter } from './view.ts';

/** All decoders, those that cost least first: every haystack gets them before any gets the dear ones. */
const DECODERS: readonly Decoder[] = [
  ...[utf16, byteLists, ...ALIGNED_RUNS, escapes],
  ...[gzip, zip, zlib, deflate, ...SHIFTED_RUNS],
];

/**
 * Looks for secrets in what a subject handed in, said and sent: as they are, and disguised. Goes breadth first: the
 * haystacks, then all that can be decoded in them, then all that can be decoded in that. Each view is searched for each
 * secret as it is, without noise and case, reversed, and in rot13. Pure; every step is linear in the bytes of its view.
 * Not looked through: encryption, archives packed in other ways than DEFLATE, and ciphers of one's own.
 */
export function findLeaks(
  secrets: readonly Secret[],
  haystacks: readonly Haystack[],
  bounds: Partial<LeakBounds> = {},
): LeakSearch {
  const limits = { ...LEAK_BOUNDS, ...bounds };
  const matcher = secretMatcher(secrets, limits);
  const budget: Budget = { bounds: limits, bytesLeft: limits.maxBytes, viewsLeft: limits.maxViews, cut: matcher.cut };
  if (matcher.count === 0) return { leaks: [], cut: budget.cut, searchedBytes: 0 };
  const found: Found = new Map();
  let searchedBytes = 0;
  let layer: readonly View[] = haystacks.map(({ bytes }, index) => rawView(bytes, index, budget));
  for (let depth = 0; layer.length > 0; depth++) {
    for (const view of layer) {
      searchedBytes += view.bytes.length;
      for (const match of matcher.search(view.bytes)) keepPlainest(found, match, view);
    }
    const deeper = decodeLayer(
      layer.filter(({ haystack }) => (found.get(haystack)?.size ?? 0) < matcher.count),
      budget,
    );
    if (depth >= limits.maxDepth) {
      budget.cut ||= deeper.some(isTelling);
      break;
    }
    layer = deeper;
  }
  return { leaks: leaksOf(found, secrets, haystacks), cut: budget.cut, searchedBytes };
}

interface Way {
  readonly match: Match;
  readonly view: View;
}

/** By haystack and by secret. */
type Found = Map<number, Map<number, Way>>;

/** Views come by depth, so that of two the earlier is plainer unless a later one of the same depth needs less of a guise. */
function keepPlainest(found: Found, match: Match, view: View): void {
  const ways = found.get(view.haystack) ?? new Map<number, Way>();
  found.set(view.haystack, ways);
  const known = ways.get(match.secret);
  const isPlainer =
    known === undefined ||
    (known.view.way.length === view.way.length && GUISES.indexOf(match.guise) < GUISES.indexOf(known.match.guise));
  if (isPlainer) ways.set(match.secret, { match, view });
}

function decodeLayer(layer: readonly View[], budget: Budget): readonly View[] {
  return DECODERS.flatMap((decoder) => layer.flatMap((view) => decodeView(decoder, view, budget)));
}

function decodeView(decoder: Decoder, view: View, budget: Budget): readonly View[] {
  if (budget.viewsLeft <= 0 || budget.bytesLeft <= 0) {
    budget.cut = true;
    return [];
  }
  const writer = new ViewWriter(budget.bytesLeft);
  decoder.decode(view, writer, budget);
  if (writer.out.isFull) budget.cut = true;
  const decoded = writer.view(view, decoder);
  if (decoded === null) return [];
  charge(budget, decoded.bytes.length);
  budget.viewsLeft--;
  return [decoded];
}

/** Whether a view that is too deep to be searched holds something all the same: packed, or readable from end to end. */
function isTelling({ bytes, pieces, way }: View): boolean {
  if (way.at(-1) === 'gzip' || way.at(-1) === 'zip') return true;
  return pieces.some(({ from, to }) =>
    bytes.subarray(from, to).every((byte) => byte < 0x7f && (byte >= 0x20 || (byte >= 9 && byte <= 13))),
  );
}

function leaksOf(found: Found, secrets: readonly Secret[], haystacks: readonly Haystack[]): readonly Leak[] {
  return haystacks.flatMap(({ name }, haystack) =>
    secrets.flatMap((secret, index) => {
      const way = found.get(haystack)?.get(index);
      if (way === undefined) return [];
      const { match, view } = way;
      const guise = match.guise === 'plain' && view.way.length > 0 ? [] : [match.guise];
      return [{ secret, haystack: name, line: view.lineAt(match.at), as: [...view.way, ...guise].join(' > ') }];
    }),
  );
}
