import { LOG_LEVELS } from '../../task/structure-schema.ts';
import { type RandomStream, randomStream } from '../random-stream.ts';
import { isoText, startOfDay } from './draw-datetime.ts';
import { weightedDrawer } from './draw-number.ts';
import type { DrawnValue, DrawSource, SpecOf } from './drawn-value.ts';
import { fillWords } from './fill-words.ts';
import { drawNewName } from './identifiers.ts';
import { drawPlaces } from './shuffle.ts';

type LogSpec = SpecOf<'log'>;

/** Part of the format: a change changes instances. */
const MESSAGES: readonly string[] = [
  'request for {w} took {n} ms',
  'opened {w} with {n} entries',
  'cache of {w} is warm',
  'retry {n} of {w}',
  'user {w} signed in',
  'closed the connection to {w}',
  'wrote {n} rows to {w}',
  'queue {w} holds {n} items',
];
/** How often a line has DEBUG, INFO, WARN, ERROR. */
const LEVEL_WEIGHTS: readonly number[] = [2, 6, 2, 1];
const DAY_SECONDS = 86_400;
const MAX_PAUSE_SECONDS = 20;

interface Line {
  readonly time: string;
  readonly level: string;
  readonly service: string;
  readonly message: string;
}

/** Lines of a log, and where the planted ones stand (from 0). Planting changes no time and no service. */
export function drawLog(spec: LogSpec, { seed, label }: DrawSource): DrawnValue {
  const lines = drawLines(spec, randomStream(seed, label));
  if (spec.planted === undefined) return { value: lines.map(written) };
  const places = drawPlaces(spec.planted.count, spec.lines, randomStream(seed, `${label}/#planted`));
  return { value: planted(lines, spec.planted, new Set(places)).map(written), told: places };
}

function drawLines(spec: LogSpec, stream: RandomStream): readonly Line[] {
  const taken = new Set<string>();
  const services = Array.from({ length: spec.services }, () => drawNewName('snake', taken, stream));
  const drawLevel = weightedDrawer(LEVEL_WEIGHTS);
  let seconds = startOfDay(spec.from) + stream.below(DAY_SECONDS);
  return Array.from({ length: spec.lines }, (_, index) => {
    if (index > 0) seconds += stream.below(MAX_PAUSE_SECONDS + 1);
    const [level, service] = [LOG_LEVELS[drawLevel(stream)] ?? 'INFO', stream.pick(services)];
    const message = `${fillWords(stream.pick(MESSAGES), stream)} key=${stream.below(100)}`;
    return { time: `${isoText(seconds)}Z`, level, service, message };
  });
}

/** The lines with what is planted; any other line that holds the planted text gets another level, so that none is like it. */
function planted(
  lines: readonly Line[],
  { level, text }: { level: string; text: string },
  places: ReadonlySet<number>,
): readonly Line[] {
  const otherLevel = level === 'INFO' ? 'WARN' : 'INFO';
  return lines.map((line, index) => {
    if (places.has(index)) return { ...line, level, message: text };
    return line.level === level && line.message.includes(text) ? { ...line, level: otherLevel } : line;
  });
}

function written({ time, level, service, message }: Line): string {
  return `${time} ${level} ${service}: ${message}`;
}
