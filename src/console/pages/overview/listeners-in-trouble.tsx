import type { listListenersInTroubleRoute } from '../../../admin/api/contracts/service.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { Card, Empty, Id } from '../../components/card.js';
import { Table } from '../../components/table.js';
import { numberText, Time } from '../../components/time.js';
import { Badge, type Tone } from '../../components/tone.js';
import { HookUrl } from '../../components/url.js';
import type { PageRequest } from '../../page-request.js';
import { failureText } from '../listeners/listener.js';

type Listener = RouteAnswer<typeof listListenersInTroubleRoute>['items'][number];

const troubles: Readonly<Record<Listener['trouble'], readonly [tone: Tone, word: string]>> = {
  breaker: ['bad', 'Circuit open'],
  paused: ['warn', 'Paused'],
  overdue: ['warn', 'Overdue'],
};

export type ListenersInTroubleProps = {
  at: Pick<PageRequest, 'url'>;
  listeners: readonly Listener[];
  /** Number of groups that are shown. */
  max: number;
};

/** Listeners of one organisation at one host, which usually have one cause. */
type Group = readonly [first: Listener, ...others: Listener[]];

function groupsOf(listeners: readonly Listener[]): readonly Group[] {
  const groups = new Map<string, [Listener, ...Listener[]]>();
  for (const listener of listeners) {
    const key = JSON.stringify([listener.orgId, hostOf(listener)]);
    const group = groups.get(key);
    if (group) group.push(listener);
    else groups.set(key, [listener]);
  }
  return [...groups.values()];
}

const hostOf = ({ hookUrl }: Listener): string => new URL(hookUrl).host;

const sumOf = (group: Group, count: (listener: Listener) => number): number =>
  group.reduce((sum, listener) => sum + count(listener), 0);

const earliest = (group: Group, timeOf: (listener: Listener) => string | null): string | null =>
  group.flatMap((listener) => timeOf(listener) ?? []).sort()[0] ?? null;

/** What does not get through, grouped by host and organisation: since when, why, and how much waits. */
export const ListenersInTrouble = ({ at, listeners, max }: ListenersInTroubleProps) => {
  const groups = groupsOf(listeners);
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
        caption="Listeners in trouble, by host and organisation"
        rows={groups.slice(0, max)}
        keyOf={([{ listenerId }]) => listenerId}
        empty={<Empty title="Deliveries get through to every listener" />}
        columns={[
          { head: 'Listener', cell: (group) => <Name at={at} group={group} /> },
          {
            head: 'Organisation',
            cell: ([{ orgId }]) => <Id value={orgId} href={at.url('/organisations/show', { orgId })} />,
          },
          {
            head: 'State',
            cell: ([{ trouble }]) => <Badge tone={troubles[trouble][0]}>{troubles[trouble][1]}</Badge>,
          },
          { head: 'Why', wide: true, cell: ([first]) => reasonOf(first) },
          {
            head: 'Since',
            cell: (group) => <Since at={earliest(group, (each) => each.failingSince ?? each.dueSince)} />,
          },
          {
            head: 'Waiting',
            cell: (group) => numberText(sumOf(group, ({ waiting, held }) => waiting + held)),
            numeric: true,
          },
          { head: 'Next attempt', cell: (group) => <Next at={earliest(group, ({ openUntil }) => openUntil)} /> },
        ]}
      />
    </Card>
  );
};

/** One listener, or the host of several. */
function Name({ at, group }: { at: Pick<PageRequest, 'url'>; group: Group }) {
  const [first, ...others] = group;
  if (others.length === 0) {
    return <HookUrl url={first.hookUrl} href={at.url(`/listeners/${encodeURIComponent(first.listenerId)}`)} />;
  }
  const query = { state: 'troubled', orgId: first.orgId, url: hostOf(first) };
  return (
    <a class="url" href={at.url('/listeners', query)}>
      <strong>{hostOf(first)}</strong> {numberText(group.length)} listeners
    </a>
  );
}

/** One reason: the last failure, else that a delivery is late. */
function reasonOf({ lastFailure, failedAttempts, dueSince }: Listener) {
  const times = failedAttempts > 0 ? `${numberText(failedAttempts)} failed in a row` : undefined;
  if (lastFailure) return [failureText(lastFailure), times].filter(Boolean).join(', ');
  return times ?? (dueSince === null ? null : 'Deliveries are due, and not attempted');
}

const Since = ({ at }: { at: string | null }) =>
  at === null ? <span class="muted">–</span> : <Time at={at} relative />;

const Next = ({ at }: { at: string | null }) => at && <Time at={at} relative />;
