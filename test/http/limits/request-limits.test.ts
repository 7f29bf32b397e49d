import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Context } from '../../../src/http/context.js';
import { Unauthenticated } from '../../../src/http/errors.js';
import { limiter } from '../../../src/http/limits/limiter.js';
import { RateLimited, setRateLimitHeaders } from '../../../src/http/limits/rate-limit.js';
import { requestLimits } from '../../../src/http/limits/request-limits.js';
import { rejection } from '../../support/rejection.js';

const limitOf = (name: string, count: number) => limiter(name, { count, windowMs: 60_000 });
/** A request from this address: nothing else of it is read. */
const from = (address: string) => ({ state: { peer: { address } } }) as unknown as Context;

/** The name of the limit with which the work is refused; undefined if it is not. */
async function refusedBy(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof RateLimited) return error.limit.name;
    throw error;
  }
}

describe('the limits of requests', () => {
  it('count requests by address, IPv6 by /64', async () => {
    const { arrival } = requestLimits({ address: limitOf('address', 1) });
    expect(await refusedBy(arrival(from('192.0.2.1')))).to.equal(undefined);
    expect(await refusedBy(arrival(from('::ffff:192.0.2.1')))).to.equal('address');
    expect(await refusedBy(arrival(from('192.0.2.2')))).to.equal(undefined);
    expect(await refusedBy(arrival(from('2001:db8::1')))).to.equal(undefined);
    expect(await refusedBy(arrival(from('2001:db8::ffff:0:0:2')))).to.equal('address');
    expect(await refusedBy(arrival(from('2001:db8:0:1::1')))).to.equal(undefined);
  });

  it('count requests of API keys, clients and organisations, each by itself', async () => {
    const limits = requestLimits({
      apiKey: limitOf('api-key', 2),
      client: limitOf('client', 2),
      organisation: limitOf('organisation', 2),
      events: limitOf('events', 2),
    });
    const { listenerRequest, flowEvent } = limits;
    const twice = async (work: () => Promise<void>) => [
      await refusedBy(work()),
      await refusedBy(work()),
      await refusedBy(work()),
    ];
    expect(await twice(() => listenerRequest({}, 'a'))).to.deep.equal([undefined, undefined, 'organisation']);
    expect(await twice(() => flowEvent({}, 'a'))).to.deep.equal([undefined, undefined, 'events']);
    const other = () => randomUUID();
    expect(await twice(() => flowEvent({ apiKeyId: 'k' }, other()))).to.deep.equal([undefined, undefined, 'api-key']);
    expect(await twice(() => listenerRequest({ clientId: 'c' }, other()))).to.deep.equal([
      undefined,
      undefined,
      'client',
    ]);
  });

  it('keep an organisation above its limit from using up that of a client, which has other organisations too', async () => {
    const limits = requestLimits({
      client: limitOf('client', 4),
      organisation: limitOf('organisation', 2),
      events: limitOf('events', 2),
    });
    for (const request of [limits.listenerRequest, limits.flowEvent]) {
      const caller = { clientId: randomUUID() };
      for (let count = 0; count < 10; count += 1) await refusedBy(request(caller, 'careless'));
      expect(await refusedBy(request(caller, 'other'))).to.equal(undefined);
    }
  });

  it('count each event of a batch, and none of one that does not fit', async () => {
    const { flowEvents } = requestLimits({ events: limitOf('events', 10) });
    const of = (numbers: Record<string, number>) => refusedBy(flowEvents({}, new Map(Object.entries(numbers))));
    expect(await of({ a: 6, b: 10 })).to.equal(undefined);
    expect(await of({ a: 5 })).to.equal('events');
    expect(await of({ a: 4, b: 1 })).to.equal('events');
    expect(await of({ a: 4 })).to.equal(undefined);
    expect(await of({ a: 1 })).to.equal('events');
  });

  it('refuse a batch that would never fit as too large', async () => {
    const { flowEvents } = requestLimits({ events: limitOf('events', 10) });
    expect(await rejection(flowEvents({}, new Map([['a', 11]])))).to.deep.include({
      code: 'payload_too_large',
      message: 'send at most 10 events of an organisation at once: its limit in 60 s',
    });
  });

  it('are all off if none is given', async () => {
    const limits = requestLimits({});
    for (let request = 0; request < 100; request += 1) {
      await limits.arrival(from('192.0.2.1'));
      await limits.flowEvent({ apiKeyId: 'k', clientId: 'c' }, 'a');
      await limits.listenerRequest({}, 'a');
      await limits.failedTokenRequest(from('192.0.2.1'), 'c');
    }
  });
});

