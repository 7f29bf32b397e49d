import { expect } from 'chai';
import { failure, scriptedClients } from '../../support/packages/scripted-client.js';
import { type Answer, json, refusal } from '../../support/packages/scripted-server.js';
import type { ClientError } from '../../support/packages/typescript-client.js';
import { until } from '../../support/until.js';

/** Maximum time by which a timer may be early. */
const timerMs = 50;
/** Time within which what does not wait is done, beside other tests. The waits that are not to be are longer. */
const soonMs = 8_000;
const accepted = json(202, { id: 'one' });
const event = { id: 'one', type: 'order.paid', data: { total: 42 } };

describe('retries of the TypeScript client', function () {
  this.timeout(60_000);
  const { scripted } = scriptedClients();

  async function timed<Result>(call: Promise<Result>) {
    const begun = performance.now();
    return { result: await call, ms: performance.now() - begun };
  }

  it('repeats the same request when the service asks for time, and not before that has passed', async () => {
    const asked = refusal(429, 'too_many_requests', { 'retry-after': '1' });
    const { flowHooks, requests } = await scripted([asked, accepted]);
    const { result } = await timed(flowHooks.publish({ ...event, id: undefined }));
    expect(result).to.deep.equal({ id: 'one' });
    const [first, second] = requests;
    expect(second?.body).to.equal(first?.body);
    expect(JSON.parse(first?.body ?? ''))
      .to.have.property('id')
      .that.matches(/^[0-9a-f-]{36}$/);
    expect((second?.at ?? 0) - (first?.at ?? 0)).to.be.within(1_000 - timerMs, 1_000 + soonMs);
  });

  it('understands a date in Retry-After, by the clock of the service', async () => {
    const anHourAhead = (ms: number) => new Date(Date.now() + 3_600_000 + ms).toUTCString();
    const headers = { date: anHourAhead(0), 'retry-after': anHourAhead(2_000) };
    const { flowHooks, requests } = await scripted([refusal(503, 'store_unavailable', headers), accepted]);
    await flowHooks.publish(event);
    expect((requests[1]?.at ?? 0) - (requests[0]?.at ?? 0)).to.be.within(2_000 - timerMs, 2_000 + soonMs);
  });

  it('gives up at once where the service asks for more time than the deadline leaves', async () => {
    const { flowHooks, requests } = await scripted([refusal(429, 'too_many_requests', { 'retry-after': '3600' })]);
    const { result, ms } = await timed(failure(flowHooks.publish(event)));
    expect(result).to.include({ status: 429, code: 'too_many_requests', retryAfterMs: 3_600_000 });
    expect(ms).to.be.below(soonMs);
    expect(requests).to.have.length(1);
  });

  it('repeats answers that may change, and no others', async () => {
    const transient = [408, 425, 429, 500, 502, 503, 504, 599];
    const final = [400, 401, 403, 404, 409, 413, 501, 505];
    const outcomes = await Promise.all(
      [...transient, ...final].map(async (status) => {
        const { flowHooks, requests } = await scripted([refusal(status, 'some_error'), accepted]);
        return flowHooks.publish(event).then(
          () => [status, requests.length],
          (error: ClientError) => [error.status, error.code, requests.length],
        );
      }),
    );
    expect(outcomes).to.deep.equal([
      ...transient.map((status) => [status, 2]),
      ...final.map((status) => [status, 'some_error', 1]),
    ]);
  });

  it('makes no more attempts than it may', async () => {
    const { flowHooks, requests } = await scripted([refusal(500, 'internal_error')], { retries: 2 });
    expect(await failure(flowHooks.publish(event))).to.include({ status: 500, code: 'internal_error' });
    expect(requests).to.have.length(3);
    const once = await scripted([refusal(500, 'internal_error')], { retries: 0 });
    await failure(once.flowHooks.publish(event));
    expect(once.requests).to.have.length(1);
  });

  it('repeats a request whose answer breaks off, or does not come in time', async () => {
    const brokenOff = await scripted([
      (response) => {
        response.writeHead(202, { 'content-length': '100' }).write('{"id":');
        setTimeout(() => response.destroy(), 20);
      },
      accepted,
    ]);
    const silent = await scripted([() => {}, accepted], { timeoutMs: 500 });
    const drips: Answer = (response) => response.writeHead(202).write('{');
    const dripping = await scripted([drips, accepted], { timeoutMs: 500 });
    for (const { flowHooks, requests } of [brokenOff, silent, dripping]) {
      expect(await flowHooks.publish(event)).to.deep.equal({ id: 'one' });
      expect(requests).to.have.length(2);
    }
  });

  it('ends at the deadline, with an error that says whether there was an answer', async () => {
    const { flowHooks } = await scripted([() => {}], { deadlineMs: 200 });
    const { result, ms } = await timed(failure(flowHooks.publish(event)));
    expect(result).to.include({ code: 'timeout', status: undefined });
    expect(ms).to.be.within(200 - timerMs, 200 + soonMs);
  });

  it('ends when the caller aborts: an attempt, or the wait before the next', async () => {
    const attempt = await scripted([() => {}]);
    const wait = await scripted([refusal(503, 'store_unavailable', { 'retry-after': '30' })]);
    for (const { flowHooks, requests } of [attempt, wait]) {
      const abort = new AbortController();
      const ended = failure(flowHooks.publish(event, { signal: abort.signal }));
      await until(() => requests.length === 1, 'the request');
      setTimeout(() => abort.abort(new Error('enough')), 50);
      const { result, ms } = await timed(ended);
      expect(result).to.include({ code: 'aborted' });
      expect(result.cause).to.have.property('message', 'enough');
      expect(ms).to.be.below(soonMs);
    }
    const { flowHooks, requests } = await scripted([accepted]);
    const aborted = AbortSignal.abort();
    for (const call of [
      flowHooks.publish(event, { signal: aborted }),
      flowHooks.publishBatch([event], { signal: aborted }),
    ])
      expect(await failure(call)).to.include({ code: 'aborted', results: undefined });
    expect(requests).to.have.length(0);
  });

  it('says of an event whether it may have been recorded, which one refused attempt beside another does not exclude', async () => {
    const refused = refusal(401, 'unauthorized');
    const breaksOff: Answer = (response) => response.destroy();
    const cases: readonly (readonly [string, readonly Answer[]])[] = [
      ['not_recorded', [refused]],
      ['not_recorded', [refusal(429, 'too_many_requests'), refused]],
      ['unknown', [breaksOff, refused]],
      ['unknown', [refusal(503, 'store_unavailable'), refused]],
      ['unknown', [refusal(408, 'request_timeout'), refused]],
    ];
    const outcomes = cases.map(async ([, script]) => {
      const { flowHooks } = await scripted(script);
      return (await failure(flowHooks.publish(event))).results;
    });
    expect(await Promise.all(outcomes)).to.deep.equal(cases.map(([status]) => [{ status, id: 'one' }]));
  });

  it('repeats GET of the routes, and sends other requests once', async () => {
    const { flowHooks, requests } = await scripted([
      refusal(503, 'store_unavailable'),
      json(200, { items: [], next: null }),
    ]);
    expect(await flowHooks.api.GET('/admin/api/event-types')).to.deep.include({ data: { items: [], next: null } });
    expect(requests).to.have.length(2);
    const posts = await scripted([refusal(503, 'store_unavailable')]);
    const { error, response } = await posts.flowHooks.api.POST('/admin/api/audit/seals');
    expect(response.status).to.equal(503);
    expect(error).to.include({ error: 'store_unavailable' });
    expect(posts.requests).to.have.length(1);
  });
});
