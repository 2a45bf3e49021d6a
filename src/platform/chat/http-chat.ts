import { z } from 'zod';
import { messageOf, ProctorError } from '../base/errors.ts';
import { parseHostileJson } from '../base/safe-json.ts';
import type { Chat, ChatReply, ChatRequest } from './chat.ts';

/** Bounds on an answer: a judge says little. */
const ANSWER = { maxBytes: 262_144, maxDepth: 16, maxNodes: 10_000 } as const;

const replySchema = z.looseObject({
  choices: z.array(z.looseObject({ message: z.looseObject({ content: z.string() }) })).min(1),
  usage: z
    .looseObject({ prompt_tokens: z.int().min(0).nullish(), completion_tokens: z.int().min(0).nullish() })
    .nullish(),
});

/** Where a model is reached. */
export interface ChatEndpoint {
  /** Up to and without `/chat/completions`, as in `http://127.0.0.1:8000/v1`. */
  readonly url: string;
  readonly model: string;
  /** Null: it takes anybody. */
  readonly key: string | null;
}

/** A model behind an endpoint that speaks OpenAI's chat completions. Redirects are not followed, and its answers are bounded. */
export function openHttpChat({ url, model, key }: ChatEndpoint): Chat {
  return {
    model,
    async complete(request) {
      try {
        return readReply(await post({ url: `${url}/chat/completions`, key, model }, request));
      } catch (thrown) {
        throw new ProctorError('endpoint-failed', `the model ${model}: ${messageOf(thrown)}`, {}, { cause: thrown });
      }
    },
  };
}

async function post(to: ChatEndpoint, { messages, maxTokens, timeoutMs }: ChatRequest): Promise<string> {
  const response = await fetch(to.url, {
    method: 'POST',
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
    headers: {
      'content-type': 'application/json',
      ...(to.key === null ? {} : { authorization: `Bearer ${to.key}` }),
    },
    body: JSON.stringify({ model: to.model, messages, max_tokens: maxTokens, temperature: 0, stream: false }),
  });
  const text = await readBounded(response);
  if (!response.ok) throw new Error(`it answered ${response.status}`);
  return text;
}

async function readBounded({ body }: Response): Promise<string> {
  if (body === null) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > ANSWER.maxBytes) throw new Error('it answered more than is read'); // ends the connection too
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function readReply(text: string): ChatReply {
  const parsed = replySchema.safeParse(parseHostileJson(text, ANSWER));
  const content = parsed.data?.choices[0]?.message.content;
  if (!parsed.success || content === undefined) throw new Error('its answer is no chat completion');
  const { usage } = parsed.data;
  return {
    text: content,
    inputTokens: usage?.prompt_tokens ?? null,
    outputTokens: usage?.completion_tokens ?? null,
  };
}
