import { z } from 'zod';
import { jsonValue } from '../../../kernel/input/json-value.js';
import { exampleIds, exampleTimes, positionText } from './values.js';

const facts = z.record(z.string(), jsonValue).nullable();
const text = z.string().nullable();

export const auditEntryAnswer = z
  .strictObject({
    at: z.string().describe('When the event was recorded.'),
    type: z.string(),
    actor: text.describe('`user:42`, `admin:ops`; null where the event names no actor.'),
    causationId: text,
    correlationId: text.describe('The ID of the request.'),
    orgId: text,
    userId: text,
    listenerId: text,
    hookUrl: text,
    sessionId: text,
    clientId: text,
    apiKeyId: text,
    eventType: text.describe('The name of the event type that the event is about.'),
    before: facts.describe('The state before the event; null: nothing existed.'),
    after: facts.describe('The state after the event; null: nothing exists any more.'),
    reason: text,
    undecodable: text.describe('Why the event cannot be decoded; null where it can.'),
    stream: z.string(),
    revision: positionText,
    eventId: z.string(),
    position: positionText,
  })
  .meta({ id: 'AuditEntry', description: 'One recorded event.' });

export const listenerThenAnswer = z
  .looseObject({ stream: z.string(), revision: z.string(), changedAt: z.string() })
  .meta({
    id: 'ListenerThen',
    description: 'A listener at a past moment, with the last event up to then.',
  });

const details = {
  state: 'active',
  listenerId: exampleIds.listenerId,
  orgId: exampleIds.orgId,
  subscriptionType: 'flow.*',
} as const;

const place = { stream: 'listener-2d5f0b1e', revision: '1' } as const;

export const auditEntryExample = {
  at: exampleTimes.at,
  type: 'ListenerPaused',
  actor: 'admin:ops',
  causationId: null,
  correlationId: '5b8efff7-98ae-4f0b-b4de-1f0d3c2b1a09',
  orgId: exampleIds.orgId,
  userId: '42',
  listenerId: exampleIds.listenerId,
  hookUrl: 'https://hooks.example.com/catch/7f3a',
  sessionId: null,
  clientId: null,
  apiKeyId: null,
  eventType: null,
  before: details,
  after: { ...details, state: 'paused' },
  reason: 'operator',
  undecodable: null,
  ...place,
  eventId: exampleIds.storeEventId,
  position: '4712',
} as const;

export const listenerThenExample = { ...details, ...place, changedAt: exampleTimes.at };
