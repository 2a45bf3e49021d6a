import { randomBytes } from 'node:crypto';
import { digestOf } from '../../platform/base/digest.ts';
import { messageOf } from '../../platform/base/errors.ts';
import { plainText } from '../../platform/base/plain-text.ts';
import { parseHostileJson } from '../../platform/base/safe-json.ts';
import type { Chat, ChatReply } from '../../platform/chat/chat.ts';
import { JUDGE_PROMPT, judgeMessages } from './judge-prompt.ts';
import { answerSchema, type OpinionBody } from './opinion.ts';

/** Tokens of an answer; it is a small object. */
const MOST_TOKENS = 400;
const ANSWER = { maxBytes: 16_384, maxDepth: 3, maxNodes: 50 } as const;

/** A judge, and how much it is asked. */
export interface JudgeOptions {
  readonly chat: Chat;
  /** Of the sessions, 0 to 1; which ones is drawn by the hand-in's id, so that asking again changes nothing. */
  readonly share: number;
  readonly timeoutMs: number;
  /** Opinions an hour, by all processes together; what is beyond goes without. */
  readonly perHour: number;
}

/** What a judge is asked about. */
export interface Asked {
  /** Name of the task. */
  readonly task: string;
  readonly transcript: string;
  readonly timeoutMs: number;
}

/** Asks a judge once. Never rejects: that no opinion could be had is an opinion without an answer. */
export async function askJudge(chat: Chat, { task, transcript, timeoutMs }: Asked): Promise<OpinionBody> {
  const base = { model: chat.model, prompt: { ...JUDGE_PROMPT }, transcript: digestOf(transcript) };
  const marker = `<<${randomBytes(12).toString('hex')}>>`;
  const messages = judgeMessages(task, transcript, marker);
  let reply: ChatReply | null = null;
  try {
    reply = await chat.complete({ messages, maxTokens: MOST_TOKENS, timeoutMs });
    const { inputTokens, outputTokens } = reply;
    return { ...base, inputTokens, outputTokens, answer: readAnswer(reply.text), error: '' };
  } catch (thrown) {
    const { inputTokens, outputTokens } = reply ?? { inputTokens: null, outputTokens: null };
    return { ...base, inputTokens, outputTokens, answer: null, error: plainText(messageOf(thrown), 500) };
  }
}

/** The answer in a reply: the object alone, or in a fence of Markdown as models like to give it. */
function readAnswer(text: string): NonNullable<OpinionBody['answer']> {
  const answer = answerSchema.safeParse(parseHostileJson(withoutFence(text.trim()), ANSWER));
  if (!answer.success) throw new Error('the answer is not as it was asked for');
  const { technique, reason, ...rest } = answer.data;
  return { ...rest, technique: plainText(technique, 200), reason: plainText(reason, 2_000) };
}

/** Without a pattern: an answer of blanks, which the judged may ask for, would keep one busy for hours. */
function withoutFence(text: string): string {
  const isFenced = text.length > 6 && text.startsWith('```') && text.endsWith('```');
  return isFenced ? text.slice(3, -3).replace(/^json/, '').trim() : text;
}
