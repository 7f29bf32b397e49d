import type { showListenerTimelineRoute } from '../../../admin/api/contracts/listener-queries.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { Id } from '../../components/facts.js';
import type { Tone } from '../../components/notice.js';
import { TextWithTimes } from '../../components/time.js';
import { Timeline, type TimelineItem } from '../../components/timeline.js';
import type { PageRequest } from '../../page-request.js';

export type Change = RouteAnswer<typeof showListenerTimelineRoute>['items'][number];

/** What happened, by the type of the event. */
export const changeNames: Readonly<Record<string, string>> = {
  ListenerSubscribed: 'Registered',
  ListenerSubscriptionChanged: 'Subscription changed',
  ListenerSecretRotated: 'Signing secret rotated',
  ListenerFailing: 'Found failing',
  ListenerPaused: 'Paused',
  ListenerResumed: 'Resumed',
  ListenerUnsubscribed: 'Removed',
};

const tones: Readonly<Record<string, Tone>> = {
  ListenerSubscribed: 'good',
  ListenerResumed: 'good',
  ListenerFailing: 'bad',
  ListenerPaused: 'warn',
  ListenerUnsubscribed: 'bad',
};

const reasons: Readonly<Record<string, string>> = {
  operator: 'by an operator',
  failing: 'by the service, because every attempt had failed for too long',
  requested: 'requested by the platform',
  gone: 'the listener answered 410 (Gone)',
};

/** The changes of a listener, the latest first. `current`: the revision of the change that applies at the instant shown. */
export const ListenerTimeline = ({
  at,
  listenerId,
  changes,
  current,
}: {
  readonly at: PageRequest;
  readonly listenerId: string;
  readonly changes: readonly Change[];
  readonly current: string | undefined;
}) => (
  <Timeline
    items={changes.map(
      (change): TimelineItem => ({
        key: change.revision,
        id: `change-${change.revision}`,
        current: change.revision === current,
        at: change.at,
        title: changeNames[change.type] ?? change.type,
        tone: tones[change.type] ?? 'info',
        actor: change.actor ?? undefined,
        detail: <Detail at={at} listenerId={listenerId} change={change} />,
      }),
    )}
  />
);

function Detail({
  at,
  listenerId,
  change,
}: {
  readonly at: PageRequest;
  readonly listenerId: string;
  readonly change: Change;
}) {
  const { reason, undecodable } = change;
  return (
    <>
      {undecodable !== null && <p>The event cannot be read: {undecodable}</p>}
      {reason !== null && <p>{reasons[reason] ?? reason}</p>}
      <ContentChanges change={change} />
      {changesIn(change).map((text) => (
        <p key={text}>
          <TextWithTimes text={text} />
        </p>
      ))}
      {change.listenerId !== null && change.listenerId !== listenerId && (
        <p>
          Another listener of the URL: <Id value={change.listenerId} href={at.url(`/listeners/${change.listenerId}`)} />
        </p>
      )}
      <p>
        <a href={at.url(`/listeners/${listenerId}`, { at: change.at })}>Show the listener then</a>
      </p>
    </>
  );
}

const fieldNames: Readonly<Record<string, string>> = {
  subscriptionType: 'Subscription type',
  ordered: 'In order',
  ratePerSecond: 'Deliveries a second',
  secretVersion: 'Secret version',
  userId: 'User',
};

/** `Subscription type: flow.* → *`; of a new listener, its values. */
function changesIn({ before, after, type }: Change): readonly string[] {
  if (after === null) return [];
  const changed = Object.entries(fieldNames).flatMap(([field, name]) => {
    const [was, is] = [shown(before?.[field]), shown(after[field])];
    if (was === is || (before === null && is === 'none')) return [];
    return [before === null ? `${name}: ${is}` : `${name}: ${was} → ${is}`];
  });
  const { failing, previousSecret } = after;
  if (type === 'ListenerFailing' && isObject(failing)) {
    changed.push(
      `${failing.failures} failed attempts since ${failing.since}: ${failing.percent} % of the way to a pause`,
    );
  }
  if (type === 'ListenerSecretRotated') {
    changed.push(
      isObject(previousSecret)
        ? `The previous secret signs too until ${previousSecret.until}`
        : 'The previous secret is revoked',
    );
  }
  return changed;
}

const contentNames = { filter: 'Filter', transform: 'Transformation' } as const;

/** Changes of filter and transformation: `Filter: none → {"data.total":{"$gt":40}}`; of a new listener, those that it has. */
const ContentChanges = ({ change: { before, after } }: { readonly change: Change }) => (
  <>
    {Object.entries(contentNames).map(([field, name]) => {
      const [was, is] = [before?.[field] ?? null, after?.[field] ?? null];
      if (after === null || JSON.stringify(was) === JSON.stringify(is)) return null;
      return (
        <p key={field}>
          {name}: {before !== null && <Content value={was} />}
          {before !== null && ' → '}
          <Content value={is} />
        </p>
      );
    })}
  </>
);

const Content = ({ value }: { readonly value: unknown }) => (value === null ? <>none</> : <code>{shown(value)}</code>);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

function shown(value: unknown): string {
  if (value === null || value === undefined) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
