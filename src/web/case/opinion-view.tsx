import type { OpinionBody } from '../../stages/opinion/opinion.ts';
import { visible, visibleLine } from '../visible.ts';

/** What a language model thought of a session. It read what the agent wrote: all of it is hostile, too. */
export function OpinionView({ opinion }: { readonly opinion: OpinionBody }) {
  const { model, prompt, answer, error } = opinion;
  return (
    <>
      <p class="note">
        A language model was shown the transcript, in which the agent may have talked to it. What it says decides
        nothing: it can add a doubt, and never takes one away.
      </p>
      {answer === null && (
        <p class="note warn">{`It gave no answer that can be used: ${visibleLine(error, 500) || 'it is not known why'}`}</p>
      )}
      <dl class="facts">
        {answer !== null && (
          <>
            <dt>Suspicion</dt>
            <dd>{`${answer.suspicion} of 1`}</dd>
            <dt>Technique</dt>
            <dd>
              {answer.technique === '' ? <span class="dim">none named</span> : visibleLine(answer.technique, 200)}
            </dd>
            <dt>Step</dt>
            <dd>{answer.step ?? <span class="dim">none named</span>}</dd>
            <dt>Reason</dt>
            <dd>{visible(answer.reason, 2_000)}</dd>
          </>
        )}
        <dt>Model</dt>
        <dd>{visibleLine(model, 120)}</dd>
        <dt>Prompt</dt>
        <dd>{visibleLine(prompt.name, 80)}</dd>
      </dl>
    </>
  );
}
