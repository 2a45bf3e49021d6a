import { Badge } from '../badges.tsx';
import { visible, visibleLine } from '../visible.ts';
import type { ShownRule } from './material.ts';

const MOST_TEXT = 300;
/** Values of one list that are shown; a policy's list of signals may be long. */
const MOST_VALUES = 12;
const [BAR, HIGH] = [110, 12];

/** Each rule that fired: its kind, the weight that it asked for, its part of what was taken away, and what it saw. */
export function RulesView({ rules }: { readonly rules: readonly ShownRule[] }) {
  if (rules.length === 0) return null;
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">rule</th>
            <th scope="col">kind</th>
            <th scope="col" class="number">
              weight asked
            </th>
            <th scope="col">share of what was taken</th>
            <th scope="col">what it saw</th>
          </tr>
        </thead>
        <tbody>
          {rules.map((rule) => (
            <tr key={rule.id}>
              <td>
                <strong>{visibleLine(rule.id, 80)}</strong>
                {rule.about !== null && <div class="dim">{visible(rule.about, 400)}</div>}
                {rule.error !== undefined && (
                  <div class="note warn">{`It could not be evaluated: ${visibleLine(rule.error, MOST_TEXT)}`}</div>
                )}
              </td>
              <td>{rule.kind === undefined ? <span class="dim">above the rules</span> : <Badge word={rule.kind} />}</td>
              <td class="number">{rule.weight}</td>
              <td>
                <Share share={rule.share} />
              </td>
              <td>
                <Because because={rule.because ?? {}} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Decisions of older versions do not say it. */
function Share({ share }: Pick<ShownRule, 'share'>) {
  if (share === undefined) return <span class="dim">not told</span>;
  const text = `${Math.round(share * 100)} %`;
  return (
    <>
      <svg width={BAR} height={HIGH} viewBox={`0 0 ${BAR} ${HIGH}`} class="chart" aria-hidden="true">
        <rect class="band" width={BAR} height={HIGH} rx="3" />
        <rect class="bar" width={Math.round(share * BAR)} height={HIGH} rx="3" />
      </svg>{' '}
      {text}
    </>
  );
}

function Because({ because }: { readonly because: NonNullable<ShownRule['because']> }) {
  const seen = Object.entries(because);
  if (seen.length === 0) return <span class="dim">not told</span>;
  return (
    <ul class="because">
      {seen.map(([field, value]) => (
        <li key={field}>
          <code>{visibleLine(field, 80)}</code> {told(value)}
        </li>
      ))}
    </ul>
  );
}

function told(value: NonNullable<ShownRule['because']>[string]): string {
  if (!Array.isArray(value)) return visibleLine(String(value), MOST_TEXT);
  if (value.length === 0) return 'none';
  const more = value.length > MOST_VALUES ? ` and ${value.length - MOST_VALUES} more` : '';
  return `${visibleLine(value.slice(0, MOST_VALUES).join(', '), MOST_TEXT)}${more}`;
}
