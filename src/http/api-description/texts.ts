export const introduction = `
The back end behind an app on automation platforms, and for agents: it signs users in and issues tokens, lets platforms register listeners for an
organisation, delivers every flow event of that organisation to them, and remembers each change.

**Platforms** sign users in, and register and remove listeners. **Producers** publish flow events. **Operators** have the admin API.

Errors are flat: \`{"error": "integration_task_inactive", "message": "…", "requestId": "…"}\`; on the token routes they have the form of
[RFC 6749 §5.2](https://www.rfc-editor.org/rfc/rfc6749#section-5.2). Programs decide by \`error\`; the \`requestId\` finds the request in the log of
the service. Repeat a request after a 429 or 503 when \`Retry-After\` has passed.

**Receivers** get the requests in \`webhooks\`, signed according to [Standard Webhooks](https://www.standardwebhooks.com); \`perform-list\` shows such bodies.
`.trim();

export const tagDescriptions = {
  'Platforms: sign-in and tokens': 'Sign-in of users, and the tokens with which platforms act for them.',
  'Platforms: listeners': 'Registration of listeners, and lists for their forms.',
  'Producers: flow events': 'Publishing of flow events.',
  'Receivers: deliveries': 'The requests that hook URLs and callbacks of agents get.',
  'Operators: listeners': 'Listeners of all organisations: search, settings, pauses, secrets, tests.',
  'Operators: deliveries': 'Deliveries with their attempts, and redelivery.',
  'Operators: flow events': 'Flow events that were published, and the outcome for each listener.',
  'Operators: feed': 'The flow events of an organisation in order, for its own programs as well.',
  'Operators: event types': 'Declared types of flow events, with their schemas.',
  'Operators: replays': 'Past flow events, sent again to one listener.',
  'Operators: audit': 'The history, past states, and seals.',
  'Operators: organisations': 'Organisations, their settings, and the erasure of their data.',
  'Operators: portal': 'Links with which an organisation sees its own listeners.',
  'Operators: integration tasks': 'The tasks that allow organisations to register listeners.',
  'Operators: sessions': 'Sessions of signed-in users, and their revocation.',
  'Operators: consents': 'Agreements of users that clients act for them.',
  'Operators: clients': 'Registered platforms, with their credentials and redirect URIs.',
  'Operators: API keys': 'Keys of producers.',
  'Operators: views': 'The read models: positions, rebuilds, comparison with the events.',
  'Operators: set-aside events': 'Flow events that could not be decoded.',
  'Operators: activity': 'Figures of the service, and the instance that answers.',
  'Operators: operations': 'Operational events: what the service tells its operators.',
  'Operators: keys': 'Signing keys and master keys, without key material.',
  Monitoring: 'Health, metrics, and this description.',
} as const;

export type Tag = keyof typeof tagDescriptions;

export type OperatorSubject = Tag extends infer Each
  ? Each extends `Operators: ${infer Subject}`
    ? Subject
    : never
  : never;

export const securitySchemes = {
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'The access token of a user, from `POST /access` or `POST /refresh`. It is for one organisation. With registered clients it has ' +
      'the scopes `listeners` and `flows:publish`, or one of them.',
  },
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description:
      'The key of a producer, which an operator makes (`POST /admin/api/api-keys`): for one organisation or all, with the scopes ' +
      '`flows:publish`, `flows:read`, `listeners:read`, `listeners:write`, `deliveries:read`, or some of them.',
  },
  adminKey: {
    type: 'http',
    scheme: 'bearer',
    description:
      'The key of an operator (`ADMIN_KEYS`; in development mode it is in `admin-key.txt` of the data directory). It has a role: a ' +
      '`viewer` reads, an `operator` changes, an `owner` also erases and manages keys and clients. A role includes those before it.',
  },
  clientCredentials: {
    type: 'http',
    scheme: 'basic',
    description:
      'The ID and the secret of a registered client ([RFC 6749 §2.3.1](https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1)). They may ' +
      'be in the body as `client_id` and `client_secret` instead. Needed as soon as one client is registered.',
  },
} as const;

export type SecurityScheme = keyof typeof securitySchemes;
