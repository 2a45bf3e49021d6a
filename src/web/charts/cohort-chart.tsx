import type { ShownFeature, ShownProfile } from '../case/shown-profile.ts';
import { grouped, visibleLine } from '../visible.ts';

const WIDTH = 720;
const ROW = 26;
const [FROM, TO] = [190, 640];
/** Where the band of each row begins and ends, as shares of its width: values of honest sessions stand in the middle. */
const [BAND_FROM, BAND_TO] = [0.3, 0.7];
const MOST_ROWS = 14;
/** Decades from which a feature is drawn as odd: one honest session in a hundred. */
const ODD = 2;

/** Features beside the range of 98 % of the cohort, the oddest first; each row has its own scale. */
export function CohortChart({ profile }: { readonly profile: ShownProfile }) {
  const rows = profile.features.filter(({ cohort }) => cohort !== null).sort(byOddness);
  const drawn = rows.slice(0, MOST_ROWS);
  const height = drawn.length * ROW + 26;
  return (
    <>
      {drawn.length > 0 && (
        <svg class="chart" viewBox={`0 0 ${WIDTH} ${height}`} role="img" aria-labelledby="cohort-title">
          <title id="cohort-title">
            The oddest features of this session, each as a dot beside the range of honest ones
          </title>
          {drawn.map((feature, index) => (
            <Row key={feature.name} feature={feature} y={index * ROW + 18} />
          ))}
          <text class="dim" x={(FROM + TO) / 2} y={height - 4} text-anchor="middle">
            shaded: 98 % of honest sessions · tick: their median · dot: this session
          </text>
        </svg>
      )}
      <FeatureTable features={[...rows, ...profile.features.filter(({ cohort }) => cohort === null)]} />
    </>
  );
}

function Row({ feature, y }: { readonly feature: ShownFeature; readonly y: number }) {
  const { name, value, cohort, surprise } = feature;
  if (cohort === null) return null;
  const x = (at: number) => FROM + placeOf(at, cohort) * (TO - FROM);
  const bandFrom = FROM + BAND_FROM * (TO - FROM);
  return (
    <g>
      <text x={FROM - 12} y={y + 4} text-anchor="end">
        {name.replaceAll('_', ' ')}
      </text>
      <line class="axis" x1={FROM} x2={TO} y1={y} y2={y} />
      <rect class="band" x={bandFrom} y={y - 7} width={(BAND_TO - BAND_FROM) * (TO - FROM)} height={14} rx={3} />
      <line class="median" x1={x(cohort.median)} x2={x(cohort.median)} y1={y - 7} y2={y + 7} />
      <circle class={`dot ${(surprise ?? 0) >= ODD ? 'odd' : ''}`} cx={x(value)} cy={y} r={6} />
      <text x={TO + 10} y={y + 4}>
        {rounded(value)}
      </text>
    </g>
  );
}

/** 0 to 1: where a value stands when the band of its cohort is in the middle; on a scale of logarithms. */
function placeOf(value: number, { low, high }: { readonly low: number; readonly high: number }): number {
  const scale = (at: number) => Math.sign(at) * Math.log1p(Math.abs(at));
  const [from, to] = [scale(low), scale(high)];
  // a cohort in which everybody has the same: one more of something is off the band
  const width = Math.max(to - from, 0.05);
  const share = to - from < 0.05 ? 0.5 + (scale(value) - from) / (2 * width) : (scale(value) - from) / width;
  return Math.min(1, Math.max(0, BAND_FROM + share * (BAND_TO - BAND_FROM)));
}

function FeatureTable({ features }: { readonly features: readonly ShownFeature[] }) {
  return (
    <details>
      <summary>{`All ${features.length} features as numbers`}</summary>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">feature</th>
              <th scope="col" class="number">
                value
              </th>
              <th scope="col">unit</th>
              <th scope="col" class="number">
                median
              </th>
              <th scope="col" class="number">
                98 % range
              </th>
              <th scope="col" class="number">
                oddness
              </th>
            </tr>
          </thead>
          <tbody>
            {features.map(({ name, value, unit, cohort, surprise }) => (
              <tr key={name}>
                <td>{visibleLine(name, 60)}</td>
                <td class="number">{rounded(value)}</td>
                <td>{unit}</td>
                <td class="number">{cohort === null ? '–' : rounded(cohort.median)}</td>
                <td class="number">{cohort === null ? '–' : `${rounded(cohort.low)} to ${rounded(cohort.high)}`}</td>
                <td class="number">{surprise === null ? '–' : surprise.toFixed(2)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="dim">Oddness is in decades: 2 is one honest session in a hundred.</p>
    </details>
  );
}

function byOddness(one: ShownFeature, other: ShownFeature): number {
  return (other.surprise ?? -1) - (one.surprise ?? -1);
}

/** Four digits, with commas in large whole numbers. */
export function rounded(value: number): string {
  const short = Number(value.toPrecision(4));
  return Number.isInteger(short) && Math.abs(short) >= 1000 ? grouped(short) : String(short);
}