describe('wrong keys', () => {
  const limits = () => requestLimits({ failures: limitOf('failures', 3) });
  const wrong = () => Promise.reject(new Unauthenticated('this key is wrong'));

  it('are refused unseen after too many of them from an address, the right one among them', async () => {
    const { wrongKeys } = limits();
    const here = from('192.0.2.1');
    for (let guess = 0; guess < 3; guess += 1)
      expect(await rejection(wrongKeys(here, `guess-${guess}`, wrong))).to.be.instanceOf(Unauthenticated);
    let isLookedAt = false;
    const right = async () => {
      isLookedAt = true;
    };
    expect(await refusedBy(wrongKeys(here, 'right', right))).to.equal('failures');
    expect(isLookedAt).to.equal(false);
    expect(await refusedBy(wrongKeys(from('192.0.2.2'), 'right', right))).to.equal(undefined);
  });

  it('do not stop the holder of a key that was valid before, at the same address', async () => {
    const { wrongKeys } = limits();
    const here = from('192.0.2.1');
    await wrongKeys(here, 'in-use', async () => undefined);
    for (let guess = 0; guess < 10; guess += 1) await rejection(wrongKeys(here, `guess-${guess}`, wrong));
    expect(await wrongKeys(here, 'in-use', async () => 'valid')).to.equal('valid');
    await rejection(wrongKeys(here, 'in-use', wrong)); // it has been revoked
    expect(await refusedBy(wrongKeys(here, 'in-use', async () => 'valid'))).to.equal('failures');
  });

  it('count once: a program that continues with a revoked key does not guess, and does not stop others at its address', async () => {
    const { wrongKeys } = limits();
    const here = from('192.0.2.1');
    for (let request = 0; request < 20; request += 1)
      expect(await rejection(wrongKeys(here, 'revoked', wrong))).to.be.instanceOf(Unauthenticated);
    expect(await wrongKeys(here, 'right', async () => 'valid')).to.equal('valid');
  });

  it('count neither right keys nor failures of the service, and not as failed token requests', async () => {
    const { wrongKeys, failedTokenRequest } = limits();
    const here = from('192.0.2.1');
    for (let request = 0; request < 10; request += 1) {
      await wrongKeys(here, `right-${request}`, async () => undefined);
      await rejection(wrongKeys(here, `any-${request}`, () => Promise.reject(new Error('the store is down'))));
    }
    for (let request = 0; request < 3; request += 1) await failedTokenRequest(here, undefined);
    await wrongKeys(here, 'another', async () => undefined);
  });
});

describe('the answer above a limit', () => {
  const headersOf = (error: RateLimited) => {
    const headers: Record<string, string> = {};
    setRateLimitHeaders({ set: (name, value) => void Object.assign(headers, { [name]: value }) }, error);
    return headers;
  };

  it('names limit, window and the time of a retry in whole seconds', () => {
    expect(headersOf(new RateLimited('x', { name: 'failures', count: 100, windowMs: 60_000 }, 41_200))).to.deep.equal({
      'Retry-After': '42',
      'RateLimit-Policy': '"failures";q=100;w=60',
      RateLimit: '"failures";r=0;t=42',
    });
  });

  it('has no window for a quota', () => {
    expect(headersOf(new RateLimited('x', { name: 'listeners', count: 5 }, 60_000))).to.deep.equal({
      'Retry-After': '60',
      'RateLimit-Policy': '"listeners";q=5',
      RateLimit: '"listeners";r=0',
    });
  });
});
