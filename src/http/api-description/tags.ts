/** The tags under which routes are listed, by their readers, with what each contains. */
export const tagDescriptions = {
  'Platforms: sign-in and tokens': 'Sign-in of users, and the tokens with which platforms act for them.',
  'Platforms: listeners': 'Registration of listeners, and what platforms show while users set them up.',
  'Producers: flow events': 'Publishing of flow events.',
  'Operators: listeners': 'Listeners of all organisations: search, settings, pauses, secrets, tests.',
  'Operators: deliveries': 'Deliveries with their attempts, and redelivery.',
  'Operators: flow events': 'Flow events that were published, and the outcome for each listener.',
  'Operators: event types': 'Declared types of flow events, with their schemas.',
  'Operators: replays': 'Past flow events, sent again to one listener.',
  'Operators: audit': 'The history, past states, and seals.',
  'Operators: organisations': 'Organisations, their settings, and the erasure of their data.',
  'Operators: portal': 'Links with which an organisation sees its own listeners.',
  'Operators: integration tasks': 'The tasks that allow organisations to register listeners.',
  'Operators: sessions': 'Sessions of signed-in users, and their revocation.',
  'Operators: consents': 'What users agreed to when they signed in.',
  'Operators: clients': 'Registered platforms, with their credentials and redirect URIs.',
  'Operators: API keys': 'Keys of producers.',
  'Operators: views': 'The read models: positions, rebuilds, comparison with the events.',
  'Operators: set-aside events': 'Flow events that could not be decoded.',
  'Operators: activity': 'Figures of the service, and the instance that answers.',
  'Operators: keys': 'Signing keys and master keys, without key material.',
  Monitoring: 'Health, metrics, and this description.',
} as const;

export type Tag = keyof typeof tagDescriptions;

/** What a route of operators is listed under, without its readers. */
export type OperatorSubject = Tag extends infer Each
  ? Each extends `Operators: ${infer Subject}`
    ? Subject
    : never
  : never;
