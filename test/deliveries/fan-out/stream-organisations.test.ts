import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { streamOrganisations } from '../../../src/deliveries/fan-out/stream-organisations.js';
import { flowStream, readFlowEvent } from '../../../src/flows/flow-event.js';
import { bucketCount, bucketName, bucketOf } from '../../../src/stores/event-store/bucket.js';
import { EventUndecodable } from '../../../src/stores/event-store/errors.js';
import type { EventStore, RecordedEvent } from '../../../src/stores/event-store/event-store.js';
import { readEventAt, readStandingEventAt } from '../../../src/stores/event-store/read-at.js';
import { newEvent, newStream, storeOnDouble } from '../../stores/event-store/eventstoredb/support.js';
import { rejection } from '../../support/rejection.js';

describe('whose a stream of flow events is, where streams are deleted in EventStoreDB', () => {
  let on: Awaited<ReturnType<typeof storeOnDouble>>;
  let store: EventStore;
  let stream: string;

  beforeEach(async () => {
    on = await storeOnDouble();
    store = on.store;
    stream = newStream();
  });
  afterEach(() => on.close());

  async function append(orgId: string): Promise<RecordedEvent> {
    const { position } = await store.append(stream, [newEvent({ orgId })]);
    const event = await readEventAt(store, position);
    if (!event) throw new Error('it has just been appended');
    return event;
  }

  it('is asked anew once another organisation begins it again', async () => {
    const required = streamOrganisations(store);
    await append('one');
    const second = await append('one');
    await required(readFlowEvent(second), second);
    await store.deleteStream(stream);
    await append('two');
    const reborn = await append('two');
    await required(readFlowEvent(reborn), reborn);

    const strange = await append('three');
    expect(await rejection(required(readFlowEvent(strange), strange))).to.be.instanceOf(EventUndecodable);
  });

  it('is decided by the first event that names an organisation, not by those that are set aside before it', async () => {
    await store.append(stream, [newEvent({ total: 42 })]);
    await append('');
    const required = streamOrganisations(store);
    for (const own of [await append('one'), await append('one')]) await required(readFlowEvent(own), own);
    const strange = await append('two');
    expect(await rejection(required(readFlowEvent(strange), strange))).to.have.property(
      'message',
      `${strange.type} at revision 4 of ${stream} cannot be decoded: it names another organisation than the first event of its stream that names one`,
    );
  });

  it('is refused where its name is that of a bucket of other organisations', async () => {
    const required = streamOrganisations(store);
    stream = flowStream('one', 'flow');
    const own = await append('one');
    await required(readFlowEvent(own), own);
    stream = `flow-${bucketName((bucketOf('one') + 1) % bucketCount)}.${randomUUID()}`;
    const strange = await append('one');
    expect(await rejection(required(readFlowEvent(strange), strange))).to.be.instanceOf(EventUndecodable);
  });

  it('lets the fan-out pass events of a deleted stream', async () => {
    await append('one');
    const second = await append('one');
    await store.deleteStream(stream);
    await streamOrganisations(store)(readFlowEvent(second), second);
  });

  it('does not show deleted content beside an event that still exists', async () => {
    const event = await append('one');
    expect(await readStandingEventAt(store, event.position)).to.include({ id: event.id });
    await store.deleteStream(stream);
    expect(await readStandingEventAt(store, event.position)).to.equal(undefined);
    expect(await readEventAt(store, event.position)).to.include({ id: event.id });
  });
});
