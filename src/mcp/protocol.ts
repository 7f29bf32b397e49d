/** Names and numbers of MCP Events (SEP-3415), an extension in beta: they are here alone. */
export const eventsExtension = 'io.modelcontextprotocol/events';

export const eventMethods = { list: 'events/list', poll: 'events/poll' } as const;

export const eventNumberings = ['sketch', 'sep-3415'] as const;

/** `sketch`: as ChatGPT and the AI SDK expect them; `sep-3415`: those of the final text. */
export type EventNumbering = (typeof eventNumberings)[number];

type EventError = 'NotFound' | 'Forbidden' | 'ResourceExhausted';

export const eventErrorNumbers: Readonly<Record<EventNumbering, Readonly<Record<EventError, number>>>> = {
  sketch: { NotFound: -32_011, Forbidden: -32_012, ResourceExhausted: -32_013 },
  'sep-3415': { NotFound: -32_023, Forbidden: -32_024, ResourceExhausted: -32_025 },
};

/** Errors of JSON-RPC 2.0. */
export const jsonRpcErrors = { parse: -32_700, invalidParams: -32_602, internal: -32_603 } as const;

/** Time after which a client polls again, in milliseconds; the protocol permits no less than 1,000. */
export const nextPollMs = 5_000;
