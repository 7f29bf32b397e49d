/** Names and numbers of MCP Events (SEP-3415), an extension in beta: they are here alone. */
export const eventsExtension = 'io.modelcontextprotocol/events';

export const eventMethods = {
  list: 'events/list',
  poll: 'events/poll',
  subscribe: 'events/subscribe',
  unsubscribe: 'events/unsubscribe',
} as const;

export const eventNumberings = ['sketch', 'sep-3415'] as const;

/** `sketch`: as ChatGPT and the AI SDK expect them; `sep-3415`: those of the final text. */
export type EventNumbering = (typeof eventNumberings)[number];

type EventError = 'NotFound' | 'Forbidden' | 'ResourceExhausted' | 'Unsupported' | 'CallbackEndpointError';

export const eventErrorNumbers: Readonly<Record<EventNumbering, Readonly<Record<EventError, number>>>> = {
  sketch: {
    NotFound: -32_011,
    Forbidden: -32_012,
    ResourceExhausted: -32_013,
    Unsupported: -32_014,
    CallbackEndpointError: -32_015,
  },
  'sep-3415': {
    NotFound: -32_023,
    Forbidden: -32_024,
    ResourceExhausted: -32_025,
    Unsupported: -32_026,
    CallbackEndpointError: -32_027,
  },
};

/** Errors of JSON-RPC 2.0. */
export const jsonRpcErrors = {
  parse: -32_700,
  invalidRequest: -32_600,
  invalidParams: -32_602,
  internal: -32_603,
} as const;

/** Time after which a client polls again, in milliseconds; the protocol permits no less than 1,000. */
export const nextPollMs = 5_000;
