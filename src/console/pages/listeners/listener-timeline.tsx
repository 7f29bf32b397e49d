import type { showListenerTimelineRoute } from '../../../admin/api/contracts/listener-queries.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { type ShownField, shownFields } from '../../../listeners/shown-subscription.js';
import { Id } from '../../../site/components/card.js';
import { TextWithTimes } from '../../../site/components/time.js';
import { Timeline, type TimelineItem } from '../../../site/components/timeline.js';
import type { Tone } from '../../../site/components/tone.js';
import type { PageRequest } from '../../../site/page-request.js';
import { failingText } from './failing-text.js';
import { reasonText } from './reason-text.js';

export type Change = RouteAnswer<typeof showListenerTimelineRoute>['items'][number];

export const asOfId = 'as-of';

/** The address of the listener's page as of an instant. */
export const asOfHref = (at: PageRequest, listenerId: string, time: string): string =>
  `${at.url(`/listeners/${listenerId}`, { at: time })}#${asOfId}`;

/** Names by the type of the event. */
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

/** The latest first. `current`: revision of the change that applies at the instant shown. */
export const ListenerTimeline = ({
  at,
  listenerId,
  changes,
  current,
}: {
  at: PageRequest;
  listenerId: string;
  changes: readonly Change[];
  current: string | undefined;
}) => (
  <Timeline
    items={changes.map(
      (change): TimelineItem => ({
        key: change.revision,
        id: `change-${change.revision}`,
        current: change.revision === current,
        at: change.at,
        title: change.reason === 'circuit-closed' ? 'Tried again' : (changeNames[change.type] ?? change.type),
        tone: tones[change.type] ?? 'info',
        actor: change.actor ?? undefined,
        detail: <Detail at={at} listenerId={listenerId} change={change} />,
      }),
    )}
  />
);

function Detail({ at, listenerId, change }: { at: PageRequest; listenerId: string; change: Change }) {
  const { reason, actor, undecodable } = change;
  return (
    <>
      {undecodable !== null && <p>The event cannot be read: {undecodable}</p>}
      {reason !== null && (
        <p>
          <TextWithTimes text={reasonText(reason, actor)} />
        </p>
      )}
      <SubscriptionChanges change={change} />
      {changesIn(change).map((text) => (
        <p key={text}>
          <TextWithTimes text={text} />
        </p>
      ))}
      {change.listenerId !== null && change.listenerId !== listenerId && (
        <p>
          Another listener at the hook URL:{' '}
          <Id value={change.listenerId} href={at.url(`/listeners/${change.listenerId}`)} />
        </p>
      )}
      <p>
        <a href={asOfHref(at, listenerId, change.at)}>Show the listener then</a>
      </p>
    </>
  );
}

const fieldNames: Readonly<Record<string, string>> = { secretVersion: 'Secret version', userId: 'User' };

/** `Secret version: 1 → 2`; of a new listener, its values. */
function changesIn({ before, after, type }: Change): readonly string[] {
  if (after === null) return [];
  const changed = Object.entries(fieldNames).flatMap(([field, name]) => {
    const [was, is] = [before?.[field], after[field]];
    if (was === is) return [];
    return [before === null ? `${name}: ${is}` : `${name}: ${was} → ${is}`];
  });
  const { failing, previousSecretUntil } = after;
  const failed = type === 'ListenerFailing' && failingText(failing);
  if (failed) changed.push(failed);
  if (type === 'ListenerSecretRotated') {
    changed.push(
      previousSecretUntil
        ? `The previous secret signs too until ${previousSecretUntil}`
        : 'The previous secret is revoked',
    );
  }
  return changed;
}

/** `Subscription type: flow.* → *`; of a new listener, the fields that it has. */
const SubscriptionChanges = ({ change: { before, after } }: { change: Change }) => {
  const earlier = shownFields(before ?? {});
  return (
    <>
      {shownFields(after ?? {}).map(({ name, label, ...is }, index) => {
        const was = earlier[index];
        if (after === null || was?.text === is.text) return null;
        return (
          <p key={name}>
            {label}: {before !== null && <FieldText {...was} />}
            {before !== null && ' → '}
            <FieldText {...is} />
          </p>
        );
      })}
    </>
  );
};

const FieldText = ({ text, isExpression }: Partial<ShownField>) =>
  isExpression && text !== undefined ? <code>{text}</code> : (text ?? 'none');
