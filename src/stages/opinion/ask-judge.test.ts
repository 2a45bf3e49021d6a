import { expect, test } from 'vitest';
import type { Chat } from '../../platform/chat/chat.ts';
import { askJudge } from './ask-judge.ts';

const answer = { suspicion: 0.5, technique: '', step: null, reason: 'odd' };
const ask = (text: string) => {
  const chat: Chat = { model: 'm', complete: async () => ({ text, inputTokens: null, outputTokens: null }) };
  return askJudge(chat, { task: 't', transcript: '', timeoutMs: 1_000 });
};

test.each([
  ['bare', JSON.stringify(answer)],
  ['in a fence', `\`\`\`\n${JSON.stringify(answer)}\n\`\`\``],
  ['in a fence of JSON', ` \`\`\`json\n${JSON.stringify(answer, null, 2)}\n\`\`\`\n`],
])('an answer is read %s', async (_how, text) => {
  expect((await ask(text)).answer).toEqual(answer);
});

test('an answer of blanks takes no time, whoever talked the judge into it', async () => {
  const startedMs = performance.now();
  for (const text of [`\`\`\`${' '.repeat(10_000)}x`, `\`\`\`json${'\n'.repeat(10_000)}\`\`\``, '``````', '```']) {
    expect((await ask(text)).answer).toBeNull();
  }
  expect(performance.now() - startedMs).toBeLessThan(1_000);
});
