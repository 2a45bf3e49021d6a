import type { GradeBody } from '../../stages/grade/grade.ts';
import { Badge } from '../badges.tsx';
import { grouped, visible, visibleLine } from '../visible.ts';

const MOST_CASES = 300;

/** What a grader measured, case by case; those that are not right first. */
export function TestsView({ body }: { readonly body: GradeBody }) {
  if (body.kind === 'ungraded') {
    return (
      <p class="note warn">
        {`Not graded, the ${body.fault}'s fault: ${visibleLine(body.code, 60)}. `}
        {visible(body.message, 1_000)}
      </p>
    );
  }
  const wrong = body.cases.filter(({ status }) => status !== 'passed');
  const right = body.cases.filter(({ status }) => status === 'passed');
  return (
    <>
      {body.refusal !== null && <p class="note warn">{visible(body.refusal, 1_000)}</p>}
      {body.cases.length > 0 && (
        <p class="dim">{`${grouped(right.length)} of ${grouped(body.cases.length)} passed.`}</p>
      )}
      {wrong.length > 0 && <Cases cases={wrong} />}
      {right.length > 0 && (
        <details open={wrong.length === 0 && right.length <= 12}>
          <summary>{`${grouped(right.length)} that passed`}</summary>
          <Cases cases={right} />
        </details>
      )}
      {body.stderrTail !== '' && (
        <details>
          <summary>The end of what it wrote to standard error</summary>
          <pre class="output">{visible(body.stderrTail, 4_000)}</pre>
        </details>
      )}
    </>
  );
}

function Cases({ cases }: { readonly cases: Extract<GradeBody, { kind: 'measured' }>['cases'] }) {
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">test</th>
            <th scope="col">result</th>
            <th scope="col">note</th>
            <th scope="col" class="number">
              ms
            </th>
          </tr>
        </thead>
        <tbody>
          {cases.slice(0, MOST_CASES).map(({ id, status, note, wallMs }) => (
            <tr key={id}>
              <td class="mono">{visibleLine(id, 160)}</td>
              <td>
                <Badge word={status} />
              </td>
              <td class="mono">{visible(note, 300)}</td>
              <td class="number">{Math.round(wallMs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {cases.length > MOST_CASES && <p class="dim">{`… ${grouped(cases.length - MOST_CASES)} more`}</p>}
    </div>
  );
}
