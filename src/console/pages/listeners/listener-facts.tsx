import { shownFields } from '../../../listeners/subscription.js';
import { Card, Copyable, CopyableJson, type Fact, Facts, Id } from '../../components/card.js';
import { Time } from '../../components/time.js';
import { Notice } from '../../components/tone.js';
import type { PageRequest } from '../../page-request.js';
import { HealthText, type ListenerDetail, StatusBadge, statusOf } from './listener.js';

/** State, health and settings of a listener. */
export function StateCard({ at, listener }: { readonly at: PageRequest; readonly listener: ListenerDetail }) {
  const { listenerId, orgId, userId, state, since, endReason, replacedBy, held } = listener;
  return (
    <Card title="State">
      {state === 'ended' && (
        <Notice tone="warn">
          The listener ended at <Time at={since} />
          {endReason !== null && ` (${endReason})`}: nothing is sent to it any more.{' '}
          {replacedBy !== null && <a href={at.url(`/listeners/${replacedBy}`)}>The URL was registered again.</a>}
        </Notice>
      )}
      <Facts
        facts={[
          ['State', <StatusBadge key="state" status={statusOf(listener)} />],
          ['Since', <Time key="since" at={since} />],
          ['Health', state === 'ended' ? null : <HealthText key="health" health={listener.health} />],
          ['Held deliveries', held === 1_000 ? '1,000 or more' : held],
          ...subscriptionFactsOf(listener),
          ['Organisation', <Id key="org" value={orgId} {...organisationHref(at, orgId)} />],
          ['Registered by user', <code key="user">{userId}</code>],
          ['First registered', <Time key="first" at={listener.firstRegisteredAt} />],
          [
            'Signing secret',
            <>
              version {listener.secretVersion}
              {listener.previousSecretUntil !== null && (
                <>
                  ; the previous one signs too until <Time at={listener.previousSecretUntil} />
                </>
              )}
            </>,
          ],
          ['Listener ID', <Id key="id" value={listenerId} />],
        ]}
      />
    </Card>
  );
}

const organisationHref = (at: PageRequest, orgId: string) =>
  at.caller.orgId === null ? { href: at.url('/organisations/show', { orgId }) } : {};

/** The short fields of a subscription. */
export const subscriptionFactsOf = (details: object): readonly Fact[] =>
  shownFields({ ...details })
    .filter(({ isExpression }) => !isExpression)
    .map(({ name, label, text, none }) => [
      label,
      name === 'subscriptionType' ? <code key={name}>{text}</code> : (text ?? none),
    ]);

/** The expressions of a subscription: events that a listener selects, and what it makes of them. */
export const ContentFacts = ({ details }: { readonly details: object }) => (
  <dl class="content-facts">
    {shownFields({ ...details })
      .filter(({ isExpression }) => isExpression)
      .map(({ name, label, value, text, none }) => (
        <div key={name}>
          <dt>{label}</dt>
          <dd>
            {typeof value === 'object' && value !== null ? (
              <CopyableJson value={value} />
            ) : text === undefined ? (
              none
            ) : (
              <Copyable text={text} />
            )}
          </dd>
        </div>
      ))}
  </dl>
);

/** Filter and transformation of a listener, with a link to the page that tries them. */
export const ContentCard = ({ at, listener }: { readonly at: PageRequest; readonly listener: ListenerDetail }) => (
  <Card
    title="What it gets"
    actions={listener.state !== 'ended' && <a href={at.url(`/listeners/${listener.listenerId}/try`)}>Try an event</a>}
  >
    <ContentFacts details={listener} />
  </Card>
);
