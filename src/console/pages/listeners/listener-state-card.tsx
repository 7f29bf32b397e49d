import { Card } from '../../components/card.js';
import { Facts, Id } from '../../components/facts.js';
import { Notice } from '../../components/notice.js';
import { Time } from '../../components/time.js';
import type { PageRequest } from '../../page-request.js';
import { subscriptionFactsOf } from './listener-content.js';
import { HealthText, type ListenerDetail, StatusBadge, statusOf } from './listener-state.js';

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
