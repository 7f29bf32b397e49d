import { expect } from 'chai';
import type { ListenerEvent } from '../../src/events/listener-events.js';
import { defaultFailingPolicy, failingStep } from '../../src/listeners/commands/failing-listener.js';
import { listenerDecider } from '../../src/listeners/listener.js';
import { given as givenHistory } from '../support/given.js';
import { failing, firstId, nextId, noticeFailing, now, paused, resumed, subscribed, unsubscribed } from './fixtures.js';

const given = (...history: ListenerEvent[]) => givenHistory(listenerDecider, history);
const hour = 60 * 60 * 1000;
const hoursAgo = (hours: number) => now.getTime() - hours * hour;
const iso = (ms: number) => new Date(ms).toISOString();

/** A period without success that began this number of hours ago. */
const since = (hours: number, attempts = 20) => ({ failing: { since: hoursAgo(hours), attempts } });
const said = (hours: number, percent: number, failures = 20) => ({
  since: 0,
  failing: { since: iso(hoursAgo(hours)), failures, percent },
});

describe('a listener whose deliveries all fail', () => {
  it('is recorded at 50, 75 and 90 per cent of five days', () => {
    for (const [hours, percent] of [
      [60, 50],
      [90, 75],
      [108, 90],
    ] as const) {
      given(subscribed())
        .when(noticeFailing(since(hours)))
        .then([failing(said(hours, percent))]);
    }
  });

  it('is paused after five days', () =>
    given(subscribed())
      .when(noticeFailing(since(120, 21)))
      .then([failing(said(120, 100, 21)), paused({ ...said(120, 100, 21), reason: 'failing' })]));

  it('is announced and paused by time alone, however few attempts it had', () => {
    given(subscribed())
      .when(noticeFailing(since(60, 2)))
      .then([failing(said(60, 50, 2))]);
    given(subscribed())
      .when(noticeFailing(since(120, 9)))
      .then([failing(said(120, 100, 9)), paused({ ...said(120, 100, 9), reason: 'failing' })]);
  });

  it('is recorded once at each step', () => {
    const noticed = [subscribed(), failing(said(60, 50))];
    given(...noticed)
      .when(noticeFailing(since(60)))
      .then([]);
    given(...noticed, failing(said(90, 75)))
      .when(noticeFailing(since(90)))
      .then([]);
  });

  it('is recorded again at the next step of the same period, which keeps its recorded start', () =>
    given(subscribed(), failing(said(90, 50)))
      .when(noticeFailing(since(91)))
      .then([failing(said(90, 75))]));

  it('is recorded again in another period without success', () =>
    given(subscribed(), failing(said(200, 90)))
      .when(noticeFailing(since(60)))
      .then([failing(said(60, 50))]));

  it('has five days after it was resumed', () => {
    const resumedAt = { since: 2, failing: { since: iso(hoursAgo(60)), failures: 0, percent: 0 } };
    const history = [
      subscribed(),
      failing(said(300, 100)),
      paused({ ...said(300, 100), reason: 'failing' }),
      resumed(resumedAt),
    ] as const;
    given(...history)
      .when(noticeFailing(since(300)))
      .then([failing({ ...said(60, 50), since: 3 })]);
  });

  it('is not changed if it is paused, unsubscribed, or a later listener than the failing one', () => {
    given(subscribed(), paused({ since: 0 }))
      .when(noticeFailing(since(120)))
      .then([]);
    given(subscribed(), unsubscribed({ since: 0 }))
      .when(noticeFailing(since(120)))
      .then([]);
    given(subscribed({ listenerId: nextId }))
      .when(noticeFailing({ ...since(120), listenerId: firstId }))
      .then([]);
    given()
      .when(noticeFailing(since(120)))
      .then([]);
  });

  it('reaches each step at its share of the time', () => {
    const stepOf = (hours: number) => failingStep({ since: hoursAgo(hours) }, now.getTime(), defaultFailingPolicy);
    expect([59, 60, 89, 90, 107, 108, 119, 120, 1_000].map(stepOf)).to.deep.equal([
      0, 50, 50, 75, 75, 90, 90, 100, 100,
    ]);
    expect(stepOf(-1), 'a clock that was set back').to.equal(0);
  });
});
