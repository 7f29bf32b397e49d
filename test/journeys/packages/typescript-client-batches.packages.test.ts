import { expect } from 'chai';
import { failure, scriptedClients } from '../../support/packages/scripted-client.js';
import { acceptBatch, refusal } from '../../support/packages/scripted-server.js';
import type { Received } from '../../support/serve.js';

describe('batches of the TypeScript client', function () {
  this.timeout(60_000);
  const { scripted } = scriptedClients();

  const eventsOf = (count: number, data: unknown = null) =>
    Array.from({ length: count }, (_, index) => ({ id: `e-${index}`, type: 'order.paid', data }));
  const sizes = (requests: readonly Received[]) => requests.map(({ body }) => (JSON.parse(body) as unknown[]).length);

  it('are split by number and by size', async () => {
    const byNumber = await scripted([acceptBatch]);
    await byNumber.flowHooks.publishBatch(new Set(eventsOf(2_001)));
    expect(sizes(byNumber.requests)).to.deep.equal([1_000, 1_000, 1]);
    const bySize = await scripted([acceptBatch]);
    await bySize.flowHooks.publishBatch(eventsOf(5, 'ä'.repeat(900_000)));
    expect(sizes(bySize.requests)).to.deep.equal([2, 2, 1]);
    for (const { body } of bySize.requests) expect(Buffer.byteLength(body)).to.be.at.most(4_000_000);
  });

  it('are not sent at all if an event is larger than a request may be, or no JSON', async () => {
    const { flowHooks, requests } = await scripted([acceptBatch]);
    const tooLarge = await failure(flowHooks.publishBatch([...eventsOf(1_500), ...eventsOf(1, 'x'.repeat(4_000_000))]));
    expect(tooLarge).to.include({ code: 'payload_too_large', status: undefined, results: undefined });
    expect(tooLarge.message).to.include('index 1500');
    const circular: unknown[] = [];
    circular.push(circular);
    for (const data of [1n, circular])
      expect(await failure(flowHooks.publishBatch(eventsOf(1, data)))).to.include({ code: 'invalid_event' });
    expect(requests).to.have.length(0);
  });

  it('are halved while they are too large for a proxy; an event that alone is too large is rejected', async () => {
    const { flowHooks, requests } = await scripted([
      (response, request) => {
        const events = JSON.parse(request.body) as { id: string }[];
        if (events.length > 3 || events.some(({ id }) => id === 'e-4')) response.writeHead(413).end('too large');
        else acceptBatch(response, request);
      },
    ]);
    const results = await flowHooks.publishBatch(eventsOf(7));
    expect(results.map(({ id }) => id)).to.deep.equal(eventsOf(7).map(({ id }) => id));
    expect(results.map(({ status }) => status === 'accepted')).to.deep.equal([1, 1, 1, 1, 0, 1, 1].map(Boolean));
    expect(results[4]).to.include({ status: 'rejected', error: 'http_error', message: '413 Payload Too Large' });
    expect(sizes(requests)).to.deep.equal([7, 4, 2, 2, 3, 2, 1, 1, 1]);
  });

  it('that fail have an error with the result of each event, under the sent ids', async () => {
    const { flowHooks, requests } = await scripted([acceptBatch, refusal(401, 'unauthenticated')]);
    const events = eventsOf(2_500).map(({ id, ...each }, index) => (index === 1_100 ? each : { id, ...each }));
    const { results = [], ...error } = await failure(flowHooks.publishBatch(events));
    expect(error).to.include({ code: 'unauthenticated', status: 401 });
    expect(results).to.have.length(2_500);
    expect(new Set(results.slice(0, 1_000).map(({ status }) => status))).to.deep.equal(new Set(['accepted']));
    expect(new Set(results.slice(1_000).map(({ status }) => status))).to.deep.equal(new Set(['not_recorded']));
    const sent = JSON.parse(requests[1]?.body ?? '') as { id: string }[];
    expect(results.slice(1_000, 2_000).map(({ id }) => id)).to.deep.equal(sent.map(({ id }) => id));

    const lost = await scripted([acceptBatch, (response) => response.destroy()], { retries: 0 });
    const { results: partly = [] } = await failure(lost.flowHooks.publishBatch(events));
    const statuses = [0, 999, 1_000, 1_999, 2_000, 2_499].map((index) => partly[index]?.status);
    expect(statuses).to.deep.equal(['accepted', 'accepted', 'unknown', 'unknown', 'not_recorded', 'not_recorded']);
  });

  it('are repeated as a whole where there was no answer', async () => {
    const { flowHooks, requests } = await scripted([(response) => response.destroy(), acceptBatch]);
    const results = await flowHooks.publishBatch([{ type: 'order.paid', data: 1 }, ...eventsOf(1)]);
    expect(requests).to.have.length(2);
    expect(requests[1]?.body).to.equal(requests[0]?.body);
    expect(results.every(({ status }) => status === 'accepted')).to.equal(true);
  });
});
