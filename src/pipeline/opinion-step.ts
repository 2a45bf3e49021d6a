import { askJudge } from '../stages/opinion/ask-judge.ts';
import { countLately, findOpinion, saveOpinion } from '../stages/opinion/opinion-store.ts';
import { quoteTranscript } from '../stages/opinion/quote-transcript.ts';
import { isDrawn } from '../stages/policy/draw-share.ts';
import { allEvents } from '../stages/session/session-store.ts';
import { findLatestVerdict } from '../stages/verdict/verdict-store.ts';
import type { JobParts } from './job-parts.ts';

/** Events of a session that a judge is shown something of. */
const MOST_EVENTS = 5_000;

/** Asks a judge about the session of a hand-in, where there is a judge. It is asked once; without an answer the work goes on. */
export async function opinionStep(parts: JobParts, artifactId: string): Promise<void> {
  const { database, judge } = parts;
  if (judge === null || !isDrawn(judge.share, { policy: 'judge', rule: '', artifactId })) return;
  const sessionId = await parts.session();
  if (sessionId === null || (await findOpinion(database, artifactId)) !== null) return;
  const verdict = parts.made.verdict ?? (await findLatestVerdict(database, artifactId));
  if (verdict === null || verdict.body.outcome === 'ungraded') return;
  if ((await countLately(database)) >= judge.perHour) return;
  const transcript = quoteTranscript(await allEvents(database, sessionId, MOST_EVENTS));
  const { task } = await parts.submission();
  const opinion = await askJudge(judge.chat, { task: task.name, transcript, timeoutMs: judge.timeoutMs });
  await saveOpinion(database, artifactId, opinion);
}
