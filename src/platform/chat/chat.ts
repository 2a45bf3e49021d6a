/** One message of a conversation. */
export interface ChatMessage {
  readonly role: 'system' | 'user';
  readonly content: string;
}

export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  readonly maxTokens: number;
  /** For the whole call. */
  readonly timeoutMs: number;
}

/** What a model answered. Token counts are the endpoint's word; null: it did not say. */
export interface ChatReply {
  readonly text: string;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
}

/** A language model behind an endpoint. */
export interface Chat {
  readonly model: string;
  /** `endpoint-failed` when no usable answer came in time. */
  complete(request: ChatRequest): Promise<ChatReply>;
}
