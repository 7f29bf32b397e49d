import { createApiKeyRoute } from '../../../src/admin/api/contracts/api-keys.js';
import { registerClientRoute } from '../../../src/admin/api/contracts/clients.js';
import { declareEventTypeRoute, eventTypeExample } from '../../../src/admin/api/contracts/event-types.js';
import { exampleIds, exampleTimes } from '../../../src/admin/api/contracts/fields.js';
import { startReplayRoute } from '../../../src/admin/api/contracts/replays.js';
import type { AnyAdminRoute, Caller } from '../../../src/admin/api/routing/admin-route.js';
import { publishFlowEvent } from '../../../src/flows/publish-flow-event.js';
import { consentGranted } from '../../access/consents/fixtures.js';
import { issued } from '../../access/tokens/fixtures.js';
import {
  appendConsentEvent,
  appendListenerEvent,
  appendSessionEvent,
  appendTaskEvent,
} from '../../audit/append-events.js';
import { subscribed } from '../../listeners/fixtures.js';
import { type GivenOperations, givenOperations } from '../../support/admin/given-operations.js';
import { emptyBatch } from '../../support/deliveries/delivery-batches.js';
import { type Receiver, startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import { until } from '../../support/until.js';

export const orgId = exampleIds.orgId;
export const anOwner: Caller = { actor: 'admin:ada', role: 'owner', orgId: null };

/** An owner of one organisation only. */
export const limitedTo = (only: string): Caller => ({ actor: `portal:${only}`, role: 'owner', orgId: only });

/** The IDs of its objects, by the segment of a path before them; and the position of an event. */
export type Objects = Readonly<Record<string, string>>;

export type GivenOrganisation = GivenOperations & { objects: Objects };

/**
 * The admin API, and an organisation with one object of each kind. Where it can, an object has the ID of the examples in the API
 * description, so that the examples of requests work.
 */
export async function givenOrganisation(): Promise<GivenOrganisation> {
  const receiver = await startReceiver();
  const given = await givenOperations();
  const stop = async () => {
    await given.stop();
    await receiver.close();
  };
  try {
    return { ...given, objects: await addObjects(given, receiver), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function addObjects({ api, store, queue, viewsCaughtUp }: GivenOperations, receiver: Receiver): Promise<Objects> {
  const { listenerId, eventId, replayId } = exampleIds;
  const at = new Date(exampleTimes.before); // within the times of the examples
  const cause = { actor: 'user:42', correlationId: 'test' };
  const consent = consentGranted({ orgId });
  await appendTaskEvent(store, { type: 'IntegrationTaskRegistered', data: { orgId, name: 'own' } }, { at });
  await appendSessionEvent(store, issued({ orgId, userId: '42' }), { at });
  await appendConsentEvent(store, consent, { at });
  const hookUrl = `${receiver.origin}/a-secret-path`;
  const { position } = await appendListenerEvent(store, subscribed({ listenerId, orgId, hookUrl }), { at });
  const event = { id: eventId, type: 'flow.completed', data: {} };
  await publishFlowEvent(store, event, { orgId, cause, now: new Date(), maxBytes: 1_000 });
  await queue.enqueue({ ...emptyBatch, setAside: [setAside] }, Date.now());
  const find = async () => (await queue.deliveries({ orgId, states: ['succeeded'] })).deliveries;
  await until(async () => (await find()).length > 0, 'the delivery');
  const [delivery] = await find();

  await api.call(startReplayRoute, { body: { id: replayId, orgId, listenerId, type: 'flow.*' } }, anOwner);
  const scopes = ['listeners:read' as const];
  const { id: apiKeyId } = await api.call(createApiKeyRoute, { body: { name: 'erp', orgId, scopes } }, anOwner);
  const client = { clientId: 'platform', name: 'Platform', redirectUris: ['https://platform.example.com/callback'] };
  await api.call(registerClientRoute, { body: client }, anOwner);
  const { name, description } = eventTypeExample;
  await api.call(declareEventTypeRoute, { body: { name, description } }, anOwner);
  await viewsCaughtUp();
  return {
    listeners: listenerId,
    deliveries: delivery?.id ?? '',
    flows: eventId,
    replays: replayId,
    'api-keys': apiKeyId,
    consents: consent.data.consentId,
    clients: client.clientId,
    views: 'listeners',
    position: `${position}`,
  };
}

/** Set-aside event of the example of a retry. */
const setAside = { stream: 'flow-4711', revision: 3n, position: 4_711n, type: 'flow.completed', reason: 'not JSON' };

/** A request for this organisation's objects, made of a contract and its example. */
export function requestFor(contract: AnyAdminRoute, objects: Objects) {
  const { path, access, query, bodyExample } = contract;
  const params = [...path.matchAll(/([\w-]+)\/:(\w+)/g)].map(([, segment = '', name = '']) => {
    const id = objects[segment];
    if (id === undefined) throw new Error(`givenOrganisation has no object for ${segment}/:${name}`);
    return [name, id];
  });
  return {
    params: Object.fromEntries(params) as Readonly<Record<string, string>>,
    query: { ...('orgId' in query.shape && { orgId }), ...('name' in query.shape && { name: eventTypeExample.name }) },
    body: {
      ...(access.organisation === 'body' && { orgId }),
      ...bodyExample,
      ...(bodyExample && 'position' in bodyExample && { position: objects.position }),
    },
  };
}
