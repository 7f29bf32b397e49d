import { expect } from 'chai';
import { renderToString } from 'preact-render-to-string';
import { showActivityRoute } from '../../src/admin/api/contracts/service.js';
import { listViewsRoute } from '../../src/admin/api/contracts/views.js';
import { ActivityCharts } from '../../src/console/pages/overview/activity-charts.js';
import { Figures, type FiguresProps } from '../../src/console/pages/overview/figures.js';
import { ListenersInTrouble } from '../../src/console/pages/overview/listeners-in-trouble.js';
import { exampleAnswer } from '../../src/http/api-description/examples.js';
import { rateText } from '../../src/site/components/time.js';

const now = new Date('2026-01-31T12:00:00.000Z');
const at = { now, url: (path: string) => `/console${path}` };
const { total } = exampleAnswer(showActivityRoute.answer);
const [view] = exampleAnswer(listViewsRoute.answer).items;

type Changes = { [Name in 'total' | 'counts' | 'view']?: object };

function propsOf({ total: totals = {}, counts = {}, view: changed = {} }: Changes = {}, minutes: object[] = []) {
  return {
    at,
    activity: {
      total: { ...total, ...totals },
      minutes: minutes.map((minute) => ({ ...total, at: now.toISOString(), ...minute })),
    },
    counts: {
      waiting: 0,
      held: 0,
      succeeded: 0,
      exhausted: 0,
      cancelled: 0,
      setAside: 0,
      oldestDueAt: null,
      ...counts,
    },
    views: [{ ...view, ...changed }],
    listenersInTrouble: 0,
    paused: [2, 0],
    range: '1 h',
    hasCharts: true,
  } as unknown as FiguresProps; // the examples of the routes, changed
}

/** The text of each figure by its label: the value and the note. */
function figures(changes: Changes = {}, minutes: object[] = []) {
  const html = renderToString(<Figures {...propsOf(changes, minutes)} />);
  const stats = html.matchAll(/<div class="stat ?(\w*)"><dt>(.*?)<\/dt><dd[^>]*>(.*?)<\/dd><dd[^>]*>(.*?)<\/dd>/g);
  return new Map(
    [...stats].map(([, tone = '', label = '', value = '', note = '']) => [
      label.replace(/<[^>]*>/g, ''),
      [value, note, tone].join(' | '),
    ]),
  );
}

describe('the figures of the overview', () => {
  it('are rates of the last whole minute, since the current one has not ended', () => {
    const shown = figures({}, [{ events: 6_000, succeeded: 600 }, { events: 30, succeeded: 3 }, { events: 9_999 }]);
    expect(shown.get('Flow events')).to.equal('0.50/s | 60 in 1 h | ');
    expect(shown.get('Deliveries')).to.equal('0.05/s | 118 in 1 h | ');
  });

  it('show a rate of 100 % only if nothing failed', () => {
    expect(figures({ total: { succeeded: 99_999, failed: 1 } }).get('Success rate')).to.match(/^99\.9 % .*good$/);
    expect(figures({ total: { succeeded: 5, failed: 0 } }).get('Success rate')).to.match(/^100 % /);
    expect(figures({ total: { succeeded: 94, failed: 6 } }).get('Success rate')).to.match(/^94\.0 % .*warn$/);
    expect(figures({ total: { succeeded: 1, failed: 3 } }).get('Success rate')).to.match(/^25\.0 % .*bad$/);
    expect(figures({ total: { succeeded: 0, failed: 0 } }).get('Success rate')).to.match(/^– .*no attempt/);
  });

  it('warn of a delivery that has been due for more than a minute', () => {
    const due = (oldestDueAt: string) => figures({ counts: { oldestDueAt } }).get('Waiting deliveries');
    expect(due('2026-01-31T11:30:00.000Z')).to.equal('0 | oldest due 30 min ago, 0 held, 0 dead letters | warn');
    expect(due('2026-01-31T11:59:50.000Z')).to.equal('0 | oldest due 10 s ago, 0 held, 0 dead letters | ');
    expect(figures().get('Waiting deliveries')).to.equal('0 | none is overdue, 0 held, 0 dead letters | ');
  });

  it('tell the lag of the slowest view, or that one has stopped', () => {
    expect(figures().get('Lag of the views')).to.equal('None | up to date | ');
    const lag = { events: 1_200, orMore: false, seconds: 90 };
    expect(figures({ view: { lag } }).get('Lag of the views')).to.equal('90 s | up to 1,200 events | warn');
    const error = { message: 'x', position: null, since: now.toISOString() };
    expect(figures({ view: { error } }).get('Lag of the views')).to.equal('1 stopped | of the views | bad');
  });

  it('lead to the chart of what they count', () => {
    const figures = renderToString(<Figures {...propsOf()} />);
    expect(figures).to.include('<a href="#failures">Success rate</a>');
    expect(figures).to.include('<a href="#latency">Latency, p95</a>');
    expect(renderToString(<Figures {...propsOf()} hasCharts={false} />)).not.to.include('href="#');
    const { minutes, ...totals } = exampleAnswer(showActivityRoute.answer);
    const html = renderToString(<ActivityCharts activity={{ minutes: [...minutes], ...totals }} range="1 h" />);
    expect(html).to.match(/id="failures".*Failed attempts/);
  });

  it('have few digits', () => {
    expect([0, 0.001, 0.256, 3.44, 99.96, 123.4, 12_345].map(rateText)).to.deep.equal([
      '0',
      '< 0.01',
      '0.26',
      '3.4',
      '100.0',
      '123',
      '12,345',
    ]);
  });
});

