import type { listListenersInTroubleRoute } from '../../../admin/api/contracts/service.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { Card, Empty, Id } from '../../../site/components/card.js';
import { Table } from '../../../site/components/table.js';
import { numberText, Time } from '../../../site/components/time.js';
import { Badge, type Tone } from '../../../site/components/tone.js';
import { HookUrl } from '../../../site/components/url.js';
import type { PageRequest } from '../../../site/page-request.js';
import { failureText } from '../listeners/listener.js';

type Listener = RouteAnswer<typeof listListenersInTroubleRoute>['items'][number];

const troubles: Readonly<Record<Listener['trouble'], readonly [tone: Tone, word: string]>> = {
  breaker: ['bad', 'Circuit open'],
  paused: ['warn', 'Paused'],
  overdue: ['warn', 'Overdue'],
};

export type ListenersInTroubleProps = {
  at: Pick<PageRequest, 'url' | 'now'>;
  listeners: readonly Listener[];
  /** Number of groups that are shown. */
  max: number;
};

/** Listeners in one trouble, which usually have one cause. */
type Group = readonly [first: Listener, ...others: Listener[]];

/** Groupings from the finest: of one organisation at one host; at one host; of one organisation; all. */
const groupings: readonly ((listener: Listener) => readonly string[])[] = [
  (listener) => [listener.orgId, hostOf(listener)],
  (listener) => [hostOf(listener)],
  ({ orgId }) => [orgId],
  () => [],
];

/** Listeners in one trouble, failing or not, by the finest grouping with at most `max` groups: a general stall is few rows. */
function groupsOf(listeners: readonly Listener[], max: number): readonly Group[] {
  return grouped(listeners, ({ trouble, lastFailure }) => `${trouble} ${lastFailure === null}`).flatMap((ofTrouble) => {
    const choices = groupings.map((keyOf) => grouped(ofTrouble, (listener) => JSON.stringify(keyOf(listener))));
    return choices.find((groups) => groups.length <= max) ?? [];
  });
}

function grouped(listeners: readonly Listener[], keyOf: (listener: Listener) => string): readonly Group[] {
  const groups = new Map<string, [Listener, ...Listener[]]>();
  for (const listener of listeners) {
    const group = groups.get(keyOf(listener));
    if (group) group.push(listener);
    else groups.set(keyOf(listener), [listener]);
  }
  return [...groups.values()];
}

const hostOf = ({ hookUrl }: Listener): string => new URL(hookUrl).host;

const distinct = (group: readonly Listener[], textOf: (listener: Listener) => string): readonly string[] => [
  ...new Set(group.map(textOf)),
];

const sumOf = (group: Group, count: (listener: Listener) => number): number =>
  group.reduce((sum, listener) => sum + count(listener), 0);

/** First failed attempt in a row; of a listener without failures, due time of its longest waiting delivery. */
const sinceOf = ({ failingSince, dueSince, trouble }: Listener): string | null =>
  failingSince ?? (trouble === 'overdue' ? dueSince : null);

/** A paused listener has no next attempt; a circuit whose time has passed lets one through at any moment. */
const nextAttemptOf = ({ trouble, openUntil }: Listener, now: Date): string | null =>
  trouble === 'breaker' && openUntil !== null && Date.parse(openUntil) > now.getTime() ? openUntil : null;

/** Listeners whose deliveries do not get through, grouped by trouble, host and organisation, with start, reason and backlog. */
export const ListenersInTrouble = ({ at, listeners, max }: ListenersInTroubleProps) => {
  const groups = groupsOf(listeners, max);
  return (
    <Card
      title={listeners.length === 0 ? 'Listeners in trouble' : `Listeners in trouble: ${numberText(listeners.length)}`}
      actions={
        groups.length > max && (
          <a href={at.url('/listeners', { state: 'troubled' })}>All {numberText(listeners.length)}</a>
        )
      }
    >
      <Table
        caption="Listeners in trouble, by trouble, host and organisation"
        rows={groups.slice(0, max)}
        keyOf={([{ listenerId }]) => listenerId}
        empty={<Empty title="Deliveries get through to every listener" />}
        columns={{
          Listener: (group) => <Name at={at} group={group} />,
          Organisation: (group) => {
            const [orgId = '', ...others] = distinct(group, (each) => each.orgId);
            if (others.length > 0) return `${numberText(others.length + 1)} organisations`;
            return <Id value={orgId} href={at.url('/organisations/show', { orgId })} />;
          },
          State: ([{ trouble }]) => <Badge tone={troubles[trouble][0]}>{troubles[trouble][1]}</Badge>,
          Why: { show: reasonOf, wide: true },
          Since: (group) => <Times of={group.map(sinceOf)} />,
          Waiting: { show: (group) => numberText(sumOf(group, ({ waiting, held }) => waiting + held)), numeric: true },
          'Next attempt': (group) => <Times of={group.map((listener) => nextAttemptOf(listener, at.now))} />,
        }}
      />
    </Card>
  );
};

/** One listener, or the host or the number of hosts of several. */
function Name({ at, group }: { at: Pick<PageRequest, 'url'>; group: Group }) {
  const [first, ...others] = group;
  if (others.length === 0) {
    return <HookUrl url={first.hookUrl} href={at.url(`/listeners/${encodeURIComponent(first.listenerId)}`)} />;
  }
  const hosts = distinct(group, hostOf);
  const query = {
    state: 'troubled',
    orgId: distinct(group, ({ orgId }) => orgId).length === 1 ? first.orgId : undefined,
    url: hosts.length === 1 ? hosts[0] : undefined,
  };
  return (
    <a class="url" href={at.url('/listeners', query)}>
      <strong>{hosts.length === 1 ? hosts[0] : `${numberText(hosts.length)} hosts`}</strong> {numberText(group.length)}{' '}
      listeners
    </a>
  );
}

const shownReasons = 2;

/** The last failures, each once, else that deliveries are late; the highest number of failed attempts in a row. */
function reasonOf(group: Group) {
  const reasons = distinct(
    group.filter(({ lastFailure }) => lastFailure),
    ({ lastFailure }) => (lastFailure ? failureText(lastFailure) : ''),
  );
  const failed = Math.max(...group.map(({ failedAttempts }) => failedAttempts));
  const upTo = group.some(({ failedAttempts }) => failedAttempts !== failed) ? 'up to ' : '';
  const times = failed > 0 ? `${upTo}${numberText(failed)} failed in a row` : undefined;
  if (reasons.length > 0) {
    const others = reasons.length - shownReasons;
    const more = others > 0 ? `${numberText(others)} other ${others === 1 ? 'reason' : 'reasons'}` : undefined;
    return [...reasons.slice(0, shownReasons), more, times].filter(Boolean).join(', ');
  }
  return times ?? (group.every(({ dueSince }) => dueSince === null) ? null : 'Deliveries are due, and not attempted');
}

/** The times of the listeners of a group: the earliest and the latest, if they differ. */
function Times({ of: times }: { of: readonly (string | null)[] }) {
  const known = times.filter((time) => time !== null).sort();
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined) return <span class="muted missing">–</span>;
  return (
    <>
      <Time at={first} relative />
      {last !== first && (
        <>
          {' to '}
          <Time at={last} relative />
        </>
      )}
    </>
  );
}