describe('the listeners in trouble', () => {
  const troubled = {
    trouble: 'breaker',
    failingSince: null,
    failedAttempts: 3,
    openUntil: null,
    dueSince: null,
    lastFailure: null,
    waiting: 0,
    held: 0,
  } as const;

  it('are shown as text, with links that cannot be led elsewhere', () => {
    const hostile = '"><img src=x onerror=alert(1)>';
    const listener = {
      ...troubled,
      listenerId: '../../evil?x=1',
      orgId: hostile,
      hookUrl: `https://hooks.example.com/${hostile}`,
    };
    const html = renderToString(<ListenersInTrouble at={at} listeners={[listener]} max={20} />);
    expect(html).not.to.include('<img');
    expect(html).to.include('href="/console/listeners/..%2F..%2Fevil%3Fx%3D1"');
  });

  const listenerAt = (number: number, changes: object) => ({
    ...troubled,
    listenerId: `${number}`,
    orgId: 'acme',
    hookUrl: 'https://hooks.example.com/…',
    ...changes,
  });
  const cellsOf = (...listeners: ReturnType<typeof listenerAt>[]) =>
    [
      ...renderToString(<ListenersInTrouble at={at} listeners={listeners} max={4} />).matchAll(
        /data-head="(.*?)">(.*?)<\/td>/g,
      ),
    ].map(([, head = '', cell = '']) => `${head}: ${cell.replace(/<[^>]*>/g, '')}`);

  it('have the times and the reasons of all listeners of a group', () => {
    const minute = (number: number) => `2026-01-31T12:0${number}:00.000Z`;
    const failure = (status: number) => ({ at: minute(0), status, error: 'http_status', answer: null });
    const cells = cellsOf(
      listenerAt(1, { failingSince: minute(3), openUntil: minute(8), failedAttempts: 10, lastFailure: failure(503) }),
      listenerAt(2, { failingSince: minute(1), openUntil: minute(9), failedAttempts: 40, lastFailure: failure(500) }),
    );
    expect(cells).to.include('Since: 2026-01-31 12:01:00 UTC to 2026-01-31 12:03:00 UTC');
    expect(cells).to.include('Next attempt: 2026-01-31 12:08:00 UTC to 2026-01-31 12:09:00 UTC');
    expect(cells).to.include('Why: 503 Service Unavailable, 500 Internal Server Error, up to 40 failed in a row');
  });

  it('have no next attempt while they are paused, nor one in the past', () => {
    const [past, future] = ['2026-01-31T11:00:00.000Z', '2026-01-31T13:00:00.000Z'];
    const paused = { failingSince: past, dueSince: past, openUntil: future, trouble: 'paused' };
    expect(cellsOf(listenerAt(1, paused)))
      .to.include('State: Paused')
      .and.to.include('Next attempt: –');
    expect(cellsOf(listenerAt(1, { openUntil: past })))
      .to.include('Next attempt: –')
      .and.to.include('Since: –');
  });

  it('are rows by organisation and host, or fewer where there would be too many', () => {
    const listeners = (organisations: number, hosts: number, trouble: 'breaker' | 'overdue') =>
      Array.from({ length: organisations * hosts }, (_, index) => ({
        ...troubled,
        trouble,
        listenerId: `${trouble}-${index}`,
        orgId: `org-${index % organisations}`,
        hookUrl: `https://host-${Math.floor(index / organisations)}.example.com/hook`,
      }));
    const rowsOf = (...all: ReturnType<typeof listeners>[]) =>
      renderToString(<ListenersInTrouble at={at} listeners={all.flat()} max={4} />).match(/<tr/g)?.length;
    expect(rowsOf(listeners(2, 2, 'breaker'))).to.equal(1 + 4);
    expect(rowsOf(listeners(9, 3, 'overdue'))).to.equal(1 + 3);
    expect(rowsOf(listeners(3, 9, 'overdue'))).to.equal(1 + 3);
    expect(rowsOf(listeners(1, 2, 'breaker'), listeners(9, 9, 'overdue'))).to.equal(1 + 2 + 1);
  });
});
